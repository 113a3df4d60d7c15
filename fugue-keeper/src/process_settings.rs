//! The process settings that the keeper changes for itself and restores for its children.

use std::io;

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

use crate::{log, sys};

/// Master, slave, pipe (two), segment, pidfd, snapshot, and one that is in transit: a report or the next snapshot.
const FILES_PER_PANE: u64 = 8;
/// Stdio, listener, link, and those that starting a daemon or a program needs for a moment.
const OTHER_FILES: u64 = 32;

/// The settings that the keeper was started with, which a program in a pane gets unchanged.
pub(crate) struct ProcessSettings {
    umask: Mode,
    files: Rlimit,
}

impl ProcessSettings {
    /// Changes the settings of this process to those of the keeper, and returns the former ones.
    pub(crate) fn apply() -> io::Result<Self> {
        let settings = Self { umask: umask(Mode::RWXG | Mode::RWXO), files: getrlimit(Resource::Nofile) };
        settings.raise_files();
        sys::ignore_signals(&sys::SURVIVED_SIGNALS);
        rustix::process::chdir("/")?;
        // Another name than the daemon's, so that `pkill fugue` does not hit both.
        rustix::thread::set_name(c"pane-keeper")?;
        Ok(settings)
    }

    /// The usual soft limit of 1024 open files would allow only about 120 panes.
    fn raise_files(&self) {
        let raised = Rlimit { current: self.files.maximum, maximum: self.files.maximum };
        if let Err(errno) = setrlimit(Resource::Nofile, raised) {
            log::write(format_args!("Cannot raise the open file limit: {errno}"));
        }
    }

    /// The number of panes that the limit of open files allows, with room for snapshots, links and starting a daemon.
    pub(crate) fn max_panes(&self) -> usize {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        usize::try_from(files.saturating_sub(OTHER_FILES) / FILES_PER_PANE).unwrap_or(usize::MAX)
    }

    /// Restores signals, umask and limits, in a forked child.
    pub(crate) fn restore(&self) -> rustix::io::Result<()> {
        sys::default_signals();
        umask(self.umask);
        setrlimit(Resource::Nofile, self.files)
    }
}
