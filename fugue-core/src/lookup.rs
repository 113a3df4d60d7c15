//! Resolves references. An omitted one means the caller's own; for a user outside, the most recently used session.

use fugue_protocol::refusal::{ArgumentProblem, nearest};
use fugue_protocol::verbs::{PaneChoice, WindowChoice};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{
    PaneId, PaneName, PaneRef, Refusal, SessionId, SessionName, SessionRef, WindowId, WindowRef,
};

use crate::caller::Caller;
use crate::request_context::RequestContext;
use crate::world::{EndedPane, Pane, Session, Window, World};

/// The minimum number of trailing digits of an id that name something: fewer would match by chance.
const DIGITS: usize = 4;

fn ends_so(id: impl ToString, digits: &str) -> bool {
    digits.len() >= DIGITS && id.to_string().ends_with(&digits.to_ascii_lowercase())
}

/// The only item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

impl World {
    /// The session of a reference.
    pub fn session(&self, wanted: &SessionRef) -> Result<&Session, Refusal> {
        let found = match wanted {
            SessionRef::Id(id) => self.sessions.get(id),
            SessionRef::Name(name) => {
                let sessions = || self.sessions.values();
                let by_digits = || only(sessions().filter(|session| ends_so(session.id, name)));
                sessions().find(|session| session.name.as_str() == name).or_else(by_digits)
            }
        };
        found.ok_or_else(|| self.session_missing(wanted.to_string()))
    }

    /// The refusal for a session that does not exist.
    pub(crate) fn session_missing(&self, session: String) -> Refusal {
        let nearest = nearest(&session, self.sessions.values().map(|session| session.name.as_str()));
        Refusal::SessionNotFound { session, nearest }
    }

    /// The session of a reference, else the caller's own, else the most recently used one.
    pub fn session_or_own(
        &self,
        wanted: Option<&SessionRef>,
        context: &RequestContext,
    ) -> Result<&Session, Refusal> {
        match wanted {
            Some(wanted) => self.session_target(wanted, context),
            None => self.own_session(context),
        }
    }

    /// The caller's session; for a user outside, the most recently used one. A caller whose pane is closed has none:
    /// the most recently used session is the user's, not an agent's.
    fn own_session(&self, context: &RequestContext) -> Result<&Session, Refusal> {
        match context.caller.pane() {
            Some(pane_id) => {
                let pane = self.panes.get(&pane_id).ok_or(Refusal::CallerGone { pane_id })?;
                Ok(self.session_of(pane))
            }
            None => {
                let session =
                    self.recent.last().and_then(|id| self.sessions.get(id)).ok_or(Refusal::NoSession)?;
                context.assume(&session.name);
                Ok(session)
            }
        }
    }

    /// The window of a choice.
    pub fn window(&self, choice: &WindowChoice, context: &RequestContext) -> Result<&Window, Refusal> {
        match &choice.window {
            Some(WindowRef::Id(id)) => self.window_by_id(*id, choice, context),
            Some(WindowRef::Name(name)) => self.window_of_name(name, choice, context),
            None => self.window_left_out(choice, context),
        }
    }

    fn window_by_id(
        &self,
        id: WindowId,
        choice: &WindowChoice,
        context: &RequestContext,
    ) -> Result<&Window, Refusal> {
        let session =
            choice.session.as_ref().map(|wanted| self.session_or_own(Some(wanted), context)).transpose()?;
        let fits = |window: &&Window| session.is_none_or(|session| session.id == window.session);
        let missing = || Refusal::WindowNotFound { window: id.to_string(), nearest: None };
        self.windows.get(&id).filter(fits).ok_or_else(missing)
    }

