//! A turn of the client's loop: wait for the terminal, the daemon, signals, the settings' file and the clock at once, and
//! take what came.

use std::io;
use std::time::Instant;

use fugue_client::CallError;
use rustix::event::Timespec;
use rustix::io::retry_on_intr;

use super::App;
use crate::overlays::Outcome;
use crate::tty::poller::ReadySources;

impl App {
    /// Poller for something, and takes it.
    pub(super) fn turn(&mut self) {
        let came = match self.wait() {
            Ok(came) => came,
            Err(why) => {
                self.farewell =
                    Some(Err(CallError::Place(format!("this terminal cannot be waited for: {why}"))));
                return;
            }
        };
        if came.signal {
            self.signals.take().into_iter().for_each(|told| self.told(told));
        }
        // Before keys: what was written before a key was pressed holds for it.
        if came.settings {
            self.config_watch.take();
            self.reload(false);
        }
        if came.terminal {
            self.daemon.expect_keys();
            self.read_terminal();
        }
        self.daemon.send_typed();
        if came.drained && self.output.flush().is_err() {
            self.leave("");
        }
        if came.daemon {
            self.read_daemon();
            self.draw();
        }
        self.on_time(Instant::now());
        self.take_held();
        self.daemon.send_typed();
    }

    /// Poller until there is something to be done.
    fn wait(&mut self) -> io::Result<ReadySources> {
        let timeout = self.due().map(|due| due.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let echo_until = self.daemon.take_echo_until();
        if echo_until.is_some() {
            self.rehearse();
        }
        self.waits.follow(self.daemon.connection(), self.daemon.wants_to_write())?;
        // The terminal is watched only while it must be.
        self.waits.drain(&self.output, !self.output.is_done())?;
        // After a key the answer is looked for, and others have their turn meanwhile.
        while echo_until.is_some_and(|until| Instant::now() < until) {
            let came = self.waits.wait(self.takes_keys(), Some(&Timespec::default()))?;
            if came.any() {
                return Ok(came);
            }
            pause();
        }
        self.waits.wait(self.takes_keys(), timeout.as_ref())
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

/// A moment between two looks, in which a processor that shares this one's parts has them for itself; then whoever waits
/// for this processor has it.
fn pause() {
    /// About a microsecond: an echo is not late for it, and the daemon works undisturbed.
    const PAUSES: usize = 40;
    for _ in 0..PAUSES {
        std::hint::spin_loop();
    }
    std::thread::yield_now();
}
