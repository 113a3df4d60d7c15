//! References in tmux's notation, `session:window.pane`: tried when a reference is not simply a name, an index or an id.

use fugue_protocol::names::begins_as_target;
use fugue_protocol::refusal::nearest;
use fugue_protocol::targets::{
    TargetKind, TargetMissing, TargetOrigin, TargetPane, TargetPlace, TargetSession, TargetTree, TargetWindow,
};
use fugue_protocol::{PaneName, PaneRef, Refusal, SessionId, SessionRef};

use crate::request_context::RequestContext;
use crate::world::{Pane, Session, Window, World};

/// Whether the name of a session precedes the first colon of a target. `=` alone means the current one.
fn names_session(target: &str) -> bool {
    target.split_once(':').is_some_and(|(session, _)| !session.trim_start_matches('=').is_empty())
}

impl World {
    /// Whether text can only be a target: it begins as an id does, or names a session before a colon. Nothing that a program
    /// named like that may be found instead.
    pub(crate) fn is_only_target(&self, text: &str) -> bool {
        let within = text.split_once(':').map(|(session, _)| session);
        let is_session = |name: &str| self.sessions.values().any(|session| session.name.as_str() == name);
        begins_as_target(text) || within.is_some_and(is_session)
    }

    /// The session of a reference or a target.
    pub fn session_target(&self, wanted: &SessionRef, context: &RequestContext) -> Result<&Session, Refusal> {
        self.session(wanted).or_else(|refusal| {
            let SessionRef::Name(target) = wanted else { return Err(refusal) };
            let place = self.find_target(target, TargetKind::Session, None, context, refusal)?;
            Ok(&self.sessions[&place.session])
        })
    }

    /// The pane of a reference or a target, within a session if one is named.
    pub fn pane_target(
        &self,
        wanted: &PaneRef,
        within: Option<&SessionRef>,
        context: &RequestContext,
    ) -> Result<&Pane, Refusal> {
        let within = within.map(|session| self.session_target(session, context)).transpose()?;
        let within = within.map(|session| session.id);
        let named = match wanted {
            PaneRef::Name(name) if self.is_only_target(name) => Err(self.pane_missing(wanted)),
            _ => self.pane_named(wanted, within.map(SessionRef::from).as_ref()),
        };
        named.or_else(|refusal| {
            let target = match (wanted, &refusal) {
                (PaneRef::Id(_), _) | (_, Refusal::AmbiguousPane { .. }) => return Err(refusal),
                (PaneRef::Name(target), _) => target,
            };
            let place = self.find_target(target, TargetKind::Pane, within, context, refusal)?;
            Ok(&self.panes[&place.pane])
        })
    }

    /// The window of a target.
    pub(crate) fn window_target(
        &self,
        target: &str,
        within: Option<SessionId>,
        context: &RequestContext,
        otherwise: Refusal,
    ) -> Result<&Window, Refusal> {
        let place = self.find_target(target, TargetKind::Window, within, context, otherwise)?;
        Ok(&self.windows[&place.window])
    }

    /// Finds a target, within a session if one is named. Only people may abbreviate names: an agent that mistypes one
    /// must not act on another session. If the target's session does not exist, the refusal names that session.
    fn find_target(
        &self,
        target: &str,
        kind: TargetKind,
        within: Option<SessionId>,
        context: &RequestContext,
        otherwise: Refusal,
    ) -> Result<TargetPlace, Refusal> {
        let place = self.origin(within, context);
        let origin = TargetOrigin { place, marked: None, inexact: !self.is_agent(context) };
        match self.target_tree().find(target, kind, origin) {
            Ok(found) if within.is_none_or(|within| within == found.session) => Ok(found),
            Err(TargetMissing { kind: TargetKind::Session, part })
                if within.is_none() && names_session(target) && !self.resembles_name(target, &otherwise) =>
            {
                Err(self.session_missing(part))
            }
            _ => Err(otherwise),
        }
    }

    /// Whether a target is probably a mistyped name with a colon in it.
    fn resembles_name(&self, target: &str, refusal: &Refusal) -> bool {
        let has_colon = |name: &&str| name.contains(':');
        match refusal {
            Refusal::WindowNotFound { nearest, .. } => {
                nearest.as_deref().is_some_and(|name| has_colon(&name))
            }
            Refusal::PaneNotFound { .. } => {
                let names = self.panes.values().filter_map(|pane| pane.name.as_ref().map(PaneName::as_str));
                nearest(target, names.filter(has_colon)).is_some()
            }
            _ => false,
        }
    }

    /// The place that relative targets start from: the caller's, or the session's current one.
    fn origin(&self, within: Option<SessionId>, context: &RequestContext) -> Option<TargetPlace> {
        let own = self.caller_pane(context);
        let own = own.filter(|pane| within.is_none_or(|within| self.session_of(pane).id == within));
        let session = within.or_else(|| self.recent.last().copied());
        let current = || session.and_then(|id| self.sessions.get(&id)).map(|at| self.current_pane(at));
        let pane = own.or_else(current)?;
        Some(TargetPlace { session: self.session_of(pane).id, window: pane.window, pane: pane.id })
    }

    fn target_tree(&self) -> TargetTree<'_> {
        TargetTree { sessions: self.sessions.values().map(|session| self.target_session(session)).collect() }
    }

    fn target_session<'a>(&'a self, session: &'a Session) -> TargetSession<'a> {
        let windows = session.windows.iter().enumerate();
        let windows =
            windows.filter_map(|(at, id)| Some((self.index_at(session, at), self.windows.get(id)?)));
        TargetSession {
            id: session.id,
            number: session.number,
            name: session.name.as_str(),
            windows: windows.map(|(index, window)| self.target_window(session, window, index)).collect(),
            last: session.last,
        }
    }

    fn target_window<'a>(&'a self, session: &Session, window: &'a Window, index: usize) -> TargetWindow<'a> {
        let panes = window.layout.places(window.size).into_iter();
        let panes = panes.filter_map(|(id, place)| Some((self.panes.get(&id)?, place)));
        let pane = |(index, (pane, place)): (usize, (&'a Pane, _))| TargetPane {
            id: pane.id,
            number: pane.number,
            index,
            name: pane.name.as_ref().map(PaneName::as_str),
            active: window.active == pane.id,
            place,
        };
        TargetWindow {
            id: window.id,
            number: window.number,
            index,
            name: window.name.as_str(),
            active: session.current == window.id,
            panes: (self.base_index..).zip(panes).map(pane).collect(),
            last: window.last,
        }
    }
}
