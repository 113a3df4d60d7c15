//! Changes of the configuration file. If it cannot be watched, it is looked at regularly.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fugue_config::{ConfigSource, FileWatch, POLL_INTERVAL};

/// A watch on the configuration file.
pub(crate) struct ConfigChanges {
    path: PathBuf,
    watch: FileWatch,
    /// When the file is looked at although nothing reported a change, and its content at the last look.
    poll: Option<(Instant, ConfigSource)>,
    /// The problem that the person was told of.
    told: Option<String>,
}

impl ConfigChanges {
    pub(crate) fn new(path: &Path, now: Instant) -> Self {
        let watch = FileWatch::of_content(path);
        let mut changes = Self { path: path.to_owned(), watch, poll: None, told: None };
        changes.poll_if_unwatched(now);
        changes
    }

    /// The descriptor that is readable when the file may have changed.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.watch.fd()
    }

    /// When the file is to be looked at, if it cannot be watched.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.poll.as_ref().map(|(due, _)| *due)
    }

    /// Returns whether the file may have changed, when something reported that or it was time to look.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        self.watch.take_changes();
        let before = self.poll.take().map(|(_, source)| source);
        self.poll_if_unwatched(now);
        let after = self.poll.as_ref().map(|(_, source)| source);
        before.is_none() || before.as_ref() != after
    }

    /// Returns why changes are noticed late, once for each reason.
    pub(crate) fn new_problem(&mut self) -> Option<String> {
        let problem = self.watch.problem().map(str::to_owned);
        let is_new = problem != self.told;
        self.told.clone_from(&problem);
        let seconds = POLL_INTERVAL.as_secs();
        problem
            .filter(|_| is_new)
            .map(|why| format!("Cannot watch config.toml; checking it every {seconds} seconds: {why}"))
    }

    /// Has the file looked at after the interval, since nothing will report a change.
    pub(crate) fn poll(&mut self, now: Instant) {
        self.poll = Some((now + POLL_INTERVAL, ConfigSource::read(&self.path)));
    }

    fn poll_if_unwatched(&mut self, now: Instant) {
        if self.watch.problem().is_some() {
            self.poll(now);
        }
    }
}
