//! What a person types: after the prefix it is a command, else it is the pane's.

use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{PaneChoice, SendInput};
use fugue_screen::Modes;
use fugue_screen::keys::Key;

use super::App;
use super::daemon::Why;
use crate::outer::input::Typed;

/// A key that repeats needs no prefix for so long, as in tmux.
const REPEAT: Duration = Duration::from_millis(500);

/// A paste goes to its pane in parts of so many bytes: each is taken before the next is sent.
const PART: usize = 256 << 10;

/// A pane that has no room for a part is asked again after this.
const AGAIN: Duration = Duration::from_millis(20);

impl App {
    pub(super) fn typed(&mut self, typed: Typed) {
        match typed {
            Typed::Key(key) => self.key(key),
            Typed::Mouse(mouse) => self.mouse(mouse),
            Typed::Paste(text) => self.paste(&text),
            Typed::Focus(gained) => self.focus(gained),
            Typed::Reply(reply) => self.replied(reply),
        }
    }

    fn key(&mut self, key: Key) {
        if self.message.take().is_some() {
            self.dirty = true;
        }
        if self.layer.is_some() && !self.prefix && key != self.config.keys.prefix() {
            return self.layer_key(key);
        }
        let repeats = self.repeats.take().is_some_and(|until| Instant::now() < until);
        if std::mem::take(&mut self.prefix) {
            self.dirty = true;
            return self.bound(key);
        }
        if repeats && self.config.keys.find(key).is_some_and(|binding| binding.repeats) {
            return self.bound(key);
        }
        if key == self.config.keys.prefix() {
            self.prefix = true;
            self.dirty = true;
            return;
        }
        match self.config.keys.find_bare(key).map(|binding| binding.command.clone()) {
            Some(command) => self.run_line(&command),
            None => self.send_key(key),
        }
    }

    /// A key after the prefix.
    fn bound(&mut self, key: Key) {
        let prefix = self.config.keys.prefix();
        if self.popup.is_some() && key == Key::plain(fugue_screen::keys::Code::Char('x')) {
            return self.close_popup();
        }
        match self.config.keys.find(key) {
            Some(binding) => {
                let command = binding.command.clone();
                self.repeats = binding.repeats.then(|| Instant::now() + REPEAT);
                self.claim();
                self.run_line(&command);
            }
            None if key == Key::plain(fugue_screen::keys::Code::Escape) => {}
            None => self.say(format!("{key} does nothing after {prefix}: {prefix} ? shows all keys")),
        }
    }

    /// The pane that has the keyboard, and its modes.
    pub(super) fn keyboard(&self) -> Option<(PaneId, Modes)> {
        let pane = self.popup.map_or_else(|| Some(self.tree.pane()?.pane_id), |popup| Some(popup.pane))?;
        Some((pane, self.mirrors.get(&pane).map(|mirror| mirror.modes).unwrap_or_default()))
    }

    pub(super) fn send_key(&mut self, key: Key) {
        if let Some((pane, modes)) = self.keyboard() {
            self.claim();
            self.send(pane, key.encode(&modes));
            self.send_to_others(pane, |modes| key.encode(modes));
        }
    }

    /// What is typed into one of the synced panes goes to the others, too, each in its own modes.
    fn send_to_others(&mut self, pane: PaneId, bytes: impl Fn(&Modes) -> Vec<u8>) {
        if !self.tree.synced.contains(&pane) || self.options.read_only {
            return;
        }
        for other in self.tree.synced.clone().into_iter().filter(|other| *other != pane) {
            let modes = self.mirrors.get(&other).map(|mirror| mirror.modes).unwrap_or_default();
            self.send(other, bytes(&modes));
        }
    }

    /// Lets a pane, or all that are seen, get what is typed into any of them; or no longer.
    pub(super) fn sync(&mut self, all: bool) {
        let Some(here) = self.tree.pane().map(|pane| pane.pane_id) else { return };
        let seen: Vec<PaneId> = self.tree.seen().iter().map(|pane| pane.pane_id).collect();
        let synced = &mut self.tree.synced;
        match (all, synced.contains(&here)) {
            (true, true) => synced.clear(),
            (true, false) => synced.extend(seen),
            (false, true) => drop(synced.remove(&here)),
            (false, false) => drop(synced.insert(here)),
        }
        let count = self.tree.synced.len();
        self.say(format!(
            " {count} pane{} get what is typed into one of them",
            if count == 1 { "" } else { "s" }
        ));
    }

    /// Types into a pane, behind what is being pasted into it.
    pub(super) fn send(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if self.options.read_only {
            return self.say("this client only watches");
        }
        if self.pastes.iter().any(|(behind, _)| *behind == pane) {
            return self.pastes.push_back((pane, String::from_utf8_lossy(&bytes).into_owned()));
        }
        self.daemon.type_in(pane, &bytes);
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(layer) = &mut self.layer {
            layer.paste(text);
            self.dirty = true;
            return;
        }
        let Some((pane, modes)) = self.keyboard() else { return };
        self.claim();
        let bytes = fugue_screen::paste(text, &modes);
        if bytes.len() <= PART {
            self.send_to_others(pane, |modes| fugue_screen::paste(text, modes));
        }
        if bytes.len() <= PART {
            return self.send(pane, bytes);
        }
        let mut rest = String::from_utf8_lossy(&bytes).into_owned();
        while !rest.is_empty() {
            let after = rest.split_off(rest.floor_char_boundary(PART.min(rest.len())));
            self.pastes.push_back((pane, std::mem::replace(&mut rest, after)));
        }
        self.paste_on();
    }

    /// Sends the next part.
    pub(super) fn paste_on(&mut self) {
        self.paste_again = None;
        if self.daemon.has_asked(Why::Paste) || self.options.read_only {
            return;
        }
        if let Some((pane, part)) = self.pastes.front() {
            let (choice, input) = (PaneChoice::of(*pane), Some(part.clone()));
            self.daemon.ask(Why::Paste, &SendInput { choice, input, ..SendInput::default() });
        }
    }

    /// A part was taken, or there was no room for it yet, or the pane is gone.
    pub(super) fn pasted(&mut self, refused: Option<Refused>) {
        match refused {
            Some(refused) if refused.code == "input_full" || refused.code == "busy" => {
                self.paste_again = Some(Instant::now() + AGAIN);
                return;
            }
            Some(refused) => {
                self.pastes.clear();
                self.say(refused.message);
            }
            None => drop(self.pastes.pop_front()),
        }
        self.paste_on();
    }

    pub(super) fn paste_due(&self) -> Option<Instant> {
        self.paste_again
    }

    fn focus(&mut self, gained: bool) {
        self.focused = gained;
        if gained {
            self.claim();
        }
        if let Some((pane, modes)) = self.keyboard() {
            self.daemon.type_in(pane, &fugue_screen::focus(gained, &modes));
        }
    }
}
