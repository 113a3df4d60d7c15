//! The manager: the one task that owns the machine. It takes what came in, lets the machine decide, has the events
//! stored, and only then tells, answers and acts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fugue_core::agents::AgentSummary;
use fugue_core::{Caller, Input, Machine, Ticket, World};
use fugue_protocol::{PaneId, Refusal, RunId, SessionId, SessionName, Timestamp, Verb};
use tokio::sync::mpsc;

use super::events::Stream;
use super::news::{DESK, Desk, News};
use super::nursery::Nursery;
use super::turn::Turn;
use crate::audit::Audit;
use crate::client::Subscription;
use crate::clock;
use crate::config::Config;
use crate::environment::Surroundings;
use crate::journal::Journal;
use crate::keeper::{Keeper, Order};
use crate::pane::{Ground, Pane};
use crate::reply::Reply;
use crate::repository::Surveyor;
use crate::way::Way;

/// What could not be stored is tried again so much later: long enough for somebody to free some room, short enough to
/// be seen.
pub(super) const LATER: Duration = Duration::from_millis(500);

/// What is handled in one turn: its events are stored in one transaction.
pub(super) const TURN: usize = 256;

/// The manager.
pub(crate) struct Manager {
    pub(super) machine: Machine,
    /// The world as the journal has it.
    pub(super) settled: World,
    pub(super) journal: Journal,
    pub(super) stream: Stream,
    pub(super) last_event: u64,
    pub(super) desk: Desk,
    pub(super) keeper: Keeper,
    pub(super) keeper_pid: u32,
    pub(super) nursery: Nursery,
    /// Programs that ask who they are before their pane is there.
    pub(super) early: Vec<News>,
    pub(super) panes: BTreeMap<PaneId, Pane>,
    /// The colors of the terminals in which sessions were shown last.
    pub(super) colors: BTreeMap<SessionId, Ground>,
    pub(super) waiting: BTreeMap<Ticket, (Reply, Subscription)>,
    pub(super) unread: super::mailing::Unread,
    pub(super) surveyor: Surveyor,
    /// When it was last looked where everybody is.
    pub(super) looked_around: Option<Instant>,
    /// What is due is not tried before: it could not be stored.
    pub(super) not_before: Option<Timestamp>,
    pub(super) tickets: Ticket,
    pub(super) surroundings: Surroundings,
    pub(super) audit: Audit,
    pub(super) config: Config,
    pub(super) warnings: Vec<String>,
    pub(super) clients: usize,
    pub(super) since: Instant,
    pub(super) ending: bool,
    /// When the machine wants to be told the time.
    pub(super) wake: Option<Timestamp>,
    /// Who asked for the end, and is answered last of all.
    pub(super) parting: Option<Reply>,
    /// The keeper is gone.
    pub(super) orphaned: bool,
    pub(super) way: Way,
}

impl Manager {
    /// A desk for news, and the drawer from which they are taken.
    pub(crate) fn desk() -> (Desk, mpsc::Receiver<News>) {
        mpsc::channel(DESK)
    }

    /// Takes news until the end.
    pub(crate) async fn serve(mut self, mut news: mpsc::Receiver<News>) {
        while let Some(first) = self.next(&mut news).await {
            let mut turn = Turn::default();
            match first {
                Some(first) => self.take(first, &mut turn),
                None => self.put(Input::TimerFired, &mut turn),
            }
            while turn.len() < TURN
                && let Ok(next) = news.try_recv()
            {
                self.take(next, &mut turn);
            }
            self.finish(turn).await;
            for early in std::mem::take(&mut self.early) {
                self.take(early, &mut Turn::default());
            }
            if self.is_needless() {
                return;
            }
            if self.ending {
                return self.end().await;
            }
        }
    }

    /// The next news; none when it is time for what the machine asked to be told. Nothing when all is over.
    async fn next(&mut self, news: &mut mpsc::Receiver<News>) -> Option<Option<News>> {
        let due = [self.wake, self.machine.wake_at()].into_iter().flatten().min();
        let due = due.map(|due| self.not_before.map_or(due, |at| due.max(at)));
        let Some(due) = due else { return news.recv().await.map(Some) };
        match tokio::time::timeout(due.since(clock::now()), news.recv()).await {
            Ok(news) => news.map(Some),
            Err(_) => {
                self.wake = None;
                Some(None)
            }
        }
    }

    fn take(&mut self, news: News, turn: &mut Turn) {
        match &news {
            News::Identify { claimed: Some(pane), .. } if self.nursery.awaits(*pane) => self.early.push(news),
            _ => {
                if let Some(news) = self.look_first(news) {
                    self.take_now(news, turn);
                }
            }
        }
    }

