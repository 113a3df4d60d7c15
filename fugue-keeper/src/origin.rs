//! What the keeper changes about itself, and what it gives back to its children.

use std::io;

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

use crate::{log, sys};

/// Master, slave, pipe (two), segment, pidfd, snapshot, and one on its way: a report or the next snapshot.
const FILES_PER_PANE: u64 = 8;
/// Stdio, listener, link, and what a start of daemon or program needs for a moment.
const FILES_BESIDE: u64 = 32;

/// What the keeper was started with and a program in a pane should find unchanged.
pub struct Origin {
    umask: Mode,
    files: Rlimit,
}

impl Origin {
    /// Makes this process fit to be the keeper, and remembers how it was before.
    pub fn leave() -> io::Result<Self> {
        let origin = Self { umask: umask(Mode::RWXG | Mode::RWXO), files: getrlimit(Resource::Nofile) };
        origin.raise_files();
        sys::ignore_signals(&[libc::SIGHUP, libc::SIGINT, libc::SIGPIPE]);
        rustix::process::chdir("/")?;
        // Another name than the daemon's, so that `pkill fugue` does not hit both.
        rustix::thread::set_name(c"pane-keeper")?;
        Ok(origin)
    }

    /// The usual soft limit of 1024 would end at some 120 panes.
    fn raise_files(&self) {
        let raised = Rlimit { current: self.files.maximum, maximum: self.files.maximum };
        if let Err(errno) = setrlimit(Resource::Nofile, raised) {
            log::say(format_args!("cannot raise the limit of open files: {errno}"));
        }
    }

    /// How many panes the limit of open files allows, with room for snapshots, links and the next daemon's start.
    pub fn most_panes(&self) -> usize {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        usize::try_from(files.saturating_sub(FILES_BESIDE) / FILES_PER_PANE).unwrap_or(usize::MAX)
    }

    /// For a forked child: signals, umask and limits as they were.
    pub fn restore(&self) -> rustix::io::Result<()> {
        sys::default_signals();
        umask(self.umask);
        setrlimit(Resource::Nofile, self.files)
    }
}
