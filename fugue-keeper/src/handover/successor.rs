//! Starting a successor, in the daemon.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, kill_process_group, pidfd_open,
    waitid,
};

use crate::link::connection::Link;
use crate::link::messages::Message;
use crate::locks::instance::InstanceLock;

/// A successor that was started and does not hold everything yet. Dropping it kills it, so that there is never a second
/// keeper.
#[derive(Debug)]
pub struct StartedSuccessor {
    /// The process that forked the successor, and whose process group it is in. It is not reaped before the successor is
    /// known by its own descriptor: until then, no other process and no other group can get its id.
    starter: Option<Child>,
}

impl StartedSuccessor {
    /// Lets the successor live: it holds everything, and has said which process it is.
    pub fn introduced(mut self) {
        // It has exited long ago.
        let _ = self.starter.take().map(|mut starter| starter.wait());
    }

    /// Waits until the starter has exited, which it does once the successor is ready.
    fn wait(&self, deadline: Instant) -> io::Result<()> {
        let starter = self.starter.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let pidfd = pidfd_open(Pid::from_child(starter), PidfdFlags::empty())?;
        if !has_ended(&pidfd, deadline)? {
            return Err(io::Error::other("the new keeper did not start in time"));
        }
        match status(starter)? {
            Some(status) if status.exit_status() == Some(0) => Ok(()),
            _ => Err(io::Error::other("the new keeper could not start")),
        }
    }
}

/// Waits until a process has ended; returns whether it did in time.
fn has_ended(pidfd: &OwnedFd, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(pidfd, PollFlags::IN)], Some(&left)) {
            Ok(count) => return Ok(count > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

impl Drop for StartedSuccessor {
    fn drop(&mut self) {
        let Some(mut starter) = self.starter.take() else { return };
        // The starter first: after that, no more processes come into its group.
        let _ = starter.kill();
        let _ = kill_process_group(Pid::from_child(&starter), Signal::KILL);
        // One that is blocked in the kernel ends later.
        std::thread::spawn(move || starter.wait());
    }
}

/// How a child ended, without reaping it; none while it runs.
fn status(child: &Child) -> io::Result<Option<WaitIdStatus>> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?)
}

/// Starts a successor, in the daemon, from the first of these programs with which that works. It takes the link as its
/// standard input. Blocks until the successor is ready, which takes milliseconds, or until `patience` is over for each.
pub fn start_successor(
    programs: &[&Path],
    arguments: &[&Path],
    listener: &OwnedFd,
    lock: Option<&InstanceLock>,
    patience: Duration,
) -> io::Result<(Link, StartedSuccessor)> {
    let mut failure = io::ErrorKind::NotFound.into();
    for program in programs {
        match start(program, arguments, listener, lock, Instant::now() + patience) {
            Ok(started) => return Ok(started),
            // The failure of a program that is there says more than a missing file.
            Err(why) if why.kind() == io::ErrorKind::NotFound => {}
            Err(why) => failure = why,
        }
    }
    Err(failure)
}

fn start(
    program: &Path,
    arguments: &[&Path],
    listener: &OwnedFd,
    lock: Option<&InstanceLock>,
    deadline: Instant,
) -> io::Result<(Link, StartedSuccessor)> {
    let (link, theirs) = Link::pair()?;
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    let fds = [own.as_fd(), listener.as_fd()].into_iter().chain(lock.map(AsFd::as_fd));
    link.send(&Message::Succeed, &fds.collect::<Vec<_>>())?;
    let input = Stdio::from(OwnedFd::from(theirs));
    let starter = Command::new(program).args(arguments).stdin(input).stdout(Stdio::null()).spawn()?;
    let started = StartedSuccessor { starter: Some(starter) };
    started.wait(deadline).map(|()| (link, started))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A starter that runs this line.
    fn started(line: &str) -> StartedSuccessor {
        let starter = Command::new("sh").args(["-c", line]).spawn().expect("it runs");
        StartedSuccessor { starter: Some(starter) }
    }

    #[test]
    fn the_end_of_the_starter_is_the_answer_and_it_is_not_waited_for_longer_than_allowed() {
        let late = Instant::now() + Duration::from_secs(60);
        assert!(started("exit 0").wait(late).is_ok());
        let failed = started("exit 1").wait(late).expect_err("it failed");
        assert_eq!(failed.to_string(), "the new keeper could not start");
        let slow = started("exec sleep 60").wait(Instant::now() + Duration::from_millis(20));
        assert_eq!(slow.expect_err("it is slow").to_string(), "the new keeper did not start in time");
    }
}
