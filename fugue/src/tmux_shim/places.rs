//! tmux's targets: `%3`, `@1`, `$0`, and `session:window.pane` with names and indexes.

use fugue_protocol::views::{PaneView, SessionView, WindowView};

use super::Shim;
use super::ids::IdKind;

/// A pane with its window and its session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) session: &'a SessionView,
    pub(super) window: &'a WindowView,
    pub(super) pane: &'a PaneView,
}

impl Shim {
    /// Returns the place of every pane.
    pub(super) fn places(&self) -> impl Iterator<Item = Place<'_>> {
        self.sessions.iter().flat_map(|session| {
            session
                .windows
                .iter()
                .flat_map(move |window| window.panes.iter().map(move |pane| Place { session, window, pane }))
        })
    }

    /// Returns the pane that a target names, or stands for: of a window its active pane, of a session that of its
    /// current window. Without a target, it is the caller's.
    pub(super) fn place(&self, target: Option<&str>) -> Result<Place<'_>, String> {
        let Some(target) = target.filter(|target| !target.is_empty()) else {
            return self.own_place().ok_or_else(|| "no current target".into());
        };
        if let Some((kind, id)) = self.ids.find(target) {
            let what = ["pane", "window", "session"][kind as usize];
            let found = id.and_then(|id| self.place_of_id(kind, id));
            return found.ok_or_else(|| format!("can't find {what}: {target}"));
        }
        self.named_place(target).ok_or_else(|| {
            let what = if target.contains('.') || !target.contains(':') { "pane" } else { "window" };
            format!("can't find {what}: {target}")
        })
    }

    /// Returns the session that a target names.
    pub(super) fn session(&self, target: Option<&str>) -> Result<&SessionView, String> {
        let Some(name) = target else { return self.place(None).map(|place| place.session) };
        let name = name.split(':').next().unwrap_or_default().trim_start_matches('=');
        let found = match self.ids.find(name) {
            Some((kind, Some(id))) => self.place_of_id(kind, id).map(|place| place.session),
            _ => self.sessions.iter().find(|session| session.name.as_str() == name),
        };
        found.ok_or_else(|| format!("can't find session: {name}"))
    }

    /// The caller's pane; outside any pane, the active one of the first session.
    fn own_place(&self) -> Option<Place<'_>> {
        let named = std::env::var("TMUX_PANE").ok();
        let named = named.and_then(|name| self.ids.find(&name)?.1.map(str::to_owned));
        let named = named.and_then(|id| self.place_of_id(IdKind::Pane, &id));
        let own = || self.places().find(|place| Some(place.pane.pane_id) == self.own_pane);
        named.or_else(own).or_else(|| self.places().find(|place| place.window.active && place.pane.active))
    }

    fn place_of_id(&self, kind: IdKind, id: &str) -> Option<Place<'_>> {
        self.places().find(|place| match kind {
            IdKind::Pane => place.pane.pane_id.to_string() == id,
            IdKind::Window => place.window.window_id.to_string() == id && place.pane.active,
            IdKind::Session => {
                place.session.session_id.to_string() == id && place.window.active && place.pane.active
            }
        })
    }

    /// `session:window.pane`, of which parts may be missing; a lone word is a session, a window or a pane.
    fn named_place(&self, target: &str) -> Option<Place<'_>> {
        let (session, rest) = match target.split_once(':') {
            Some((session, rest)) => (Some(session), rest),
            None => (None, target),
        };
        if session.is_none() && !rest.contains('.') {
            let named = self.session(Some(rest)).ok();
            if let Some(session) = named {
                return self.active_in(session);
            }
        }
        let session = match session.filter(|name| !name.is_empty()) {
            Some(name) => self.session(Some(name)).ok()?,
            None => self.own_place()?.session,
        };
        let (window, pane) = rest.split_once('.').unwrap_or((rest, ""));
        let window = self.window_in(session, window)?;
        let index = |pane: &str| window.panes.get(pane.parse::<usize>().ok()?);
        let by_id =
            |pane: &str| self.ids.find(pane).and_then(|(kind, id)| Some(self.place_of_id(kind, id?)?.pane));
        let pane = match pane {
            "" => window.panes.iter().find(|pane| pane.active),
            pane => index(pane).or_else(|| by_id(pane)),
        };
        Some(Place { session, window, pane: pane? })
    }

    fn active_in<'a>(&'a self, session: &'a SessionView) -> Option<Place<'a>> {
        let window = session.windows.iter().find(|window| window.active)?;
        Some(Place { session, window, pane: window.panes.iter().find(|pane| pane.active)? })
    }

    fn window_in<'a>(&self, session: &'a SessionView, name: &str) -> Option<&'a WindowView> {
        let id = self.ids.find(name).and_then(|(_, id)| id);
        session.windows.iter().find(|window| match name {
            "" => window.active,
            _ if id.is_some() => Some(window.window_id.to_string().as_str()) == id,
            name => window.name.as_str() == name || name.parse() == Ok(window.index),
        })
    }
}
