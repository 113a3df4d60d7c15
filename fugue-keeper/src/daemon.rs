//! The daemon as the keeper's child: how it is started, and how soon again.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::child::Child;
use crate::exec::Program;
use crate::inherited::{KEEPER_FD, LISTEN_FD};
use crate::link::Link;
use crate::sys::{self, Forked};

/// The first restart is immediate; the pauses before the next ones start here and double.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Long enough that whatever ends a daemon at its start does not count as well.
pub const WELL: Duration = Duration::from_secs(10);

/// For a daemon that lets go of the link before it exits.
const PARTING: Duration = Duration::from_secs(1);

/// Where the two descriptors are for the daemon: the first numbers after stdio.
const LINK_AT: i32 = 3;
const LISTENER_AT: i32 = 4;
/// Above all fixed numbers, so that moving one does not overwrite the other.
const ASIDE: i32 = 10;

/// A daemon that was started.
pub struct Daemon {
    pub child: Child,
    /// `None` once it was closed from the other side.
    pub link: Option<Link>,
    /// It has the lease.
    pub taken: bool,
    /// It has sent a frame that could not be read; said once in the log.
    pub garbled: bool,
    since: Instant,
    kill_at: Option<Instant>,
}

impl Daemon {
    /// Starts `argv`, or the keeper's own binary if there is nothing at `argv[0]` any more.
    pub fn start(argv: &[OsString], listener: &OwnedFd) -> io::Result<Self> {
        let program = program(argv).ok_or(io::ErrorKind::InvalidInput)?;
        let (link, theirs) = Link::pair()?;
        let theirs = rustix::io::fcntl_dupfd_cloexec(theirs, ASIDE)?;
        let listener = rustix::io::fcntl_dupfd_cloexec(listener, ASIDE)?;
        let pid = match sys::fork()? {
            Forked::Child => become_daemon(&program, &theirs, &listener),
            Forked::Parent(pid) => pid,
        };
        let child = Child::new(pid)?;
        Ok(Self {
            child,
            link: Some(link),
            taken: false,
            garbled: false,
            since: Instant::now(),
            kill_at: None,
        })
    }

    /// The link is closed, so it has to end: two must never pump. It may be about to, with a code worth hearing.
    pub fn unlink(&mut self, now: Instant) {
        self.link = None;
        self.kill_at = Some(now + PARTING);
    }

    /// When to look at it even if nothing happens.
    pub fn wake_at(&self) -> Option<Instant> {
        self.child.wake_at().into_iter().chain(self.kill_at).min()
    }

    /// Ends it, if it has not ended by itself in time.
    pub fn insist(&mut self, now: Instant) {
        if self.kill_at.take_if(|at| *at <= now).is_some() {
            self.child.signal(Signal::KILL);
        }
    }

    pub fn lived(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.since)
    }
}

/// How long to wait before the next start.
pub struct Backoff {
    well: Duration,
    last: Option<Duration>,
}

impl Backoff {
    /// Starts over after a daemon that lived for `well`.
    pub fn new(well: Duration) -> Self {
        Self { well, last: None }
    }

    /// The pause after a daemon that lived this long.
    pub fn after(&mut self, lived: Duration) -> Duration {
        let last = self.last.filter(|_| lived < self.well);
        let pause = last.map_or(Duration::ZERO, |last| (last * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE));
        self.last = Some(pause);
        pause
    }
}

fn program(argv: &[OsString]) -> Option<Program> {
    let ours = [KEEPER_FD, LISTEN_FD];
    let inherited = std::env::vars_os().filter(|(name, _)| ours.iter().all(|our| name != our));
    let places = [(KEEPER_FD, LINK_AT), (LISTEN_FD, LISTENER_AT)];
    let places = places.map(|(name, place)| (name.into(), place.to_string().into()));
    let env: Vec<_> = inherited.chain(places).collect();
    // A package upgrade may have removed the file; the image this process runs is still there.
    let own = CString::from(c"/proc/self/exe");
    Some(Program::new(argv.first()?, argv, &env)?.or_at(&own))
}

/// In the child. Its own session, so that a signal to its group does not reach the keeper.
fn become_daemon(program: &Program, link: impl AsFd, listener: impl AsFd) -> ! {
    sys::default_signals();
    let placed = rustix::process::setsid()
        .map_err(io::Error::from)
        .and_then(|_| sys::place(link.as_fd(), LINK_AT))
        .and_then(|()| sys::place(listener.as_fd(), LISTENER_AT));
    if placed.is_ok() {
        program.exec();
    }
    sys::exit_now(127)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_keeps_dying_is_started_at_once_then_ever_more_slowly() {
        let mut backoff = Backoff::new(WELL);
        let short = Duration::from_secs(1);
        let pauses: Vec<_> = (0..9).map(|_| backoff.after(short).as_millis()).collect();
        assert_eq!(pauses, [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(backoff.after(WELL).as_millis(), 0);
    }
}
