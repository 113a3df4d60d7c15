//! What is typed behind a command that leads elsewhere: it waits, in order, until the client is there. `C-b c ls Enter`
//! is typed into the new window, however fast it comes. What is typed while the daemon is away waits here, too.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fugue_screen::keys::{Code, Key, Mods};

use super::App;
use super::daemon::Purpose;
use crate::tty::input_decoder::TerminalInput;

/// What may wait: a paste of ten megabytes, and more keys than anybody types while a daemon is replaced.
const MOST: usize = 16 << 20;

/// What takes longer than this is told.
const LONG: Duration = Duration::from_secs(3);

/// What was typed and waits.
#[derive(Debug, Default)]
pub(super) struct DeferredInput {
    typed: VecDeque<(Instant, TerminalInput)>,
    bytes: usize,
    /// There was more than is kept.
    overflowed: bool,
    /// Since when something waits.
    since: Option<Instant>,
    /// The question whose answer shows what a command led to.
    tree: Option<u64>,
}

/// What one thing takes.
fn weight(typed: &TerminalInput) -> usize {
    let text = match typed {
        TerminalInput::Paste(bytes) => bytes.len(),
        TerminalInput::Line(line) => line.len(),
        _ => 0,
    };
    size_of::<(Instant, TerminalInput)>() + text
}

impl DeferredInput {
    /// Keeps it. After the first that found no room all others are let go, too: better an end than a hole.
    fn put(&mut self, at: Instant, typed: TerminalInput) {
        self.since.get_or_insert(at);
        self.overflowed |= self.bytes + weight(&typed) > MOST;
        if !self.overflowed {
            self.bytes += weight(&typed);
            self.typed.push_back((at, typed));
        }
    }

    /// Keeps it before all that was typed.
    fn put_first(&mut self, at: Instant, typed: TerminalInput) {
        self.since.get_or_insert(at);
        self.bytes += weight(&typed);
        self.typed.push_front((at, typed));
    }

    fn next(&mut self) -> Option<(Instant, TerminalInput)> {
        let next = self.typed.pop_front()?;
        self.bytes -= weight(&next.1);
        Some(next)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.typed.is_empty()
    }

    /// Lets all go, and says how much that was.
    fn clear(&mut self) -> usize {
        let Self { typed, .. } = std::mem::take(self);
        typed
            .iter()
            .map(|(_, typed)| if let TerminalInput::Paste(bytes) = typed { bytes.len() } else { 1 })
            .sum()
    }

    /// What a daemon that is gone would have answered is not waited for.
    pub(super) fn lost(&mut self) {
        self.tree = None;
    }

    /// When it has waited for long.
    pub(super) fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + LONG)
    }
}

fn ctrl_c() -> Key {
    Key { code: Code::Char('c'), mods: Mods { ctrl: true, ..Mods::default() } }
}

/// So many keys, in words.
fn keys(count: usize) -> String {
    format!("{count} key{}", if count == 1 { "" } else { "s" })
}

impl App {
    /// Something was done at the terminal: now, or when the client is where the last command led.
    pub(super) fn came(&mut self, typed: TerminalInput, at: Instant) {
        match typed {
            TerminalInput::Reply(reply) => self.replied(reply),
            _ if self.farewell.is_some() => {}
            typed if self.held.is_empty() && !self.waits() => self.take(typed, at),
            typed => self.hold(typed, at),
        }
    }

    /// Runs a line when the client is where the command before it leads.
    pub(super) fn run_then(&mut self, line: &str) {
        match self.waits() {
            true => self.held.put_first(self.typed_at, TerminalInput::Line(line.to_owned())),
            false => self.run_line(line),
        }
    }

    fn take(&mut self, typed: TerminalInput, at: Instant) {
        self.typed_at = at;
        self.typed(typed);
    }

    /// Whether the terminal is read: what is typed faster than a daemon takes it waits in the terminal. One that takes
    /// nothing at all does not keep a person from leaving.
    pub(super) fn takes_keys(&self) -> bool {
        !self.daemon.is_full() || self.silent
    }

    /// Whether what is typed now must wait.
    fn waits(&self) -> bool {
        !self.daemon.is_welcome()
            || self.daemon.is_full()
            || self.daemon.is_leading()
            || self.held.tree.is_some_and(|id| self.daemon.owes(id))
            || self.is_unseen()
    }

