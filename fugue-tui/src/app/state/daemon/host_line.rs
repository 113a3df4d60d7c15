//! The line to the daemon's host, where that is another one: when it counts as dropped, when the next attempt is made, and
//! what the person is told meanwhile.

use std::time::{Duration, Instant};

use fugue_client::{Paths, RemoteHost};

use super::{DaemonConnection, FAILED_START_RETRY};

/// How often the client tries to reach another host.
const HOST_RETRY: Duration = Duration::from_secs(2);

/// A line to another host that owes a reply and carries nothing for this long is opened anew: it may have dropped while
/// this machine was asleep, and a new one is there sooner than ssh gives up.
const LINE_TIMEOUT: Duration = Duration::from_secs(8);

impl DaemonConnection {
    /// The paths of the daemon.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The host of the daemon; none for this one.
    pub(crate) fn host(&self) -> Option<&RemoteHost> {
        self.paths.host.as_ref()
    }

    /// The name of that host.
    pub(crate) fn host_name(&self) -> Option<&str> {
        self.host().map(|remote| remote.host.name.as_str())
    }

    /// How long to wait before the next attempt. Each attempt to reach another host starts an ssh process.
    pub(super) fn pause(&self, was_welcome: bool) -> Duration {
        match (&self.failed_start, &self.paths.host) {
            (Some(_), _) => FAILED_START_RETRY,
            (None, Some(_)) if !was_welcome => HOST_RETRY,
            (None, _) => Duration::ZERO,
        }
    }

    /// Handles the news that the daemon's host could not be reached: the client goes on trying.
    pub(crate) fn line_failed(&mut self, reason: String) {
        self.line_failure = Some(reason);
    }

    /// What the person must know about the line to another host while there is none.
    pub(crate) fn line_state(&self) -> Option<String> {
        let remote = self.paths.host.as_ref().filter(|_| self.is_away())?;
        let why =
            self.line_failure.clone().unwrap_or_else(|| format!("Connection to {} lost", remote.host.name));
        Some(format!("{why}; reconnecting…"))
    }

    /// Whether nothing has come over a line to another host for too long.
    pub(crate) fn is_line_dead(&self, now: Instant) -> bool {
        let is_late = self.reply_due_since.is_some_and(|since| since + LINE_TIMEOUT <= now);
        is_late && self.paths.host.is_some() && self.connection.is_some()
    }

    /// Whether a line to another host is being opened again.
    pub(crate) fn is_reconnecting(&self) -> bool {
        self.paths.host.is_some() && self.lost_at.is_some() && !self.is_welcome()
    }

    /// When a line that is silent since then counts as dropped.
    pub(super) fn line_timeout(&self, since: Instant) -> Option<Instant> {
        self.host().map(|_| since + LINE_TIMEOUT)
    }

    /// Since when a reply is due.
    pub(crate) fn reply_due_since(&self) -> Option<Instant> {
        self.reply_due_since
    }

    /// Whether a connection is being opened: the daemon has not welcomed this client yet.
    pub(crate) fn is_opening(&self) -> bool {
        self.connection.is_some() && !self.is_welcome()
    }

    /// Puts the next attempt to connect off.
    pub(crate) fn retry_at(&mut self, at: Instant) {
        self.next_retry = Some(at);
    }

    /// Says that this client leaves on purpose.
    pub(crate) fn farewell(&self) {
        if let Some(connection) = &self.connection {
            connection.farewell();
        }
    }

    /// Closes a connection over which nothing is on its way any more.
    pub(crate) fn close(self) {
        if let Some(connection) = self.connection {
            connection.close();
        }
    }
}
