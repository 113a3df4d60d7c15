//! `SIGTERM`: the keeper stays while a program is running, and exits with its daemon when none is.
//!
//! Every process gets one when the machine shuts down. The daemon must not take the programs that exit then for ones
//! that are done, whose panes are closed: after the next start they are lost panes, which can be restored. So their exits
//! are held back until it is known whether the daemon got the signal, too, and then for as long as a shutdown may take.

use std::time::Instant;

use crate::keeper::Keeper;
use crate::log;

impl Keeper {
    /// Takes note of a `SIGTERM`.
    pub(crate) fn sigterm_received(&mut self, now: Instant) {
        // One read clears the signal, however often it was sent.
        let _ = rustix::io::read(&self.sigterm, &mut [0; 128]);
        self.termination_requested = true;
        self.held_exits.begin(self.config.shutdown, now);
        let running = self.panes.values().filter(|pane| pane.exit.is_none()).count();
        log::write(format_args!(
            "Received SIGTERM; exiting when the last program has exited ({running} running)"
        ));
    }

    /// Reports the exits that were held back, since the machine did not shut down.
    pub(crate) fn report_held_exits(&mut self, now: Instant) {
        self.held_exits.release(now).into_iter().for_each(|pane| self.report_exit(pane));
    }

    /// Whether a `SIGTERM` came and no program is running any more.
    pub(crate) fn may_terminate(&self) -> bool {
        let is_running = self.panes.values().any(|pane| pane.exit.is_none());
        self.termination_requested && !is_running && self.terminations.is_empty()
    }

    /// Shuts down, after the daemon, if `SIGTERM` came and no program is running. The daemon first tells whoever waits for
    /// an exit.
    pub(crate) fn terminate_if_requested(&mut self, now: Instant) {
        if !self.may_terminate() || self.shutdown_deadline.is_some() {
            return;
        }
        match &mut self.daemon {
            None => {
                self.start_at = None;
                self.shut_down();
            }
            Some(_) if self.held_exits.is_untold(now) => {}
            Some(daemon) if daemon.wake_at().is_none() => daemon.terminate(now),
            Some(_) => {}
        }
    }
}
