//! Pastes of any length and of any bytes: long ones go in parts, each of which is accepted before the next is sent.

use std::time::Instant;

use fugue_protocol::PaneId;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{GetOutput, PaneChoice, SendInput};

use super::App;
use super::state::MAX_PART;
use super::state::daemon::Purpose;

impl App {
    /// Types into a pane, behind what is being pasted into it.
    pub(super) fn send(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if self.options.read_only {
            return self.say_read_only();
        }
        if self.pastes.queue.has(pane) {
            return self.pastes.queue.push(pane, bytes);
        }
        self.daemon.type_in(pane, &bytes);
    }

    pub(super) fn paste(&mut self, pasted: &[u8]) {
        if let Some(overlay) = &mut self.overlays.current {
            overlay.paste(&String::from_utf8_lossy(pasted));
            self.display.redraw();
            return;
        }
        let Some(pane) = self.active_pane() else { return };
        if self.options.read_only {
            return self.say_read_only();
        }
        self.lead_window();
        self.drop_prediction();
        let bytes = fugue_screen::paste_bytes(pasted, &self.panes.modes(pane));
        if bytes.len() <= MAX_PART {
            self.send_to_synced(pane, |modes| fugue_screen::paste_bytes(pasted, modes));
            return self.send(pane, bytes);
        }
        self.pastes.queue.push_paste(pane, &bytes);
        self.send_next_part();
    }

    /// Sends the next part of a paste. Bytes that are not text cannot travel in a request: they are typed, and the
    /// reply to a request behind them shows that they were accepted.
    pub(super) fn send_next_part(&mut self) {
        if self.daemon.has_requested(Purpose::Paste) || self.options.read_only {
            return;
        }
        let Some((pane, part)) = self.pastes.queue.next() else { return };
        let choice = PaneChoice::of(*pane);
        match std::str::from_utf8(part) {
            Ok(text) => {
                let input = Some(text.to_owned());
                self.daemon.request(Purpose::Paste, &SendInput { choice, input, ..SendInput::default() });
            }
            Err(_) => {
                self.daemon.type_in(*pane, part);
                self.daemon.request(Purpose::Paste, &GetOutput { choice, lines: 1, ..GetOutput::default() });
            }
        }
    }

    /// Handles keys that the daemon refused: a part of a paste is sent again.
    pub(super) fn keys_refused(&mut self, refused: Refused) {
        match refused.code == "input_full" && self.daemon.has_requested(Purpose::Paste) {
            true => self.pastes.queue.refuse(),
            false => self.say_refused(&refused),
        }
    }

    /// Handles the reply to a part: it was accepted, there was no room yet, or the pane is gone.
    pub(super) fn part_replied(&mut self, refused: Option<Refused>) {
        let no_room = refused.as_ref().is_some_and(|why| why.code == "input_full" || why.code == "busy");
        if let Some(refused) = refused.filter(|_| !no_room) {
            self.pastes.queue.clear();
            self.say_refused(&refused);
        }
        if self.pastes.queue.replied(no_room, Instant::now()) {
            self.send_next_part();
        }
    }
}
