//! The content of the status line: every part that is configured, as it is now.

use std::time::Duration;

use fugue_client::ThisMachine;
use fugue_config::KeyTable;
use fugue_config::{StatusCommand, StatusPart};
use fugue_protocol::PaneId;
use fugue_protocol::views::{ClientView, CursorAndHistory};
use fugue_tmux::format::{FormatContext, expand_with_time};

use super::App;
use super::state::status_readings::{ReadingTimes, StatusSource};
use crate::draw::{self, BarText, LineContent, PartContent, StatusText};
use crate::theme::ThemePart;

/// The version that formats report.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commands whose keys a person needs first, with what they do.
const HINTS: [(&str, &str); 2] = [("help", "keys"), ("detach", "detach")];

impl App {
    /// The lines of the status line.
    pub(super) fn status_content(&self) -> Vec<LineContent> {
        let side = |parts: &[StatusPart]| parts.iter().map(|part| self.part_content(part)).collect();
        self.events.readings.during(|| {
            let lines = self.config.status.lines().into_iter();
            let line = lines.map(|sides| LineContent {
                left: side(&sides.left),
                center: side(&sides.center),
                right: side(&sides.right),
            });
            let mut lines: Vec<_> = line.collect();
            if let Some(first) = lines.first_mut().filter(|line| line.center.is_empty()) {
                first.center.extend(self.first_hints());
            }
            lines
        })
    }

    fn part_content(&self, part: &StatusPart) -> PartContent {
        let text = match part {
            StatusPart::Clock => BarText::plain(self.display.clock.text.clone()),
            StatusPart::Host => BarText::plain(host()),
            StatusPart::Load => BarText::plain(self.reading(StatusSource::Load)),
            StatusPart::Battery => BarText::plain(self.reading(StatusSource::Battery)),
            StatusPart::Exit => self.last_exit(),
            StatusPart::Text(format) => BarText::of(draw::styled(&self.expanded(format))),
            StatusPart::Command(command) => BarText::plain(self.command_output(command)),
            of_tree => return draw::tree_part(of_tree, &self.tree),
        };
        PartContent::Text(StatusText::new(part, vec![text]))
    }

    /// A few keys for a person who is new to fugue, in the middle of the status line, where there is room.
    fn first_hints(&self) -> Option<PartContent> {
        if !self.options.hints || !self.config.settings.hints || self.messages.shows_welcome() {
            return None;
        }
        let keys = HINTS.iter().filter_map(|(command, does)| Some((self.config.keys.of(command)?, does)));
        let keys: Vec<_> = keys.map(|(key, does)| format!("{key} {does}")).collect();
        if keys.len() < HINTS.len() {
            return None;
        }
        // The tutor needs all keys of the terminal, so it is for after detaching.
        let text = format!("{}, then `fugue tutor`", keys.join(" · "));
        Some(PartContent::Text(StatusText::new(&StatusPart::Title, vec![BarText::plain(text)])))
    }

    fn interval(&self) -> Duration {
        self.config.status.interval.duration()
    }

    fn reading(&self, source: StatusSource) -> String {
        let times = ReadingTimes { interval: self.interval(), timeout: StatusCommand::TIMEOUT.duration() };
        self.events.readings.text(source, times)
    }

    fn command_output(&self, StatusCommand { command, interval, timeout }: &StatusCommand) -> String {
        let interval = interval.map_or_else(|| self.interval(), |interval| interval.duration());
        let times = ReadingTimes { interval, timeout: timeout.duration() };
        self.events.readings.text(StatusSource::Command(command.clone()), times)
    }

    /// The exit code of the last command in the active pane's shell.
    fn last_exit(&self) -> BarText {
        match self.tree.pane().and_then(|pane| pane.last_exit) {
            None => BarText::plain(""),
            Some(0) => BarText::plain("exit 0"),
            Some(code) => BarText::themed(format!("exit {code}"), ThemePart::BarFailed),
        }
    }

    /// This client, as formats see it.
    fn own_view(&self) -> Option<ClientView> {
        let session = self.tree.session()?;
        Some(ClientView {
            client: self.daemon.client()?,
            session_id: session.session_id,
            session_name: session.name.clone(),
            dimensions: self.display.size,
            since: self.display.since,
            read_only: self.options.read_only,
            tty: self.display.device.clone(),
        })
    }

    /// The cursor of a pane that is watched.
    fn screen_state(&self, pane: PaneId) -> Option<CursorAndHistory> {
        let cursor = self.panes.mirrors.get(&pane)?.cursor;
        Some(CursorAndHistory {
            cursor_col: cursor.col,
            cursor_row: cursor.row,
            cursor_visible: cursor.visible,
            history_lines: None,
            history_limit: None,
            bracketed_paste: false,
        })
    }

    /// A variable that only this client knows.
    fn client_variable(&self, name: &str) -> Option<String> {
        let flag = |on: bool| Some(u8::from(on).to_string());
        match name {
            "client_prefix" => flag(self.keyboard.table == KeyTable::Prefix),
            "client_key_table" => Some(self.keyboard.table.name().to_owned()),
            _ => None,
        }
    }

    /// Expands a format for the active pane.
    pub(super) fn expanded(&self, format: &str) -> String {
        let Some(active) = self.tree.pane() else { return String::new() };
        let now = i64::try_from(crate::clock::now().millis() / 1_000).unwrap_or_default();
        let client = self.own_view();
        let context = FormatContext {
            sessions: &self.tree.sessions,
            clients: client.as_slice(),
            socket: &self.options.paths.socket,
            version: VERSION,
            machine: &ThisMachine,
            now,
            synchronized: &|pane| self.tree.is_synchronized(pane),
            other: &|_, name| self.client_variable(name),
            screen: &|pane| self.screen_state(pane),
            output: &|command| self.reading(StatusSource::Command(command.to_owned())),
        };
        let place = context.places().find(|place| place.pane.pane_id == active.pane_id);
        place.map(|place| expand_with_time(format, &place)).unwrap_or_default()
    }
}

/// The name of this machine, without its domain.
fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}
