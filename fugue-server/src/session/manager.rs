//! The manager: the one task that owns the machine. It takes what came in, lets the machine decide, has the events
//! stored, and only then tells, answers and acts.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::time::Instant;

use fugue_core::{Ask, Caller, Effect, Input, Machine, Ticket, World};
use fugue_keeper::{Message, PaneFds};
use fugue_protocol::views::{Done, Exit, ServerStatus};
use fugue_protocol::{PROTOCOL, PaneId, Refusal, RunId, Size, Verb};
use tokio::sync::{mpsc, oneshot};

use super::events::Stream;
use super::nursery::{Newborn, Nursery};
use super::turn::Turn;
use crate::client::Subscription;
use crate::clock;
use crate::config::Config;
use crate::environment::{self, Surroundings};
use crate::journal::Journal;
use crate::keeper::{Keeper, Order};
use crate::pane::{self, Pane};
use crate::reply::Reply;

/// What may wait for the manager. Whoever sends more waits itself.
const DESK: usize = 4_096;

/// What is handled in one turn: its events are stored in one transaction.
pub(super) const TURN: usize = 256;

/// What the manager is told.
pub(crate) enum News {
    /// A client asks for something.
    Request { reply: Reply, verb: Verb, caller: Caller, subscription: Subscription },
    /// Who is a process with these ancestors, that claims to be in this pane?
    Identify {
        ancestors: Vec<u32>,
        claimed: Option<PaneId>,
        answer: oneshot::Sender<Result<Caller, Refusal>>,
    },
    /// A client came.
    Came,
    /// A client went.
    Went,
    /// The keeper says something; nothing when it is gone.
    Keeper(Option<(Message, Vec<OwnedFd>)>),
    /// A program ended and all it wrote is read.
    Ended { run: RunId, exit: Exit },
    /// A program set its title.
    Titled { pane: PaneId, title: String },
    /// A program went to another directory.
    WentTo { pane: PaneId, cwd: String },
}

/// Where news are brought.
pub(crate) type Desk = mpsc::Sender<News>;

/// The manager.
pub(crate) struct Manager {
    pub(super) machine: Machine,
    /// The world as the journal has it.
    pub(super) settled: World,
    pub(super) journal: Journal,
    pub(super) stream: Stream,
    pub(super) last_event: u64,
    desk: Desk,
    keeper: Keeper,
    keeper_pid: u32,
    nursery: Nursery,
    panes: BTreeMap<PaneId, Pane>,
    waiting: BTreeMap<Ticket, (Reply, Subscription)>,
    tickets: Ticket,
    surroundings: Surroundings,
    config: Config,
    warnings: Vec<String>,
    clients: usize,
    since: Instant,
    ending: bool,
}

/// What a manager begins with.
pub(crate) struct Beginning {
    pub(crate) machine: Machine,
    /// The world as the journal has it.
    pub(crate) settled: World,
    pub(crate) journal: Journal,
    pub(crate) stream: Stream,
    pub(crate) last_event: u64,
    pub(crate) keeper: Keeper,
    pub(crate) keeper_pid: u32,
    pub(crate) surroundings: Surroundings,
    pub(crate) config: Config,
    pub(crate) warnings: Vec<String>,
}

impl Manager {
    /// A desk for news, and the drawer from which they are taken.
    pub(crate) fn desk() -> (Desk, mpsc::Receiver<News>) {
        mpsc::channel(DESK)
    }

    pub(crate) fn new(from: Beginning, desk: Desk) -> Self {
        Self {
            settled: from.settled,
            machine: from.machine,
            journal: from.journal,
            stream: from.stream,
            last_event: from.last_event,
            desk,
            keeper: from.keeper,
            keeper_pid: from.keeper_pid,
            nursery: Nursery::default(),
            panes: BTreeMap::new(),
            waiting: BTreeMap::new(),
            tickets: 0,
            surroundings: from.surroundings,
            config: from.config,
            warnings: from.warnings,
            clients: 0,
            since: Instant::now(),
            ending: false,
        }
    }

