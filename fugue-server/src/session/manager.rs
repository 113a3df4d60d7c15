//! The manager: the one task that owns the machine. It takes inputs in batches, lets the machine decide, has the events
//! stored, and only then publishes them, answers requests and carries out effects.

use fugue_core::agents::AgentSummary;
use fugue_core::caller::NoPane;
use fugue_core::{Caller, Input, Machine, MachineStep, Ticket, World, current_events};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, Refusal, RunId, Verb};
use tokio::sync::mpsc;

use super::lifecycle::{Lifecycle, make_way};
use super::manager_inputs::{ManagerInput, ManagerTx, RouteRequest};
use super::programs::git_lookups::GitLookups;
use super::programs::panes::Panes;
use super::programs::pending_spawns::PendingSpawns;
use super::programs::pending_worktrees::PendingWorktrees;
use super::programs::program_host::ProgramHost;
use super::requests::caller_identity::CallerEvidence;
use super::requests::delayed_requests::DelayedRequests;
use super::requests::event_waits::EventWaits;
use super::requests::lease_names::LeaseNames;
use super::requests::pending_requests::PendingRequests;
use super::requests::repeated_calls::CallsInProgress;
use super::requests::unread_counts::UnreadCounts;
use super::schedule::Schedule;
use super::storage::batch::{self, Batch, BatchStep};
use super::storage::store::Store;
use super::storage::unstored_reports::{self, UnstoredReports};
use crate::clock;
use crate::listener::socket::ListenerHandle;
use crate::pane::{PaneContext, PaneHandle};
use crate::program_start::shell_integration::ShellIntegration;
use crate::replies::keyed_call::RepeatedCall;

/// The most inputs in one batch, whose events are stored in one transaction.
const BATCH: usize = 256;

/// The parts that a manager is built from.
pub(crate) struct ManagerParts {
    pub(crate) machine: Machine,
    pub(crate) store: Store,
    pub(crate) host: ProgramHost,
    pub(crate) warnings: Vec<String>,
    pub(crate) listener: ListenerHandle,
}

/// The manager.
pub(crate) struct Manager {
    pub(super) machine: Machine,
    pub(super) store: Store,
    pub(super) host: ProgramHost,
    pub(super) panes: Panes,
    pub(super) spawns: PendingSpawns,
    pub(super) requests: PendingRequests,
    pub(super) calls: CallsInProgress,
    pub(super) unread: UnreadCounts,
    pub(super) event_waits: EventWaits,
    pub(super) git: GitLookups,
    pub(super) lease_names: LeaseNames,
    pub(super) delayed: DelayedRequests,
    pub(super) worktrees: PendingWorktrees,
    pub(super) schedule: Schedule,
    pub(super) reports: UnstoredReports,
    pub(super) lifecycle: Lifecycle,
}

impl Manager {
    pub(crate) fn new(parts: ManagerParts) -> Self {
        let git = GitLookups::new(parts.host.context.manager.clone(), parts.machine.is_in_fleet());
        Self {
            machine: parts.machine,
            store: parts.store,
            host: parts.host,
            panes: Panes::default(),
            spawns: PendingSpawns::default(),
            requests: PendingRequests::default(),
            calls: CallsInProgress::default(),
            unread: UnreadCounts::default(),
            event_waits: EventWaits::default(),
            git,
            lease_names: LeaseNames::default(),
            delayed: DelayedRequests::default(),
            worktrees: PendingWorktrees::default(),
            schedule: Schedule::default(),
            reports: UnstoredReports::default(),
            lifecycle: Lifecycle::new(parts.warnings, parts.listener),
        }
    }

    /// Handles inputs until the daemon ends.
    pub(crate) async fn serve(mut self, mut inputs: mpsc::Receiver<ManagerInput>) {
        while let Some(first) = self.next(&mut inputs).await {
            let mut batch = Batch::default();
            self.receive(first, &mut batch);
            while batch.len() < BATCH
                && let Ok(next) = inputs.try_recv()
            {
                self.receive(next, &mut batch);
            }
            self.commit(batch).await;
            for early in std::mem::take(&mut self.spawns.early_callers) {
                self.receive(early, &mut Batch::default());
            }
            if self.lifecycle.is_replaced() {
                make_way().await;
            }
            if self.lifecycle.is_shutting_down() {
                return self.shut_down().await;
            }
        }
    }

    /// Waits for the next input: the machine is woken when it is time. Returns `None` when nobody can send any more.
    async fn next(&mut self, inputs: &mut mpsc::Receiver<ManagerInput>) -> Option<ManagerInput> {
        let due = [self.schedule.due(self.machine.wake_at()), self.store.audit_due()];
        let Some(due) = due.into_iter().flatten().min() else { return inputs.recv().await };
        match tokio::time::timeout(due.since(clock::now()), inputs.recv()).await {
            Ok(input) => input,
            Err(_) => {
                self.store.write_due_audit(clock::now());
                Some(ManagerInput::Machine(Input::TimerFired))
            }
        }
    }

