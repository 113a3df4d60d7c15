//! The daemon as the keeper's child process: starting it, and the pauses between restarts.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::child::Child;
use crate::daemon_fds::{KEEPER_FD, LISTEN_FD};
use crate::exec::ExecProgram;
use crate::link::Link;
use crate::process_settings::PROGRAM_SETTINGS;
use crate::reaper::REAPER_PID;
use crate::sys::{self, Forked};

/// The first restart is immediate; the pauses before the next ones start here and double.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Long enough that a daemon that fails during startup does not count as healthy.
pub(crate) const HEALTHY_AFTER: Duration = Duration::from_secs(10);

/// The time that a daemon has to exit after it closed the link.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// The descriptor numbers of link and listener in the daemon: the first after stdio.
const LINK_FD: i32 = 3;
const LISTENER_FD: i32 = 4;
/// Above all fixed numbers, so that placing one descriptor does not overwrite the other.
const ABOVE_FIXED: i32 = 10;

/// A daemon process.
pub(crate) struct DaemonProcess {
    pub child: Child,
    /// The link to it; none once it was closed.
    pub link: Option<Link>,
    /// Whether it has the lease.
    pub has_lease: bool,
    /// Whether a malformed frame from it was logged, which is done once.
    pub malformed_logged: bool,
    started: Instant,
    kill_at: Option<Instant>,
}

impl DaemonProcess {
    /// Starts `argv`, or the keeper's own binary if the file at `argv[0]` is gone.
    pub(crate) fn start(argv: &[OsString], listener: &OwnedFd, told: &[(&str, String)]) -> io::Result<Self> {
        let program = daemon_program(argv, told).ok_or(io::ErrorKind::InvalidInput)?;
        let (link, theirs) = Link::pair()?;
        let theirs = rustix::io::fcntl_dupfd_cloexec(theirs, ABOVE_FIXED)?;
        let listener = rustix::io::fcntl_dupfd_cloexec(listener, ABOVE_FIXED)?;
        let pid = match sys::fork()? {
            Forked::Child => become_daemon(&program, &theirs, &listener),
            Forked::Parent(pid) => pid,
        };
        let child = Child::new(pid)?;
        Ok(Self {
            child,
            link: Some(link),
            has_lease: false,
            malformed_logged: false,
            started: Instant::now(),
            kill_at: None,
        })
    }

    /// The daemon of a keeper that was killed. It has the lease.
    pub(crate) fn adopt(child: Child, link: Link) -> Self {
        Self {
            child,
            link: Some(link),
            has_lease: true,
            malformed_logged: false,
            started: Instant::now(),
            kill_at: None,
        }
    }

    /// Asks it to exit, and kills it if it does not.
    pub(crate) fn terminate(&mut self, now: Instant) {
        self.child.signal(Signal::TERM);
        self.kill_at = Some(now + EXIT_GRACE);
    }

    /// Drops the link. The daemon has to exit then, since two processes must never pump; it gets a moment to do so by
    /// itself, because its exit code matters.
    pub(crate) fn drop_link(&mut self, now: Instant) {
        self.link = None;
        self.kill_at = Some(now + EXIT_GRACE);
    }

    /// When to check on it even if nothing happens.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.child.wake_at().into_iter().chain(self.kill_at).min()
    }

    /// Kills it if it has not exited in time.
    pub(crate) fn kill_if_overdue(&mut self, now: Instant) {
        if self.kill_at.take_if(|at| *at <= now).is_some() {
            self.child.signal(Signal::KILL);
        }
    }

    pub(crate) fn uptime(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }
}

/// The pause before the next start of a daemon.
pub(crate) struct Backoff {
    healthy_after: Duration,
    last: Option<Duration>,
}

impl Backoff {
    /// A backoff that starts over after a daemon that ran for `healthy_after`.
    pub(crate) fn new(healthy_after: Duration) -> Self {
        Self { healthy_after, last: None }
    }

    /// Returns the pause after a daemon that ran this long.
    pub(crate) fn after(&mut self, uptime: Duration) -> Duration {
        let last = self.last.filter(|_| uptime < self.healthy_after);
        let pause = last.map_or(Duration::ZERO, |last| (last * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE));
        self.last = Some(pause);
        pause
    }
}

/// Prepares the daemon, with the variables that it is told beside the numbers of its descriptors.
fn daemon_program(argv: &[OsString], told: &[(&str, String)]) -> Option<ExecProgram> {
    let ours = [KEEPER_FD, LISTEN_FD, REAPER_PID, PROGRAM_SETTINGS];
    let inherited = std::env::vars_os().filter(|(name, _)| ours.iter().all(|our| name != our));
    let numbers = [(KEEPER_FD, LINK_FD), (LISTEN_FD, LISTENER_FD)];
    let numbers = numbers.map(|(name, number)| (name.into(), number.to_string().into()));
    let told = told.iter().map(|(name, value)| (name.into(), value.into()));
    let variables = numbers.into_iter().chain(told);
    let env: Vec<_> = inherited.chain(variables).collect();
    // A package upgrade may have removed the file; the image this process runs is still there.
    let own = CString::from(c"/proc/self/exe");
    Some(ExecProgram::new(argv.first()?, argv, &env)?.or_else_at(&own))
}

/// Executes the daemon, in the child. It gets its own session, so that a signal to its group does not reach the keeper.
fn become_daemon(program: &ExecProgram, link: impl AsFd, listener: impl AsFd) -> ! {
    sys::default_signals();
    let placed = rustix::process::setsid()
        .map_err(io::Error::from)
        .and_then(|_| sys::place(link.as_fd(), LINK_FD))
        .and_then(|()| sys::place(listener.as_fd(), LISTENER_FD));
    if placed.is_ok() {
        program.exec();
    }
    sys::exit_now(127)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_keeps_crashing_is_restarted_with_growing_pauses() {
        let mut backoff = Backoff::new(HEALTHY_AFTER);
        let short = Duration::from_secs(1);
        let pauses: Vec<_> = (0..9).map(|_| backoff.after(short).as_millis()).collect();
        assert_eq!(pauses, [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(backoff.after(HEALTHY_AFTER).as_millis(), 0);
    }
}