    fn take_now(&mut self, news: News, turn: &mut Turn) {
        match news {
            News::Request { mut reply, verb, caller, subscription } => {
                if let (Verb::Whoami(_), Some(pane)) = (&*verb, caller.pane()) {
                    self.look_where(pane, turn);
                }
                reply.tells_unread(self.unread_of(caller));
                let ticket = self.ticket(reply, subscription);
                self.put(Input::Request { ticket, verb: *verb, caller, seed: clock::seed() }, turn);
            }
            News::Identify { ancestors, claimed, answer } => {
                let _ = answer.send(identify(self.machine.world(), &ancestors, claimed));
            }
            News::Door { pane, answer } => {
                let _ = answer.send(self.panes.get(&pane).map(Pane::door));
            }
            News::Located { places, then } => {
                self.located(places, turn);
                then.into_iter().for_each(|news| self.take_now(*news, turn));
            }
            News::Cleared { panes } => self.put(Input::PanesReleased { panes }, turn),
            News::Came => self.clients += 1,
            News::Went { client } => {
                self.clients -= 1;
                self.let_go(turn);
                self.put(Input::ClientLeft { client }, turn);
            }
            News::Keeper(Some((message, fds))) => self.keeper_says(message, fds, turn),
            News::Keeper(None) => {
                self.orphaned = true;
                self.warn("the keeper is gone: no new programs can be started".into());
            }
            News::Ended { run, exit } => self.put(Input::Exited { run, exit }, turn),
            News::Told { pane } => self.put(Input::ResultDelivered { pane }, turn),
            News::Typed { session, messages } => {
                self.put(Input::NotificationTyped { session, messages }, turn)
            }
            News::Titled { pane, title } => self.put(Input::TitleChanged { pane, title }, turn),
            News::WentTo { pane, cwd } => self.put(Input::DirectoryChanged { pane, cwd }, turn),
            News::Rang { pane } => self.put(Input::BellRang { pane }, turn),
            News::Notified { pane, title, body } => self.put(Input::Notified { pane, title, body }, turn),
            News::Seen { pane, front, signs } => {
                self.put(Input::AgentObserved { pane, front, evidence: signs }, turn)
            }
        }
    }

    /// Looks where a pane's program is now: a shell that says nothing of it may have gone elsewhere.
    fn look_where(&mut self, pane: PaneId, turn: &mut Turn) {
        if let Some(cwd) = self.panes.get(&pane).and_then(Pane::directory) {
            self.put(Input::DirectoryChanged { pane, cwd: crate::environment::text(&cwd) }, turn);
        }
    }

    fn ticket(&mut self, reply: Reply, subscription: Subscription) -> Ticket {
        self.tickets += 1;
        self.waiting.insert(self.tickets, (reply, subscription));
        self.tickets
    }

    pub(super) fn warn(&mut self, warning: String) {
        tracing::warn!("{warning}");
        self.warnings.push(warning);
    }

    /// Whoever has gone waits for nothing any more.
    fn let_go(&mut self, turn: &mut Turn) {
        let gone = |ticket: &Ticket| self.waiting.get(ticket).is_none_or(|(reply, _)| reply.is_moot());
        let gone: Vec<_> = self.machine.pending_waits().filter(gone).collect();
        for ticket in gone {
            self.waiting.remove(&ticket);
            self.put(Input::CallerGone { ticket }, turn);
        }
    }

    pub(super) fn put(&mut self, input: Input, turn: &mut Turn) {
        let now = clock::now();
        // What was due by now comes first.
        if self.machine.wake_at().is_some_and(|due| due <= now) {
            turn.add(now, None, self.machine.handle(now, Input::TimerFired));
        }
        let (fact, by) = (super::turn::fact(&input), self.asked_by(&input));
        turn.add(now, fact, self.machine.handle(now, input));
        turn.ascribe(by);
    }

    /// The person's terminal from which an input comes.
    fn asked_by(&self, input: &Input) -> Option<u64> {
        let (Input::Request { ticket, .. } | Input::Started { ticket, .. }) = input else { return None };
        let (_, subscription) = self.waiting.get(ticket)?;
        subscription.is_terminal.then_some(subscription.client)
    }

    pub(super) fn forget(&mut self, run: RunId) {
        drop(self.nursery.take(run));
        if self.keeper.order(Order::Forget { run }).is_err() {
            tracing::warn!("run {run} could not be ended: the keeper is gone");
        }
    }

    /// The answer to a ticket will tell which session was taken for meant.
    pub(super) fn assume(&mut self, ticket: Ticket, session: SessionName) {
        if let Some((reply, _)) = self.waiting.get_mut(&ticket) {
            reply.assume(session);
        }
    }

    /// Answers a ticket.
    pub(super) fn answer(&mut self, ticket: Ticket, answer: fugue_core::machine::Answered) {
        if let Some((reply, _)) = self.waiting.remove(&ticket) {
            reply.send(answer);
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
        let known = self.machine.world().panes.get(&id);
        if let Some(exit) = known.and_then(|pane| pane.exit()) {
            pane.settle(exit);
        }
        pane.feel(known.and_then(|pane| pane.agent.view.as_ref()).map(AgentSummary::from));
        self.panes.insert(id, pane);
        self.look_at(id);
    }

    /// Tells the machine which runs still live: the others are lost.
    pub(crate) async fn account_for(&mut self, runs: Vec<RunId>) {
        let mut turn = Turn::default();
        self.put(Input::RunsHeld { runs }, &mut turn);
        self.finish(turn).await;
    }

    /// What happened out there and could not be stored is brought again a little later.
    pub(super) fn tell_later(&self, fact: Input) {
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
