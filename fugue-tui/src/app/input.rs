//! Input from the terminal: handled at once, or deferred until the client is where the last command led.

use std::time::Instant;

use fugue_config::KeyTable;
use fugue_screen::keys::{Code, Key, Mods};

use super::App;
use super::state::daemon::Purpose;
use crate::tree::TreeSnapshot;
use crate::tty::input_decoder::{DeferredLine, MAX_PASTE, PasteProblem, TerminalInput};

pub(super) fn ctrl_c() -> Key {
    Key { code: Code::Char('c'), mods: Mods { ctrl: true, ..Mods::default() } }
}

/// A number of keys, in words.
fn keys(count: usize) -> String {
    format!("{count} key{}", if count == 1 { "" } else { "s" })
}

impl App {
    /// Handles input now, or defers it.
    pub(super) fn receive_input(&mut self, input: TerminalInput, at: Instant) {
        match input {
            TerminalInput::Reply(reply) => self.terminal_replied(reply),
            TerminalInput::PasteProblem(problem) => self.report_paste(problem),
            _ if self.events.exit.is_some() => {}
            input if self.keyboard.deferred.is_empty() && !self.must_defer() => self.handle_input(input, at),
            input => self.defer(input, at),
        }
    }

    fn handle_input(&mut self, input: TerminalInput, at: Instant) {
        self.keyboard.typed_at = at;
        match input {
            TerminalInput::Key(key) => self.handle_key(key, Key::encode),
            TerminalInput::EscapedKey(key) => self.handle_key(key, Key::encode_escaped),
            TerminalInput::Mouse(mouse) => self.handle_mouse(mouse),
            TerminalInput::Paste(bytes) => self.paste(&bytes),
            TerminalInput::Focus(gained) => self.focus_changed(gained),
            TerminalInput::Line(line) => self.run_line_of(&line.text, line.origin, line.from),
            TerminalInput::Reply(reply) => self.terminal_replied(reply),
            TerminalInput::PasteProblem(problem) => self.report_paste(problem),
        }
    }

    fn report_paste(&mut self, problem: PasteProblem) {
        match problem {
            PasteProblem::NoEnd => self.warn("The end of a paste did not arrive; what came was pasted"),
            PasteProblem::TooLong => {
                self.warn(format!("A paste of more than {} MiB was discarded", MAX_PASTE >> 20));
            }
        }
    }

    /// Runs a line when the client is where the command before it leads.
    pub(super) fn run_line_later(&mut self, line: &str, from: Option<TreeSnapshot>) {
        let origin = self.line_origin.clone();
        match self.must_defer() {
            true => {
                let line = DeferredLine { text: line.to_owned(), origin, from };
                self.keyboard.deferred.push_first(self.keyboard.typed_at, TerminalInput::Line(line));
            }
            false => self.run_line_of(line, origin, from),
        }
    }

    /// Whether the terminal is read: what is typed faster than the daemon accepts it stays in the terminal. A daemon
    /// that accepts nothing at all does not keep a person from detaching.
    pub(super) fn accepts_keys(&self) -> bool {
        !self.daemon.is_full() || self.daemon.is_silent()
    }

    /// Whether what is typed now must wait.
    fn must_defer(&self) -> bool {
        let awaited = self.keyboard.deferred.awaited_tree();
        !self.daemon.is_welcome()
            || self.daemon.is_full()
            || self.daemon.is_leading()
            || awaited.is_some_and(|id| self.daemon.is_pending(id))
            || self.active_pane_is_unseen()
    }

    fn active_pane_is_unseen(&self) -> bool {
        match self.active_pane() {
            _ if self.overlays.current.is_some() => false,
            Some(pane) => self.panes.is_unseen(pane),
            None => self.daemon.has_requested(Purpose::Tree),
        }
    }

    /// Defers input. After a long wait the person may detach, or give up waiting with C-c.
    fn defer(&mut self, input: TerminalInput, at: Instant) {
        let stuck = self.daemon.is_away() || self.daemon.is_silent() || self.keyboard.deferred.is_overdue(at);
        match &input {
            TerminalInput::Key(key) if stuck && self.means_detach(*key) => self.detach_at_once(),
            TerminalInput::Key(key) if stuck && *key == ctrl_c() => self.give_up_waiting(),
            _ => self.keyboard.deferred.push(at, input),
        }
    }

    /// Whether this key, after the last one, is the one that detaches.
    fn means_detach(&self, key: Key) -> bool {
        let keys = &self.config.keys;
        self.keyboard.deferred.ends_with(keys.prefix(), self.keyboard.table == KeyTable::Prefix)
            && keys.find(&KeyTable::Prefix, key).is_some_and(|binding| binding.command == "detach")
    }

    /// Detaches though input waits: nobody knows when the daemon answers.
    fn detach_at_once(&mut self) {
        // The prefix itself was not meant for a program.
        let lost = self.keyboard.deferred.discard().saturating_sub(1);
        self.detach();
        if let Some(Ok(line)) = self.events.exit.as_mut().filter(|_| lost > 0) {
            line.push_str(&format!("\r\n[daemon did not respond; discarded {}]", keys(lost)));
        }
    }

    /// Stops waiting for what takes so long. What was typed after it was meant for somewhere else and is discarded.
    fn give_up_waiting(&mut self) {
        if self.daemon.is_away() || self.daemon.is_silent() {
            return;
        }
        let lost = self.keyboard.deferred.discard();
        self.daemon.stop_leading();
        if let Some(pane) = self.active_pane() {
            self.panes.mirrors.entry(pane).or_default();
        }
        self.say(format!("Gave up waiting; discarded {}", keys(lost)));
    }

    /// Reports that the daemon stopped before it answered. Nobody knows whether the request was carried out, so nobody
    /// knows where the input after it belongs.
    pub(super) fn report_unanswered(&mut self, verb: &str) {
        let lost = self.keyboard.deferred.discard();
        let keys = if lost > 0 { format!("; discarded {}", keys(lost)) } else { String::new() };
        self.warn(format!("Daemon restarted during `{verb}`; check whether it took effect{keys}"));
    }

    /// Handles the reply to a request that leads elsewhere: if it changed the tree, input waits until that is seen.
    pub(super) fn arrived_elsewhere(&mut self) {
        let tree = self.newest_tree();
        self.keyboard.deferred.await_tree(tree);
    }

    /// Handles deferred input, as far as it need not wait any more.
    pub(super) fn handle_deferred(&mut self) {
        while self.events.exit.is_none() && !self.must_defer() {
            let Some((at, input)) = self.keyboard.deferred.pop() else { break };
            self.handle_input(input, at);
        }
        if self.must_defer() {
            return;
        }
        if let Some(overflowed) = self.keyboard.deferred.finish() {
            self.display.redraw();
            if overflowed {
                self.warn("Too much input while the daemon was unavailable; the last part was lost");
            }
        }
    }
}
