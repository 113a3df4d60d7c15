//! A daemon that does not answer: how it is noticed, and what helps.

use std::time::{Duration, Instant};

use fugue_client::UnresponsiveDaemon;
use fugue_protocol::verbs::GetServerStatus;

use super::pending_requests::PendingRequest;
use super::{DaemonConnection, Purpose};

/// Keys have no replies. This long after a key, and then at this interval, a request is sent, so that a daemon that hangs
/// is noticed while a person types. Not with the key, whose echo it would delay.
const PROBE: Duration = Duration::from_secs(1);

/// A daemon that owes a reply and sends nothing for this long hangs, or its machine does.
const SILENT: Duration = Duration::from_secs(3);

impl DaemonConnection {
    /// Sends a request whose reply shows that the daemon is alive, unless that was just done.
    fn probe(&mut self) {
        if self.probed_at.is_some_and(|at| at.elapsed() < PROBE) {
            return;
        }
        self.probed_at = Some(Instant::now());
        self.request(Purpose::Quiet, &GetServerStatus {});
        // A daemon that has sent nothing since the keys is silent since then.
        let keys_at = self.unprobed_since.take();
        let silent_since = keys_at.filter(|at| self.heard_at.is_none_or(|heard| heard < *at));
        self.reply_due_since =
            self.reply_due_since.map(|since| silent_since.map_or(since, |at| at.min(since)));
    }

    /// Whether the daemon does not answer.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent.is_some()
    }

    /// The command that makes a silent daemon answer again.
    pub(crate) fn remedy(&self) -> Option<String> {
        self.silent.as_ref().and_then(UnresponsiveDaemon::remedy)
    }

    /// Brings [`Self::is_silent`] up to date, and returns whether it changed.
    pub(crate) fn update_silent(&mut self, now: Instant) -> bool {
        let silent = self.reply_due_since.is_some_and(|since| since + SILENT <= now);
        let changed = silent != self.is_silent();
        if changed {
            self.silent = silent.then(|| UnresponsiveDaemon::at(&self.paths));
        }
        changed
    }

    /// Restarts the wait for replies that are still due after something was received.
    pub(crate) fn restart_reply_timer(&mut self) {
        if self.requests.any(PendingRequest::is_due_at_once) {
            self.reply_due_since.get_or_insert_with(Instant::now);
        }
    }

    /// When a probe is due, or the daemon counts as silent.
    pub(crate) fn silence_due(&self) -> Option<Instant> {
        let Some(since) = self.reply_due_since else {
            return self.unprobed_since.map(|at| at + PROBE);
        };
        if self.is_silent() {
            return self.line_timeout(since);
        }
        let probed = self.probed_at.map_or(since, |at| at.max(since));
        Some((probed + PROBE).min(since + SILENT))
    }

    /// Probes a daemon whose reply is late, since it may be busy with that request only, or that was sent keys.
    pub(crate) fn probe_if_late(&mut self, now: Instant) {
        let is_late = |since: Option<Instant>| since.is_some_and(|since| since + PROBE <= now);
        if is_late(self.unprobed_since) || is_late(self.reply_due_since) {
            self.probe();
        }
    }
}
