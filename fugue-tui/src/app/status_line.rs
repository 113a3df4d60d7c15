//! What the status line says to the person, and the keys it names.

use std::time::Instant;

use fugue_config::KeyTable;
use fugue_protocol::agents::AgentState;
use fugue_protocol::wording::without_codes;
use unicode_width::UnicodeWidthStr;

use super::App;
use crate::draw::{self, MessageKind, StatusLine};
use crate::text_wrap::wrapped;

/// The most rows that a message takes from the panes.
const MAX_MESSAGE_ROWS: usize = 3;

/// The first keys that a person needs, with what they do.
const WELCOME: [(&str, &str); 3] = [
    ("help", "lists all keys"),
    ("create-pane --right", "splits this pane"),
    ("detach", "detaches; programs keep running"),
];

/// The prefix of a tmux that was not configured.
const TMUX_PREFIX: &str = "C-b";

impl App {
    /// Shows a message for a while.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.messages.show(text.into(), MessageKind::Info, Instant::now());
        self.display.redraw();
    }

    /// Shows for a while why something was not done.
    pub(super) fn say_error(&mut self, text: impl Into<String>) {
        self.messages.show(without_codes(&text.into()).into_owned(), MessageKind::Error, Instant::now());
        self.display.redraw();
    }

    /// Shows for a while that an agent needs the person, or failed.
    pub(super) fn say_of_agent(&mut self, text: String, state: AgentState) {
        self.messages.show(text, MessageKind::Agent(state), Instant::now());
        self.display.redraw();
    }

    /// Shows a message that the person did not ask for and must read.
    pub(super) fn warn(&mut self, text: impl Into<String>) {
        self.messages.warn(text.into(), Instant::now());
        self.display.redraw();
    }

    pub(super) fn say_read_only(&mut self) {
        self.say_error("Read-only client (attached with --read-only)");
    }

    /// The first keys, as they are bound, and what they do.
    pub(super) fn welcome_keys(&self) -> Vec<(String, &'static str)> {
        WELCOME.iter().filter_map(|(command, does)| Some((self.config.keys.of(command)?, *does))).collect()
    }

    /// Says how to press the prefix inside tmux, which takes it for its own.
    pub(super) fn advise_inside_tmux(&mut self) {
        let prefix = self.config.keys.prefix();
        if !super::env_var("TMUX").is_empty() && prefix.to_string() == TMUX_PREFIX {
            self.say(format!(
                "tmux intercepts {prefix}: press it twice, or set another prefix in config.toml"
            ));
        }
    }

    /// The key that runs a command, as it is bound now; the command itself where no key does.
    pub(super) fn key_for(&self, command: &str) -> String {
        self.config.keys.of(command).unwrap_or_else(|| format!("`{command}`"))
    }

    pub(super) fn status_line(&self) -> StatusLine {
        match self.status_text() {
            Some((text, kind)) => StatusLine::Message(self.message_rows(&text, kind), kind),
            None if self.keyboard.table == KeyTable::Root => StatusLine::Parts,
            None => {
                let cols = usize::from(self.display.size.cols);
                let hints = self.config.keys.hints(&self.keyboard.table, cols);
                StatusLine::Message(vec![hints], MessageKind::Info)
            }
        }
    }

    /// The state of the connection where it is not as it should be, or else the current message.
    fn status_text(&self) -> Option<(String, MessageKind)> {
        let text = if let Some(reason) = self.daemon.failed_start() {
            reason.to_owned()
        } else if let Some(state) = self.daemon.line_state() {
            state
        } else if self.daemon.is_overdue() {
            let key = self.key_for("detach");
            format!("Daemon did not restart; detach with {key} and run `fugue` to start a new one")
        } else if self.daemon.is_away() {
            "Daemon connection lost; reconnecting…".to_owned()
        } else if self.daemon.is_silent() {
            let remedy = self.daemon.remedy().map(|remedy| format!(": {remedy}")).unwrap_or_default();
            format!("Daemon is not responding{remedy}; keys are queued")
        } else if self.keyboard.deferred.is_slow() {
            "Waiting for the last command; keys are queued (C-c discards them)".to_owned()
        } else {
            return self.messages.current().map(|(text, kind)| (text.to_owned(), kind));
        };
        Some((text, MessageKind::Attention))
    }

    /// The rows of a message. One that is too long even for several rows names the key that shows all of it.
    fn message_rows(&self, text: &str, kind: MessageKind) -> Vec<String> {
        let lead = usize::from(draw::message_lead_cols(kind));
        let cols = usize::from(self.display.size.cols).saturating_sub(2 + lead);
        let mut rows = wrapped(text, cols);
        if rows.len() > MAX_MESSAGE_ROWS {
            let more =
                self.config.keys.of("show-messages").map(|key| format!(" … {key}")).unwrap_or_default();
            let rest = rows.split_off(MAX_MESSAGE_ROWS - 1).join(" ");
            let room = cols.saturating_sub(more.width()).max(1);
            rows.extend(wrapped(&rest, room).into_iter().next().map(|last| last + &more));
        }
        rows.into_iter().map(|row| format!(" {row}")).collect()
    }
}
