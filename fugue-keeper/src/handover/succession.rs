//! The succession of keepers. When a keeper is killed or hangs, its daemon holds every descriptor of every pane. It starts
//! another keeper (`successor`), sends it all of them, and goes on with the lease.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::daemon::process::DaemonProcess;
use crate::keeper::{Keeper, QueuedMessage};
use crate::link::connection::{Link, PaneFds};
use crate::link::messages::{Holding, Malformed, Message, PaneId, VERSION};
use crate::log;
use crate::process_stat::ProcessStat;
use crate::program::child::Child;
use crate::program::kept_pane::KeptPane;
use crate::program::termination::Termination;
use crate::reaper::reaper_pid;

/// Introduces the successor to the daemon.
pub(crate) fn introduce_successor(link: &Link) -> io::Result<()> {
    let own = getpid();
    let pidfd = pidfd_open(own, PidfdFlags::empty())?;
    let introduction = Message::Successor { pid: own.as_raw_nonzero().get(), version: VERSION };
    link.send(&introduction, &[pidfd.as_fd()])
}

/// Kills a child that a killed keeper had forked and not reported: nobody has its terminal. The pid may have been reused,
/// so it must lead its session and be a child of the reaper.
pub fn kill_leftover(pid: i32) {
    let Some(process) = positive(pid) else { return };
    let Ok(pidfd) = pidfd_open(process, PidfdFlags::empty()) else { return };
    let Some(stat) = ProcessStat::of_process(process) else { return };
    if Some(stat.parent) == reaper_pid() && stat.is_in_session_of(process) {
        let _ = kill_process_group(process, Signal::KILL);
        let _ = pidfd_send_signal(&pidfd, Signal::KILL);
    }
}

/// A pid that another process sent.
fn positive(pid: i32) -> Option<Pid> {
    (pid > 0).then(|| Pid::from_raw(pid)).flatten()
}

impl Keeper {
    /// Takes over a pane of the killed keeper.
    pub(crate) fn adopt(&mut self, holding: &Holding, fds: Vec<OwnedFd>) {
        let adopted = positive(holding.pid).ok_or_else(|| Malformed::Descriptors.into()).and_then(|pid| {
            let fds = PaneFds::from_message(fds)?;
            KeptPane::adopt(holding, pid, fds)
        });
        match adopted {
            Ok(_) if self.panes.contains_key(&holding.pane) => {
                self.skip_malformed(&io::ErrorKind::AlreadyExists.into());
            }
            Ok(pane) => {
                self.panes.insert(holding.pane, pane);
                self.unheld_terminals.push(holding.pane);
                self.hold_terminals();
            }
            Err(error) => self.skip_malformed(&error),
        }
    }

    /// Opens the terminals that could not be opened yet. The daemon holds them open until this successor holds everything.
    pub(crate) fn hold_terminals(&mut self) {
        let panes = &mut self.panes;
        self.unheld_terminals
            .retain(|id| panes.get_mut(id).is_some_and(|pane| pane.hold_terminal().is_err()));
    }

    /// Holds everything from now on.
    pub(crate) fn adoption_ended(&mut self) {
        self.is_adopting = false;
        if !self.unheld_terminals.is_empty() {
            let count = self.unheld_terminals.len();
            log::write(format_args!(
                "Cannot hold {count} terminals open yet: a program that closes its own loses it"
            ));
        }
        self.outbox.push_back(QueuedMessage::Successor);
    }

    /// Whether the daemon has dropped this successor before it held everything: the daemon is alive and has closed the
    /// link, so another keeper succeeds.
    pub(crate) fn is_abandoned(&mut self, now: Instant) -> bool {
        let is_overdue = |daemon: &DaemonProcess| daemon.is_overdue(now) && !daemon.child.has_exited();
        let is_abandoned = self.is_adopting && self.daemon.as_ref().is_some_and(is_overdue);
        if is_abandoned {
            log::write(format_args!("The daemon has another keeper; exiting"));
        }
        is_abandoned
    }

    /// Terminates a program that the killed keeper was terminating, or should have.
    pub(crate) fn restart_termination(&mut self, pane: PaneId, pid: i32, fds: Vec<OwnedFd>) {
        let (Some(pid), Some(pidfd)) = (positive(pid), fds.into_iter().next()) else {
            return self.skip_malformed(&Malformed::Descriptors.into());
        };
        let child = Child::adopt(pid, pidfd);
        if !child.has_exited() {
            self.terminations.push(Termination::restart(pane, child, Instant::now()));
        }
    }
}
