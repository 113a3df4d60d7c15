//! The connection to the daemon: pending requests, keys that are not sent yet, and the way back to a daemon that
//! stopped.

mod host_line;
mod pending_requests;
mod silence;
mod typed_keys;

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fugue_client::{CallError, Paths, PollConnection, ServerFrame, StartPolicy, UnresponsiveDaemon};
use fugue_protocol::PaneId;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::VerbSpec;
use serde_json::value::{RawValue, to_raw_value};

pub(crate) use pending_requests::{HistoryUse, Purpose};
use pending_requests::{PendingReplies, PendingRequest};

/// How often the client tries to reconnect: a new daemon takes a few milliseconds to start.
const RETRY: Duration = Duration::from_millis(50);

/// The same while the keeper says that no daemon can be started: each attempt starts another one.
const FAILED_START_RETRY: Duration = Duration::from_secs(2);

/// A daemon that shuts down releases its state directory; one that has done so for this long does not come back.
const GONE: Duration = Duration::from_secs(2);

/// After many kills the keeper waits up to ten seconds before it starts another daemon; if it is dead as well, it never
/// does.
const OVERDUE: Duration = Duration::from_secs(15);

/// The number of the next connection: a client may have several.
static NEXT_CONNECTION: AtomicU64 = AtomicU64::new(1);

/// A connection to the daemon, or the search for one.
pub(crate) struct DaemonConnection {
    paths: Paths,
    connection: Option<PollConnection>,
    /// The number of the connection in this process.
    number: u64,
    requests: PendingReplies,
    next_retry: Option<Instant>,
    lost_at: Option<Instant>,
    /// Keys were sent: their echo is expected until then.
    echo_until: Option<Instant>,
    /// Keys of this turn that are not sent yet, and those for which the daemon has no room: as many as one input leads to.
    unsent_keys: VecDeque<(PaneId, Vec<u8>)>,
    /// The pane into which something was typed last.
    last_typed_pane: Option<PaneId>,
    /// The connection to the former daemon, until the new one has welcomed this client: from then on the ledger of the
    /// former is final.
    former: Option<PollConnection>,
    /// The daemon accepts so little that a request was not sent.
    missed_request: bool,
    /// When the first key was sent after the last probe.
    unprobed_since: Option<Instant>,
    /// When the daemon last sent something.
    heard_at: Option<Instant>,
    /// When the last probe was sent, and since when a reply is due.
    probed_at: Option<Instant>,
    reply_due_since: Option<Instant>,
    /// The daemon does not answer, as far as the person was informed.
    silent: Option<UnresponsiveDaemon>,
    /// The reason why no daemon can be started.
    failed_start: Option<String>,
    /// The reason why the daemon's host could not be reached.
    line_failure: Option<String>,
}

impl DaemonConnection {
    /// Uses the existing connection, or opens a new one.
    pub(crate) fn open(paths: &Paths, opened: Option<PollConnection>) -> Result<Self, CallError> {
        let connection = match opened {
            Some(connection) => connection,
            None => PollConnection::open(paths, Role::Terminal, StartPolicy::IfNeeded)?,
        };
        Ok(Self { connection: Some(connection), ..Self::unconnected(paths) })
    }

    /// Holds requests back, until [`Self::uncork`] sends them all at once.
    pub(crate) fn cork(&mut self) {
        self.connection.iter_mut().for_each(PollConnection::cork);
    }

    /// Sends the requests that were held back. A broken connection is noticed when it is read next.
    pub(crate) fn uncork(&mut self) {
        if let Some(connection) = &mut self.connection {
            let _ = connection.uncork();
        }
    }

    /// A connection that is still to be made.
    pub(crate) fn unconnected(paths: &Paths) -> Self {
        Self {
            paths: paths.clone(),
            connection: None,
            number: NEXT_CONNECTION.fetch_add(1, Ordering::Relaxed),
            requests: PendingReplies::default(),
            next_retry: None,
            lost_at: None,
            echo_until: None,
            unsent_keys: VecDeque::new(),
            last_typed_pane: None,
            former: None,
            missed_request: false,
            unprobed_since: None,
            heard_at: None,
            probed_at: None,
            reply_due_since: None,
            silent: None,
            failed_start: None,
            line_failure: None,
        }
    }

    /// Sends a request. While the daemon is away nothing is sent.
    pub(crate) fn request<V: VerbSpec>(&mut self, purpose: Purpose, verb: &V) {
        if let Ok(args) = to_raw_value(verb) {
            self.request_named(purpose, V::NAME, &args);
        }
    }

    /// Sends a request. Returns whether it was sent.
    pub(crate) fn request_named(&mut self, purpose: Purpose, verb: &'static str, args: &RawValue) -> bool {
        self.send_keys();
        let Some(connection) = &mut self.connection else { return false };
        // A broken connection is noticed when it is read next.
        let id = connection.send_request(verb, args);
        self.missed_request |= matches!(id, Err(CallError::Refused(_)));
        let is_sent = id.is_ok();
        if let Ok(id) = id {
            let request = PendingRequest::new(purpose, verb, args);
            if request.is_due_at_once() {
                self.reply_due_since.get_or_insert_with(Instant::now);
            }
            self.requests.insert(id, request);
        }
        is_sent
    }

    /// Whether so much waits to be sent that keys wait, too.
    pub(crate) fn is_full(&self) -> bool {
        self.connection.as_ref().is_some_and(PollConnection::is_full)
    }

