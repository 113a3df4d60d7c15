//! Targets, and the place of whoever gives the line.

use fugue_protocol::targets::{TargetKind, TargetOrigin, TargetPlace, TargetTree};
use fugue_protocol::{PaneId, SessionId};

use super::LineContext;
use crate::flags::Flags;
use crate::steps::LineOrigin;

impl LineContext {
    /// Finds a target. One that names only a window or a session means its current pane; without a target, it is the
    /// caller's.
    pub(crate) fn find(&self, target: Option<&str>, kind: TargetKind) -> Result<TargetPlace, String> {
        let place = self.own_place()?;
        let origin = TargetOrigin { place, marked: self.marked(), inexact: true };
        let target = target.unwrap_or_default();
        if matches!(target, "~" | "{marked}") && self.marked().is_none() {
            return Err("no marked target".into());
        }
        match TargetTree::of(&self.sessions).find(target, kind, origin) {
            Ok(place) => Ok(place),
            Err(_) if target.is_empty() => Err("no current target".into()),
            Err(why) => Err(why.to_string()),
        }
    }

    /// The pane that `-t` names.
    pub(crate) fn pane(&self, given: &Flags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Pane)
    }

    /// The pane that `-t` names, or, as in tmux, what there is of the target: the window or the session in it, or nothing.
    pub(crate) fn pane_or_part(&self, given: &Flags) -> Result<Option<TargetPlace>, String> {
        let Some(target) = given.target() else { return self.pane(given).map(Some) };
        Ok(self.part(target).map(|(at, _)| at))
    }

    /// What there is of a target: its pane, or else its window or its session.
    pub(crate) fn part(&self, target: &str) -> Option<(TargetPlace, TargetKind)> {
        if let Ok(whole) = self.find(Some(target), TargetKind::Pane) {
            return Some((whole, TargetKind::Pane));
        }
        let (name, rest) = target.split_once(':')?;
        let at = match name {
            "" => self.own_place().ok()??,
            name => self.find(Some(&format!("{name}:")), TargetKind::Session).ok()?,
        };
        let window = rest.split('.').next().unwrap_or_default();
        let window = if window.is_empty() { Some(at) } else { self.window_of(at, window) };
        Some(window.map_or((at, TargetKind::Session), |window| (window, TargetKind::Window)))
    }

    /// The first window of a session that a part of a target names.
    fn window_of(&self, at: TargetPlace, name: &str) -> Option<TargetPlace> {
        let session = self.views(at).0;
        let found = self.find(Some(&format!("${}:{name}", session.number)), TargetKind::Window).ok();
        found.or_else(|| {
            let named = session.windows.iter().find(|window| window.name.as_str() == name)?;
            let pane = named.panes.iter().find(|pane| pane.active)?;
            Some(TargetPlace { window: named.window_id, pane: pane.pane_id, ..at })
        })
    }

    /// The window that `-t` names.
    pub(crate) fn window(&self, given: &Flags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Window)
    }

    /// The session that `-t` names.
    pub(crate) fn session(&self, given: &Flags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Session)
    }

    /// The place that the client shows, that the environment names, or that the caller runs in. A client whose pane has just
    /// closed means the one that it shows next.
    pub(super) fn named_place(&self) -> Option<TargetPlace> {
        let tree = TargetTree::of(&self.sessions);
        let find = |name: &str, kind| tree.find(name, kind, TargetOrigin::default()).ok();
        if let Some(place) = self.hook_run.as_ref().and_then(|(_, at)| tree.place_of_pane(at.pane)) {
            return Some(place);
        }
        if let Some(client) = &self.setting.client {
            let shown = || find(&client.session.to_string(), TargetKind::Session);
            return client.pane.and_then(|pane| tree.place_of_pane(pane)).or_else(shown);
        }
        if self.setting.origin == LineOrigin::Hook {
            return self.place_of_hook();
        }
        let named = self.setting.own_target.as_deref().and_then(|name| find(name, TargetKind::Pane));
        named.or_else(|| tree.place_of_pane(self.setting.own_pane?))
    }

    /// The pane, the window or else the session that a hook is about, if it is there.
    fn place_of_hook(&self) -> Option<TargetPlace> {
        let tree = TargetTree::of(&self.sessions);
        let find = |name: &str, kind| {
            let id = self.setting.environment.get(name)?;
            tree.find(id, kind, TargetOrigin::default()).ok()
        };
        let window = || find("FUGUE_HOOK_WINDOW_ID", TargetKind::Window);
        let session = || find("FUGUE_HOOK_SESSION_ID", TargetKind::Session);
        find("FUGUE_HOOK_PANE_ID", TargetKind::Pane).or_else(window).or_else(session)
    }

    /// Whether a program was in a pane that is closed: it has no place, because it must not act on another.
    pub(super) fn has_lost_its_pane(&self) -> bool {
        !self.is_person() && self.setting.own_target.is_some() && self.named_place().is_none()
    }

    /// The caller's place; for a caller outside any pane, the current one of the session that was used last.
    fn own_place(&self) -> Result<Option<TargetPlace>, String> {
        if let Some(place) = self.named_place() {
            return Ok(Some(place));
        }
        if let Some(name) = self.setting.own_target.as_ref().filter(|_| !self.is_person()) {
            return Err(format!("can't find pane: {name}"));
        }
        let Some(recent) = self.recent else { return Ok(None) };
        let tree = TargetTree::of(&self.sessions);
        Ok(tree.find(&recent.to_string(), TargetKind::Session, TargetOrigin::default()).ok())
    }

    /// The marked pane.
    fn marked(&self) -> Option<PaneId> {
        let windows = self.sessions.iter().flat_map(|session| session.windows.iter().chain(&session.popups));
        windows.flat_map(|window| &window.panes).find(|pane| pane.marked).map(|pane| pane.pane_id)
    }

    /// Notes the session that was used last, for a caller outside any pane.
    pub(crate) fn used(&mut self, session: SessionId) {
        self.recent = Some(session);
    }
}
