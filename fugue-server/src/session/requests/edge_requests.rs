//! Requests that only the edge can answer: the text of a pane, the stream of events, the status of the daemon.

use fugue_core::edge_request::{PanesWait, WaitRequest};
use fugue_core::{EdgeRequest, Input, PaneRequest, Ticket, gone};
use fugue_protocol::events::ClientAttached;
use fugue_protocol::verbs::{OutputCursor, Until, Verb};
use fugue_protocol::views::{Done, ExitStatus, RunResult, ServerStatus, WaitResult};
use fugue_protocol::{PROTOCOL, PaneId, Refusal};
use tokio::sync::oneshot;

use super::multi_wait::{self, PaneWait, WaitAnswer};
use super::parallel_output;
use super::retries::RETRY_TIME;
use crate::client::ClientFeed;
use crate::clock;
use crate::pane::{PaneHandle, PaneOrder};
use crate::processes::neighbor_processes;
use crate::program_start::spawn_environment;
use crate::replies::reply::{AnswerSlot, RelayEnd, Reply};
use crate::session::manager::Manager;
use crate::session::manager_inputs::{ManagerInput, ManagerTx};
use crate::session::programs::worktrees;
use crate::session::storage::message_storage;
use crate::tasks;

/// The note of a wait for a pattern in a pane that has ended and whose last output is gone.
const NOT_SEARCHED: &str = "The output of this pane is no longer kept, so the pattern was not searched for";

impl Manager {
    pub(crate) fn edge_request(&mut self, ticket: Ticket, request: EdgeRequest) {
        let Some((reply, feed)) = self.requests.take(ticket) else { return };
        match request {
            EdgeRequest::Pane(pane, request) => self.pane_request(pane, request, reply, &feed),
            EdgeRequest::Panes(wait) => self.panes_wait(wait, reply),
            EdgeRequest::Events(since) => feed.send_events(since.unwrap_or(self.store.last_event()), reply),
            EdgeRequest::Attach { session, size, read_only, tty, terminal } => {
                if feed.is_terminal {
                    feed.send_images(terminal.kitty_images || terminal.sixel_images);
                    let (client, since) = (feed.client, clock::now());
                    self.panes.set_terminal(self.machine.world(), session, &terminal);
                    let attached = ClientAttached { client, session, size, since, read_only, tty };
                    self.handle_now(Input::ClientAttached(attached));
                }
                reply.done(&Done {});
            }
            EdgeRequest::Status => self.reply_with_status(reply),
            EdgeRequest::Shutdown => self.lifecycle.request_shutdown(reply),
            EdgeRequest::Payloads(page) => {
                message_storage::reply_with_bodies(self.store.journal.clone(), *page, reply);
            }
            EdgeRequest::Outputs { told, lines } => {
                let orders = told.runs.iter().map(|run| self.panes.get(run.pane_id).map(PaneHandle::orders));
                let orders = orders.collect();
                parallel_output::reply_with_outputs(told, orders, lines, self.sender(), reply);
            }
            EdgeRequest::Spawned(report) => self.reply_with_report(*report, reply),
            EdgeRequest::Worktrees(views) => worktrees::reply_with_states(views, reply),
            EdgeRequest::RemoveWorktree(removal) => self.remove_worktree(*removal, reply),
            // The machine answers this itself.
            EdgeRequest::Waits => {}
        }
    }

    fn pane_request(&self, id: PaneId, request: PaneRequest, reply: Reply, feed: &ClientFeed) {
        if let PaneRequest::Wait(waiting) = &request
            && waiting.until == Until::Exit
        {
            return reply.relay(self.pane_wait(id, waiting));
        }
        let Some(pane) = self.panes.get(id) else { return self.ended_pane_request(id, request, reply) };
        match request {
            PaneRequest::Watch => feed.send_screen(id, pane.orders(), reply),
            PaneRequest::Unwatch => feed.stop_screen(id, reply),
            PaneRequest::Record(view) => feed.send_recording(view, pane.orders(), reply),
            PaneRequest::Wait(waiting) => reply.relay(pane.wait(waiting)),
            PaneRequest::Run(running) => {
                let orders = pane.orders();
                reply.relay_or_stop(pane.run(running, false), move |end| {
                    // The shell is a person's or an agent's: it goes on with what was typed if the client is gone.
                    if end == RelayEnd::Cancelled {
                        let _ = orders.try_send(PaneOrder::StopCommand);
                    }
                });
            }
            PaneRequest::Finish(running) => {
                let (slot, manager) = (reply.answer_slot(), self.sender());
                let key = slot.as_ref().map(|slot| slot.call.key().to_owned());
                let result = delivered(pane.run(running, true), slot, self.sender());
                reply.relay_or_stop(result, move |end| {
                    release(id, manager, key.filter(|_| end == RelayEnd::ClientGone));
                });
            }
            request => pane.request(request, reply),
        }
    }

