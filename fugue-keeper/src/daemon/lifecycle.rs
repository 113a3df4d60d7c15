//! The daemon's lifecycle: one runs at a time, is restarted when it exits, and the lease comes back meanwhile.

use std::os::fd::OwnedFd;
use std::time::Instant;

use super::backoff::DaemonStage;
use super::last_exit;
use super::process::DaemonProcess;
use super::trial::RolledBack;
use super::waiting_clients::exit_reason;
use crate::keeper::{EXIT_FOR_GOOD, Keeper};
use crate::link::messages::Exit;
use crate::locks::instance::InstanceLock;
use crate::log;
use crate::process_settings::PROGRAM_SETTINGS;
use crate::program::kept_pane::KeptPane;
use crate::reaper::{REAPER_PID, Reaper};

impl Keeper {
    /// Starts a daemon. This fails only for lack of processes or descriptors; a failed exec shows in the exit code.
    pub(crate) fn start_daemon(&mut self, now: Instant) {
        self.start_at = None;
        self.note_start(now);
        self.trial_started(now);
        let mut told = self.told_to_daemon();
        told.extend(self.rolled_back.as_ref().map(RolledBack::variable));
        match DaemonProcess::start(&self.config, self.next_executable(), &told) {
            Ok(daemon) => self.daemon = Some(daemon),
            Err(error) => {
                log::write(format_args!("Cannot start the daemon: {error}"));
                self.start_failed(&error.to_string());
                self.restart_or_end(now, DaemonStage::Failed);
            }
        }
    }

    /// The executable of the next daemon: the version before an upgrade that was rolled back, otherwise the keeper's own
    /// one. None means the file at its path, which may be another version by now: it is tried after a failed start, and
    /// the own one again if that fails, too.
    fn next_executable(&self) -> Option<&OwnedFd> {
        match &self.rolled_back {
            Some(version) => version.executable.as_ref(),
            None => self.config.own_image.as_ref().filter(|_| self.failed_starts.count.is_multiple_of(2)),
        }
    }

    /// The variables by which a daemon learns the reaper and what to pass on to a successor of this keeper.
    pub(crate) fn told_to_daemon(&self) -> Vec<(&'static str, String)> {
        let reaper = self.reaper.as_ref().and_then(Reaper::running_pid);
        let reaper = reaper.map(|pid| (REAPER_PID, pid.as_raw_nonzero().to_string()));
        reaper.into_iter().chain([(PROGRAM_SETTINGS, self.settings.to_text())]).collect()
    }

    /// Checks on a daemon that closed the link, or that exited and could not be reaped.
    pub(crate) fn check_daemon(&mut self, now: Instant) {
        let Some(daemon) = &mut self.daemon else { return };
        daemon.kill_if_overdue(now);
        if daemon.child.has_exited() {
            // Nobody is served until it has been reaped.
            if daemon.child.awaits_reaper(now) {
                self.reaper.iter().for_each(Reaper::resume);
            }
            self.daemon_exited(now);
        }
    }

    /// Takes the lease back after the daemon exited. Its last requests are handled first, then the keeper pumps.
    pub(crate) fn daemon_exited(&mut self, now: Instant) {
        let Some(exit) = self.daemon.as_mut().and_then(|daemon| daemon.child.reap(now)) else { return };
        self.read_all_requests();
        let Some(daemon) = self.daemon.take() else { return };
        self.outbox.clear();
        self.held_exits.daemon_exited();
        self.send_again_at = None;
        // The next daemon may not want it, and is not one that hands everything to a new image.
        self.upgrade = None;
        if daemon.has_lease {
            self.panes.values_mut().for_each(resume);
        }
        self.after_daemon(exit, &daemon, now);
    }

    fn after_daemon(&mut self, exit: Exit, daemon: &DaemonProcess, now: Instant) {
        let uptime = daemon.uptime(now);
        log::write(format_args!("The daemon exited ({exit:?}) after {uptime:?}"));
        last_exit::record(exit);
        if exit == Exit::Code(EXIT_FOR_GOOD) || self.may_terminate() {
            self.shut_down();
        }
        if self.shutdown_deadline.is_some() {
            self.give_up_address();
        } else {
            let stage = self.stage_of(daemon, now);
            let reason = daemon.failure.clone().unwrap_or_else(|| exit_reason(exit, uptime));
            if self.roll_back(stage, &reason) {
                return self.start_at = Some(now);
            }
            if stage == DaemonStage::Failed {
                self.start_failed(&reason);
            }
            self.restart_or_end(now, stage);
        }
    }

    /// Ends a daemon that is still running at the end of a shutdown: as long as it runs, it holds the state directory.
    pub(crate) fn end_daemon(&mut self, now: Instant) {
        if let Some(daemon) = self.daemon.as_mut().filter(|daemon| daemon.wake_at().is_none()) {
            daemon.terminate(now);
        }
    }

    /// Lets another keeper be started while this one still terminates programs. Clients that connected too late are
    /// disconnected, so that they can start it.
    fn give_up_address(&self) {
        if let Some(Err(error)) = self.config.lock.as_ref().map(InstanceLock::release) {
            log::write(format_args!("Cannot release the state directory: {error}"));
        }
        self.answer_clients(&[]);
    }

    /// How far a daemon got. However long it took to fail, one that never served is not healthy.
    fn stage_of(&self, daemon: &DaemonProcess, now: Instant) -> DaemonStage {
        match daemon.serving_since {
            None => DaemonStage::Failed,
            Some(since) if now.saturating_duration_since(since) >= self.config.healthy_after => {
                DaemonStage::Healthy
            }
            Some(_) => DaemonStage::Served,
        }
    }

    /// Starts the next daemon later. A keeper that holds nothing ends instead if no daemon can be started: the next command
    /// starts both again.
    fn restart_or_end(&mut self, now: Instant, stage: DaemonStage) {
        if self.is_of_no_use() {
            log::write(format_args!("No daemon can be started and no program is held; exiting"));
            self.shut_down();
            return self.give_up_address();
        }
        self.start_at = Some(now + self.backoff.after(stage, now));
    }
}

fn resume(pane: &mut KeptPane) {
    if let Err(error) = pane.resume() {
        log::write(format_args!("Process {:?}: cannot resume reading output: {error}", pane.child.pid));
    }
}
