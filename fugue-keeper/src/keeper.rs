//! The keeper's loop: wait, handle what happened, do what is due, say what is to be said. It sleeps for as long as
//! nothing happens.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::daemon::{Backoff, Daemon};
use crate::ending::Ending;
use crate::origin::Origin;
use crate::pane::Pane;
use crate::watch::Source;
use crate::wire::{Message, PaneId};

/// A daemon that exits with this code is not started again: the keeper ends every program and itself.
pub const EXIT_FOR_GOOD: i32 = 86;

/// Descriptors on their way to the daemon have a limit nobody tells the end of, so look again after this.
const CROWDED: Duration = Duration::from_millis(10);

/// Is the keeper, in this very process and until it has ended. Changes the process to suit: see [`crate::run`] for a
/// process of its own.
pub fn keep(mut config: Config) -> io::Result<()> {
    config.resolve_daemon()?;
    settle(config)?.run();
    Ok(())
}

/// The keeper, before its first daemon.
pub fn settle(config: Config) -> io::Result<Keeper> {
    let origin = Origin::leave()?;
    Ok(Keeper {
        backoff: Backoff::new(config.well),
        config,
        origin,
        panes: BTreeMap::new(),
        endings: Vec::new(),
        daemon: None,
        start_at: Some(Instant::now()),
        outbox: VecDeque::new(),
        crowded_until: None,
        closing: None,
    })
}

/// Everything the keeper knows.
pub struct Keeper {
    pub config: Config,
    pub origin: Origin,
    pub panes: BTreeMap<PaneId, Pane>,
    pub endings: Vec<Ending>,
    pub daemon: Option<Daemon>,
    /// When to start the next daemon.
    pub start_at: Option<Instant>,
    pub backoff: Backoff,
    /// What the daemon has not heard yet. It is bounded: while it is long no more requests are read.
    pub outbox: VecDeque<Note>,
    /// Nothing is said before then.
    pub crowded_until: Option<Instant>,
    /// Asked to end: no more daemons. What is still to be said is waited for until then.
    pub closing: Option<Instant>,
}

/// Something to tell the daemon. Panes are looked up when it is told, for their newest state.
pub enum Note {
    Holding(PaneId),
    Spawned(PaneId),
    Plain(Message),
}

impl Keeper {
    /// Works until a shutdown is complete.
    pub fn run(mut self) {
        loop {
            self.do_what_is_due(Instant::now());
            self.say();
            if self.is_over() {
                return;
            }
            for source in self.wait() {
                self.handle(source, Instant::now());
            }
        }
    }

    fn handle(&mut self, source: Source, now: Instant) {
        match source {
            Source::Link => self.hear(),
            Source::Daemon => self.daemon_ended(now),
            Source::Report(pane) => self.reported(pane, now),
            Source::Exit(pane) => self.exited(pane, now),
            Source::Output(pane) => self.pump(pane),
            // What is to be said and who is to be ended is gone through on every turn.
            Source::Writable | Source::Ending => {}
        }
    }

    fn is_over(&self) -> bool {
        self.closing.is_some() && self.endings.is_empty() && self.outbox.is_empty()
    }

    /// Whether the keeper has the lease.
    pub fn pumps(&self) -> bool {
        self.daemon.as_ref().is_none_or(|daemon| !daemon.taken)
    }

    /// The next moment something is due, if nothing happens before.
    pub fn wake_at(&self) -> Option<Instant> {
        let daemon = self.daemon.as_ref().and_then(Daemon::wake_at);
        let endings = self.endings.iter().filter_map(Ending::wake_at);
        let panes = self.panes.values().filter_map(Pane::wake_at);
        let unsaid = self.closing.filter(|_| !self.outbox.is_empty());
        let own = [self.start_at, self.crowded_until, unsaid].into_iter().flatten();
        endings.chain(panes).chain(daemon).chain(own).min()
    }

    fn do_what_is_due(&mut self, now: Instant) {
        let due = |at: Instant| at <= now;
        if self.start_at.is_some_and(due) {
            self.start_daemon(now);
        }
        if self.daemon.as_ref().and_then(Daemon::wake_at).is_some_and(due) {
            self.look_at_daemon(now);
        }
        if self.closing.is_some_and(due) {
            self.outbox.clear();
        }
        self.crowded_until = self.crowded_until.filter(|&until| !due(until));
        self.look_again(now);
        self.advance_endings(now);
    }

    /// The daemon has to read before it can be told more.
    pub fn crowded(&mut self) {
        self.crowded_until = Some(Instant::now() + CROWDED);
    }
}
