//! What is copied and pasted: paste buffers, and the clipboard of the person's terminal.

use std::time::{Duration, Instant};

use fugue_config::ClipboardAccess;
use fugue_protocol::PaneId;

use super::App;
use super::state::CopyOffer;
use super::state::bounded_command::BoundedCommand;
use crate::draw;
use crate::tty::clipboard::{self, ClipboardResult, count_characters};

/// The time limit of the command that gets copied text: a clipboard program puts itself into the background.
const COPY_TIME: Duration = Duration::from_secs(5);

impl App {
    /// Keeps copied text in a buffer and sends it to the clipboard.
    pub(super) fn store_copied(&mut self, text: String) {
        if text.is_empty() {
            return self.say("Nothing to copy");
        }
        let report = self.send_to_clipboard(&text);
        self.say(format!("Copied {report}"));
        self.run_copy_command(&text);
        self.keep_copied(text);
    }

    /// Keeps text that a visible program wants on the clipboard, if the person allows that.
    pub(super) fn program_copied(&mut self, pane: PaneId, text: String) {
        if self.config.settings.clipboard == ClipboardAccess::Off || text.is_empty() {
            return;
        }
        let program = self.tree.find_pane(pane).map(draw::label).unwrap_or_default();
        if self.config.settings.clipboard == ClipboardAccess::Ask {
            let former = self.pastes.offered.as_ref();
            self.pastes.offered = Some(CopyOffer::new(text, program, former, Instant::now()));
            return self.say_offer();
        }
        let report = self.send_to_clipboard(&text);
        self.say(format!("{program} copied {report}"));
        self.run_copy_command(&text);
        self.keep_copied(text);
    }

    /// Sends the text that a program wanted on the clipboard there.
    pub(super) fn allow_copy(&mut self) {
        let typed_at = self.keyboard.typed_at;
        match self.pastes.offered.take_if(|offer| offer.is_meant(typed_at)) {
            Some(offer) => self.store_copied(offer.text),
            // Another text came just before the key was pressed.
            None if self.pastes.offered.is_some() => self.say_offer(),
            None => self.say("No program is asking to copy text"),
        }
    }

    fn say_offer(&mut self) {
        let Some(offer) = &self.pastes.offered else { return };
        let (program, count, key) =
            (&offer.program, count_characters(&offer.text), self.key_for("allow-copy"));
        let text = format!("{program} wants to copy {count}; press {key} to allow it");
        self.say(text);
    }

    /// Gives copied text to the person's own command as well, in the background.
    fn run_copy_command(&mut self, text: &str) {
        let Some(line) = self.config.settings.copy_command.clone() else { return };
        let variable = ("FUGUE_SOCKET", self.options.paths.socket.clone().into());
        let command = BoundedCommand { line, input: text.into(), timeout: COPY_TIME, variable };
        if let Err(why) = self.events.jobs.start_bounded("copy_command", command) {
            self.say(why);
        }
    }

    /// Sends text to the terminal's clipboard. Returns how much was copied, and where it can be pasted from.
    fn send_to_clipboard(&mut self, text: &str) -> String {
        let (count, key) = (count_characters(text), self.key_for("paste-buffer"));
        match clipboard::copy(text, &mut self.display.output) {
            ClipboardResult::Sent => count,
            ClipboardResult::SentToTmux => {
                format!("{count} to tmux (reaches the clipboard only if tmux's set-clipboard option is on)")
            }
            ClipboardResult::TooLong => {
                format!("{count} (too long for the clipboard); {key} pastes the text")
            }
            ClipboardResult::NotSent => format!("{count}; {key} pastes the text"),
        }
    }
}