    /// Handles a request for a pane without a task: reads and waits are answered by the last screen.
    fn ended_pane_request(&self, id: PaneId, request: PaneRequest, reply: Reply) {
        match (self.panes.ended(id), request) {
            (Some(ended), PaneRequest::Read(reading)) => {
                let output = ended.read(reading);
                tasks::spawn_local(async move {
                    match output.await {
                        Ok(Ok(output)) => reply.output(output),
                        Ok(Err(refusal)) => reply.refuse(refusal),
                        Err(_) => drop(reply),
                    }
                });
            }
            (None, PaneRequest::Read(_)) => reply.refuse(self.output_gone(id)),
            (_, PaneRequest::Wait(waiting)) => reply.relay(self.pane_wait(id, &waiting)),
            _ => reply.refuse(self.pane_ended(id)),
        }
    }

    /// Starts a wait in several panes, and for events.
    fn panes_wait(&mut self, wait: PanesWait, reply: Reply) {
        let PanesWait { panes, waiting, all, events } = wait;
        let start = |&(pane, since): &(PaneId, Option<OutputCursor>)| PaneWait {
            pane,
            since,
            result: self.pane_wait(pane, &WaitRequest { since, ..waiting.clone() }),
            orders: self.panes.get(pane).map(PaneHandle::orders),
        };
        let waits = panes.iter().map(start).collect();
        let ids = panes.iter().map(|(pane, _)| *pane).collect();
        let world = self.machine.world();
        let event = (!events.is_empty()).then(|| self.event_waits.add(world, events, ids));
        reply.relay(multi_wait::wait(waits, all, event));
    }

    /// Starts a wait in one pane. Dropping the receiver ends it.
    fn pane_wait(&self, id: PaneId, waiting: &WaitRequest) -> oneshot::Receiver<WaitAnswer> {
        if let Some(pane) = self.panes.get(id) {
            return pane.wait(waiting.clone());
        }
        if let Some(ended) = self.panes.ended(id) {
            return ended.wait(waiting.clone());
        }
        let (answer, receiver) = oneshot::channel();
        let exit = self.machine.world().departed(id).unwrap_or(ExitStatus::Unknown);
        let note = waiting.pattern.is_some().then(|| NOT_SEARCHED.to_owned());
        let _ = answer.send(Ok(WaitResult { note, ..gone(id, exit) }));
        receiver
    }

    /// The refusal of a read of such a pane.
    fn output_gone(&self, id: PaneId) -> Refusal {
        match self.pane_ended(id) {
            Refusal::PaneNotFound { pane, exit: Some(exit) } => Refusal::OutputNotKept { pane, exit },
            refusal => refusal,
        }
    }

    /// The refusal for a pane without a screen: it was lost with a keeper, or it is closed and its last screen gone.
    fn pane_ended(&self, id: PaneId) -> Refusal {
        let (world, pane) = (self.machine.world(), id.to_string());
        match world.departed(id) {
            Some(exit) if !world.panes.contains_key(&id) => Refusal::PaneNotFound { pane, exit: Some(exit) },
            exit => Refusal::PaneEnded { pane: id, exit: exit.unwrap_or(ExitStatus::Unknown) },
        }
    }