    /// Takes news until the end.
    pub(crate) async fn serve(mut self, mut news: mpsc::Receiver<News>) {
        while let Some(first) = news.recv().await {
            let mut turn = Turn::default();
            self.take(first, &mut turn);
            while turn.len() < TURN
                && let Ok(next) = news.try_recv()
            {
                self.take(next, &mut turn);
            }
            self.finish(turn).await;
            if self.ending {
                return self.end().await;
            }
        }
    }

    fn take(&mut self, news: News, turn: &mut Turn) {
        match news {
            News::Request { reply, verb, caller, subscription } => {
                let ticket = self.ticket(reply, subscription);
                self.put(Input::Request { ticket, verb, caller, seed: clock::seed() }, turn);
            }
            News::Identify { ancestors, claimed, answer } => {
                let _ = answer.send(identify(self.machine.world(), &ancestors, claimed));
            }
            News::Came => self.clients += 1,
            News::Went => self.clients -= 1,
            News::Keeper(Some((message, fds))) => self.keeper_says(message, fds, turn),
            News::Keeper(None) => self.warn("the keeper is gone: no new programs can be started".into()),
            News::Ended { run, exit } => self.put(Input::Exited { run, exit }, turn),
            News::Titled { pane, title } => self.put(Input::Titled { pane, title }, turn),
            News::WentTo { pane, cwd } => self.put(Input::WentTo { pane, cwd }, turn),
        }
    }

    fn ticket(&mut self, reply: Reply, subscription: Subscription) -> Ticket {
        self.tickets += 1;
        self.waiting.insert(self.tickets, (reply, subscription));
        self.tickets
    }

    fn warn(&mut self, warning: String) {
        tracing::warn!("{warning}");
        self.warnings.push(warning);
    }

    pub(super) fn put(&mut self, input: Input, turn: &mut Turn) {
        let now = clock::now();
        let fact = super::turn::fact(&input);
        turn.add(now, fact, self.machine.handle(now, input));
    }

    fn keeper_says(&mut self, message: Message, fds: Vec<OwnedFd>, turn: &mut Turn) {
        match message {
            Message::Spawned { pane, pid } => self.spawned(RunId::from_bytes(pane), pid, fds, turn),
            Message::SpawnFailed { pane, stage, errno } => {
                let why = std::io::Error::from_raw_os_error(errno);
                if let Some(complete) = self.nursery.failed(RunId::from_bytes(pane), stage, &why) {
                    self.born(complete, turn);
                }
            }
            Message::Exited { pane, exit } => self.exited(RunId::from_bytes(pane), exit, turn),
            other => tracing::warn!("the keeper said something unexpected: {other:?}"),
        }
    }

    fn spawned(&mut self, run: RunId, pid: i32, fds: Vec<OwnedFd>, turn: &mut Turn) {
        let Ok(fds) = PaneFds::from_message(fds) else { return self.forget(run) };
        match self.nursery.spawned(run, Newborn { pid: pid.cast_unsigned(), fds }, &self.surroundings) {
            Ok(Some(complete)) => self.born(complete, turn),
            Ok(None) => {}
            // Asked for by a daemon that died before it could tell anybody.
            Err(_) => self.forget(run),
        }
    }

    fn born(&mut self, complete: super::nursery::Complete, turn: &mut Turn) {
        complete.forget.into_iter().for_each(|run| self.forget(run));
        self.put(Input::Started { ticket: complete.ticket, outcome: complete.outcome }, turn);
    }

    /// A program ended: its pane reads what is left first. Without a pane there is nothing to read.
    fn exited(&mut self, run: RunId, exit: fugue_keeper::Exit, turn: &mut Turn) {
        let exit = pane::exit(exit);
        match self.panes.values().find(|pane| pane.run == run) {
            Some(pane) => pane.exited(run, exit),
            None => self.put(Input::Exited { run, exit }, turn),
        }
    }

