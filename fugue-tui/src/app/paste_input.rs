//! Pastes of any length and of any bytes: long ones go in parts, each of which is accepted before the next is sent.

use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{GetOutput, PaneChoice, SendInput};

use super::App;
use super::state::daemon::Purpose;
use super::state::{AfterPart, MAX_PART, PasteRoom};
use crate::draw;

/// How long the client stays after its end while nobody takes what was pasted and typed before.
const LAST_INPUT: Duration = Duration::from_secs(1);

/// How long it stays while a program reads, so that one that reads slowly does not keep the user's terminal. On a busy
/// machine, a program takes about a megabyte a second.
const LAST_INPUT_IN_ALL: Duration = Duration::from_secs(10);

impl App {
    /// Types into a pane, behind what is being pasted into it.
    pub(super) fn send(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if self.options.read_only {
            return self.say_read_only();
        }
        if self.pastes.queues.has(pane) {
            let room = self.pastes.queues.push(pane, bytes);
            return self.say_room(pane, room);
        }
        self.daemon.type_in(pane, &bytes);
    }

    pub(super) fn paste(&mut self, pasted: &[u8]) {
        if let Some(overlay) = &mut self.overlays.current {
            overlay.paste(&String::from_utf8_lossy(pasted));
            self.display.redraw();
            return;
        }
        if let Some(pane) = self.active_pane() {
            self.paste_into(pane, pasted);
        }
    }

    /// Pastes into this pane, wherever the keyboard is.
    pub(super) fn paste_into(&mut self, pane: PaneId, pasted: &[u8]) {
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
        let room = self.pastes.queues.push_paste(pane, &bytes);
        self.say_room(pane, room);
        self.send_next_part(pane);
    }

    /// Says that there is no room for more input of a pane.
    fn say_room(&mut self, pane: PaneId, room: PasteRoom) {
        if room == PasteRoom::Full {
            let name = self.label_of(pane);
            self.warn(format!("Too much input waits for “{name}”; the last part was lost"));
        }
    }

    fn label_of(&self, pane: PaneId) -> String {
        self.tree.find_pane(pane).map(draw::label).unwrap_or_default()
    }

    /// Sends the next part of the paste in each of these panes.
    pub(super) fn send_next_parts(&mut self, panes: Vec<PaneId>) {
        panes.into_iter().for_each(|pane| self.send_next_part(pane));
    }

    /// Sends the next part of a paste. Bytes that are not text cannot travel in a request: they are typed, and the
    /// reply to a request behind them shows that they were accepted.
    fn send_next_part(&mut self, pane: PaneId) {
        let purpose = Purpose::Paste(pane);
        if self.daemon.has_requested(purpose) || self.daemon.is_away() || self.options.read_only {
            return;
        }
        // What the daemon does not read now would be dropped.
        if self.daemon.is_full() {
            return self.pastes.queues.postpone(pane, Instant::now());
        }
        let Some(part) = self.pastes.queues.next(pane) else { return };
        let choice = PaneChoice::of(pane);
        match std::str::from_utf8(part) {
            Ok(text) => {
                let input = Some(text.to_owned());
                self.daemon.request(purpose, &SendInput { choice, input, ..SendInput::default() });
            }
            Err(_) => {
                self.daemon.type_in(pane, part);
                self.daemon.request(purpose, &GetOutput { choice, lines: 1, ..GetOutput::default() });
            }
        }
    }

    /// Handles keys that the daemon refused: a part of a paste is sent again.
    pub(super) fn keys_refused(&mut self, refused: Refused) {
        let pane = refused.detail.get("pane").and_then(|pane| pane.as_str()?.parse().ok());
        let under_way = pane.filter(|pane| self.daemon.has_requested(Purpose::Paste(*pane)));
        match under_way.filter(|_| refused.code == "input_full") {
            Some(pane) => self.pastes.queues.refuse_keys(pane),
            None => self.say_refused(&refused),
        }
    }

    /// Handles the reply to a part: it was accepted, there was no room yet, or the pane is gone.
    pub(super) fn part_replied(&mut self, pane: PaneId, refused: Option<Refused>) {
        let no_room = refused.as_ref().is_some_and(|why| why.code == "input_full" || why.code == "busy");
        if let Some(refused) = refused.filter(|_| !no_room) {
            self.pastes.queues.discard(pane);
            self.say_refused(&refused);
        }
        match self.pastes.queues.replied(pane, no_room, Instant::now()) {
            AfterPart::Next => self.send_next_part(pane),
            AfterPart::Again => {}
            AfterPart::Stuck => {
                let name = self.label_of(pane);
                self.say(format!("“{name}” does not read its input; the rest of a paste waits"));
            }
        }
    }

    /// Handles the loss of the connection: nobody knows whether the parts under way were accepted, so what follows them
    /// could end up in the wrong place.
    pub(super) fn discard_pastes_under_way(&mut self) {
        let is_under_way = |pane: &PaneId| self.daemon.has_requested(Purpose::Paste(*pane));
        let lost: Vec<PaneId> = self.pastes.queues.panes().into_iter().filter(is_under_way).collect();
        for pane in &lost {
            self.pastes.queues.discard(*pane);
        }
        if !lost.is_empty() {
            self.warn("Daemon connection lost during a paste; the rest was not pasted");
        }
    }

    /// Sends the rest of pastes and keys before the client exits, as far as the daemon and the programs accept it soon.
    /// Adds what was not sent to the client's last words.
    pub(super) fn finish_input(&mut self) {
        let end = Instant::now() + LAST_INPUT_IN_ALL;
        let (mut left, mut until) = (self.pastes.queues.bytes(), Instant::now() + LAST_INPUT);
        while self.has_unsent_input() && Instant::now() < until && !self.daemon.is_away() {
            if self.pastes.queues.bytes() < left {
                (left, until) = (self.pastes.queues.bytes(), end.min(Instant::now() + LAST_INPUT));
            }
            let due = self.pastes.queues.due().map_or(until, |due| due.min(until));
            if !self.wait_for_daemon(due) {
                break;
            }
            self.send_next_parts(self.pastes.queues.due_panes(Instant::now()));
            self.daemon.send_keys();
        }
        let left = self.pastes.queues.bytes();
        let is_unsent = left == 0 && self.has_unsent_input();
        if let Some(Ok(line)) = &mut self.events.exit {
            match left {
                _ if is_unsent => line.push_str("\r\n[daemon did not read the last input]"),
                0 => {}
                _ => line.push_str(&format!("\r\n[{left} bytes of a paste were not sent]")),
            }
        }
    }

    fn has_unsent_input(&self) -> bool {
        !self.pastes.queues.is_empty() || self.daemon.has_unsent_keys()
    }
}
