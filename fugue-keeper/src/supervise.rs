//! Keeps a daemon running: one at a time, and the lease back when it ends.

use std::time::{Duration, Instant};

use crate::daemon::Daemon;
use crate::keeper::{EXIT_FOR_GOOD, Keeper};
use crate::log;
use crate::pane::Pane;
use crate::wire::Exit;

impl Keeper {
    /// Starts a daemon. That it cannot be executed shows in its exit; here fail only forks and descriptors.
    pub fn start_daemon(&mut self, now: Instant) {
        self.start_at = None;
        match Daemon::start(&self.config.daemon, &self.config.listener) {
            Ok(daemon) => self.daemon = Some(daemon),
            Err(error) => {
                log::say(format_args!("cannot start a daemon: {error}"));
                self.start_again(now, Duration::ZERO);
            }
        }
    }

    /// It has let go of the link, or has ended and could not be collected.
    pub fn look_at_daemon(&mut self, now: Instant) {
        let Some(daemon) = &mut self.daemon else { return };
        daemon.insist(now);
        if daemon.child.has_ended() {
            self.daemon_ended(now);
        }
    }

    /// The lease comes back: what the daemon said last is done first, then the keeper pumps.
    pub fn daemon_ended(&mut self, now: Instant) {
        let Some(exit) = self.daemon.as_mut().and_then(|daemon| daemon.child.reap(now)) else { return };
        self.hear_out();
        let Some(daemon) = self.daemon.take() else { return };
        self.outbox.clear();
        self.crowded_until = None;
        if daemon.taken {
            self.panes.values_mut().for_each(resume);
        }
        self.after_daemon(exit, daemon.lived(now), now);
    }

    fn after_daemon(&mut self, exit: Exit, lived: Duration, now: Instant) {
        log::say(format_args!("daemon ended ({exit:?}) after {lived:?}"));
        if exit == Exit::Code(EXIT_FOR_GOOD) {
            self.shut_down();
        }
        if self.closing.is_none() {
            self.start_again(now, lived);
        }
    }

    fn start_again(&mut self, now: Instant, lived: Duration) {
        self.start_at = Some(now + self.backoff.after(lived));
    }
}

fn resume(pane: &mut Pane) {
    if let Err(error) = pane.resume() {
        log::say(format_args!("cannot look after the output of process {:?}: {error}", pane.child.pid));
    }
}
