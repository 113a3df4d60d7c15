//! The line to one host that the client does not show: it reports sessions and agents, and is opened again after it
//! dropped.

use std::time::{Duration, Instant};

use fugue_client::{CallError, Paths, ServerFrame};
use fugue_protocol::agents::AgentView;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{GetServerStatus, ListSessions, SubscribeEvents};
use fugue_protocol::views::{SessionList, SessionView};
use fugue_protocol::{Event, PaneId, Timestamp};
use serde_json::value::RawValue;

use crate::app::state::daemon::{DaemonConnection, Purpose};
use crate::app::state::tree_refresh::{TreeRefresh, changes_tree};
use crate::clock;

/// How long to wait before a line that dropped is opened again, and after its first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest wait between two attempts; each starts an ssh process.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A line that owes a reply for this long has dropped. A login over several hosts takes a few seconds.
const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// What a line says about its host.
#[derive(Debug)]
pub(crate) enum HostNews {
    Sessions(Vec<SessionView>),
    Agent(PaneId, Option<AgentView>),
    NoDaemon,
    Unreachable {
        since: Timestamp,
        reason: String,
    },
    /// The person should check the keys that were typed there last.
    DoubtfulKeys(String),
}

/// How long to wait after so many failures in a row.
fn pause(failures: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << failures.min(10)).min(LONGEST_PAUSE)
}

/// The line to one host.
pub(crate) struct HostConnection {
    pub(crate) daemon: DaemonConnection,
    /// Whether the person came from there, so that it stays whatever the configuration says.
    pub(super) was_shown: bool,
    refresh: TreeRefresh,
    pub(super) failures: u32,
    /// Since when there is no line.
    lost_at: Option<Timestamp>,
    pub(super) leaving: Option<Leaving>,
}

/// A connection that was shown until now. It is still attached, and another line to its host takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaving {
    /// Something typed there may be on its way.
    HasKeys,
    /// Everything has arrived.
    Done,
}

impl HostConnection {
    pub(super) fn new(paths: &Paths) -> Self {
        let mut daemon = DaemonConnection::unconnected(paths);
        daemon.retry_at(Instant::now());
        Self::over(daemon)
    }

    fn over(daemon: DaemonConnection) -> Self {
        let refresh = TreeRefresh::default();
        Self { daemon, was_shown: false, refresh, failures: 0, lost_at: None, leaving: None }
    }

    /// A new line to the host that is shown by this connection until now.
    pub(super) fn back_to(shown: &DaemonConnection) -> Self {
        Self { was_shown: true, ..Self::new(shown.paths()) }
    }

    /// The connection that was shown until now.
    pub(super) fn left(daemon: DaemonConnection) -> Self {
        let mut line = Self { leaving: Some(Leaving::HasKeys), ..Self::over(daemon) };
        line.ask_whether_all_arrived();
        line
    }

    /// Whether it shows the state of its host.
    pub(super) fn is_lasting(&self) -> bool {
        self.leaving.is_none()
    }

    /// When something must be done though nothing arrives.
    pub(super) fn due(&self, may_open: bool) -> Option<Instant> {
        let overdue = self.daemon.reply_due_since().map(|since| since + REPLY_TIMEOUT);
        [self.open_due(may_open), overdue, self.refresh_due()].into_iter().flatten().min()
    }

    /// When it is to be opened. What was typed over a line that is being left does not wait for others.
    fn open_due(&self, may_open: bool) -> Option<Instant> {
        self.daemon.retry_due().filter(|_| may_open || !self.is_lasting())
    }

    fn refresh_due(&self) -> Option<Instant> {
        self.refresh.due().filter(|_| !self.daemon.has_requested(Purpose::Tree) && self.daemon.is_welcome())
    }

    pub(super) fn run_timers(&mut self, now: Instant, may_open: bool) -> Option<HostNews> {
        let is_due = |due: Option<Instant>| due.is_some_and(|due| due <= now);
        if is_due(self.open_due(may_open)) {
            match self.daemon.reconnect() {
                Ok(()) => self.begin(),
                Err(error) => return self.lost(&error),
            }
        }
        if is_due(self.daemon.reply_due_since().map(|since| since + REPLY_TIMEOUT)) {
            let seconds = REPLY_TIMEOUT.as_secs();
            return self.lost(&CallError::Local(format!("No response for {seconds} seconds")));
        }
        if is_due(self.refresh_due()) {
            self.request_sessions();
        }
        None
    }

