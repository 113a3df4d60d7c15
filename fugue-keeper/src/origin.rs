//! What the keeper changes about itself, and what it gives back to its children; how processes end.

use std::io;

use rustix::fs::Mode;
use rustix::process::{
    Pid, Resource, Rlimit, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getrlimit, setrlimit, umask,
    waitid, waitpid,
};

use crate::sys;
use crate::wire::Exit;

/// What the keeper was started with and a program in a pane should find unchanged.
pub struct Origin {
    umask: Mode,
    files: Rlimit,
}

impl Origin {
    /// Makes this process fit to be the keeper, and remembers how it was before.
    pub fn leave() -> io::Result<Self> {
        let origin = Self {
            umask: umask(Mode::RWXG | Mode::RWXO),
            files: getrlimit(Resource::Nofile),
        };
        // Seven descriptors a pane: the usual soft limit of 1024 would end at 140 panes.
        setrlimit(
            Resource::Nofile,
            Rlimit {
                current: origin.files.maximum,
                maximum: origin.files.maximum,
            },
        )?;
        sys::ignore_signals(&[libc::SIGHUP, libc::SIGINT, libc::SIGPIPE]);
        rustix::process::chdir("/")?;
        // Another name than the daemon's, so that `pkill fugue` does not hit both.
        rustix::thread::set_name(c"pane-keeper")?;
        Ok(origin)
    }

    /// For a forked child: signals, umask and limits as they were.
    pub fn restore(&self) -> rustix::io::Result<()> {
        sys::default_signals();
        umask(self.umask);
        setrlimit(Resource::Nofile, self.files)
    }
}

/// Whether a child has ended; it can still be collected.
pub fn has_ended(pid: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
}

/// Collects a child that has ended; `None` while it has not.
pub fn reap(pid: Pid) -> Option<Exit> {
    match waitpid(Some(pid), WaitOptions::NOHANG) {
        Ok(None) => None,
        Ok(Some((_, status))) => Some(exit_of(status)),
        Err(_) => Some(Exit::Unknown),
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal))
        .unwrap_or(Exit::Unknown)
}
