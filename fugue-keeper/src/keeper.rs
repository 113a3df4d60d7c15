//! The keeper's loop: wait, handle what happened, do what is due, say what is to be said. It sleeps for as long as
//! nothing happens.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::daemon::{Backoff, Daemon, WELL};
use crate::ending::Ending;
use crate::log;
use crate::pane::Pane;
use crate::process::{self, Origin};
use crate::pump::QUOTA;
use crate::spawn;
use crate::watch::Source;
use crate::wire::{Exit, Message, PaneId};

/// A daemon that exits with this code is not started again: the keeper ends every program and itself.
pub const EXIT_FOR_GOOD: i32 = 86;

/// Descriptors on their way to the daemon have a limit nobody tells the end of, so look again after this.
const CROWDED: Duration = Duration::from_millis(10);

/// How a keeper is started.
#[derive(Debug)]
pub struct Config {
    /// The bound, listening client socket, kept for every daemon to come.
    pub listener: OwnedFd,
    /// Program and arguments of a daemon.
    pub daemon: Vec<OsString>,
    /// Where standard error of keeper and daemon goes; nowhere if left out.
    pub log: Option<PathBuf>,
    /// How much output to take in for a pane while no daemon lives.
    pub quota: u64,
    /// A daemon that lived this long was well: when it ends the next one starts at once.
    pub well: Duration,
}

impl Config {
    /// A keeper for this socket and this daemon, with no log and the usual quota.
    pub fn new(listener: OwnedFd, daemon: Vec<OsString>) -> Self {
        Self {
            listener,
            daemon,
            log: None,
            quota: QUOTA,
            well: WELL,
        }
    }

    /// The keeper works in `/`, so a relative path to the daemon is made whole while it means something.
    pub(crate) fn resolve_daemon(&mut self) -> io::Result<()> {
        let program = self.daemon.first_mut().ok_or(io::ErrorKind::InvalidInput)?;
        if program.as_encoded_bytes().contains(&b'/') {
            *program = std::path::absolute(&*program)?.into_os_string();
        }
        Ok(())
    }
}

/// Is the keeper, in this very process and until it has ended. Changes the process to suit: see [`crate::run`] for a
/// process of its own.
pub fn keep(mut config: Config) -> io::Result<()> {
    config.resolve_daemon()?;
    settle(config)?.run();
    Ok(())
}

/// The keeper, before its first daemon.
pub(crate) fn settle(config: Config) -> io::Result<Keeper> {
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
        closing: false,
    })
}

/// Everything the keeper knows.
pub(crate) struct Keeper {
    pub(crate) config: Config,
    pub(crate) origin: Origin,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    pub(crate) endings: Vec<Ending>,
    pub(crate) daemon: Option<Daemon>,
    /// When to start the next daemon.
    start_at: Option<Instant>,
    backoff: Backoff,
    /// What the daemon has not heard yet. It is bounded: while it is long no more requests are read.
    pub(crate) outbox: VecDeque<Note>,
    crowded_until: Option<Instant>,
    /// Asked to end: no more daemons.
    pub(crate) closing: bool,
}

/// Something to tell the daemon. Panes are looked up when it is told, for their newest state.
pub(crate) enum Note {
    Holding(PaneId),
    Spawned(PaneId),
    Plain(Message),
}

impl Keeper {
    /// Works until a shutdown is complete.
    pub(crate) fn run(mut self) {
        loop {
            self.do_what_is_due(Instant::now());
            self.say();
            if self.closing && self.endings.is_empty() {
                return;
            }
            for source in self.wait() {
                self.handle(source);
            }
        }
    }

    fn handle(&mut self, source: Source) {
        match source {
            Source::Link => self.hear(),
            Source::Writable => {}
            Source::Daemon => self.daemon_ended(),
            Source::Report(pane) => self.reported(pane),
            Source::Exit(pane) => self.exited(pane),
            Source::Output(pane) => self.pump(pane),
            Source::Ending => {}
        }
    }

