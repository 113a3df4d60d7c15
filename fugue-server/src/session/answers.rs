//! What only the edge can answer: a pane's text, the stream of events, how the daemon is.

use fugue_core::{EdgeRequest, Input, PaneRequest, Ticket};
use fugue_protocol::events::ClientAttached;
use fugue_protocol::views::{Done, ExitStatus, ServerStatus};
use fugue_protocol::{PROTOCOL, PaneId, Refusal};

use super::Manager;
use crate::client::Subscription;
use crate::clock;
use crate::environment;
use crate::reply::Reply;

impl Manager {
    pub(super) fn ask(&mut self, ticket: Ticket, ask: EdgeRequest) {
        let Some((reply, subscription)) = self.waiting.remove(&ticket) else { return };
        match ask {
            EdgeRequest::Pane(pane, ask) => self.ask_pane(pane, ask, reply, &subscription),
            EdgeRequest::Panes { panes, waiting, all } => reply.relay(self.gather(&panes, &waiting, all)),
            EdgeRequest::Events(since) => subscription.events(since.unwrap_or(self.last_event), reply),
            EdgeRequest::Attach { session, size, read_only, colors } => {
                if subscription.is_terminal {
                    let (client, since) = (subscription.client, clock::now());
                    self.color(session, &colors);
                    self.happen(Input::ClientAttached(ClientAttached {
                        client,
                        session,
                        size,
                        since,
                        read_only,
                    }));
                }
                reply.done(&Done {});
            }
            EdgeRequest::Status => reply.done(&self.status()),
            EdgeRequest::Shutdown => self.shut_down(reply),
            EdgeRequest::Payloads(page) => self.fill(*page, reply),
            EdgeRequest::Outputs { told, lines } => self.tell_outputs(told, lines, reply),
            // The machine answers this itself.
            EdgeRequest::Waits => {}
        }
    }

    fn ask_pane(&self, id: PaneId, ask: PaneRequest, reply: Reply, subscription: &Subscription) {
        match self.panes.get(&id) {
            Some(pane) => pane.ask(ask, reply, subscription),
            None => reply.refuse(self.no_screen(id)),
        }
    }

    /// A pane in the tree without a screen: it was lost with a keeper.
    fn no_screen(&self, id: PaneId) -> Refusal {
        Refusal::PaneEnded {
            pane: id,
            exit: self.machine.world().departed(id).unwrap_or(ExitStatus::Unknown),
        }
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
}
