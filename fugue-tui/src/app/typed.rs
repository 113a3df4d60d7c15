//! What a person types: after the prefix it is a command, else it is the pane's.

use std::time::Duration;

use fugue_protocol::PaneId;
use fugue_screen::Modes;
use fugue_screen::keys::Key;

use super::App;
use crate::tty::input_decoder::TerminalInput;

/// A key that repeats needs no prefix for so long, as in tmux.
const REPEAT: Duration = Duration::from_millis(500);

impl App {
    pub(super) fn typed(&mut self, typed: TerminalInput) {
        match typed {
            TerminalInput::Key(key) => self.key(key),
            TerminalInput::Mouse(mouse) => self.mouse(mouse),
            TerminalInput::Paste(bytes) => self.paste(&bytes),
            TerminalInput::Focus(gained) => self.focus(gained),
            TerminalInput::Line(line) => self.run_line(&line),
            TerminalInput::Reply(reply) => self.replied(reply),
        }
    }

    fn key(&mut self, key: Key) {
        if self.message.take_if(|said| !said.firm).is_some() {
            self.dirty = true;
        }
        if self.layer.is_some() && !self.prefix && key != self.config.keys.prefix() {
            return self.layer_key(key);
        }
        let repeats = self.repeats.take().is_some_and(|until| self.typed_at < until);
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
                self.repeats = binding.repeats.then(|| self.typed_at + REPEAT);
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
    pub(super) fn send_to_others(&mut self, pane: PaneId, bytes: impl Fn(&Modes) -> Vec<u8>) {
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
        self.say(match self.tree.synced.len() {
            0 => " what is typed reaches its own pane alone".to_owned(),
            1 => " this pane is chosen: `sync-pane` in another one joins them".to_owned(),
            count => format!(" {count} panes get what is typed into one of them"),
        });
    }

    fn focus(&mut self, gained: bool) {
        self.focused = gained;
        if gained {
            self.claim();
        }
        if let Some((pane, modes)) = self.keyboard().filter(|_| !self.options.read_only) {
            self.daemon.type_in(pane, &fugue_screen::focus(gained, &modes));
        }
    }
}
