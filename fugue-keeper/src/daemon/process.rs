//! The daemon as the keeper's child process.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::fds::{KEEPER_FD, LISTEN_FD, LOCK_FD};
use crate::config::KeeperConfig;
use crate::handover::image_table::{TABLE_FD, TableField, TableRecord};
use crate::link::connection::Link;
use crate::process_settings::PROGRAM_SETTINGS;
use crate::program::child::Child;
use crate::program::exec::ExecProgram;
use crate::reaper::REAPER_PID;
use crate::sys::{self, Forked};

/// The time that a daemon has to exit after it closed the link.
const EXIT_GRACE: Duration = Duration::from_secs(1);

/// The descriptor numbers of link, listener and lock in the daemon: the first after stdio.
const LINK_FD: i32 = 3;
const LISTENER_FD: i32 = 4;
const LOCK_NUMBER: i32 = 5;
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
    /// When it said that it serves clients.
    pub serving_since: Option<Instant>,
    /// The reason that it gave for not serving.
    pub failure: Option<String>,
    started: Instant,
    kill_at: Option<Instant>,
}

impl DaemonProcess {
    /// Starts the daemon: this executable, or the one at its path, or the keeper's own one if that file is gone.
    pub(crate) fn start(
        config: &KeeperConfig,
        executable: Option<&OwnedFd>,
        told: &[(&str, String)],
    ) -> io::Result<Self> {
        let executable = executable.map(|fd| rustix::io::fcntl_dupfd_cloexec(fd, ABOVE_FIXED)).transpose()?;
        let path = executable.as_ref().map(|fd| format!("/proc/self/fd/{}", fd.as_raw_fd()).into());
        let path = path.as_ref().or(config.daemon.first());
        let program = path.and_then(|path| daemon_program(config, path, told));
        let program = program.ok_or(io::ErrorKind::InvalidInput)?;
        let (link, theirs) = Link::pair()?;
        let fds = DaemonFds {
            link: rustix::io::fcntl_dupfd_cloexec(theirs, ABOVE_FIXED)?,
            listener: rustix::io::fcntl_dupfd_cloexec(&config.listener, ABOVE_FIXED)?,
            lock: config
                .lock
                .as_ref()
                .map(|lock| rustix::io::fcntl_dupfd_cloexec(lock, ABOVE_FIXED))
                .transpose()?,
        };
        let pid = match sys::fork()? {
            Forked::Child => become_daemon(&program, fds, config),
            Forked::Parent(pid) => pid,
        };
        let child = Child::new(pid)?;
        Ok(Self {
            child,
            link: Some(link),
            has_lease: false,
            malformed_logged: false,
            serving_since: None,
            failure: None,
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
            serving_since: Some(Instant::now()),
            failure: None,
            started: Instant::now(),
            kill_at: None,
        }
    }

    /// The daemon in the table for the next image. It has the lease, since it asked for the upgrade.
    pub(crate) fn table_fields(&self) -> impl Iterator<Item = TableField<'_>> {
        let link = self.link.as_ref().map(AsFd::as_fd);
        self.child.table_fields().into_iter().chain([TableField::Fd(link)])
    }

    pub(crate) fn from_record(mut record: TableRecord) -> io::Result<Self> {
        let child = Child::from_record(&mut record)?;
        Ok(Self::adopt(child, Link::from_fd(record.fd()?)))
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

    /// Whether it has not exited in time.
    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        self.kill_at.is_some_and(|at| at <= now)
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

/// The descriptors for a daemon, numbered so that placing one does not overwrite another.
struct DaemonFds {
    link: OwnedFd,
    listener: OwnedFd,
    lock: Option<OwnedFd>,
}

impl DaemonFds {
    /// Places the descriptors where the daemon expects them, in the child.
    fn place(&self) -> io::Result<()> {
        sys::place(self.link.as_fd(), LINK_FD)?;
        sys::place(self.listener.as_fd(), LISTENER_FD)?;
        self.lock.as_ref().map_or(Ok(()), |lock| sys::place(lock.as_fd(), LOCK_NUMBER))
    }
}

/// Prepares the daemon, with the variables that it is told beside the numbers of its descriptors.
fn daemon_program(config: &KeeperConfig, path: &OsStr, told: &[(&str, String)]) -> Option<ExecProgram> {
    let ours = [KEEPER_FD, LISTEN_FD, LOCK_FD, REAPER_PID, PROGRAM_SETTINGS, TABLE_FD];
    let inherited = std::env::vars_os().filter(|(name, _)| ours.iter().all(|our| name != our));
    let lock = config.lock.as_ref().map(|_| (LOCK_FD, LOCK_NUMBER));
    let numbers = [(KEEPER_FD, LINK_FD), (LISTEN_FD, LISTENER_FD)].into_iter().chain(lock);
    let numbers = numbers.map(|(name, number)| (name.into(), number.to_string().into()));
    let told = told.iter().map(|(name, value)| (name.into(), value.into()));
    let variables = numbers.chain(told);
    let env: Vec<_> = inherited.chain(variables).collect();
    // A package upgrade may have removed the file; the image this process runs is still there.
    let own = CString::from(c"/proc/self/exe");
    Some(ExecProgram::new(path, &config.daemon, &env)?.or_else_at(&own))
}

/// Executes the daemon, in the child. It gets its own session, so that a signal to its group does not reach the keeper.
fn become_daemon(program: &ExecProgram, fds: DaemonFds, config: &KeeperConfig) -> ! {
    sys::default_signals();
    let placed = rustix::process::setsid().map_err(io::Error::from).and_then(|_| fds.place());
    let error = placed.err().unwrap_or_else(|| program.exec().into());
    let path = config.daemon.first().map(|path| path.to_string_lossy()).unwrap_or_default();
    let _ = Link::from_fd(fds.link).report_failure(&format!("cannot execute {path}: {error}"));
    sys::exit_now(127)
}
