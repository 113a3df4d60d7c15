//! Carrying out the machine's effects: starting programs, and hosting, resizing and dropping panes.

use std::path::{Path, PathBuf};

use fugue_core::edge_request::AnswerRequest;
use fugue_core::scope::AuditEntry;
use fugue_core::{Caller, ChildSpec, Effect, Input, Started, Ticket};
use fugue_protocol::refusal::AgentStartProblem;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, Refusal, RunId, Size};
use tokio::sync::oneshot;

use super::manager::Manager;
use super::manager_inputs::ManagerInput;
use crate::clock;
use crate::pane::{self, PaneHandle};
use crate::program_start::spawn_environment;
use crate::tasks;

impl Manager {
    /// Carries out an effect.
    pub(super) fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Start { ticket, children } => self.start(ticket, children),
            Effect::Kill { runs } => runs.into_iter().for_each(|run| self.forget(run)),
            Effect::Host { pane, run, size } => self.host(pane, run, size),
            Effect::Resize { pane, size } => self.with_pane(pane, |pane| pane.resize(size)),
            Effect::ReportExit { pane, exit } => self.with_pane(pane, |pane| pane.exit_recorded(exit)),
            Effect::SetAgent { pane, agent } => self.with_pane(pane, |pane| pane.set_agent(agent)),
            Effect::Notify { pane, notification } => {
                self.with_pane(pane, |pane| pane.set_notification(notification));
            }
            Effect::AnswerDialog { pane, answer } => self.answer_by_rule(pane, answer),
            Effect::DropPane { pane } => {
                self.host.context.screens.remove(pane);
                if let Some(handle) = self.panes.remove(pane) {
                    self.forget(handle.run);
                    let ended = self.machine.world().ended_pane(pane, clock::now());
                    if let Some(exit) = ended.and_then(|ended| ended.view.exit) {
                        self.panes.keep_ended(pane, handle, exit);
                    }
                }
            }
            Effect::Request { ticket, request } => self.edge_request(ticket, request),
        }
    }

    /// Gives the answer of a rule. One that the agent does not take is recorded: the audit log has the decision already.
    fn answer_by_rule(&self, pane: PaneId, answer: Box<AnswerRequest>) {
        let (outcome, told) = oneshot::channel();
        let detail = format!(
            "the agent did not take the answer by {}: {}",
            answer.by,
            answer.dialog.command.as_deref().unwrap_or_default()
        );
        self.with_pane(pane, |pane| pane.answer_dialog(answer, outcome));
        let manager = self.sender();
        tasks::spawn_local(async move {
            let refusal = match told.await {
                Ok(Ok(())) => return,
                Ok(Err(refusal)) => refusal,
                Err(_) => Refusal::Busy { pane },
            };
            let _ = manager.send(ManagerInput::RuleFailed { pane, detail, refusal }).await;
        });
    }

    /// Records that the answer of a rule was not taken.
    pub(super) fn rule_failed(&mut self, pane: PaneId, detail: String, refusal: &Refusal) {
        let world = self.store.world();
        let session = world.panes.get(&pane).map(|pane| world.session_of(pane).name.to_string());
        let entry = AuditEntry {
            verb: "permission-rule",
            caller: Caller::Outside,
            session: None,
            touched: session.into_iter().collect(),
            detail: Some(detail),
            refusal: Some(refusal.to_string()),
        };
        self.store.audit(clock::now(), None, &entry);
    }

    fn with_pane(&self, id: PaneId, act: impl FnOnce(&PaneHandle)) {
        if let Some(pane) = self.panes.get(id) {
            act(pane);
        }
    }

    fn start(&mut self, ticket: Ticket, children: Vec<ChildSpec>) {
        let placed: Vec<_> = children.into_iter().map(|child| (self.directory(&child), child)).collect();
        if let Some(refusal) = placed.iter().find_map(|(cwd, child)| self.not_installed(child, cwd)) {
            return self.not_started(ticket, Err(refusal));
        }
        if let Some(placed) = self.make_worktree_first(ticket, placed) {
            self.start_in(ticket, placed);
        }
    }

    /// Starts programs, each in its directory.
    pub(super) fn start_in(&mut self, ticket: Ticket, placed: Vec<(PathBuf, ChildSpec)>) {
        let requests: Vec<_> =
            placed.iter().map(|(cwd, child)| self.host.request(child, cwd.clone())).collect();
        let expected =
            placed.into_iter().map(|(cwd, child)| (child, spawn_environment::text(&cwd))).collect();
        self.spawns.expect(ticket, expected);
        self.requests.mark_begun(ticket);
        for request in requests {
            let run = RunId::from_bytes(request.pane);
            if !self.host.spawn(request) {
                self.cannot_start(run);
            }
        }
    }

    /// Refuses the request for a program whose order the keeper's queue did not take.
    fn cannot_start(&mut self, run: RunId) {
        let why = std::io::Error::other("the keeper is not responding");
        let failed =
            self.spawns.failed(run, (fugue_keeper::SpawnStage::Limit, &why), &self.host.environment.shell);
        let Some((ticket, outcome)) = failed.map(|failed| (failed.ticket, failed.outcome)) else { return };
        self.worktrees.undo(run);
        self.not_started(ticket, outcome);
    }

    /// Returns the refusal if an agent is to be started that is not installed.
    fn not_installed(&self, child: &ChildSpec, cwd: &Path) -> Option<Refusal> {
        let agent = child.agent.clone()?;
        let program = child.launch.argv.first()?;
        let why = AgentStartProblem::NotInstalled { program: program.clone() };
        (!self.host.environment.has_program(child, program, cwd))
            .then_some(Refusal::CannotSpawn { agent, why })
    }

    /// Reports that nothing was started, so that there is nothing to store either.
    fn not_started(&mut self, ticket: Ticket, outcome: Result<Vec<Started>, Refusal>) {
        let step = self.machine.handle_alone(clock::now(), Input::Started { ticket, outcome });
        step.answers.into_iter().for_each(|(ticket, answer)| self.requests.answer(ticket, answer));
    }

    /// Returns the directory a child starts in: the requested one, or that of the pane it was opened from.
    fn directory(&self, child: &ChildSpec) -> PathBuf {
        let current = child.comes_from.and_then(|pane| self.panes.get(pane)?.directory());
        if let Some(restored) = &child.restored {
            let wanted = [child.launch.cwd.as_deref(), restored.fallback_cwd.as_deref()];
            return spawn_environment::existing_directory(wanted.into_iter().flatten());
        }
        let recorded =
            || child.comes_from.and_then(|pane| self.machine.world().panes.get(&pane)?.cwd().map(Into::into));
        spawn_environment::directory(child.launch.cwd.as_deref(), current.or_else(recorded))
    }

    fn host(&mut self, id: PaneId, run: RunId, size: Size) {
        let Some(program) = self.spawns.take(run) else { return };
        self.worktrees.keep(run);
        let former = self.panes.remove(id);
        if let Some(former) = &former {
            self.forget(former.run);
        }
        let new = pane::ProgramToHost { id, run, size, pid: program.pid, pump: program.pump };
        match pane::host(new, former, self.host.limits(), self.pane_context()) {
            Ok(pane) => {
                program.exit.into_iter().for_each(|exit| pane.exited(run, exit));
                pane.set_terminal(self.panes.terminal_for(self.machine.world(), id));
                self.panes.insert(id, pane);
            }
            Err(why) => {
                self.lifecycle.warn(format!("Cannot show pane {id}: {why}"));
                // Nobody would read its output.
                self.forget(run);
                let ended = Input::Exited { run, exit: ExitStatus::Unknown };
                let _ = self.sender().try_send(ManagerInput::Machine(ended));
            }
        }
    }
}