    fn receive(&mut self, input: ManagerInput, batch: &mut Batch) {
        match &input {
            ManagerInput::Identify { evidence, .. } if self.is_early(evidence) => {
                self.spawns.early_callers.push(input);
            }
            _ => self.receive_in_order(input, batch),
        }
    }

    pub(super) fn receive_now(&mut self, input: ManagerInput, batch: &mut Batch) {
        match input {
            ManagerInput::Request { mut reply, verb, caller, feed } => {
                if let (Verb::Whoami(_), Some(pane)) = (&*verb, caller.pane()) {
                    self.refresh_directory(pane, batch);
                }
                reply.set_unread(self.unread.of_caller(self.machine.world(), caller));
                let request = self.first_call(RepeatedCall { reply, verb, caller, feed });
                let Some(RepeatedCall { reply, verb, caller, feed }) = request else { return };
                let relay_refusal = self.relay_refusal(&verb);
                self.machine.set_relay_refusal(relay_refusal);
                self.machine.set_agents(self.host.context.agents.table());
                let ticket = self.requests.add(reply, feed);
                self.handle(Input::Request { ticket, verb, caller, seed: clock::seed() }, batch);
            }
            ManagerInput::Identify { evidence, answer } => drop(answer.send(self.identify(&evidence))),
            ManagerInput::Route(request) => self.route(request),
            ManagerInput::Located { locations, then } => {
                self.located(locations, batch);
                then.into_iter().for_each(|input| self.receive_prepared(*input, batch));
            }
            ManagerInput::WorktreeMade(outcome) => self.worktree_made(*outcome, batch),
            ManagerInput::Prepared(input) => self.receive_prepared(*input, batch),
            ManagerInput::Upgrade(input) => self.begin_upgrade(input),
            ManagerInput::UpgradeEnded { is_keeper_replaced } => {
                self.lifecycle.upgrade_ended(is_keeper_replaced);
            }
            ManagerInput::CallAbandoned { pane, key } => self.release_unless_repeated(pane, &key, batch),
            ManagerInput::Resync { answer } => drop(answer.send(current_events(self.store.world()))),
            ManagerInput::ConfigChanged(read) => {
                self.reload_config(*read);
                let (base, renumber) =
                    (self.host.config.daemon.base_index, self.host.config.daemon.renumber_windows);
                self.handle(Input::NumbersSet { base, renumber }, batch);
            }
            ManagerInput::Connected => self.lifecycle.connections += 1,
            ManagerInput::Disconnected { client } => {
                self.lifecycle.connections -= 1;
                self.drop_abandoned(batch);
                self.handle(Input::ClientLeft { client }, batch);
            }
            ManagerInput::Status { answer } => drop(answer.send(Ok(self.status()))),
            ManagerInput::Keeper(event) => self.keeper_event(event, batch),
            ManagerInput::RuleFailed { pane, detail, refusal } => self.rule_failed(pane, detail, &refusal),
            ManagerInput::RetryStorage => self.store.retry(),
            ManagerInput::Terminated => self.terminate(),
            ManagerInput::Machine(input) => self.handle(input, batch),
        }
    }

    /// Whether a process asks who it is before the pane exists that it may be in.
    fn is_early(&self, evidence: &CallerEvidence) -> bool {
        evidence.claimed().is_some_and(|pane| self.spawns.expects(pane))
            || (self.spawns.is_pending() && evidence.is_orphan(self.world(), &self.host.own_processes))
    }

    /// Identifies a caller. A false claim is recorded.
    fn identify(&mut self, evidence: &CallerEvidence) -> Result<Caller, Refusal> {
        let (own, keys) = (&self.host.own_processes, &self.host.environment.pane_keys);
        let identified = evidence.identify(self.machine.world(), own, keys);
        let false_claim = match &identified {
            Ok(caller @ Caller::Unattributed(unattributed)) => {
                (unattributed.why != NoPane::Orphan && evidence.claim.is_some()).then_some(*caller)
            }
            Err(Refusal::IdentityContradiction { inside, .. }) => Some(Caller::Inside(*inside)),
            _ => None,
        };
        if let Some(caller) = false_claim {
            let claimed = evidence.claim.as_ref().map(|claim| claim.pane.as_str()).unwrap_or_default();
            self.store.audit(clock::now(), evidence.pid, &caller.false_claim(claimed));
        }
        identified
    }

    /// Gives a client the queue of a pane's task, if the caller may type there.
    fn route(&mut self, request: RouteRequest) {
        let RouteRequest { pane, caller, pid, is_first, answer } = request;
        let now = clock::now();
        let (allowed, entry) = self.machine.may_send_keys(now, caller, pane);
        if let Some(entry) = entry.filter(|_| is_first || allowed.is_err()) {
            self.store.audit(now, pid, &entry);
        }
        let ended = || Refusal::PaneEnded { pane, exit: ExitStatus::Unknown };
        let orders = || self.panes.get(pane).map(PaneHandle::orders).ok_or_else(ended);
        let _ = answer.send(allowed.and_then(|()| orders()));
    }

