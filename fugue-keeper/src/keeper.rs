//! The keeper's event loop: wait, handle events, do what is due, send queued messages. It sleeps while nothing happens.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use crate::config::KeeperConfig;
use crate::daemon_process::DaemonProcess;
use crate::failed_starts::{Backoff, FailedStarts};
use crate::kept_pane::KeptPane;
use crate::messages::{Message, PaneId};
use crate::poll_set::Source;
use crate::process_settings::ProcessSettings;
use crate::reaper::Reaper;
use crate::sigterm::HeldExits;
use crate::succession::AdoptedDaemon;
use crate::sys;
use crate::termination::Termination;
use crate::trial::{RolledBack, Trial};

/// A daemon that exits with this code is not restarted: the keeper terminates every program and exits.
pub const EXIT_FOR_GOOD: i32 = 86;

/// A daemon exits with this code when the keeper has been upgraded and is to start the new version of the daemon.
pub const EXIT_FOR_UPGRADE: i32 = 87;

/// The pause after the kernel refused to send more descriptors: nothing signals when it would accept them again.
const SEND_RETRY: Duration = Duration::from_millis(10);

/// Creates the keeper, before its first daemon, as the successor of one that was killed, or as the next image of one.
pub(crate) fn prepare(mut config: KeeperConfig, reaper: Option<Reaper>) -> io::Result<Keeper> {
    let daemon = config.succession.take().map(AdoptedDaemon::into_process);
    let settings = ProcessSettings::apply(daemon.is_some() || config.is_next_image)?;
    Ok(Keeper {
        backoff: Backoff::default(),
        config,
        settings,
        reaper,
        panes: BTreeMap::new(),
        terminations: Vec::new(),
        failed_starts: FailedStarts::default(),
        start_at: daemon.is_none().then(Instant::now),
        daemon,
        outbox: VecDeque::new(),
        send_again_at: None,
        shutdown_deadline: None,
        sigterm: sys::sigterm_fd()?,
        termination_requested: false,
        held_exits: HeldExits::default(),
        upgrade: None,
        trial: None,
        rolled_back: None,
    })
}

/// The state of the keeper.
pub(crate) struct Keeper {
    pub config: KeeperConfig,
    pub settings: ProcessSettings,
    pub reaper: Option<Reaper>,
    pub panes: BTreeMap<PaneId, KeptPane>,
    pub terminations: Vec<Termination>,
    pub daemon: Option<DaemonProcess>,
    /// When to start the next daemon.
    pub start_at: Option<Instant>,
    pub backoff: Backoff,
    /// The starts of daemons since one served.
    pub failed_starts: FailedStarts,
    /// Messages that the link has not taken yet. Bounded, since no more requests are read while it is long.
    pub outbox: VecDeque<QueuedMessage>,
    /// Nothing is sent before this time.
    pub send_again_at: Option<Instant>,
    /// Set once the keeper shuts down: no daemon is started any more, and queued messages are sent until then.
    pub shutdown_deadline: Option<Instant>,
    /// Readable while a `SIGTERM` is pending.
    pub sigterm: OwnedFd,
    /// Whether a `SIGTERM` came: the keeper exits as soon as no program is running.
    pub termination_requested: bool,
    /// The exits that are not reported yet because of it.
    pub held_exits: HeldExits,
    /// The command line of the binary that is to replace this one.
    pub upgrade: Option<Vec<OsString>>,
    /// The new version of the daemon, in its first seconds.
    pub trial: Option<Trial>,
    /// The version that daemons are started from, if an upgrade was rolled back.
    pub rolled_back: Option<RolledBack>,
}

/// A message for the daemon. Panes are looked up when it is sent, for their newest state.
pub(crate) enum QueuedMessage {
    Holding(PaneId),
    Spawned(PaneId),
    Successor,
    Message(Message),
}

impl Keeper {
    /// Runs until a shutdown is complete.
    pub(crate) fn run(mut self) {
        loop {
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
        self.shutdown_deadline.is_some() && self.terminations.is_empty() && self.outbox.is_empty()
    }

    /// Whether the keeper has the lease.
    pub(crate) fn pumps(&self) -> bool {
        self.daemon.as_ref().is_none_or(|daemon| !daemon.has_lease)
    }

    /// When the next work is due, if nothing happens before.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let daemon = self.daemon.as_ref().and_then(DaemonProcess::wake_at);
        let terminations = self.terminations.iter().filter_map(Termination::wake_at);
        let panes = self.panes.values().filter_map(KeptPane::wake_at);
        let unsent = self.shutdown_deadline.filter(|_| !self.outbox.is_empty());
        let held = self.held_exits.until;
        let own = [self.start_at, self.send_again_at, unsent, self.trial_end(), held].into_iter().flatten();
        terminations.chain(panes).chain(daemon).chain(own).min()
    }

    fn run_due_work(&mut self, now: Instant) {
        let due = |at: Instant| at <= now;
        if self.start_at.is_some_and(due) {
            self.start_daemon(now);
        }
        if self.daemon.as_ref().and_then(DaemonProcess::wake_at).is_some_and(due) {
            self.check_daemon(now);
        }
        if self.trial_end().is_some_and(due) {
            self.end_trial();
        }
        if self.held_exits.until.is_some_and(due) {
            self.report_held_exits();
        }
        self.terminate_if_requested(now);
        if self.shutdown_deadline.is_some_and(due) {
            self.outbox.clear();
        }
        self.send_again_at = self.send_again_at.filter(|&until| !due(until));
        self.retry_reaping(now);
        self.advance_terminations(now);
    }

    /// Pauses sending until the daemon has had time to read.
    pub(crate) fn delay_sending(&mut self) {
        self.send_again_at = Some(Instant::now() + SEND_RETRY);
    }
}