    /// A window of the session that is named or the caller's own, or else a target.
    fn window_of_name(
        &self,
        name: &str,
        choice: &WindowChoice,
        context: &RequestContext,
    ) -> Result<&Window, Refusal> {
        let within =
            choice.session.as_ref().map(|wanted| self.session_target(wanted, context)).transpose()?;
        let found = match within {
            Some(session) => self.window_by_name(session, name),
            None => self.own_session(context).and_then(|session| self.window_by_name(session, name)),
        };
        found.or_else(|refusal| match refusal {
            Refusal::AmbiguousWindow { .. } => Err(refusal),
            other => self.window_target(name, within.map(|session| session.id), context, other),
        })
    }

    /// A window of a session by its index, or else by its name, as in tmux, or else by the last digits of its id.
    fn window_by_name(&self, session: &Session, name: &str) -> Result<&Window, Refusal> {
        let windows = || session.windows.iter().filter_map(|id| self.windows.get(id));
        let by_index = name.parse().ok().and_then(|index| windows().nth(self.position(session, index)?));
        if let Some(window) = by_index {
            return Ok(window);
        }
        let is_named = |window: &&Window| self.name_of_window(window).as_str() == name;
        let mut named = windows().filter(|window| !self.is_only_target(name) && is_named(window));
        match (named.next(), named.count()) {
            (Some(window), 0) => Ok(window),
            (Some(_), more) => Err(Refusal::AmbiguousWindow { window: name.to_owned(), count: more + 1 }),
            (None, _) => only(windows().filter(|window| ends_so(window.id, name))).ok_or_else(|| {
                let names: Vec<_> = windows().map(|window| self.name_of_window(window)).collect();
                let nearest = nearest(name, names.iter().map(|name| name.as_str()));
                Refusal::WindowNotFound { window: name.to_owned(), nearest }
            }),
        }
    }

    fn window_left_out(&self, choice: &WindowChoice, context: &RequestContext) -> Result<&Window, Refusal> {
        if choice.session.is_none()
            && let Some(pane) = self.caller_pane(context).filter(|pane| !self.window_of(pane).popup)
        {
            return Ok(self.window_of(pane));
        }
        Ok(self.current_window(self.session_or_own(choice.session.as_ref(), context)?))
    }

    /// The pane of a choice.
    pub fn pane(&self, choice: &PaneChoice, context: &RequestContext) -> Result<&Pane, Refusal> {
        match (&choice.pane, &choice.session) {
            (Some(wanted), within) => self.pane_target(wanted, within.as_ref(), context),
            (None, Some(session)) => Ok(self.current_pane(self.session_target(session, context)?)),
            (None, None) => match self.caller_pane(context) {
                Some(pane) => Ok(pane),
                None => Ok(self.current_pane(self.own_session(context)?)),
            },
        }
    }

    /// The pane of a reference, within a session if one is named.
    pub fn pane_named(&self, wanted: &PaneRef, within: Option<&SessionRef>) -> Result<&Pane, Refusal> {
        let session = within.map(|session| self.session(session)).transpose()?.map(|session| session.id);
        let fits = |pane: &&Pane| session.is_none_or(|id| self.window_of(pane).session == id);
        let found = match wanted {
            PaneRef::Id(id) => self.panes.get(id).filter(fits),
            PaneRef::Name(name) => self.one_pane(name, fits)?,
        };
        found.ok_or_else(|| self.pane_missing(wanted))
    }

    fn one_pane(&self, name: &str, fits: impl Fn(&&Pane) -> bool) -> Result<Option<&Pane>, Refusal> {
        let given = |pane: &&Pane| pane.name.as_ref().is_some_and(|own| own.as_str() == name);
        let ends = |pane: &&Pane| ends_so(pane.id, name);
        let panes = || self.panes.values().filter(&fits);
        let mut found: Vec<_> = panes().filter(given).collect();
        if found.is_empty() {
            found = panes().filter(ends).collect();
        }
        match found.as_slice() {
            [] => Ok(None),
            [pane] => Ok(Some(pane)),
            several => Err(Refusal::AmbiguousPane { pane: name.to_owned(), count: several.len() }),
        }
    }

