//! The way to the daemon: what was asked and why, and the way back to it when it went away.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use fugue_client::{CallError, Paths, PollConnection, ServerFrame, StartPolicy};
use fugue_protocol::PaneId;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{GetServerStatus, VerbSpec};
use serde_json::value::{RawValue, to_raw_value};

use super::asked::{PendingRequest, PendingRequests};

mod typing;

pub(super) use super::asked::{Purpose, Then};

/// A daemon that went away is looked for this often: a new one is there in a few milliseconds.
const LOOK: Duration = Duration::from_millis(50);

/// A daemon that was shut down took its socket with it; one whose socket is gone for so long does not come back.
const GONE: Duration = Duration::from_secs(2);

/// After many kills the keeper waits up to ten seconds before it starts another one; it never does if it is dead, too.
const OVERDUE: Duration = Duration::from_secs(15);

/// Keys are not answered. With the first and then as often as this something is asked, so that a daemon that hangs
/// is noticed while a person types.
const SOUNDED: Duration = Duration::from_secs(1);

/// A daemon that says nothing for so long though it was asked hangs, or its machine does.
const SILENT: Duration = Duration::from_secs(3);

/// A daemon, or the search for it.
pub(super) struct DaemonLink {
    places: Paths,
    line: Option<PollConnection>,
    /// How many there were.
    connections: u64,
    asked: PendingRequests,
    next_look: Option<Instant>,
    lost_at: Option<Instant>,
    /// Keys were sent: their echo is looked for until then.
    echo_until: Option<Instant>,
    /// What was typed in this turn and is not sent yet.
    typed: Option<(PaneId, Vec<u8>)>,
    /// Where something was typed last.
    typed_last: Option<PaneId>,
    /// The way to the one before, until the next one has said a word: then nobody writes its ledger any more.
    former: Option<PollConnection>,
    /// It takes so little that something was not asked.
    missed: bool,
    /// When it was last asked whether it is there, and since when it owes an answer.
    sounded_at: Option<Instant>,
    owes_since: Option<Instant>,
}

impl DaemonLink {
    pub(super) fn open(places: &Paths) -> Result<Self, CallError> {
        let line = PollConnection::open(places, Role::Terminal, StartPolicy::IfNeeded)?;
        Ok(Self {
            places: places.clone(),
            line: Some(line),
            connections: 1,
            asked: PendingRequests::default(),
            next_look: None,
            lost_at: None,
            echo_until: None,
            typed: None,
            typed_last: None,
            former: None,
            missed: false,
            sounded_at: None,
            owes_since: None,
        })
    }

    /// Asks for a verb. While the daemon is away nothing is asked.
    pub(super) fn ask<V: VerbSpec>(&mut self, why: Purpose, verb: &V) {
        if let Ok(args) = to_raw_value(verb) {
            self.ask_named(why, V::NAME, &args);
        }
    }

    pub(super) fn ask_named(&mut self, why: Purpose, verb: &'static str, args: &RawValue) {
        self.send_typed();
        let Some(line) = &mut self.line else { return };
        // What breaks here is heard of when the line is read next.
        let id = line.ask(verb, args);
        self.missed |= matches!(id, Err(CallError::Refused(_)));
        if let Ok(id) = id {
            let asked = PendingRequest::new(why, verb, args);
            if asked.is_owed() {
                self.owes_since.get_or_insert_with(Instant::now);
            }
            self.asked.put(id, asked);
        }
    }

    /// Whether so much waits for it that keys wait, too.
    pub(super) fn is_full(&self) -> bool {
        self.line.as_ref().is_some_and(PollConnection::is_full)
    }

    /// Whether there is room again after something was not asked.
    pub(super) fn has_missed(&mut self) -> bool {
        let missed = self.missed && !self.is_full();
        self.missed &= !missed;
        missed
    }

    /// What was asked and leads elsewhere, or waits to be asked of the next daemon.
    pub(super) fn is_leading(&self) -> bool {
        self.asked.any(|asked| asked.leads) || self.asked.waits_for_a_daemon()
    }

    /// Nobody waits any more until it has led there.
    pub(super) fn lead_no_more(&mut self) {
        self.asked.lead_no_more();
    }

    /// The newest question of this kind that is not answered.
    pub(super) fn newest(&self, why: Purpose) -> Option<u64> {
        self.asked.newest(why)
    }