    /// Whether the keeper has the lease.
    pub(crate) fn pumps(&self) -> bool {
        self.daemon.as_ref().is_none_or(|daemon| !daemon.taken)
    }

    /// The next moment something is due, if nothing happens before.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let endings = self.endings.iter().filter_map(Ending::wake_at);
        endings.chain(self.start_at).chain(self.crowded_until).min()
    }

    fn do_what_is_due(&mut self, now: Instant) {
        if self.start_at.is_some_and(|at| at <= now) {
            self.start_daemon(now);
        }
        self.crowded_until = self.crowded_until.filter(|&until| until > now);
        self.advance_endings(now);
    }

    fn start_daemon(&mut self, now: Instant) {
        self.start_at = None;
        match Daemon::start(&self.config.daemon, &self.config.listener) {
            Ok(daemon) => self.daemon = Some(daemon),
            Err(error) => {
                log::say(format_args!("cannot start a daemon: {error}"));
                self.start_at =
                    Some(now + self.backoff.after(Duration::ZERO).max(Duration::from_millis(100)));
            }
        }
    }

    /// The lease comes back: what the daemon said last is done first, then the keeper pumps.
    fn daemon_ended(&mut self) {
        let Some(exit) = self.daemon.as_ref().and_then(|daemon| process::reap(daemon.pid)) else {
            return;
        };
        self.hear_out();
        let Some(daemon) = self.daemon.take() else { return };
        self.outbox.clear();
        self.crowded_until = None;
        if daemon.taken {
            self.panes.values_mut().for_each(resume);
        }
        self.after_daemon(exit, daemon.lived(Instant::now()));
    }

    fn after_daemon(&mut self, exit: Exit, lived: Duration) {
        if exit == Exit::Code(EXIT_FOR_GOOD) {
            self.shut_down();
        }
        if !self.closing {
            let pause = self.backoff.after(lived);
            log::say(format_args!(
                "daemon ended ({exit:?}) after {lived:?}; the next one in {pause:?}"
            ));
            self.start_at = Some(Instant::now() + pause);
        }
    }

    fn reported(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let Some(outcome) = pane.report.as_ref().and_then(spawn::outcome) else {
            return;
        };
        pane.report = None;
        match outcome {
            Ok(()) => self.tell_of_pane(Note::Spawned(id)),
            Err(failure) => self.stillborn(id, failure),
        }
    }

    fn stillborn(&mut self, id: PaneId, failure: spawn::Failure) {
        if let Some(pane) = self.panes.remove(&id) {
            self.endings
                .push(Ending::await_exit(id, pane, false, Instant::now()));
        }
        self.spawn_failed(id, failure);
    }

    fn exited(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let Some(exit) = process::reap(pane.pid) else {
            return;
        };
        pane.ended(exit);
        self.tell_of_pane(Note::Plain(Message::Exited { pane: id, exit }));
    }

    fn pump(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get_mut(&id).filter(|pane| pane.flowing().is_some()) else {
            return;
        };
        if let Err(error) = pane.pump(self.config.quota) {
            log::say(format_args!("output of {} rests: {error}", log::name(&id)));
        }
    }

    fn advance_endings(&mut self, now: Instant) {
        let mut over = Vec::new();
        self.endings.retain_mut(|ending| match ending.advance(now) {
            Some(exit) => {
                over.extend(ending.told.then_some((ending.pane, exit)));
                false
            }
            None => true,
        });
        for (pane, exit) in over {
            self.tell_of_pane(Note::Plain(Message::Exited { pane, exit }));
        }
    }

    pub(crate) fn crowded(&mut self) {
        self.crowded_until = Some(Instant::now() + CROWDED);
    }

    pub(crate) fn is_crowded(&self) -> bool {
        self.crowded_until.is_some()
    }
}

fn resume(pane: &mut Pane) {
    if let Err(error) = pane.resume() {
        log::say(format_args!(
            "cannot look after the output of process {:?}: {error}",
            pane.pid
        ));
    }
}
