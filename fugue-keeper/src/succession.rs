//! The succession of keepers. When a keeper is killed, its daemon holds every descriptor of every pane. It starts another
//! keeper, sends it all of them, and goes on with the lease.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::child::Child;
use crate::instance_lock::InstanceLock;
use crate::keeper::Keeper;
use crate::kept_pane::KeptPane;
use crate::link::{Link, PaneFds};
use crate::messages::{Holding, Malformed, Message, PaneId};
use crate::process_stat::ProcessStat;
use crate::reaper::reaper_pid;
use crate::sys::peer_credentials;
use crate::termination::Termination;

/// How long a daemon waits for the death of a keeper that closed the link: less than the keeper gives the daemon.
const DEATH: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// Starts a successor, in the daemon, from the first of these programs that exists. It takes the link as its standard
/// input. Blocks until the successor is ready, which takes milliseconds.
pub fn start_successor(
    programs: &[&Path],
    arguments: &[&Path],
    listener: &OwnedFd,
    lock: Option<&InstanceLock>,
) -> io::Result<Link> {
    let (link, theirs) = Link::pair()?;
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    let fds = [own.as_fd(), listener.as_fd()].into_iter().chain(lock.map(AsFd::as_fd));
    link.send(&Message::Succeed, &fds.collect::<Vec<_>>())?;
    let start = |program: &&Path| {
        let input = Stdio::from(theirs.as_fd().try_clone_to_owned()?);
        Command::new(program).args(arguments).stdin(input).stdout(Stdio::null()).status()
    };
    let mut started = programs.iter().map(start);
    let missing = |status: &io::Result<_>| {
        status.as_ref().is_err_and(|why: &io::Error| why.kind() == io::ErrorKind::NotFound)
    };
    let status = started.find(|status| !missing(status)).unwrap_or(Err(io::ErrorKind::NotFound.into()))?;
    match status.success() {
        true => Ok(link),
        false => Err(io::Error::other("the new keeper could not start")),
    }
}

/// Introduces the successor to the daemon.
pub(crate) fn introduce(link: &Link) -> io::Result<()> {
    let own = getpid();
    let pidfd = pidfd_open(own, PidfdFlags::empty())?;
    link.send(&Message::Successor { pid: own.as_raw_nonzero().get() }, &[pidfd.as_fd()])
}

/// The keeper, as its daemon watches it.
#[derive(Debug)]
pub struct KeeperWatch(Option<OwnedFd>);

impl KeeperWatch {
    /// Watches the keeper that made this link. It may be dead already.
    pub fn of_link(link: &Link) -> io::Result<Self> {
        let keeper = peer_credentials(link)?.pid.ok_or(Errno::SRCH)?;
        match pidfd_open(keeper, PidfdFlags::empty()) {
            Err(Errno::SRCH) => Ok(Self(None)),
            pidfd => Ok(Self(Some(pidfd?))),
        }
    }

    /// Watches the keeper that sent this descriptor with `Successor`.
    pub fn of_successor(pidfd: OwnedFd) -> Self {
        Self(Some(pidfd))
    }

    /// Whether the keeper is dead, after it closed the link. One that is not has given up this daemon, and kills it.
    pub fn is_dead(&self) -> bool {
        self.0.as_ref().is_none_or(|pidfd| {
            let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
            poll(&mut fds, Some(&DEATH)).is_ok_and(|count| count > 0)
        })
    }
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
            Ok(pane) => drop(self.panes.insert(holding.pane, pane)),
            Err(error) => self.skip_malformed(&error),
        }
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
