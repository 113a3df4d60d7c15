//! Ends a program that nobody wants any more: asks, waits a while, then insists.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getsid, kill_process_group, test_kill_process_group};

use crate::pane::Pane;
use crate::process;
use crate::wire::{Exit, PaneId};

/// Enough for an editor to save its swap file and for a shell to pass the signal on.
const GRACE: Duration = Duration::from_secs(3);

/// A job gets the signal with its shell and is gone a moment later; then twice that, and so on.
const FIRST_LOOK: Duration = Duration::from_millis(5);

/// A program that is being ended.
pub struct Ending {
    pub pane: PaneId,
    pub pid: Pid,
    /// The daemon wants to hear of the exit.
    pub told: bool,
    pidfd: OwnedFd,
    /// What ran in the foreground, if it is not the program's own group.
    foreground: Option<Pid>,
    deadline: Instant,
    killed: bool,
    /// The program has ended and a job in its foreground has not: when to look again, and how long to wait then.
    look: Option<(Instant, Duration)>,
}

impl Ending {
    /// Asks the program and what runs in its foreground to end.
    pub fn ask(id: PaneId, pane: Pane, told: bool, now: Instant) -> Self {
        let foreground = pane.foreground().filter(|&group| group != pane.pid);
        let ending = Self {
            foreground,
            ..Self::await_exit(id, pane, told, now)
        };
        ending.signal(Signal::HUP);
        // A stopped program acts on a signal only when it goes on.
        ending.signal(Signal::CONT);
        ending
    }

    /// For a child that ends by itself.
    pub fn await_exit(pane: PaneId, Pane { pid, pidfd, .. }: Pane, told: bool, now: Instant) -> Self {
        Self {
            pane,
            pid,
            pidfd,
            told,
            foreground: None,
            deadline: now + GRACE,
            killed: false,
            look: None,
        }
    }

    /// What to wait for: the program's end, unless that has come.
    pub fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.look.is_none().then(|| self.pidfd.as_fd())
    }

    /// When to come back even if nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        match self.look {
            Some((at, _)) => Some(at.min(self.deadline)),
            None => (!self.killed).then_some(self.deadline),
        }
    }

    /// Does what is due; the exit when all is over. Until then the program is not reaped, so its number, which is
    /// also its group's and session's, cannot become a stranger's before the last signal.
    pub fn advance(&mut self, now: Instant) -> Option<Exit> {
        if now >= self.deadline && !self.killed {
            self.signal(Signal::KILL);
            self.killed = true;
        }
        if !process::has_ended(self.pid) {
            return None;
        }
        if !self.killed && self.job().is_some() {
            let pause = self.look.map_or(FIRST_LOOK, |(_, pause)| pause * 2);
            self.look = Some((now + pause, pause));
            return None;
        }
        process::reap(self.pid)
    }

    fn signal(&self, signal: Signal) {
        for group in [Some(self.pid), self.job()].into_iter().flatten() {
            // It may be gone already, which is what we want.
            let _ = kill_process_group(group, signal);
        }
    }

    /// The foreground group while it exists, unless its number has become someone else's.
    fn job(&self) -> Option<Pid> {
        let ours = |&group: &Pid| getsid(Some(group)).map_or(true, |session| session == self.pid);
        self.foreground
            .filter(ours)
            .filter(|&group| test_kill_process_group(group).is_ok())
    }
}