    pub(crate) fn pane_missing(&self, wanted: &PaneRef) -> Refusal {
        let wanted_name = |own: &PaneName| matches!(wanted, PaneRef::Name(name) if own.as_str() == name);
        let named = |ended: &&EndedPane| ended.view.name.as_ref().is_some_and(wanted_name);
        let ended = || self.ended.iter().rev().find(named).and_then(|ended| ended.view.exit);
        let exit = self.departed_named(wanted).map(|(_, exit)| exit).or_else(ended);
        Refusal::PaneNotFound { pane: wanted.to_string(), exit }
    }

    /// The closed pane of a reference, by id or trailing digits, and its exit status.
    pub fn departed_named(&self, wanted: &PaneRef) -> Option<(PaneId, ExitStatus)> {
        let means = |pane: PaneId| match wanted {
            PaneRef::Id(id) => *id == pane,
            PaneRef::Name(digits) => ends_so(pane, digits),
        };
        only(self.departed.iter().rev().filter(|(pane, _)| means(*pane))).copied()
    }

    /// The caller's pane, if it exists.
    pub fn caller_pane(&self, context: &RequestContext) -> Option<&Pane> {
        context.caller.pane().and_then(|pane| self.panes.get(&pane))
    }

    /// Whether the caller is an agent rather than a person at a shell in a pane: an MCP server is one, and so is a
    /// program in a pane in which an agent was recognized.
    pub fn is_agent(&self, context: &RequestContext) -> bool {
        match context.caller {
            Caller::Outside => false,
            Caller::Agent(_) | Caller::Elsewhere(_) | Caller::Nested(_) | Caller::Bridge { .. } => true,
            Caller::Inside(_) | Caller::Claims(_) | Caller::Unattributed(_) => {
                self.caller_pane(context).is_some_and(|pane| pane.agent.view.is_some())
            }
        }
    }

    /// The window of a pane; every pane in the world has one.
    pub fn window_of(&self, pane: &Pane) -> &Window {
        &self.windows[&pane.window]
    }

    /// The session of a pane.
    pub fn session_of(&self, pane: &Pane) -> &Session {
        &self.sessions[&self.window_of(pane).session]
    }

    /// The current window of a session.
    pub fn current_window(&self, session: &Session) -> &Window {
        &self.windows[&session.current]
    }

    /// The active pane of a session's current window.
    pub fn current_pane(&self, session: &Session) -> &Pane {
        &self.panes[&self.current_window(session).active]
    }

    /// A name that no session has, including sessions being started.
    pub fn name_is_free(
        &self,
        name: &SessionName,
        but: Option<SessionId>,
        context: &RequestContext,
    ) -> Result<(), Refusal> {
        if name.as_str().contains(':') {
            return Err(Refusal::argument("name", ArgumentProblem::ColonInName));
        }
        let taken = self.sessions.values().any(|session| session.name == *name && Some(session.id) != but);
        if taken || context.is_promised(name) {
            Err(Refusal::NameTaken { name: name.to_string() })
        } else {
            Ok(())
        }
    }

    /// The popups over the windows of a session.
    pub fn popups_of(&self, session: SessionId) -> impl Iterator<Item = &Window> {
        self.windows.values().filter(move |window| window.popup && window.session == session)
    }

    /// The window of a choice, which must be one of its session's windows.
    pub fn listed_window(&self, choice: &WindowChoice, context: &RequestContext) -> Result<&Window, Refusal> {
        let window = self.window(choice, context)?;
        if window.popup { Err(Refusal::argument("window", ArgumentProblem::Popup)) } else { Ok(window) }
    }

    /// The panes of a session's windows, in order.
    pub fn panes_of(&self, session: &Session) -> Vec<PaneId> {
        let windows = session.windows.iter().filter_map(|id| self.windows.get(id));
        windows.flat_map(|window| window.layout.panes()).collect()
    }
}
