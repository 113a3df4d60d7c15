//! The way to the daemon: what was asked and why, and the way back to it when it went away.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use fugue_client::{Heard, Line, Places, Starting, Trouble};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{ServerStatusVerb, VerbSpec};
use fugue_protocol::{PaneId, Size};
use serde_json::value::{RawValue, to_raw_value};

use super::kept::Kept;

/// A daemon that went away is looked for this often: a new one is there in a few milliseconds.
const LOOK: Duration = Duration::from_millis(50);

/// A daemon that was shut down took its socket with it; one whose socket is gone for so long does not come back.
const GONE: Duration = Duration::from_secs(2);

/// What was sent longer ago than this was read: a daemon that lives reads at once.
const LATELY: Duration = Duration::from_secs(2);

/// Keys are not answered. With the first and then as often as this something is asked, so that a daemon that hangs
/// is noticed while a person types.
const SOUNDED: Duration = Duration::from_secs(1);

/// A daemon that says nothing for so long though it was asked hangs, or its machine does.
const SILENT: Duration = Duration::from_secs(3);

/// Why something was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// To know the tree.
    Tree,
    /// To be told things: only a refusal matters.
    Listen,
    /// To see a pane.
    Watch(PaneId),
    /// A person wants it.
    Command,
    /// A person goes to a window or a pane.
    Go,
    /// Housekeeping; if it is refused, so be it.
    Quiet,
    /// To know what the daemon complains about.
    Status,
    /// To show what agents wrote each other.
    Messages,
    /// To open a popup with so much room.
    Popup(Size),
    /// To show who looks on.
    Clients,
    /// A part of a paste.
    Paste,
    /// To look back in a pane, and then to do this.
    Past(PaneId, Then),
}

/// What is done with a pane's past when it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Look at it, from where the cursor is.
    Look,
    /// Go back by so many rows.
    Back(usize),
    /// Go back as the wheel does, and close at the bottom.
    Wheel,
    /// Select what the mouse was dragged over.
    Drag,
    /// Select the word at this row and column.
    Word(u16, u16),
    /// Select the line there.
    Line(u16, u16),
    /// Open it in the person's editor.
    Edit,
}

/// A daemon, or the search for it.
pub(super) struct Daemon {
    places: Places,
    line: Option<Line>,
    asked: BTreeMap<u64, Why>,
    next_look: Option<Instant>,
    lost_at: Option<Instant>,
    /// What was typed in this turn and is not sent yet.
    typed: Option<(PaneId, Vec<u8>)>,
    /// What was typed while the daemon is away.
    kept: Kept,
    /// When keys were sent last, and whether the daemon has said nothing since.
    sent_at: Option<Instant>,
    unheard: bool,
    /// When it was last asked whether it is there, and since when it owes an answer.
    sounded_at: Option<Instant>,
    owes_since: Option<Instant>,
}

impl Daemon {
    pub(super) fn open(places: &Places) -> Result<Self, Trouble> {
        let line = Line::open(places, Role::Terminal, Starting::IfNeeded)?;
        Ok(Self {
            places: places.clone(),
            line: Some(line),
            asked: BTreeMap::new(),
            next_look: None,
            lost_at: None,
            typed: None,
            kept: Kept::default(),
            sent_at: None,
            unheard: false,
            sounded_at: None,
            owes_since: None,
        })
    }

    /// Asks for a verb. While the daemon is away nothing is asked.
    pub(super) fn ask<V: VerbSpec>(&mut self, why: Why, verb: &V) {
        if let Ok(args) = to_raw_value(verb) {
            self.ask_named(why, V::NAME, &args);
        }
    }

