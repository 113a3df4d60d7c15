//! Starting a successor, in the daemon.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpid, kill_process_group, pidfd_open,
    waitid,
};

use crate::instance_lock::InstanceLock;
use crate::link::Link;
use crate::messages::Message;

/// How often a successor that is starting is looked at.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);

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
        loop {
            match status(starter)? {
                Some(status) if status.exit_status() == Some(0) => return Ok(()),
                Some(_) => return Err(io::Error::other("the new keeper could not start")),
                None if Instant::now() >= deadline => {
                    return Err(io::Error::other("the new keeper did not start in time"));
                }
                None => std::thread::sleep(CHECK_INTERVAL),
            }
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
