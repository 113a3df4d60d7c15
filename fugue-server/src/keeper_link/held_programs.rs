//! Everything that the keeper holds and that is not sent yet, held a second time: if the keeper is killed, its successor
//! is given this.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use fugue_keeper::{
    Exit, Holding, Link, Message, PaneFds, Pump, PumpFds, SpawnBody, SpawnProgress, SpawnRequest,
};
use fugue_protocol::RunId;

use super::exit_watch::ExitWatch;
use super::running_programs::{RunningPrograms, has_exited};

/// A pane that the daemon took over from the keeper when it started.
pub(crate) struct TakenPane {
    pub(crate) holding: Holding,
    pub(crate) pump: Pump,
    pub(crate) snapshot: Option<OwnedFd>,
    pidfd: OwnedFd,
}

impl TakenPane {
    /// The pane of a `Holding` message.
    pub(crate) fn new(holding: Holding, fds: Vec<OwnedFd>) -> io::Result<Self> {
        let (pump, pidfd, snapshot) = Pump::from_fds(PaneFds::from_message(fds)?)?;
        Ok(Self { holding, pump, snapshot, pidfd })
    }

    /// The run of the pane's program.
    pub(crate) fn run(&self) -> RunId {
        RunId::from_bytes(self.holding.pane)
    }
}

/// Programs and requests for programs.
pub(super) struct HeldPrograms {
    programs: BTreeMap<RunId, HeldProgram>,
    /// Programs that the daemon dropped and that have not exited yet, as far as it knows.
    dropped: BTreeMap<RunId, DroppedProgram>,
    /// Requests for programs that the keeper has not answered.
    spawns: BTreeMap<RunId, RequestedProgram>,
    /// Whether the keeper marks how far a spawn got. One of an older version does not.
    pub(super) marks_spawns: bool,
    pub(super) running: RunningPrograms,
    pub(super) exits: ExitWatch,
}

struct HeldProgram {
    pid: i32,
    fds: Arc<PumpFds>,
    pidfd: Arc<OwnedFd>,
    stored: u64,
    snapshot: Option<OwnedFd>,
    /// Whether an order to store the snapshot is queued.
    is_store_queued: bool,
    exit: Option<Exit>,
}

struct DroppedProgram {
    pid: i32,
    pidfd: Arc<OwnedFd>,
}

struct RequestedProgram {
    request: Box<SpawnRequest>,
    body: SpawnBody,
    is_sent: bool,
}

impl HeldPrograms {
    /// The programs that a daemon took over.
    pub(super) fn new(taken: &[TakenPane]) -> io::Result<Self> {
        let mut held = Self {
            programs: BTreeMap::new(),
            dropped: BTreeMap::new(),
            spawns: BTreeMap::new(),
            marks_spawns: false,
            running: RunningPrograms::default(),
            exits: ExitWatch::new()?,
        };
        for pane in taken {
            let snapshot = pane.snapshot.as_ref().map(OwnedFd::try_clone).transpose()?;
            let Holding { pid, stored_offset, exit, .. } = pane.holding;
            held.add(pane.run(), pid, &pane.pump, pane.pidfd.try_clone()?);
            if let Some(program) = held.programs.get_mut(&pane.run()) {
                (program.stored, program.snapshot, program.exit) = (stored_offset, snapshot, exit);
            }
        }
        Ok(held)
    }

    /// Adds a program that runs now.
    pub(super) fn add(&mut self, run: RunId, pid: i32, pump: &Pump, pidfd: OwnedFd) {
        let (fds, pidfd) = (Arc::clone(pump.fds()), Arc::new(pidfd));
        self.running.add(run, &pidfd);
        self.exits.add(&pidfd);
        let program =
            HeldProgram { pid, fds, pidfd, stored: 0, snapshot: None, is_store_queued: false, exit: None };
        self.programs.insert(run, program);
    }

    /// Expects an answer to this request.
    pub(super) fn expect(&mut self, run: RunId, request: Box<SpawnRequest>) -> io::Result<()> {
        let body = SpawnBody::new(&request)?;
        self.spawns.insert(run, RequestedProgram { request, body, is_sent: false });
        Ok(())
    }

    pub(super) fn spawn_answered(&mut self, run: RunId) {
        self.spawns.remove(&run);
    }

    pub(super) fn exited(&mut self, run: RunId, exit: Exit) {
        if let Some(program) = self.programs.get_mut(&run) {
            program.exit = Some(exit);
        }
    }

    /// Takes a newer snapshot. Returns whether an order must be queued to send it.
    pub(super) fn store(&mut self, run: RunId, offset: u64, snapshot: OwnedFd) -> bool {
        let Some(program) = self.programs.get_mut(&run) else { return false };
        (program.stored, program.snapshot) = (offset, Some(snapshot));
        !std::mem::replace(&mut program.is_store_queued, true)
    }