    /// Reads the current directory of a pane's program: a shell that does not report it may have changed it.
    fn refresh_directory(&mut self, pane: PaneId, batch: &mut Batch) {
        if let Some(cwd) = self.panes.get(pane).and_then(PaneHandle::directory) {
            self.handle(
                Input::DirectoryChanged { pane, cwd: crate::program_start::spawn_environment::text(&cwd) },
                batch,
            );
        }
    }

    /// Ends the waits of clients that are gone.
    fn drop_abandoned(&mut self, batch: &mut Batch) {
        let is_abandoned = |ticket: &Ticket| self.requests.is_abandoned(*ticket);
        let abandoned: Vec<_> = self.machine.pending_waits().filter(is_abandoned).collect();
        for ticket in abandoned {
            drop(self.requests.take(ticket));
            self.handle(Input::CallerGone { ticket }, batch);
        }
    }

    /// Lets the machine decide about an input; whatever was due by now comes first.
    pub(super) fn handle(&mut self, input: Input, batch: &mut Batch) {
        let now = clock::now();
        if self.machine.wake_at().is_some_and(|due| due <= now) {
            batch.push(BatchStep::new(now, self.machine.handle(now, Input::TimerFired)));
        }
        let (fact, report) = (batch::irrefusable_copy(&input), unstored_reports::report(&input));
        let (by, pid) = self.requested_by(&input);
        batch.push(BatchStep {
            by,
            pid,
            fact,
            report,
            ..BatchStep::new(now, self.machine.handle(now, input))
        });
    }

    /// Returns the number of the person's terminal from which an input comes, and the pid of the client.
    fn requested_by(&self, input: &Input) -> (Option<u64>, Option<u32>) {
        let (Input::Request { ticket, .. } | Input::Started { ticket, .. }) = input else {
            return (None, None);
        };
        (self.requests.terminal(*ticket), self.requests.pid(*ticket))
    }

    /// Kills a program, if it is still running, and forgets it.
    pub(super) fn forget(&mut self, run: RunId) {
        drop(self.spawns.take(run));
        self.worktrees.undo(run);
        self.host.take_setup_mark(run);
        self.host.forget(run);
    }

    pub(crate) fn world(&self) -> &World {
        self.machine.world()
    }

    /// The settings of new panes' screens.
    pub(crate) fn limits(&self) -> fugue_screen::Limits {
        self.host.limits()
    }

    /// The handles that a pane's task needs.
    pub(crate) fn pane_context(&self) -> PaneContext {
        self.host.context.clone()
    }

    /// A sender of this manager's own inputs, for tasks that report to it.
    pub(super) fn sender(&self) -> ManagerTx {
        self.host.context.manager.clone()
    }

    /// Commits steps that the machine took before there was a manager.
    pub(crate) async fn commit_steps(&mut self, steps: Vec<MachineStep>) {
        let mut batch = Batch::default();
        steps.into_iter().for_each(|step| batch.push(BatchStep::new(clock::now(), step)));
        self.commit(batch).await;
    }

    /// Takes over a pane that existed before this daemon.
    pub(crate) fn adopt(&mut self, id: PaneId, pane: PaneHandle) {
        let known = self.machine.world().panes.get(&id);
        if let Some(exit) = known.and_then(|pane| pane.exit()) {
            pane.exit_recorded(exit);
        }
        pane.set_agent(known.and_then(|pane| pane.agent.view.as_ref()).map(AgentSummary::from));
        self.panes.insert(id, pane);
        self.look_up(id);
    }

    /// Tells the machine which programs are still running: all others are lost.
    pub(crate) async fn report_running(&mut self, runs: Vec<RunId>) {
        let mut batch = Batch::default();
        self.handle(Input::RunsHeld { runs }, &mut batch);
        self.release_answered(&mut batch);
        self.commit(batch).await;
        self.await_retries();
    }

    /// Closes all sessions, stores that, and answers the request for the shutdown last of all. The keeper kills the
    /// programs when it sees this process exit for good.
    async fn shut_down(mut self) {
        let mut batch = Batch::default();
        self.handle(Input::CloseAll, &mut batch);
        self.commit(batch).await;
        self.host.environment.shell_integration.iter().for_each(ShellIntegration::remove);
        self.host.context.screens.remove_all().await;
        self.host.context.answers.remove();
        let _ = std::fs::remove_dir_all(&self.host.context.input_records);
        let _ = std::fs::remove_dir_all(self.host.environment.setup_marks());
        // The processes that remember dropped lines end with their files.
        let _ = std::fs::remove_dir_all(self.host.state.join("dropped-lines"));
        self.lifecycle.shut_down().await;
    }
}
