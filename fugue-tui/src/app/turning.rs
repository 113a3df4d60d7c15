//! A turn of the client's loop: wait for the terminal, the daemon, signals, the settings' file and the clock at once, and
//! take what came.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use super::App;
use crate::layers::Outcome;

impl App {
    /// Waits for something, and takes it.
    pub(super) fn turn(&mut self) {
        let [terminal, daemon, signal, drained, settings] = self.wait();
        if signal {
            self.signals.take().into_iter().for_each(|told| self.told(told));
        }
        // Before keys: what was written before a key was pressed holds for it.
        if settings {
            self.config_watch.take();
            self.reload(false);
        }
        if terminal && self.keyboard.came() {
            self.read_terminal();
        }
        self.daemon.send_typed();
        if drained && self.output.flush().is_err() {
            self.leave("");
        }
        if daemon {
            self.read_daemon();
        }
        self.on_time(Instant::now());
        self.take_held();
        self.daemon.send_typed();
    }

    /// Which of the terminal, the daemon and the signals have something, and whether the terminal takes more.
    fn wait(&mut self) -> [bool; 5] {
        let timeout = self.due().map(|due| due.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let echo_until = self.daemon.take_echo_until();
        let more = if self.daemon.wants_to_write() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let typed = if self.takes_keys() { PollFlags::IN } else { PollFlags::empty() };
        // The terminal itself is polled only while it must be: see the keyboard.
        let unwritten = Some(self.output.as_fd()).filter(|_| !self.output.is_done());
        let asked = [
            (Some(self.keyboard.as_fd()), typed),
            (self.daemon.fd(), more),
            (Some(self.signals.as_fd()), PollFlags::IN),
            (unwritten, PollFlags::OUT),
            (self.config_watch.fd(), PollFlags::IN),
        ];
        // After a key the answer is looked for, and others have their turn meanwhile.
        while echo_until.is_some_and(|until| Instant::now() < until) {
            let found = ready(asked, Some(&Timespec::default()));
            if found.contains(&true) {
                return found;
            }
            std::thread::yield_now();
        }
        ready(asked, timeout.as_ref())
    }

    /// When something must be done though nothing happens.
    fn due(&self) -> Option<Instant> {
        let message = self.message.as_ref().map(|said| said.until);
        // Keys that wait were typed in time.
        let repeats = self.repeats.filter(|_| self.held.is_empty());
        let dues =
            [self.input.due(), repeats, message, self.minute_until, self.daemon.due(), self.paste_due()];
        let silence = self.daemon.silence_due().filter(|_| !self.silent);
        let held = self.held.due().filter(|_| !self.held_long);
        let dues = dues.into_iter().chain([self.layer_until, self.tree_due(), silence, held]);
        dues.flatten().min()
    }

    fn on_time(&mut self, now: Instant) {
        if self.input.due().is_some_and(|due| due <= now) {
            let typed = self.input.give_up(now);
            typed.into_iter().for_each(|typed| self.came(typed, now));
        }
        if self.held.is_empty() && self.repeats.is_some_and(|until| until <= now) {
            self.repeats = None;
        }
        if self.message.as_ref().is_some_and(|said| said.until <= now) {
            self.message = None;
            self.dirty = true;
        }
        if self.layer_until.is_some_and(|until| until <= now) {
            self.layer_until = None;
            self.outcome(Outcome::Close);
        }
        if self.daemon.due().is_some_and(|due| due <= now) {
            self.reconnect();
        }
        self.daemon.doubt(now);
        let silent = self.daemon.is_silent(now);
        self.dirty |= std::mem::replace(&mut self.silent, silent) != silent;
        let long = self.held.due().is_some_and(|due| due <= now);
        self.dirty |= std::mem::replace(&mut self.held_long, long) != long;
        self.tree_on_time(now);
        if self.paste_due().is_some_and(|due| due <= now) {
            self.paste_on();
        }
    }

    /// Reads all that came: a terminal has less than a piece at a time.
    fn read_terminal(&mut self) {
        match retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut self.piece)) {
            Ok(0) => self.leave(""),
            Ok(count) => {
                let now = Instant::now();
                let typed = self.input.feed(&self.piece[..count], now);
                typed.into_iter().for_each(|typed| self.came(typed, now));
            }
            Err(rustix::io::Errno::AGAIN) => {}
            Err(_) => self.leave(""),
        }
    }
}

/// Which of these have what is asked for, once one has; what is not there has nothing. Whoever is interrupted looks at
/// its signals.
fn ready(asked: [(Option<BorrowedFd<'_>>, PollFlags); 5], timeout: Option<&Timespec>) -> [bool; 5] {
    let there = asked.iter().filter_map(|(fd, what)| fd.map(|fd| PollFd::from_borrowed_fd(fd, *what)));
    let mut fds: Vec<_> = there.collect();
    if poll(&mut fds, timeout).is_err() {
        return [false, false, true, false, false];
    }
    let mut answers = fds.iter().map(|fd| !fd.revents().is_empty());
    asked.map(|(fd, _)| fd.is_some() && answers.next().unwrap_or(false))
}