    /// Takes a newer snapshot while there is no keeper, and frees the output before it: the daemon is its only holder.
    pub(super) fn store_alone(&mut self, run: RunId, offset: u64, snapshot: OwnedFd) {
        let Some(program) = self.programs.get_mut(&run) else { return };
        (program.stored, program.snapshot) = (offset, Some(snapshot));
        if let Err(why) = program.fds.free(offset) {
            tracing::warn!("Run {run}: cannot free stored output: {why}");
        }
    }

    /// Drops a program. Until it has exited, it is remembered: if the keeper is killed first, another must terminate it.
    pub(super) fn drop_program(&mut self, run: RunId) {
        self.running.remove(run);
        self.dropped.retain(|_, program| !has_exited(&program.pidfd));
        let Some(HeldProgram { pid, pidfd, exit, .. }) = self.programs.remove(&run) else { return };
        self.exits.remove(&pidfd);
        if exit.is_none() {
            self.dropped.insert(run, DroppedProgram { pid, pidfd });
        }
    }

    /// The programs to be adopted by a successor.
    pub(super) fn adoptions(&mut self) -> Vec<RunId> {
        self.programs.values_mut().for_each(|program| program.is_store_queued = false);
        self.programs.keys().copied().collect()
    }

    /// The programs to be terminated by a successor.
    pub(super) fn terminations(&mut self) -> Vec<RunId> {
        self.dropped.retain(|_, program| !has_exited(&program.pidfd));
        self.dropped.keys().copied().collect()
    }

    /// The requests that were sent to a keeper that was killed, and how far each got. Those that were not begun may be
    /// sent again.
    pub(super) fn interrupted_spawns(&mut self) -> Vec<(RunId, SpawnProgress)> {
        let mut interrupted = Vec::new();
        for (run, spawn) in self.spawns.iter_mut().filter(|(_, spawn)| spawn.is_sent) {
            spawn.is_sent = false;
            let progress = spawn.body.progress();
            interrupted.push((*run, if self.marks_spawns { progress } else { SpawnProgress::Begun }));
        }
        interrupted
    }

    /// The other sides of the terminals of running programs.
    pub(super) fn terminals(&self) -> Vec<OwnedFd> {
        let running = self.programs.values().filter(|program| program.exit.is_none());
        running.filter_map(|program| program.fds.open_slave().ok()).collect()
    }

    /// The snapshot cannot be sent. The next one is sent in its place.
    pub(super) fn store_failed(&mut self, run: RunId) {
        if let Some(program) = self.programs.get_mut(&run) {
            program.is_store_queued = false;
        }
    }

    pub(super) fn send_adoption(&self, link: &Link, run: RunId) -> io::Result<()> {
        let Some(program) = self.programs.get(&run) else { return Ok(()) };
        let holding = Holding {
            pane: *run.as_bytes(),
            pid: program.pid,
            stored_offset: program.stored,
            // The daemon goes on; the keeper finds out how far it got when it has exited.
            seen_offset: program.stored,
            snapshot: program.snapshot.is_some(),
            stalled: false,
            exit: program.exit,
        };
        let snapshot = program.snapshot.as_ref().map(AsFd::as_fd);
        let fds = program.fds.in_order().into_iter().chain([program.pidfd.as_fd()]).chain(snapshot);
        link.send(&Message::Adopt(holding), &fds.collect::<Vec<_>>())
    }

    pub(super) fn send_termination(&self, link: &Link, run: RunId) -> io::Result<()> {
        let Some(program) = self.dropped.get(&run) else { return Ok(()) };
        let message = Message::Terminate { pane: *run.as_bytes(), pid: program.pid };
        link.send(&message, &[program.pidfd.as_fd()])
    }

    pub(super) fn send_spawn(&mut self, link: &Link, run: RunId) -> io::Result<()> {
        let Some(spawn) = self.spawns.get_mut(&run) else { return Ok(()) };
        link.send_spawn(&spawn.request, &spawn.body)?;
        spawn.is_sent = true;
        Ok(())
    }

    pub(super) fn send_snapshot(&mut self, link: &Link, run: RunId) -> io::Result<()> {
        let Some(program) = self.programs.get_mut(&run) else { return Ok(()) };
        let Some(snapshot) = &program.snapshot else { return Ok(()) };
        let message = Message::Stored { pane: *run.as_bytes(), offset: program.stored };
        link.send(&message, &[snapshot.as_fd()])?;
        program.is_store_queued = false;
        Ok(())
    }
}
