//! The process settings that the keeper changes for itself and restores for its children.

use std::io;

use fugue_resources::{PROGRAMS_RAISED_BY, own_score, protect, set_own_score};
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
    /// The number by which the kernel chooses what it kills when memory is used up; none if the kernel does not tell.
    memory_score: Option<i32>,
}

/// The number of panes that this many open files allow, with room for snapshots, links, starting a daemon, and its
/// connections.
pub fn max_panes(files: u64) -> usize {
    let others = OTHER_FILES + CONNECTION_FILES.min(files / 8);
    usize::try_from(files.saturating_sub(others) / FILES_PER_PANE).unwrap_or(usize::MAX)
}

impl ProcessSettings {
    /// Changes the settings of this process to those of the keeper, and returns the former ones: for a successor, those
    /// that the first keeper was started with, which came through the environment.
    pub(crate) fn apply(is_successor: bool) -> io::Result<Self> {
        let own = Self {
            umask: umask(Mode::RWXG | Mode::RWXO),
            files: getrlimit(Resource::Nofile),
            file_size: getrlimit(Resource::Fsize),
            memory_score: own_score(),
        };
        protect();
        let told = std::env::var(PROGRAM_SETTINGS).ok().filter(|_| is_successor);
        let settings = told.and_then(|text| own.parse(&text)).unwrap_or(own);
        settings.raise_files();
        settings.raise_file_size();
        sys::ignore_signals(&sys::SURVIVED_SIGNALS);
        rustix::process::chdir("/")?;
        // Another name than the daemon's, so that `pkill fugue` does not hit both.
        rustix::thread::set_name(c"pane-keeper")?;
        Ok(settings)
    }

    /// The value of [`PROGRAM_SETTINGS`]: the umask, the two limits of open files and those of file sizes, where `-` is no
    /// limit, and the number for when memory is used up.
    pub(crate) fn to_text(&self) -> String {
        let limit = |limit: Option<u64>| limit.map_or("-".into(), |limit| limit.to_string());
        let limits =
            [self.files, self.file_size].map(|Rlimit { current, maximum }| [current, maximum].map(limit));
        let score = self.memory_score.map_or("-".into(), |score| score.to_string());
        format!("{} {} {score}", self.umask.as_raw_mode(), limits.concat().join(" "))
    }

    /// Reads what [`Self::to_text`] wrote. What an older keeper did not change is as it is for this process.
    fn parse(&self, text: &str) -> Option<Self> {
        let mut fields = text.split(' ');
        let umask = Mode::from_raw_mode(fields.next()?.parse().ok()?);
        let mut limit = || match fields.next()? {
            "-" => Some(None),
            limit => limit.parse().ok().map(Some),
        };
        let files = Rlimit { current: limit()?, maximum: limit()? };
        let told = limit().and_then(|current| Some(Rlimit { current, maximum: limit()? }));
        let file_size = told.unwrap_or(self.file_size);
        let memory_score = fields.next().map_or(self.memory_score, |score| score.parse().ok());
        Some(Self { umask, files, file_size, memory_score })
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

    /// The number of panes that the limit of open files allows.
    pub(crate) fn max_panes(&self) -> usize {
        max_panes(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
    }

    /// Restores signals, umask and limits, in a forked child, and lets the kernel prefer it to fugue when memory is used up.
    pub(crate) fn restore(&self) -> rustix::io::Result<()> {
        sys::default_signals();
        umask(self.umask);
        // What it cannot be set to does not keep a program from running.
        let _ = self.memory_score.map(|score| set_own_score(score + PROGRAMS_RAISED_BY));
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
            let umask = Mode::from_raw_mode(0o027);
            let settings = ProcessSettings { umask, files, file_size, memory_score: Some(-17) };
            let unlimited = Rlimit { current: None, maximum: None };
            let own = ProcessSettings {
                umask: Mode::empty(),
                files: unlimited,
                file_size: unlimited,
                memory_score: Some(3),
            };
            let text = settings.to_text();
            assert_eq!(own.parse(&text), Some(settings));
            let of_older = text.rsplitn(4, ' ').last().expect("three fields");
            let read = own.parse(of_older).expect("settings");
            assert_eq!((read.files, read.file_size, read.memory_score), (files, unlimited, Some(3)));
            assert_eq!(own.parse("23 x"), None);
        }
    }
}
