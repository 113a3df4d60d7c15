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
}

impl ProcessSettings {
    /// Changes the settings of this process to those of the keeper, and returns the former ones: for a successor, those
    /// that the first keeper was started with, which came through the environment.
    pub(crate) fn apply(is_successor: bool) -> io::Result<Self> {
        let own = Self { umask: umask(Mode::RWXG | Mode::RWXO), files: getrlimit(Resource::Nofile) };
        let settings = std::env::var(PROGRAM_SETTINGS)
            .ok()
            .filter(|_| is_successor)
            .and_then(|text| Self::parse(&text))
            .unwrap_or(own);
        settings.raise_files();
        sys::ignore_signals(&sys::SURVIVED_SIGNALS);
        rustix::process::chdir("/")?;
        // Another name than the daemon's, so that `pkill fugue` does not hit both.
        rustix::thread::set_name(c"pane-keeper")?;
        Ok(settings)
    }

    /// The value of [`PROGRAM_SETTINGS`]: the umask and the two limits of open files, where `-` is no limit.
    pub(crate) fn to_text(&self) -> String {
        let limit = |limit: Option<u64>| limit.map_or("-".into(), |limit| limit.to_string());
        let Rlimit { current, maximum } = self.files;
        format!("{} {} {}", self.umask.as_raw_mode(), limit(current), limit(maximum))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split(' ');
        let umask = Mode::from_raw_mode(fields.next()?.parse().ok()?);
        let mut limit = || match fields.next()? {
            "-" => Some(None),
            limit => limit.parse().ok().map(Some),
        };
        Some(Self { umask, files: Rlimit { current: limit()?, maximum: limit()? } })
    }

    /// The usual soft limit of 1024 open files would allow only about 70 panes.
    fn raise_files(&self) {
        let raised = Rlimit { current: self.files.maximum, maximum: self.files.maximum };
        if let Err(errno) = setrlimit(Resource::Nofile, raised) {
            log::write(format_args!("Cannot raise the open file limit: {errno}"));
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
            let settings = ProcessSettings { umask: Mode::from_raw_mode(0o027), files };
            assert_eq!(ProcessSettings::parse(&settings.to_text()), Some(settings));
        }
        assert_eq!(ProcessSettings::parse("23 x"), None);
    }
}
