//! A turn of the client's loop: wait for the terminal, the daemon, signals, the settings' file and the clock at once, and
//! take what came.

use std::os::fd::AsFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

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
        if terminal {
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
        let stdin = rustix::stdio::stdin();
        let more = if self.daemon.wants_to_write() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let out = if self.output.is_done() { PollFlags::empty() } else { PollFlags::OUT };
        let typed = if self.takes_keys() { PollFlags::IN } else { PollFlags::empty() };
        let mut fds = vec![
            PollFd::from_borrowed_fd(stdin, typed),
            PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.output.as_fd(), out),
        ];
        let (daemon, settings) = (self.daemon.fd().map(|_| 3), self.config_watch.fd());
        let settings_at = settings.map(|_| 3 + usize::from(daemon.is_some()));
        fds.extend(self.daemon.fd().map(|fd| PollFd::from_borrowed_fd(fd, more)));
        fds.extend(settings.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return [false, false, true, false, false];
        }
        let ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        [ready(0), daemon.is_some_and(ready), ready(1), ready(2), settings_at.is_some_and(ready)]
    }

    /// When something must be done though nothing happens.
    fn due(&self) -> Option<Instant> {
        let message = self.message.as_ref().map(|(_, until)| *until);
        // Keys that wait were typed in time.
        let repeats = self.repeats.filter(|_| self.held.is_empty());
        let dues =
            [self.input.due(), repeats, message, self.minute_until, self.daemon.due(), self.paste_due()];
        let silence = self.daemon.silence_due(Instant::now());
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
        if self.message.as_ref().is_some_and(|(_, until)| *until <= now) {
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
        let silent = self.daemon.is_silent(now);
        self.dirty |= std::mem::replace(&mut self.silent, silent) != silent;
        let long = self.held.due().is_some_and(|due| due <= now);
        self.dirty |= std::mem::replace(&mut self.held_long, long) != long;
        self.tree_on_time(now);
        if self.paste_due().is_some_and(|due| due <= now) {
            self.paste_on();
        }
    }

    fn read_terminal(&mut self) {
        match rustix::io::read(rustix::stdio::stdin(), &mut self.piece) {
            Ok(0) => self.leave(""),
            Ok(count) => {
                let now = Instant::now();
                let typed = self.input.feed(&self.piece[..count], now);
                typed.into_iter().for_each(|typed| self.came(typed, now));
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => self.leave(""),
        }
    }
}
