//! The state of the keeper.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use crate::config::KeeperConfig;
use crate::daemon::adopted::AdoptedDaemon;
use crate::daemon::backoff::{Backoff, FailedStarts};
use crate::daemon::process::DaemonProcess;
use crate::daemon::trial::{RolledBack, Trial};
use crate::link::messages::{Message, PaneId};
use crate::process_settings::ProcessSettings;
use crate::program::held_exits::HeldExits;
use crate::program::kept_pane::KeptPane;
use crate::program::orphans::Orphans;
use crate::program::termination::Termination;
use crate::reaper::Reaper;
use crate::sys;

/// A daemon that exits with this code is not restarted: the keeper terminates every program and exits.
pub const EXIT_FOR_GOOD: i32 = 86;

/// A daemon exits with this code when the keeper has been upgraded and is to start the new version of the daemon.
pub const EXIT_FOR_UPGRADE: i32 = 87;

/// The pause after the kernel refused to send more descriptors: nothing signals when it would accept them again.
const SEND_RETRY: Duration = Duration::from_millis(10);

/// Creates the keeper, before its first daemon, as the successor of one that was killed, or as the next image of one.
pub(crate) fn prepare(mut config: KeeperConfig, reaper: Option<Reaper>) -> io::Result<Keeper> {
    let adopted = config.succession.take().map(AdoptedDaemon::into_parts);
    let daemon = adopted.map(|(process, link)| DaemonProcess::adopt(process, link));
    let is_adopting = daemon.is_some();
    let settings = ProcessSettings::apply(daemon.is_some() || config.is_next_image)?;
    let mut keeper = Keeper {
        backoff: Backoff::default(),
        config,
        settings,
        reaper,
        panes: BTreeMap::new(),
        unheld_terminals: Vec::new(),
        terminations: Vec::new(),
        failed_starts: FailedStarts::default(),
        start_at: daemon.is_none().then(Instant::now),
        daemon,
        is_adopting,
        outbox: VecDeque::new(),
        send_again_at: None,
        shutdown_deadline: None,
        orphans: None,
        sigterm: sys::signal_fd(libc::SIGTERM)?,
        termination_requested: false,
        held_exits: HeldExits::default(),
        upgrade: None,
        trial: None,
        rolled_back: None,
    };
    keeper.adopt_orphans();
    Ok(keeper)
}

/// The state of the keeper.
pub(crate) struct Keeper {
    pub config: KeeperConfig,
    pub settings: ProcessSettings,
    pub reaper: Option<Reaper>,
    /// The orphans of programs, once there is no reaper.
    pub orphans: Option<Orphans>,
    pub panes: BTreeMap<PaneId, KeptPane>,
    /// Panes whose terminal could not be opened when they were adopted: tried again with each request of the daemon.
    pub unheld_terminals: Vec<PaneId>,
    pub terminations: Vec<Termination>,
    pub daemon: Option<DaemonProcess>,
    /// Whether this is a successor that does not hold everything yet.
    pub is_adopting: bool,
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
    /// Whether the keeper has the lease.
    pub(crate) fn pumps(&self) -> bool {
        self.daemon.as_ref().is_none_or(|daemon| !daemon.has_lease)
    }

    /// When the next work is due, if nothing happens before.
    pub(crate) fn wake_at(&self, now: Instant) -> Option<Instant> {
        let daemon = self.daemon.as_ref().and_then(DaemonProcess::wake_at);
        let terminations = self.terminations.iter().filter_map(Termination::wake_at);
        let panes = self.panes.values().filter_map(KeptPane::wake_at);
        let is_waiting = |daemon: &DaemonProcess| daemon.wake_at().is_none();
        let is_unfinished = !self.outbox.is_empty() || self.daemon.as_ref().is_some_and(is_waiting);
        let unsent = self.shutdown_deadline.filter(|_| is_unfinished);
        let held = self.held_exits.wake_at(now);
        let own =
            [self.start_at, self.send_again_at, unsent, self.trial_wake_at(), held].into_iter().flatten();
        terminations.chain(panes).chain(daemon).chain(own).min()
    }

    /// Pauses sending until the daemon has had time to read.
    pub(crate) fn delay_sending(&mut self) {
        self.send_again_at = Some(Instant::now() + SEND_RETRY);
    }
}