    pub(super) fn ask_named(&mut self, why: Why, verb: &str, args: &RawValue) {
        self.send_typed();
        let Some(line) = &mut self.line else { return };
        // What breaks here is heard of when the line is read next.
        if let Ok(id) = line.ask(verb, args) {
            self.asked.insert(id, why);
            // What a person asked for may take its time.
            if why != Why::Command {
                self.owes_since.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Asks whether the daemon is there, unless that was just done.
    fn sound(&mut self) {
        if self.sounded_at.is_none_or(|at| at.elapsed() > SOUNDED) {
            self.sounded_at = Some(Instant::now());
            self.ask(Why::Quiet, &ServerStatusVerb {});
        }
    }

    /// Whether it says nothing though it was asked.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        self.owes_since.is_some_and(|since| since + SILENT <= now)
    }

    /// When it would be silent for too long.
    pub(super) fn silence_due(&self, now: Instant) -> Option<Instant> {
        self.owes_since.map(|since| since + SILENT).filter(|due| *due > now)
    }

    /// Types into a pane; what is typed while the daemon is away is kept for a while.
    pub(super) fn type_in(&mut self, pane: PaneId, bytes: &[u8]) {
        match &mut self.typed {
            Some((same, typed)) if *same == pane => typed.extend_from_slice(bytes),
            _ => {
                self.send_typed();
                self.typed = Some((pane, bytes.to_vec()));
            }
        }
    }

    /// Sends what was typed: keys that came together go together.
    pub(super) fn send_typed(&mut self) {
        let Some((pane, bytes)) = self.typed.take().filter(|(_, bytes)| !bytes.is_empty()) else { return };
        let Some(line) = &mut self.line else { return self.kept.keep(pane, bytes) };
        let _ = line.type_in(pane, &bytes);
        (self.sent_at, self.unheard) = (Some(Instant::now()), true);
        self.sound();
    }

    /// Types what was kept while the daemon was away, and gives what the person must know of it.
    pub(super) fn type_kept(&mut self) -> Option<&'static str> {
        let (typed, words) = self.kept.take();
        for (pane, bytes) in typed {
            self.type_in(pane, &bytes);
        }
        self.send_typed();
        words
    }

    /// The number of this connection.
    pub(super) fn client(&self) -> Option<u64> {
        self.line.as_ref().and_then(Line::client)
    }

    pub(super) fn has_asked(&self, why: Why) -> bool {
        self.asked.values().any(|asked| *asked == why)
    }

    /// Why an answer's question was asked.
    pub(super) fn answered(&mut self, id: u64) -> Option<Why> {
        self.asked.remove(&id)
    }

    pub(super) fn hear(&mut self) -> Result<Vec<Heard>, Trouble> {
        let Some(line) = &mut self.line else { return Ok(Vec::new()) };
        line.flush()?;
        let heard = line.hear()?;
        self.unheard &= heard.is_empty();
        self.owes_since = self.owes_since.filter(|_| heard.is_empty());
        Ok(heard)
    }

    /// It went away: look for it now and then.
    pub(super) fn lost(&mut self) {
        self.send_typed();
        if let Some(mut line) = self.line.take() {
            let lately = self.sent_at.is_some_and(|at| at.elapsed() < LATELY);
            let untyped: Vec<_> = line.untyped().collect();
            // Keys that never left are not those that nobody heard of.
            self.kept.unsure = line.left_unread() && lately || self.unheard && untyped.is_empty();
            untyped.into_iter().for_each(|(pane, bytes)| self.kept.keep(pane, bytes));
        }
        (self.unheard, self.owes_since) = (false, None);
        self.asked.clear();
        self.lost_at = Some(Instant::now());
        self.next_look = Some(Instant::now());
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.next_look
    }

    /// Looks for it, and says whether it is there again.
    pub(super) fn look(&mut self) -> bool {
        self.line = Line::open(&self.places, Role::Terminal, Starting::Never).ok();
        self.next_look = self.line.is_none().then(|| Instant::now() + LOOK);
        self.line.is_some()
    }

    /// Whether it will not come back: its socket is gone, and has been for a while.
    pub(super) fn is_gone(&self) -> bool {
        self.is_away() && self.lost_at.is_some_and(|at| at.elapsed() > GONE) && !self.places.socket.exists()
    }

    pub(super) fn is_away(&self) -> bool {
        self.line.is_none()
    }

    pub(super) fn wants_to_write(&self) -> bool {
        self.line.as_ref().is_some_and(Line::wants_to_write)
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.line.as_ref().map(AsFd::as_fd)
    }
}
