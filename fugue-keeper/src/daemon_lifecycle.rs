//! The daemon's lifecycle: one runs at a time, is restarted when it exits, and the lease comes back meanwhile.

use std::time::{Duration, Instant};

use crate::daemon_process::DaemonProcess;
use crate::keeper::{EXIT_FOR_GOOD, Keeper};
use crate::kept_pane::KeptPane;
use crate::last_exit;
use crate::log;
use crate::messages::Exit;

impl Keeper {
    /// Starts a daemon. This fails only for lack of processes or descriptors; a failed exec shows in the exit code.
    pub(crate) fn start_daemon(&mut self, now: Instant) {
        self.start_at = None;
        match DaemonProcess::start(&self.config.daemon, &self.config.listener) {
            Ok(daemon) => self.daemon = Some(daemon),
            Err(error) => {
                log::write(format_args!("Cannot start the daemon: {error}"));
                self.restart_later(now, Duration::ZERO);
            }
        }
    }

    /// Checks on a daemon that closed the link, or that exited and could not be reaped.
    pub(crate) fn check_daemon(&mut self, now: Instant) {
        let Some(daemon) = &mut self.daemon else { return };
        daemon.kill_if_overdue(now);
        if daemon.child.has_exited() {
            self.daemon_exited(now);
        }
    }

    /// Takes the lease back after the daemon exited. Its last requests are handled first, then the keeper pumps.
    pub(crate) fn daemon_exited(&mut self, now: Instant) {
        let Some(exit) = self.daemon.as_mut().and_then(|daemon| daemon.child.reap(now)) else { return };
        self.read_all_requests();
        let Some(daemon) = self.daemon.take() else { return };
        self.outbox.clear();
        self.send_again_at = None;
        if daemon.has_lease {
            self.panes.values_mut().for_each(resume);
        }
        self.after_daemon(exit, daemon.uptime(now), now);
    }

    fn after_daemon(&mut self, exit: Exit, uptime: Duration, now: Instant) {
        log::write(format_args!("The daemon exited ({exit:?}) after {uptime:?}"));
        last_exit::record(exit);
        if exit == Exit::Code(EXIT_FOR_GOOD) {
            self.shut_down();
        }
        if self.shutdown_deadline.is_none() {
            self.restart_later(now, uptime);
        }
    }

    fn restart_later(&mut self, now: Instant, uptime: Duration) {
        self.start_at = Some(now + self.backoff.after(uptime));
    }
}

fn resume(pane: &mut KeptPane) {
    if let Err(error) = pane.resume() {
        log::write(format_args!("Process {:?}: cannot resume reading output: {error}", pane.child.pid));
    }
}