    /// Asks for what this line is there for.
    fn begin(&mut self) {
        if self.leaving.is_some() {
            self.ask_whether_all_arrived();
        }
        self.daemon.request(Purpose::Events, &SubscribeEvents { since: None });
        self.request_sessions();
    }

    fn ask_whether_all_arrived(&mut self) {
        self.daemon.request(Purpose::Leave, &GetServerStatus {});
    }

    fn request_sessions(&mut self) {
        self.refresh.requested();
        self.daemon.request(Purpose::Tree, &ListSessions::default());
    }

    pub(super) fn receive(&mut self) -> Vec<HostNews> {
        let frames = match self.daemon.receive() {
            Ok(frames) => frames,
            Err(error) => return self.lost(&error).into_iter().collect(),
        };
        let mut news = Vec::new();
        // Keys that were typed before the person left, and did not arrive before the line dropped.
        if let Some(warning) = self.daemon.retype() {
            self.daemon.resend();
            news.extend(warning.map(HostNews::DoubtfulKeys));
        }
        news.extend(frames.into_iter().filter_map(|frame| self.handle_frame(frame)));
        self.daemon.restart_reply_timer();
        news
    }

    /// Handles a line that ended, or could not be opened. One that worked until now is opened again before anybody is
    /// told.
    fn lost(&mut self, error: &CallError) -> Option<HostNews> {
        let was_welcome = self.daemon.is_welcome();
        self.daemon.connection_lost();
        let since = *self.lost_at.get_or_insert_with(clock::now);
        self.daemon.retry_at(Instant::now() + pause(self.failures));
        if was_welcome {
            return None;
        }
        self.failures += 1;
        if !self.is_lasting() {
            return None;
        }
        Some(match error {
            CallError::NoDaemon(_) => HostNews::NoDaemon,
            error => HostNews::Unreachable { since, reason: self.reason(error) },
        })
    }

    /// The reason of a failure, in one line and without the name of the host, which is shown beside it.
    fn reason(&self, error: &CallError) -> String {
        let message = error.message();
        let first = message.lines().next().unwrap_or_default();
        if let Some((_, why)) =
            first.split_once("ssh: connect to host ").and_then(|(_, rest)| rest.split_once(": "))
        {
            return why.to_owned();
        }
        let known = self.daemon.host_name().map(|name| format!("Cannot reach {name}: ")).unwrap_or_default();
        first.strip_prefix(&known).unwrap_or(first).to_owned()
    }

    fn handle_frame(&mut self, frame: ServerFrame) -> Option<HostNews> {
        match frame {
            ServerFrame::Answer(id, answer) => {
                let (purpose, _) = self.daemon.take_request(id)?;
                self.handle_reply(purpose, answer)
            }
            ServerFrame::Event(record) => self.handle_event(record.event),
            _ => None,
        }
    }

    fn handle_reply(&mut self, purpose: Purpose, answer: Result<Box<RawValue>, Refused>) -> Option<HostNews> {
        match (purpose, answer) {
            (Purpose::Tree, Ok(reply)) if self.is_lasting() => {
                let begun = Instant::now();
                let list = serde_json::from_str::<SessionList>(reply.get()).ok()?;
                self.refresh.read(Instant::now(), begun.elapsed());
                (self.failures, self.lost_at) = (0, None);
                Some(HostNews::Sessions(list.sessions))
            }
            (Purpose::Leave, _) => {
                self.leaving = self.leaving.map(|_| Leaving::Done);
                None
            }
            _ => None,
        }
    }

    fn handle_event(&mut self, event: Event) -> Option<HostNews> {
        match event {
            _ if !self.is_lasting() => None,
            Event::AgentStateChanged { pane, agent } => Some(HostNews::Agent(pane, agent)),
            event => {
                if changes_tree(&event) {
                    self.refresh.request(Instant::now());
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_stays_away_is_tried_less_and_less_often() {
        let pauses: Vec<u64> = [0, 1, 2, 5, 6, 7, 4_000_000_000].map(|n| pause(n).as_secs()).into();
        assert_eq!(pauses, [1, 2, 4, 32, 60, 60, 60]);
    }
}
