//! The keeper's event loop: wait, handle events, do what is due, send queued messages. It sleeps while nothing happens.

use std::time::Instant;

use crate::daemon::process::DaemonProcess;
use crate::keeper::Keeper;
use crate::poll_set::Source;

impl Keeper {
    /// Runs until a shutdown is complete.
    pub(crate) fn run(mut self) {
        loop {
            if self.is_abandoned(Instant::now()) {
                return;
            }
            self.run_due_work(Instant::now());
            self.flush_outbox();
            self.upgrade_if_requested();
            if self.is_finished() {
                return;
            }
            for source in self.wait() {
                self.handle(source, Instant::now());
            }
        }
    }

    fn handle(&mut self, source: Source, now: Instant) {
        match source {
            Source::Sigterm => self.sigterm_received(now),
            Source::Reaper => self.reaper_ended(),
            Source::Orphan => self.reap_orphans(),
            Source::Link => self.read_requests(),
            Source::Daemon => self.daemon_exited(now),
            Source::Client => self.end_pause(now),
            Source::Report(pane) => self.spawn_reported(pane, now),
            Source::Exit(pane) => self.program_exited(pane, now),
            Source::Output(pane) => self.pump(pane),
            // Queued messages and terminations are handled on every iteration.
            Source::Writable | Source::Termination => {}
        }
    }

    fn is_finished(&self) -> bool {
        let is_over = self.terminations.is_empty() && self.outbox.is_empty() && self.daemon.is_none();
        self.shutdown_deadline.is_some() && is_over
    }

    fn run_due_work(&mut self, now: Instant) {
        let due = |at: Instant| at <= now;
        if self.start_at.is_some_and(due) {
            self.start_daemon(now);
        }
        if self.daemon.as_ref().and_then(DaemonProcess::wake_at).is_some_and(due) {
            self.check_daemon(now);
        }
        self.advance_trial(now);
        if self.held_exits.until.is_some_and(due) {
            self.report_held_exits(now);
        }
        self.terminate_if_requested(now);
        if self.shutdown_deadline.is_some_and(due) {
            self.outbox.clear();
            self.end_daemon(now);
        }
        self.send_again_at = self.send_again_at.filter(|&until| !due(until));
        self.retry_reaping(now);
        self.advance_terminations(now);
    }
}