    pub(super) fn forget(&mut self, run: RunId) {
        drop(self.nursery.take(run));
        if self.keeper.order(Order::Forget { run }).is_err() {
            tracing::warn!("run {run} could not be ended: the keeper is gone");
        }
    }

    /// Answers a ticket.
    pub(super) fn answer(&mut self, ticket: Ticket, answer: fugue_core::machine::Answered) {
        if let Some((reply, _)) = self.waiting.remove(&ticket) {
            reply.send(answer);
        }
    }

    /// Does what the machine wishes.
    pub(super) fn obey(&mut self, effect: Effect) {
        match effect {
            Effect::Start { ticket, children } => self.start(ticket, children),
            Effect::Abandon { runs } => runs.into_iter().for_each(|run| self.forget(run)),
            Effect::Host { pane, run, size } => self.host(pane, run, size),
            Effect::Resize { pane, size } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.resize(size);
                }
            }
            Effect::Settle { pane, exit } => {
                if let Some(pane) = self.panes.get(&pane) {
                    pane.settle(exit);
                }
            }
            Effect::Drop { pane } => {
                if let Some(pane) = self.panes.remove(&pane) {
                    self.forget(pane.run);
                }
            }
            Effect::Ask { ticket, ask } => self.ask(ticket, ask),
        }
    }

    fn start(&mut self, ticket: Ticket, children: Vec<fugue_core::Child>) {
        let placed: Vec<_> = children.into_iter().map(|child| (self.directory(&child), child)).collect();
        let requests: Vec<_> =
            placed.iter().map(|(cwd, child)| self.surroundings.request(child, cwd.clone())).collect();
        let expected = placed.into_iter().map(|(cwd, child)| (child, environment::text(&cwd))).collect();
        self.nursery.expect(ticket, expected);
        for request in requests {
            let run = RunId::from_bytes(request.pane);
            if self.keeper.order(Order::Spawn(Box::new(request))).is_err() {
                let why = std::io::Error::other("the keeper is gone");
                let failed = self.nursery.failed(run, fugue_keeper::Stage::Limit, &why);
                let refused =
                    failed.and_then(|complete| complete.outcome.err().map(|why| (complete.ticket, why)));
                if let Some((ticket, why)) = refused {
                    self.machine.handle(clock::now(), Input::Started { ticket, outcome: Err(why.clone()) });
                    self.answer(ticket, Err(why));
                }
            }
        }
    }

    /// Where a child starts: as asked, else where the pane it comes from is now.
    fn directory(&self, child: &fugue_core::Child) -> std::path::PathBuf {
        let pane = child.comes_from.and_then(|pane| self.panes.get(&pane));
        let began =
            child.comes_from.and_then(|pane| self.machine.world().panes.get(&pane)?.cwd().map(Into::into));
        environment::directory(child.launch.cwd.as_deref(), pane.and_then(Pane::directory).or(began))
    }

    fn host(&mut self, id: PaneId, run: RunId, size: Size) {
        let Some(newborn) = self.nursery.take(run) else { return };
        let former = self.panes.remove(&id);
        if let Some(former) = &former {
            self.forget(former.run);
        }
        let start = pane::Start { id, run, size, pid: newborn.pid, fds: newborn.fds };
        match pane::host(start, former, self.limits(), self.desk.clone(), self.keeper.clone()) {
            Ok(pane) => drop(self.panes.insert(id, pane)),
            Err(why) => self.warn(format!("pane {id} cannot be shown: {why}")),
        }
    }

    /// The world as it is.
    pub(crate) fn world(&self) -> &World {
        self.machine.world()
    }

    /// Stores what the machine decided before there was a manager.
    pub(crate) async fn store(&mut self, steps: Vec<fugue_core::Step>) {
        let mut turn = Turn::default();
        steps.into_iter().for_each(|step| turn.add(clock::now(), None, step));
        self.finish(turn).await;
    }

    /// A pane that was there before this daemon.
    pub(crate) fn adopt(&mut self, id: PaneId, pane: Pane) {
        if let Some(exit) = self.machine.world().panes.get(&id).and_then(|pane| pane.exit()) {
            pane.settle(exit);
        }
        self.panes.insert(id, pane);
    }

    /// Tells the machine which runs still live: the others are lost.
    pub(crate) async fn account_for(&mut self, runs: Vec<RunId>) {
        let mut turn = Turn::default();
        self.put(Input::Held { runs }, &mut turn);
        self.finish(turn).await;
    }

    /// What happened out there and could not be stored is brought again a little later.
    pub(super) fn tell_later(&self, fact: Input) {
        /// Long enough for somebody to free some room, short enough to be seen.
        const LATER: std::time::Duration = std::time::Duration::from_millis(500);
        let Input::Exited { run, exit } = fact else { return };
        let desk = self.desk.clone();
        tokio::task::spawn_local(async move {
            tokio::time::sleep(LATER).await;
            let _ = desk.send(News::Ended { run, exit }).await;
        });
    }

    pub(crate) fn limits(&self) -> fugue_screen::Limits {
        fugue_screen::Limits { lines: self.config.history_lines, bytes: self.config.history_bytes }
    }

    fn ask(&mut self, ticket: Ticket, ask: Ask) {
        let Some((reply, subscription)) = self.waiting.remove(&ticket) else { return };
        match ask {
            Ask::Pane(pane, ask) => self.ask_pane(pane, ask, reply, &subscription),
            Ask::Events(since) => subscription.events(since.unwrap_or(self.last_event), reply),
            Ask::Status => reply.done(&self.status()),
            Ask::Shutdown => self.shut_down(reply),
        }
    }

    fn ask_pane(&self, id: PaneId, ask: fugue_core::PaneAsk, reply: Reply, subscription: &Subscription) {
        match self.panes.get(&id) {
            Some(pane) => pane.ask(ask, reply, subscription),
            None => reply.refuse(self.no_screen(id)),
        }
    }

    /// A pane in the tree without a screen: it was lost with a keeper.
    fn no_screen(&self, id: PaneId) -> Refusal {
        Refusal::PaneEnded { pane: id, exit: self.machine.world().departed(id).unwrap_or(Exit::Unknown) }
    }

    fn status(&self) -> ServerStatus {
        let world = self.machine.world();
        ServerStatus {
            pid: std::process::id(),
            keeper_pid: self.keeper_pid,
            version: env!("CARGO_PKG_VERSION").into(),
            protocol: PROTOCOL,
            uptime_ms: u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX),
            sessions: world.sessions.len(),
            windows: world.windows.len(),
            panes: world.panes.len(),
            clients: self.clients,
            last_event: self.last_event,
            socket: environment::text(&self.surroundings.socket),
            warnings: self.warnings.clone(),
        }
    }

    fn shut_down(&mut self, reply: Reply) {
        self.ending = true;
        reply.done(&Done {});
    }

    /// Closes everything, stores that, and lets the keeper end the programs.
    async fn end(mut self) {
        let mut turn = Turn::default();
        self.put(Input::CloseAll, &mut turn);
        self.finish(turn).await;
        let _ = std::fs::remove_file(&self.surroundings.socket);
        let _ = self.keeper.order(Order::Shutdown);
    }
}

/// In which pane a process is: the nearest ancestor that a pane's program is tells.
fn identify(world: &World, ancestors: &[u32], claimed: Option<PaneId>) -> Result<Caller, Refusal> {
    let inside = ancestors.iter().find_map(|pid| world.pane_of_pid(*pid));
    match (inside, claimed) {
        (Some(inside), Some(claimed)) if inside != claimed => {
            Err(Refusal::IdentityContradiction { inside, claimed })
        }
        (Some(inside), _) => Ok(Caller::Inside(inside)),
        (None, Some(claimed)) => Ok(Caller::Claims(claimed)),
        (None, None) => Ok(Caller::Outside),
    }
}
