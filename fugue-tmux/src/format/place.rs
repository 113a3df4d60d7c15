//! A pane with its window and its session as the source of a format's values.

use std::path::Path;

use fugue_protocol::views::{ClientView, CursorAndHistory, PaneView, SessionView, WindowView};
use fugue_protocol::{PaneId, SessionId};

use super::{FormatSource, HostFacts, LoopItem, LoopKind, variables};

/// What all places have in common.
pub struct FormatContext<'a> {
    /// All sessions.
    pub sessions: &'a [SessionView],
    /// All clients.
    pub clients: &'a [ClientView],
    /// The daemon's socket.
    pub socket: &'a Path,
    /// The version that is reported.
    pub version: &'a str,
    /// The machine that the panes run on.
    pub machine: &'a dyn HostFacts,
    /// The current time, in seconds.
    pub now: i64,
    /// Whether a pane shares its input with others.
    pub synchronized: &'a dyn Fn(PaneId) -> bool,
    /// Other names at a place: options, and what only the caller knows.
    pub other: &'a dyn Fn(&FormatPlace<'_>, &str) -> Option<String>,
    /// The state of a pane's screen.
    pub screen: &'a dyn Fn(PaneId) -> Option<CursorAndHistory>,
    /// Runs a shell command and returns its output.
    pub output: &'a dyn Fn(&str) -> String,
}

/// A pane with its window and its session, and a client if the format is about one.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct FormatPlace<'a> {
    pub context: &'a FormatContext<'a>,
    pub session: &'a SessionView,
    pub window: &'a WindowView,
    pub pane: &'a PaneView,
    pub client: Option<&'a ClientView>,
}

impl<'a> FormatContext<'a> {
    /// Every pane, in order.
    pub fn places(&'a self) -> impl Iterator<Item = FormatPlace<'a>> {
        self.sessions.iter().flat_map(move |session| self.places_in(session))
    }

    /// Every pane of a session.
    pub fn places_in(&'a self, session: &'a SessionView) -> impl Iterator<Item = FormatPlace<'a>> {
        session.windows.iter().flat_map(move |window| {
            let client = self.client_of(session.session_id);
            window.panes.iter().map(move |pane| FormatPlace { context: self, session, window, pane, client })
        })
    }

    /// The client of a session that attached last.
    fn client_of(&self, session: SessionId) -> Option<&'a ClientView> {
        self.clients.iter().rev().find(|client| client.session_id == session)
    }
}

impl FormatPlace<'_> {
    /// Whether it is the active pane of its session's current window.
    pub fn is_current(&self) -> bool {
        self.window.active && self.pane.active
    }
}

impl FormatSource for FormatPlace<'_> {
    fn value(&self, name: &str) -> Option<String> {
        variables::value(*self, name).or_else(|| (self.context.other)(self, name))
    }

    fn items(&self, kind: LoopKind) -> Vec<LoopItem<'_>> {
        let places: Vec<(bool, FormatPlace<'_>)> = match kind {
            LoopKind::Sessions => {
                let own = self.session.session_id;
                let current = self.context.places().filter(FormatPlace::is_current);
                current.map(|place| (place.session.session_id == own, place)).collect()
            }
            LoopKind::Windows => {
                let active = self.context.places_in(self.session).filter(|place| place.pane.active);
                active.map(|place| (place.window.active, place)).collect()
            }
            LoopKind::Panes => {
                let panes = self.window.panes.iter();
                panes.map(|pane| (pane.active, FormatPlace { pane, ..*self })).collect()
            }
        };
        places
            .into_iter()
            .map(|(current, place)| (current, Box::new(place) as Box<dyn FormatSource>))
            .collect()
    }

    fn output(&self, command: &str) -> String {
        (self.context.output)(command)
    }

    fn now(&self) -> i64 {
        self.context.now
    }
}
