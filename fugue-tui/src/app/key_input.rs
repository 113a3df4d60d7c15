//! Keys: after the prefix they are commands, otherwise they go to the pane.

use fugue_config::KeyTable;
use fugue_protocol::PaneId;
use fugue_protocol::verbs::{ResizePane, VerbSpec};
use fugue_screen::Modes;
use fugue_screen::keys::{Code, Key};

use super::App;
use super::state::{BoundKey, KeyAction};
use crate::command::{self, Command};
use crate::overlays::Overlay;

/// How a key becomes the bytes for a program with these modes.
pub(super) type EncodeKey = fn(&Key, &Modes) -> Vec<u8>;

impl App {
    pub(super) fn handle_key(&mut self, key: Key, encode: EncodeKey) {
        let dismissed = self.messages.dismiss();
        self.display.redraw_if(dismissed || self.keyboard.table != KeyTable::Root);
        let overlay_open = self.overlays.current.is_some();
        match self.keyboard.interpret(key, &self.config.keys, overlay_open) {
            KeyAction::Overlay => self.overlay_key(key, encode),
            KeyAction::Prefix => self.display.redraw(),
            // The prefix and a key are described together.
            KeyAction::Run(_) | KeyAction::Unbound
                if matches!(self.overlays.current, Some(Overlay::DescribeKey)) =>
            {
                self.overlay_key(key, encode);
            }
            KeyAction::Run(bound) => self.run_bound(key, &bound),
            KeyAction::Unbound => self.say_unbound(key),
            KeyAction::Ignored => {}
            KeyAction::Send => self.send_key(key, encode),
        }
    }

    /// Runs what a key is bound to.
    fn run_bound(&mut self, key: Key, bound: &BoundKey) {
        if bound.table == KeyTable::Prefix && self.closes_popup(key) {
            return self.close_popup();
        }
        self.keyboard.set_repeat(bound, self.config.keys.repeat);
        if bound.table != KeyTable::Root {
            self.lead_window();
        }
        self.run_key_line(&bound.command);
    }

    /// Whether a key after the prefix closes the popup that is open.
    fn closes_popup(&self, key: Key) -> bool {
        self.overlays.popup.is_some() && key == Key::plain(Code::Char('x'))
    }

    fn say_unbound(&mut self, key: Key) {
        if self.closes_popup(key) {
            self.close_popup();
        } else if key != Key::plain(Code::Escape) {
            let help = self.key_for("help");
            self.say(format!("{} {key} is not bound; {help} lists all keys", self.config.keys.prefix()));
        }
    }

    /// Looks the next key up in a table.
    pub(super) fn select_key_table(&mut self, name: &str) {
        match name.parse::<KeyTable>() {
            Ok(table) if self.config.keys.has(&table) => self.keyboard.table = table,
            Ok(_) => self.say_error(format!("No key is bound in a table named {name}")),
            Err(why) => self.say_error(why),
        }
    }

    /// Runs the command of a key. As in tmux, a key that would move a border where there is none does nothing.
    fn run_key_line(&mut self, line: &str) {
        if !self.moves_no_border(line) {
            self.run_line(line);
        }
    }

    /// Whether a line would move a border of the active pane, which spans the window in that direction.
    fn moves_no_border(&self, line: &str) -> bool {
        let (first, rest) = command::split_first(line);
        let command = command::read(first, &self.tree, self.options.aliases).ok();
        let Some(Command::Verb { name: ResizePane::NAME, args }) = command.filter(|_| rest.trim().is_empty())
        else {
            return false;
        };
        let (resize, active) = (serde_json::from_str::<ResizePane>(args.get()).ok(), self.tree.pane());
        resize.zip(active).is_some_and(|(resize, active)| {
            let is_active = resize.choice.pane == Some(active.pane_id.into());
            is_active && resize.direction.is_some_and(|side| self.tree.spans_window(active, side))
        })
    }

    /// The pane that has the keyboard.
    pub(super) fn active_pane(&self) -> Option<PaneId> {
        match self.overlays.popup {
            Some(popup) => Some(popup.pane),
            None => Some(self.tree.pane()?.pane_id),
        }
    }

    /// Sends the prefix key, or the other one, to whatever has the keyboard: the program, or what is open over it, such as
    /// copy mode.
    pub(super) fn send_prefix(&mut self, other: bool) {
        let keys = &self.config.keys;
        let Some(key) = (if other { keys.prefix2 } else { Some(keys.prefix()) }) else { return };
        match self.overlays.current {
            Some(_) => self.overlay_key(key, Key::encode),
            None => self.send_key(key, Key::encode),
        }
    }

    pub(super) fn send_key(&mut self, key: Key, encode: EncodeKey) {
        if self.closes_ended_popup(key) {
            return;
        }
        if let Some(pane) = self.active_pane() {
            self.lead_window();
            // Commands outside panes are about the session that was used last: this one from now on.
            if !self.tree.is_last_used && self.keyboard.may_tell_use() {
                self.tree.is_last_used = true;
                self.attach();
            }
            let modes = self.panes.modes(pane);
            self.send(pane, encode(&key, &modes));
            self.predict_echo(pane, key);
            self.send_to_synced(pane, |modes| encode(&key, modes));
        }
    }

    /// Sends what is typed into one of the synchronized panes to the others, each in its own modes.
    pub(super) fn send_to_synced(&mut self, pane: PaneId, bytes: impl Fn(&Modes) -> Vec<u8>) {
        if self.options.read_only {
            return;
        }
        for other in self.tree.synchronized_with(pane) {
            let modes = self.panes.modes(other);
            self.send(other, bytes(&modes));
        }
    }

    /// Turns the synchronization of the current window on or off; without `on`, toggles it.
    pub(super) fn sync_window(&mut self, on: Option<bool>) {
        self.tree.synchronize_window(on);
        self.say_synced("Panes that are opened in this window will be synchronized");
    }

    /// Adds the current pane to those that share their input, or removes it.
    pub(super) fn sync_pane(&mut self) {
        self.tree.choose_synchronized();
        self.say_synced("1 pane selected; run `sync-pane` in another to synchronize both");
    }

    /// Says which panes get what is typed here; `alone` is for a synchronized pane without others.
    fn say_synced(&mut self, alone: &str) {
        let Some(pane) = self.tree.pane().map(|pane| pane.pane_id) else { return };
        let text = match (self.tree.is_synchronized(pane), self.tree.synchronized_with(pane).len()) {
            (false, _) => "Panes no longer synchronized".to_owned(),
            (true, 0) => alone.to_owned(),
            (true, others) => format!("Input is sent to {} panes", others + 1),
        };
        self.say(text);
    }

    pub(super) fn focus_changed(&mut self, gained: bool) {
        self.display.focused = gained;
        if gained {
            self.lead_window();
        }
        if let Some(pane) = self.active_pane().filter(|_| !self.options.read_only) {
            let modes = self.panes.modes(pane);
            self.daemon.type_in(pane, &fugue_screen::focus(gained, &modes));
        }
    }
}