    pub(super) fn owes(&self, id: u64) -> bool {
        self.asked.has(id)
    }

    /// Asks whether the daemon is there, unless that was just done.
    fn sound(&mut self) {
        if self.sounded_at.is_none_or(|at| at.elapsed() >= SOUNDED) {
            self.sounded_at = Some(Instant::now());
            self.ask(Purpose::Quiet, &GetServerStatus {});
        }
    }

    /// Whether it says nothing though it was asked.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        self.owes_since.is_some_and(|since| since + SILENT <= now)
    }

    /// Something was heard. What it still owes, it owes from now on.
    pub(super) fn owes_the_rest(&mut self) {
        if self.asked.any(PendingRequest::is_owed) {
            self.owes_since.get_or_insert_with(Instant::now);
        }
    }

    /// When it would be silent for too long, or is asked whether it is there.
    pub(super) fn silence_due(&self) -> Option<Instant> {
        let since = self.owes_since?;
        let sounded = self.sounded_at.map_or(since, |at| at.max(since));
        Some((sounded + SOUNDED).min(since + SILENT))
    }

    /// What is owed for a while may only take long: another question tells.
    pub(super) fn doubt(&mut self, now: Instant) {
        if self.owes_since.is_some_and(|since| since + SOUNDED <= now) {
            self.sound();
        }
    }

    /// Whether the daemon has said a word. Before that nothing is typed: another one may still be at work.
    pub(super) fn is_welcome(&self) -> bool {
        self.client().is_some()
    }

    /// The number of this connection.
    pub(super) fn client(&self) -> Option<u64> {
        self.line.as_ref().and_then(PollConnection::client)
    }

    pub(super) fn has_asked(&self, why: Purpose) -> bool {
        self.asked.any(|asked| asked.why == why)
    }

    /// Purpose an answer's question was asked, and whether it leads elsewhere.
    pub(super) fn answered(&mut self, id: u64) -> Option<(Purpose, bool)> {
        self.asked.take(id).map(|asked| (asked.why, asked.leads))
    }

    pub(super) fn hear(&mut self) -> Result<Vec<ServerFrame>, CallError> {
        let Some(line) = &mut self.line else { return Ok(Vec::new()) };
        line.flush()?;
        let heard = line.hear()?;
        self.owes_since = self.owes_since.filter(|_| heard.is_empty());
        Ok(heard)
    }

    /// It went away: look for it now and then. Gives what it was asked for last and did not answer.
    pub(super) fn lost(&mut self) -> Option<&'static str> {
        self.send_typed();
        let mut unanswered = None;
        if let Some(line) = self.line.take() {
            unanswered = self.asked.lost(|id| line.never_sent(id));
            // Nothing was typed to one that never said a word.
            self.former.get_or_insert(line);
        }
        (self.owes_since, self.missed) = (None, false);
        self.lost_at = Some(Instant::now());
        self.next_look = Some(Instant::now());
        unanswered
    }

    /// Asks the new one what never reached the old one.
    pub(super) fn ask_again(&mut self) {
        for asked in self.asked.again() {
            self.ask_named(asked.why, asked.verb, &asked.args);
        }
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.next_look
    }

    /// Looks for it, and says whether it is there again.
    pub(super) fn look(&mut self) -> bool {
        self.line = PollConnection::open(&self.places, Role::Terminal, StartPolicy::Never).ok();
        self.connections += u64::from(self.line.is_some());
        self.next_look = self.line.is_none().then(|| Instant::now() + LOOK);
        self.line.is_some()
    }

    /// Whether it will not come back: its socket is gone, and has been for a while.
    pub(super) fn is_gone(&self) -> bool {
        self.is_away() && self.lost_at.is_some_and(|at| at.elapsed() > GONE) && !self.places.socket.exists()
    }

    /// Whether it should have come back long ago.
    pub(super) fn is_overdue(&self) -> bool {
        self.is_away() && self.lost_at.is_some_and(|at| at.elapsed() > OVERDUE)
    }

    pub(super) fn is_away(&self) -> bool {
        self.line.is_none()
    }

    pub(super) fn wants_to_write(&self) -> bool {
        self.line.as_ref().is_some_and(PollConnection::wants_to_write)
    }

    /// The connection that there is, by its number here.
    pub(super) fn connection(&self) -> Option<(u64, BorrowedFd<'_>)> {
        self.line.as_ref().map(|line| (self.connections, line.as_fd()))
    }
}