    /// Whether a request was not sent and there is room again.
    pub(crate) fn take_missed_request(&mut self) -> bool {
        let missed = self.missed_request && !self.is_full();
        self.missed_request &= !missed;
        missed
    }

    /// Whether typed input waits for a reply, or for a request that waits for the next daemon.
    pub(crate) fn is_leading(&self) -> bool {
        self.requests.any(|request| request.leads) || self.requests.has_unsent()
    }

    /// Lets typed input wait for no reply any more.
    pub(crate) fn stop_leading(&mut self) {
        self.requests.stop_leading();
    }

    /// The newest pending request of this purpose.
    pub(crate) fn newest(&self, purpose: Purpose) -> Option<u64> {
        self.requests.newest(purpose)
    }

    pub(crate) fn is_pending(&self, id: u64) -> bool {
        self.requests.contains(id)
    }

    /// Whether the daemon has welcomed this client. Before that nothing is typed: another daemon may still be at work.
    pub(crate) fn is_welcome(&self) -> bool {
        self.client().is_some()
    }

    /// The number that the daemon gave this client.
    pub(crate) fn client(&self) -> Option<u64> {
        self.connection.as_ref().and_then(PollConnection::client)
    }

    pub(crate) fn has_requested(&self, purpose: Purpose) -> bool {
        self.requests.any(|request| request.purpose == purpose)
    }

    /// Takes the request that a reply belongs to: its purpose, and whether it leads elsewhere.
    pub(crate) fn take_request(&mut self, id: u64) -> Option<(Purpose, bool)> {
        self.requests.take(id).map(|request| (request.purpose, request.leads))
    }

    /// Sends all unsent messages, and receives those that have arrived.
    pub(crate) fn receive(&mut self) -> Result<Vec<ServerFrame>, CallError> {
        let Some(connection) = &mut self.connection else { return Ok(Vec::new()) };
        connection.flush()?;
        let frames = connection.read_frames()?;
        let is_welcome = connection.client().is_some();
        if !frames.is_empty() {
            (self.reply_due_since, self.failed_start) = (None, None);
            self.heard_at = Some(Instant::now());
        }
        if is_welcome {
            (self.lost_at, self.line_failure) = (None, None);
        }
        Ok(frames)
    }

    /// Handles the loss of the connection: from now on the client tries to reconnect. Returns the verb of the last
    /// request that was sent and not answered.
    pub(crate) fn connection_lost(&mut self) -> Option<&'static str> {
        self.send_keys();
        let mut unanswered = None;
        let was_welcome = self.is_welcome();
        if let Some(mut lost) = self.connection.take() {
            lost.end_line();
            unanswered = self.requests.connection_lost(|id| lost.never_sent(id));
            // Nothing was typed to a daemon that never welcomed this client.
            self.former.get_or_insert(lost);
        }
        (self.reply_due_since, self.missed_request, self.unprobed_since) = (None, false, None);
        if was_welcome || self.lost_at.is_none() {
            self.lost_at = Some(Instant::now());
        }
        self.next_retry = Some(Instant::now() + self.pause(was_welcome));
        unanswered
    }

    /// Handles the news that no daemon can be started: the client goes on trying, more slowly.
    pub(crate) fn start_failed(&mut self, reason: String) {
        self.failed_start = Some(reason);
    }

    /// The reason why no daemon can be started.
    pub(crate) fn failed_start(&self) -> Option<&str> {
        self.failed_start.as_deref()
    }

    /// Sends the new daemon the requests that never reached the former one.
    pub(crate) fn resend(&mut self) {
        for request in self.requests.take_unsent() {
            self.request_named(request.purpose, request.verb, &request.args);
        }
    }

    /// When to try to reconnect.
    pub(crate) fn retry_due(&self) -> Option<Instant> {
        self.next_retry
    }

    /// Tries to reconnect.
    pub(crate) fn reconnect(&mut self) -> Result<(), CallError> {
        let opened = PollConnection::reopen(&self.paths, Role::Terminal, self.former.as_ref());
        self.next_retry = opened.is_err().then(|| Instant::now() + RETRY);
        self.connection = Some(opened?);
        self.number = NEXT_CONNECTION.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the daemon will not come back: nobody holds its state directory, for a while already.
    pub(crate) fn is_gone(&self) -> bool {
        let is_late = self.lost_at.is_some_and(|at| at.elapsed() > GONE);
        self.is_away() && is_late && !fugue_client::is_running(&self.paths)
    }

    /// Whether the daemon should have come back long ago.
    pub(crate) fn is_overdue(&self) -> bool {
        self.is_away() && self.lost_at.is_some_and(|at| at.elapsed() > OVERDUE)
    }

    /// Whether there is no daemon to type to. A line to another host takes a while until the daemon there answers.
    pub(crate) fn is_away(&self) -> bool {
        self.connection.is_none() || self.is_reconnecting()
    }

    pub(crate) fn wants_to_write(&self) -> bool {
        self.connection.as_ref().is_some_and(PollConnection::wants_to_write)
    }

    /// The descriptor of the current connection, and its number: a line that is ending has another one.
    pub(crate) fn socket(&self) -> Option<(u64, BorrowedFd<'_>)> {
        let number = |connection: &PollConnection| self.number * 2 + u64::from(connection.is_ending());
        self.connection.as_ref().map(|connection| (number(connection), connection.as_fd()))
    }
}
