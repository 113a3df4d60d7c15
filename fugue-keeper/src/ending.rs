//! Ends a program that nobody wants any more: asks, waits a while, then insists.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getsid, kill_process_group, test_kill_process_group};

use crate::child::Child;
use crate::pane::Pane;
use crate::wire::{Exit, PaneId};

/// Enough for an editor to save its swap file and for a shell to pass the signal on.
const GRACE: Duration = Duration::from_secs(3);

/// A program that is being ended.
pub struct Ending {
    pub pane: PaneId,
    /// The daemon wants to hear of the exit.
    pub told: bool,
    child: Child,
    /// What ran in the foreground, if it is not the program's own group.
    foreground: Option<Pid>,
    deadline: Instant,
    killed: bool,
}

impl Ending {
    /// Asks the program and what runs in its foreground to end.
    pub fn ask(id: PaneId, pane: Pane, told: bool, now: Instant) -> Self {
        let foreground = pane.foreground().filter(|&group| group != pane.child.pid);
        let ending = Self { foreground, ..Self::await_exit(id, pane.child, told, now) };
        ending.signal(Signal::HUP);
        // A stopped program acts on a signal only when it goes on.
        ending.signal(Signal::CONT);
        ending
    }

    /// For a child that ends by itself.
    pub fn await_exit(pane: PaneId, child: Child, told: bool, now: Instant) -> Self {
        Self { pane, child, told, foreground: None, deadline: now + GRACE, killed: false }
    }

    /// What to wait for.
    pub fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.child.awaited()
    }

    /// When to come back even if nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        self.child.wake_at().into_iter().chain((!self.killed).then_some(self.deadline)).min()
    }

    /// Does what is due; the exit when all is over. Until then the program is not collected, so its number, which is
    /// also its group's and session's, cannot become a stranger's before the last signal.
    pub fn advance(&mut self, now: Instant) -> Option<Exit> {
        if now >= self.deadline && !self.killed {
            self.signal(Signal::KILL);
            self.killed = true;
        }
        if !self.child.has_ended() {
            return None;
        }
        if !self.killed && self.job().is_some() {
            self.child.look_later(now);
            return None;
        }
        self.child.reap(now)
    }

    fn signal(&self, signal: Signal) {
        for group in [Some(self.child.pid), self.job()].into_iter().flatten() {
            // It may be gone already, which is what we want.
            let _ = kill_process_group(group, signal);
        }
    }

    /// The foreground group while it exists, unless its number has become someone else's.
    fn job(&self) -> Option<Pid> {
        let ours = |&group: &Pid| getsid(Some(group)).map_or(true, |session| session == self.child.pid);
        self.foreground.filter(ours).filter(|&group| test_kill_process_group(group).is_ok())
    }
}
