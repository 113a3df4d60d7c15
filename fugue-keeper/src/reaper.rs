//! The reaper: the process above the keeper. Orphans of programs become its children, and so do the programs of a keeper
//! that was killed. It does nothing but reap them, so that their exit statuses can be read through their pidfds, and it
//! is an ancestor by which everything that descends from a pane can be recognized.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, pidfd_send_signal, set_child_subreaper, wait,
};

use crate::process_stat::ProcessStat;
use crate::{log, sys};

/// The environment variable with the process id of the reaper, for the daemon.
pub const REAPER_PID: &str = "FUGUE_REAPER_PID";

/// Returns the process id of the reaper, in a daemon. None if the reaper was not running when the daemon started.
pub fn reaper_pid() -> Option<u32> {
    std::env::var(REAPER_PID).ok()?.parse().ok().filter(|&pid| pid > 1)
}

/// The reaper, as a keeper knows it.
pub(crate) struct Reaper {
    pid: Pid,
    /// Tells whether it still runs: its pid may belong to another process later.
    pidfd: OwnedFd,
}

impl Reaper {
    /// The reaper with this pid, if it runs.
    pub(crate) fn new(pid: Pid) -> Option<Self> {
        let pidfd = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        Some(Self { pid, pidfd })
    }

    /// The process id, while the reaper runs.
    pub(crate) fn running_pid(&self) -> Option<Pid> {
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let has_exited = poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0);
        (!has_exited).then_some(self.pid)
    }

    /// The descriptor to poll for its end.
    pub(crate) fn exit_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Lets it go on if a signal has stopped it: it does nothing but reap, and without that no exit status is known.
    pub(crate) fn resume(&self) {
        let is_stopped = ProcessStat::of_process(self.pid).is_some_and(|stat| stat.is_stopped());
        if is_stopped && pidfd_send_signal(&self.pidfd, Signal::CONT).is_ok() {
            log::write(format_args!("The reaper was stopped and is continued"));
        }
    }
}

/// Makes the calling process the one that orphans of its descendants are given to, and returns its pid. The children
/// forked later have the default signals, above all `SIGCHLD`: with that ignored, the kernel would discard exit statuses.
pub(crate) fn become_subreaper() -> rustix::io::Result<Pid> {
    sys::default_signals();
    let own = getpid();
    set_child_subreaper(Some(own))?;
    Ok(own)
}

/// Reaps children until none is left, then exits. The process keeps no descriptor, directory or signal that could end it.
pub(crate) fn run(null: &File) -> ! {
    sys::ignore_signals(&sys::SURVIVED_SIGNALS);
    sys::ignore_signals(&[libc::SIGTERM]);
    fugue_resources::protect();
    // Without these it would still do its work; its starter would wait for the end of its standard error.
    let _ = rustix::stdio::dup2_stdin(null.as_fd());
    let _ = rustix::stdio::dup2_stdout(null.as_fd());
    let _ = rustix::stdio::dup2_stderr(null.as_fd());
    sys::close_all_but(&[]);
    let _ = rustix::process::chdir("/");
    let _ = rustix::thread::set_name(c"pane-reaper");
    while matches!(wait(WaitOptions::empty()), Ok(_) | Err(Errno::INTR)) {}
    sys::exit_now(0)
}
