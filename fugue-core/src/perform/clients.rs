//! Verbs about attached clients.

use fugue_protocol::events::ClientAttached;
use fugue_protocol::limits;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{AttachClient, DetachClient, ListClients, RunInClient};
use fugue_protocol::views::{ClientList, ClientView, Done};
use fugue_protocol::{Event, Refusal, SessionRef, Timestamp};

use super::client_lines::{command_name, is_harmless};
use super::{Perform, removal};
use crate::decision::Decision;
use crate::edge_request::{EdgeRequest, TerminalReport};
use crate::request_context::RequestContext;
use crate::world::World;

/// The longest name of a device: Linux has none that is longer.
const TTY_BYTES: usize = 64;

impl Perform for AttachClient {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let session = world.session(&self.session)?.id;
        let news = world.recent.last() != Some(&session);
        let tty = self.tty.filter(|tty| tty.starts_with("/dev/") && tty.len() <= TTY_BYTES);
        let Self { size, read_only, foreground, background, palette, kitty_images, sixel_images, .. } = self;
        let cell = (self.cell_width, self.cell_height);
        if !size.is_sane() {
            return Err(Refusal::BadSize { size });
        }
        let terminal = TerminalReport { foreground, background, palette, cell, kitty_images, sixel_images };
        let ask = EdgeRequest::Attach { session, size, read_only, tty, terminal };
        Ok(Decision::later(ask).events(news.then_some(Event::SessionSelected { session })))
    }
}

impl Perform for ListClients {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<ClientList>, Refusal> {
        Ok(Decision::reply(listed(world, &chosen(world, self.session.as_ref(), context)?)))
    }
}

impl Perform for DetachClient {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<ClientList>, Refusal> {
        let clients = match (self.client, &self.session) {
            (Some(number), _) => {
                let client = world.clients.get(&number).cloned();
                vec![client.ok_or(Refusal::NoSuchClient { client: number })?]
            }
            (None, Some(session)) => chosen(world, Some(session), context)?,
            (None, None) => {
                return Err(Refusal::argument("client", ArgumentProblem::ClientRequired));
            }
        };
        let events: Vec<Event> =
            clients.iter().map(|client| Event::ClientDetached { client: client.client }).collect();
        Ok(Decision::reply(listed(world, &clients)).events(events))
    }
}

impl Perform for RunInClient {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<ClientList>, Refusal> {
        let own = world.caller_pane(context).map(|pane| world.session_of(pane).id);
        let shows = |client: &&ClientAttached| own.is_none_or(|own| client.session == own);
        let client = match self.client {
            Some(number) => {
                world.clients.get(&number).cloned().ok_or(Refusal::NoSuchClient { client: number })
            }
            None => world
                .clients
                .values()
                .rev()
                .find(shows)
                .cloned()
                .ok_or_else(|| Refusal::argument("client", ArgumentProblem::ClientRequired)),
        }?;
        if self.line.len() > limits::VALUE_BYTES {
            return Err(Refusal::InputTooLarge { bytes: self.line.len(), limit: limits::VALUE_BYTES });
        }
        if context.caller.is_agent() && !is_harmless(&self.line) {
            return Err(Refusal::OnlyPeopleCommand { command: command_name(&self.line) });
        }
        let commanded = Event::ClientCommanded { client: client.client, line: self.line };
        Ok(Decision::reply(listed(world, &[client])).event(commanded))
    }
}

fn chosen(
    world: &World,
    session: Option<&SessionRef>,
    context: &RequestContext,
) -> Result<Vec<ClientAttached>, Refusal> {
    let session = session.map(|session| world.session_target(session, context)).transpose()?;
    let session = session.map(|session| session.id);
    let clients = world.clients.values().cloned();
    Ok(clients.filter(|client| session.is_none_or(|session| client.session == session)).collect())
}

fn listed(world: &World, clients: &[ClientAttached]) -> ClientList {
    let view = |client: &ClientAttached| {
        Some(ClientView {
            client: client.client,
            session_id: client.session,
            session_name: world.sessions.get(&client.session)?.name.clone(),
            dimensions: client.size,
            since: client.since,
            read_only: client.read_only,
            tty: client.tty.clone(),
        })
    };
    ClientList { clients: clients.iter().filter_map(view).collect() }
}

/// A client attached. If it already showed this session, its start time stays.
pub(crate) fn attached(world: &World, client: ClientAttached) -> Vec<Event> {
    let before = world.clients.get(&client.client).filter(|before| before.session == client.session);
    let since: Timestamp = before.map_or(client.since, |before| before.since);
    vec![Event::ClientAttached(ClientAttached { since, ..client })]
}

/// A client disconnected.
pub(crate) fn left(world: &World, client: u64) -> Vec<Event> {
    let left = world.clients.contains_key(&client).then_some(Event::ClientLeft { client });
    left.into_iter()
        .flat_map(|left| [vec![left], removal::abandoned_popups(world, client)].concat())
        .collect()
}