    /// Why the other host that a request names cannot be asked, if no relay can pass it on.
    pub(crate) fn relay_refusal(&self, verb: &Verb) -> Option<Refusal> {
        let host = match verb {
            Verb::CreateSession(wanted) => wanted.host.as_ref(),
            Verb::SpawnAgent(wanted) => wanted.host.as_ref(),
            _ => None,
        };
        let is_elsewhere = host.is_some() && self.machine.fleet_host().is_some_and(|own| Some(own) != host);
        // A host without servers and `fleet.ssh` has no relay; those of other hosts reach it.
        let fleet = &self.host.config.fleet;
        if !is_elsewhere || (fleet.servers.is_empty() && fleet.ssh.is_empty()) {
            return None;
        }
        neighbor_processes::relay_refusal(neighbor_processes::running_relay(&self.host.state), host?)
    }

    /// Everything that the user should know of.
    fn warnings(&self) -> Vec<String> {
        let full = self.store.failure().map(|why| format!("The disk is full; changes are refused ({why})"));
        let stored = self.store.world().warnings.clone();
        let panes = [self.set_aside_warnings(), self.survivor_warnings()].concat();
        let in_fleet = self.machine.is_in_fleet();
        let relay = in_fleet.then(|| neighbor_processes::running_relay(&self.host.state)).flatten();
        let relay = relay.and_then(|relay| neighbor_processes::relay_warning(&relay));
        let single = full.into_iter().chain(relay).collect();
        [single, self.config_warnings(), self.lifecycle.warnings(), panes, stored].concat()
    }

    /// Names the panes of whose output the daemon died.
    fn set_aside_warnings(&self) -> Vec<String> {
        let warning = |pane| {
            format!(
                "Pane {pane} is quarantined: the daemon crashed repeatedly while processing the pane's output. \
                 `fugue respawn-pane -t {pane} --kill` restarts its program, and `fugue debug-bundle` writes a file for a \
                 bug report"
            )
        };
        self.panes.set_aside().map(warning).collect()
    }

    /// Replies with the status once it is known whether the keeper responds.
    fn reply_with_status(&self, reply: Reply) {
        let (answer, status) = oneshot::channel();
        let (keeper, manager) = (self.host.context.keeper.clone(), self.sender());
        tasks::spawn_local(async move {
            keeper.probe().await;
            let _ = manager.send(ManagerInput::Status { answer }).await;
        });
        reply.relay(status);
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let world = self.machine.world();
        ServerStatus {
            pid: std::process::id(),
            keeper_pid: self.host.keeper_pid,
            version: env!("CARGO_PKG_VERSION").into(),
            protocol: PROTOCOL,
            uptime_ms: self.lifecycle.uptime_ms(),
            sessions: world.sessions.len(),
            windows: world.windows.len(),
            panes: world.panes.len(),
            clients: self.world().clients.len(),
            connections: self.lifecycle.connections,
            last_event: self.store.last_event(),
            socket: spawn_environment::text(&self.host.environment.socket),
            fleet: self.machine.fleet_host().map(|host| {
                neighbor_processes::relay_summary(
                    host,
                    neighbor_processes::running_relay(&self.host.state).as_ref(),
                )
            }),
            warnings: self.warnings(),
        }
    }
}

/// Waits for the result of a command that has its own pane, and has the pane closed if the result says so, whether or not
/// the client is still there. Once it is closed, only the stored answer knows the result.
fn delivered(
    result: oneshot::Receiver<Result<RunResult, Refusal>>,
    slot: Option<AnswerSlot>,
    manager: ManagerTx,
) -> oneshot::Receiver<Result<RunResult, Refusal>> {
    let (done, receiver) = oneshot::channel();
    tasks::spawn_local(async move {
        let Ok(result) = result.await else { return };
        if let Ok(result) = &result
            && result.pane_closed
        {
            slot.iter().for_each(|slot| slot.put(result));
            let delivered = Input::ResultDelivered { pane: result.pane_id };
            let _ = manager.send(ManagerInput::Machine(delivered)).await;
        }
        let _ = done.send(result);
    });
    receiver
}

/// Has the pane of a command closed that nobody waits for any more. With a key, its caller may come back for the result.
fn release(pane: PaneId, manager: ManagerTx, key: Option<String>) {
    tasks::spawn_local(async move {
        let input = match key {
            None => ManagerInput::Machine(Input::PanesReleased { panes: vec![pane] }),
            Some(key) => {
                tokio::time::sleep(RETRY_TIME).await;
                ManagerInput::CallAbandoned { pane, key }
            }
        };
        let _ = manager.send(input).await;
    });
}
