//! Orphans of programs, which the keeper takes in itself once the reaper is dead: so they are reaped, and whatever started
//! in a pane still descends from the keeper.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

use crate::keeper::Keeper;
use crate::reaper::Reaper;
use crate::{log, sys};

/// The orphans that the keeper takes in.
pub(crate) struct Orphans {
    /// Readable when a child has exited.
    sigchld: OwnedFd,
}

impl Orphans {
    /// Makes orphans of this process's descendants its children.
    pub(crate) fn adopt() -> io::Result<Self> {
        let sigchld = sys::signal_fd(libc::SIGCHLD)?;
        set_child_subreaper(Some(getpid()))?;
        Ok(Self { sigchld })
    }

    /// The descriptor to poll for children that have exited.
    pub(crate) fn exit_fd(&self) -> BorrowedFd<'_> {
        self.sigchld.as_fd()
    }
}

impl Keeper {
    /// Takes note that the reaper is dead.
    pub(crate) fn reaper_ended(&mut self) {
        if self.reaper.take_if(|reaper: &mut Reaper| reaper.running_pid().is_none()).is_some() {
            log::write(format_args!("The reaper was killed; the keeper takes in orphans from now on"));
            self.adopt_orphans();
        }
    }

    /// Takes in orphans, if there is no reaper that does.
    pub(crate) fn adopt_orphans(&mut self) {
        if self.reaper.is_none() && self.orphans.is_none() {
            match Orphans::adopt() {
                Ok(orphans) => self.orphans = Some(orphans),
                Err(error) => log::write(format_args!("Cannot take in orphans: {error}")),
            }
        }
    }

    /// Reaps orphans that have exited. The keeper's own children are reaped where their exits are handled.
    pub(crate) fn reap_orphans(&self) {
        if let Some(orphans) = &self.orphans {
            let _ = rustix::io::read(&orphans.sigchld, &mut [0; 128]);
        }
        let own = self.own_children();
        for orphan in children().into_iter().filter(|pid| !own.contains(pid)) {
            let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
        }
    }

    fn own_children(&self) -> Vec<Pid> {
        let panes = self.panes.values().map(|pane| pane.child.pid);
        let terminations = self.terminations.iter().map(|termination| termination.child().pid);
        let daemon = self.daemon.iter().map(|daemon| daemon.child.pid);
        panes.chain(terminations).chain(daemon).collect()
    }
}

/// The children of this process, which has one thread.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero();
    let list = fs::read_to_string(format!("/proc/self/task/{own}/children")).unwrap_or_default();
    list.split_ascii_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}
