//! The process settings that the keeper changes for itself and restores for its children.

use std::io;

use rustix::fs::Mode;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

use crate::{log, sys};

/// What the daemon, which has the same limit, has open for each pane: the master three times (to read and write, to poll,
/// and for requests), the pipe (two), segment, snapshot, the pidfds of the program and of an agent, the record of typed
/// input, and two that are in transit, such as the next snapshot. The keeper has less.
const FILES_PER_PANE: u64 = 12;
/// Stdio, listener, link, and those that starting a daemon or a program needs for a moment.
const OTHER_FILES: u64 = 32;
/// The most that is set aside for the daemon's connections, of which there are at most 1,400, and for what it reads to
/// identify callers. Without that, it could not even be asked to close a pane.
const CONNECTION_FILES: u64 = 1_536;

/// The environment variable with the settings that programs get, for the daemon, which passes it on to a successor of the
/// keeper.
pub const PROGRAM_SETTINGS: &str = "FUGUE_PROGRAM_SETTINGS";

/// The settings that the keeper was started with, which a program in a pane gets unchanged.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProcessSettings {
    umask: Mode,
    files: Rlimit,
    file_size: Rlimit,
}

impl ProcessSettings {
    /// Changes the settings of this process to those of the keeper, and returns the former ones: for a successor, those
    /// that the first keeper was started with, which came through the environment.
    pub(crate) fn apply(is_successor: bool) -> io::Result<Self> {
        let own = Self {
            umask: umask(Mode::RWXG | Mode::RWXO),
            files: getrlimit(Resource::Nofile),
            file_size: getrlimit(Resource::Fsize),
        };
        let told = std::env::var(PROGRAM_SETTINGS).ok().filter(|_| is_successor);
        let settings = told.and_then(|text| Self::parse(&text, own.file_size)).unwrap_or(own);
        settings.raise_files();
        settings.raise_file_size();
        sys::ignore_signals(&sys::SURVIVED_SIGNALS);
        rustix::process::chdir("/")?;
        // Another name than the daemon's, so that `pkill fugue` does not hit both.
        rustix::thread::set_name(c"pane-keeper")?;
        Ok(settings)
    }

    /// The value of [`PROGRAM_SETTINGS`]: the umask, the two limits of open files and those of file sizes, where `-` is no
    /// limit.
    pub(crate) fn to_text(&self) -> String {
        let limit = |limit: Option<u64>| limit.map_or("-".into(), |limit| limit.to_string());
        let limits =
            [self.files, self.file_size].map(|Rlimit { current, maximum }| [current, maximum].map(limit));
        format!("{} {}", self.umask.as_raw_mode(), limits.concat().join(" "))
    }

    /// Reads what [`Self::to_text`] wrote. Keepers before version 4 did not change the limit of file sizes.
    fn parse(text: &str, file_size: Rlimit) -> Option<Self> {
        let mut fields = text.split(' ');
        let umask = Mode::from_raw_mode(fields.next()?.parse().ok()?);
        let mut limit = || match fields.next()? {
            "-" => Some(None),
            limit => limit.parse().ok().map(Some),
        };
        let files = Rlimit { current: limit()?, maximum: limit()? };
        let told = limit().and_then(|current| Some(Rlimit { current, maximum: limit()? }));
        Some(Self { umask, files, file_size: told.unwrap_or(file_size) })
    }

    /// The usual soft limit of 1024 open files would allow only about 70 panes.
    fn raise_files(&self) {
        let raised = Rlimit { current: self.files.maximum, maximum: self.files.maximum };
        if let Err(errno) = setrlimit(Resource::Nofile, raised) {
            log::write(format_args!("Cannot raise the open file limit: {errno}"));
        }
    }

    /// The limit of file sizes applies to segments as well, whose offsets only grow: a pane would freeze after that much
    /// output. Who may not lift it can still raise it.
    fn raise_file_size(&self) {
        let unlimited = Rlimit { current: None, maximum: None };
        let raised = Rlimit { current: self.file_size.maximum, maximum: self.file_size.maximum };
        if let Err(errno) =
            setrlimit(Resource::Fsize, unlimited).or_else(|_| setrlimit(Resource::Fsize, raised))
        {
            log::write(format_args!("Cannot raise the file size limit: {errno}"));
        }
    }

    /// The number of panes that the limit of open files allows, with room for snapshots, links, starting a daemon, and its
    /// connections.
    pub(crate) fn max_panes(&self) -> usize {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let others = OTHER_FILES + CONNECTION_FILES.min(files / 8);
        usize::try_from(files.saturating_sub(others) / FILES_PER_PANE).unwrap_or(usize::MAX)
    }

    /// Restores signals, umask and limits, in a forked child.
    pub(crate) fn restore(&self) -> rustix::io::Result<()> {
        sys::default_signals();
        umask(self.umask);
        setrlimit(Resource::Fsize, self.file_size)?;
        setrlimit(Resource::Nofile, self.files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_a_round_trip_through_the_environment() {
        for maximum in [Some(4096), None] {
            let files = Rlimit { current: Some(500), maximum };
            let file_size = Rlimit { current: maximum, maximum: None };
            let settings = ProcessSettings { umask: Mode::from_raw_mode(0o027), files, file_size };
            let unlimited = Rlimit { current: None, maximum: None };
            let text = settings.to_text();
            assert_eq!(ProcessSettings::parse(&text, unlimited), Some(settings));
            let of_older = text.rsplitn(3, ' ').last().expect("three fields");
            let read = ProcessSettings::parse(of_older, unlimited).expect("settings");
            assert_eq!((read.files, read.file_size), (files, unlimited));
        }
        assert_eq!(ProcessSettings::parse("23 x", getrlimit(Resource::Fsize)), None);
    }
}