    /// The pane that has the keyboard has not been seen: nobody knows how its program wants its keys.
    fn is_unseen(&self) -> bool {
        match self.keyboard() {
            _ if self.layer.is_some() => false,
            Some((pane, _)) => self.watched.contains(&pane) && !self.mirrors.contains_key(&pane),
            None => self.daemon.has_asked(Purpose::Tree),
        }
    }

    fn hold(&mut self, typed: TerminalInput, at: Instant) {
        let long = self.is_held_long(at);
        match &typed {
            TerminalInput::Key(key) if long && self.is_to_leave(*key) => return self.leave_at_once(),
            TerminalInput::Key(key) if long && *key == ctrl_c() => {
                return self.wait_no_longer();
            }
            _ => {}
        }
        self.held.put(at, typed);
    }

    /// Whether keys have waited for so long that the person is told.
    pub(super) fn is_held_long(&self, now: Instant) -> bool {
        self.daemon.is_away() || self.silent || self.held.due().is_some_and(|due| due <= now)
    }

    /// Whether this key, behind the last one, means to leave.
    fn is_to_leave(&self, key: Key) -> bool {
        let prefix = TerminalInput::Key(self.config.keys.prefix());
        let prefixed = self.held.typed.back().map_or(self.prefix, |(_, last)| *last == prefix);
        prefixed && self.config.keys.find(key).is_some_and(|binding| binding.command == "detach")
    }

    /// Leaves though something waits: nobody knows when the daemon answers.
    fn leave_at_once(&mut self) {
        // The prefix itself was not for anybody.
        let lost = self.held.clear().saturating_sub(1);
        self.detach();
        if let Some(Ok(words)) = self.farewell.as_mut().filter(|_| lost > 0) {
            words.push_str(&format!(
                "\r\n[the daemon did not answer: {} typed before were not taken]",
                keys(lost)
            ));
        }
    }

    /// What takes so long is not waited for any more. What was typed behind it was meant for somewhere else.
    fn wait_no_longer(&mut self) {
        if self.daemon.is_away() || self.silent {
            return;
        }
        let lost = self.held.clear();
        self.daemon.lead_no_more();
        if let Some((pane, _)) = self.keyboard() {
            self.mirrors.entry(pane).or_default();
        }
        self.say(format!("no longer waited for: {} typed meanwhile are let go", keys(lost)));
    }

    /// The daemon went away before it answered. Whether it did what was asked nobody knows, so that nobody knows, either,
    /// where what was typed behind it belongs.
    pub(super) fn unanswered(&mut self, verb: &str) {
        let lost = self.held.clear();
        let keys = if lost > 0 { format!(", {} behind it were let go", keys(lost)) } else { String::new() };
        self.warn(format!("the daemon went away before it answered `{verb}`: look whether it is done{keys}"));
    }

    /// An answer came. If it has changed what there is, what is typed waits until that is seen.
    pub(super) fn led(&mut self) {
        if self.stale {
            self.ask_tree();
        }
        self.held.tree = self.daemon.newest(Purpose::Tree);
    }

    /// Takes what has waited, as far as it need not wait any more.
    pub(super) fn take_held(&mut self) {
        while self.farewell.is_none() && !self.waits() {
            let Some((at, typed)) = self.held.next() else { break };
            self.take(typed, at);
        }
        if self.held.is_empty() && self.held.since.is_some() && !self.waits() {
            let overflowed = self.held.overflowed;
            self.held = DeferredInput::default();
            self.dirty = true;
            if overflowed {
                self.warn("more was typed than is kept for a daemon that is away: the end of it is lost");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paste(bytes: usize) -> TerminalInput {
        TerminalInput::Paste(vec![b'a'; bytes - weight(&TerminalInput::Focus(true))])
    }

    #[test]
    fn what_finds_no_room_leaves_no_hole() {
        let now = Instant::now();
        let mut held = DeferredInput::default();
        held.put(now, paste(MOST));
        assert!(!held.overflowed, "as much as is kept");
        held.put(now, TerminalInput::Focus(true));
        assert!(held.overflowed && held.next().is_some());
        held.put(now, TerminalInput::Focus(false));
        assert_eq!((held.next(), held.bytes), (None, 0), "there is room, but something is missing before it");
    }
}
