//! The state of panes' screens for formats: read when a format needs it, once for each pane.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fugue_client::{Connection, Paths, StartPolicy, connect};
use fugue_protocol::PaneId;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{GetOutput, Mode, PaneChoice};
use fugue_protocol::views::CursorAndHistory;

/// Reads the state of screens, over a connection of its own.
pub(super) struct ScreenReader<'a> {
    paths: &'a Paths,
    connection: RefCell<Option<Connection>>,
    known: RefCell<BTreeMap<PaneId, Option<CursorAndHistory>>>,
}

impl<'a> ScreenReader<'a> {
    pub(super) fn new(paths: &'a Paths) -> Self {
        Self { paths, connection: RefCell::default(), known: RefCell::default() }
    }

    /// The state of a pane's screen.
    pub(super) fn read(&self, pane: PaneId) -> Option<CursorAndHistory> {
        let mut known = self.known.borrow_mut();
        *known.entry(pane).or_insert_with(|| self.ask(pane))
    }

    fn ask(&self, pane: PaneId) -> Option<CursorAndHistory> {
        let mut connection = self.connection.borrow_mut();
        if connection.is_none() {
            *connection = connect(self.paths, Role::Command, StartPolicy::Never).ok();
        }
        let choice = PaneChoice::of(pane);
        let get = GetOutput {
            choice,
            lines: 1,
            mode: Some(Mode::Screen),
            screen_state: true,
            ..GetOutput::default()
        };
        connection.as_mut()?.call(&get).ok()?.screen
    }
}
