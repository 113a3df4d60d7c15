//! Quotas of agents: how many sessions, panes, waits and bytes an agent may hold, and how fast it may start programs and
//! send messages. What its descendants created counts as its own, so that a recursive spawner is stopped, too. People
//! have no quotas.

use std::collections::BTreeMap;

mod lineage;
mod spawn_count;
mod token_bucket;

use fugue_protocol::refusal::{AgentQuota, AgentRate};
use fugue_protocol::{Event, Refusal, SessionId, limits};
use serde_json::value::RawValue;

use crate::decision::{Decision, PendingWait, ReplySource};
use crate::effect::{ChildSpec, Ticket};
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::{Session, World};

pub(crate) use lineage::{Lineage, keep_closed_ancestor};
use spawn_count::SpawnCount;
use token_bucket::TokenBuckets;

/// What agents may still start and send in this minute.
#[derive(Debug, Default)]
pub(crate) struct Allowances {
    programs: TokenBuckets,
    messages: TokenBuckets,
    /// What other hosts may still start. There are no more of them than the fleet has.
    hosts: TokenBuckets,
}

/// What the quotas of a request's caller depend on.
pub(crate) struct QuotaCheck<'a> {
    pub(crate) world: &'a World,
    pub(crate) context: &'a RequestContext,
    /// The requests whose programs are being started, and these programs.
    pub(crate) pending: Vec<(&'a RequestContext, &'a [ChildSpec])>,
    /// The requests that wait for an event.
    pub(crate) waits: &'a BTreeMap<Ticket, PendingWait<Box<RawValue>>>,
}

impl QuotaCheck<'_> {
    /// Returns the decision if the quotas of its caller allow it. Programs and messages are charged when a request is
    /// decided for the first time.
    pub(crate) fn within<R>(
        &self,
        allowances: &mut Allowances,
        decision: Decision<R>,
    ) -> Result<Decision<R>, Refusal> {
        if !self.context.caller.is_agent() {
            self.charge_host(allowances, &decision)?;
            return Ok(decision);
        }
        self.check_spawns(&decision)?;
        check_entries(self.world, &decision)?;
        self.check_waits(&decision)?;
        if !self.context.has_children() {
            self.charge(allowances, &decision)?;
        }
        Ok(decision)
    }

    /// Sessions and panes, for the caller, for the sessions that get panes, and for all their ancestors.
    fn check_spawns<R>(&self, decision: &Decision<R>) -> Result<(), Refusal> {
        let new = SpawnCount::new_in(self.world, decision);
        if new.is_zero() {
            return Ok(());
        }
        let own = own_session(self.world, self.context);
        let targets = decision.children.iter().map(|child| child.session);
        let concerned = targets.chain(own.map(|own| own.id)).flat_map(|id| Lineage::of(self.world, id));
        let is_living = |session: &SessionId| self.world.sessions.contains_key(session);
        let (living, closed): (Vec<_>, Vec<_>) = concerned.partition(is_living);
        // A refusal names a living session, if one has reached its limit.
        for ancestor in living.into_iter().chain(closed) {
            let quotas = self.context.settings.quotas;
            let held = SpawnCount::held_by(self.world, ancestor) + self.pending_spawns(ancestor);
            let reached = (new.sessions > 0 && held.sessions + new.sessions > quotas.sessions)
                .then_some((AgentQuota::Sessions, quotas.sessions))
                .or((held.panes + new.panes > quotas.panes).then_some((AgentQuota::Panes, quotas.panes)));
            if let Some((what, limit)) = reached {
                let caller = caller(self.world.sessions.get(&ancestor).or(own));
                return Err(Refusal::QuotaReached { caller, what, limit });
            }
        }
        Ok(())
    }

    /// The sessions and panes that are being started for an agent or its descendants.
    fn pending_spawns(&self, ancestor: SessionId) -> SpawnCount {
        let of_ancestor = |context: &RequestContext| {
            let own = own_session(self.world, context);
            own.is_some_and(|own| Lineage::of(self.world, own.id).any(|session| session == ancestor))
        };
        let pending = self.pending.iter().filter(|(context, _)| of_ancestor(context));
        pending.map(|(_, children)| SpawnCount::of_children(self.world, children)).sum()
    }

    /// Waits for messages, leases and commands. Waits for a pane's output are limited by the pane.
    fn check_waits<R>(&self, decision: &Decision<R>) -> Result<(), Refusal> {
        let ReplySource::When(wait) = &decision.answer else { return Ok(()) };
        // Agents outside any session share one limit.
        if self.waits.values().filter(|other| other.who == wait.who).count() < limits::AGENT_WAITS {
            return Ok(());
        }
        let caller = caller(own_session(self.world, self.context));
        Err(Refusal::QuotaReached { caller, what: AgentQuota::Waits, limit: limits::AGENT_WAITS })
    }

    /// Takes the programs that another host starts here from its allowance: as much as an agent of this host has.
    fn charge_host<R>(&self, allowances: &mut Allowances, decision: &Decision<R>) -> Result<(), Refusal> {
        let host = decision.events.iter().find_map(|event| match event {
            Event::MessageSent(header) => header.origin.as_ref().map(|origin| &origin.host),
            _ => None,
        });
        let Some(host) = host.filter(|_| !self.context.has_children()) else { return Ok(()) };
        let (payers, limit) =
            ([Some(remote_sessions::session_id(host, ""))], self.context.settings.quotas.spawns_per_minute);
        let programs = decision.children.len();
        let taken = allowances.hosts.take(self.context.now, &payers, programs, limit, |_| true);
        taken.map_err(|retry_after_ms| {
            let (caller, what) = (format!("host `{host}`"), AgentRate::Spawns);
            Refusal::QuotaRate { caller, what, limit, retry_after_ms }
        })
    }

    /// Takes the programs and messages of a decision from the caller's allowance.
    fn charge<R>(&self, allowances: &mut Allowances, decision: &Decision<R>) -> Result<(), Refusal> {
        let own = own_session(self.world, self.context);
        let (own_id, told) = (own.map(|own| own.id), caller(own));
        let is_known = |session: SessionId| self.world.is_session_or_ancestor(session);
        let too_fast = |what, limit| {
            let caller = told.clone();
            move |retry_after_ms| Refusal::QuotaRate { caller, what, limit, retry_after_ms }
        };
        let messages = decision.events.iter().filter(|event| matches!(event, Event::MessageSent(_))).count();
        let limit = self.context.settings.quotas.messages_per_minute;
        let payers = [own_id];
        allowances
            .messages
            .take(self.context.now, &payers, messages, limit, is_known)
            .map_err(too_fast(AgentRate::Messages, limit))?;
        // Agents outside any session share one allowance.
        let lineage = own_id.into_iter().flat_map(|own| Lineage::of(self.world, own)).map(Some);
        let payers: Vec<_> = if own_id.is_none() { vec![None] } else { lineage.collect() };
        let limit = self.context.settings.quotas.spawns_per_minute;
        allowances
            .programs
            .take(self.context.now, &payers, decision.children.len(), limit, is_known)
            .map_err(too_fast(AgentRate::Spawns, limit))
    }
}

/// Tags, metadata and environment of the sessions of an agent and its descendants.
fn check_entries<R>(world: &World, decision: &Decision<R>) -> Result<(), Refusal> {
    for event in &decision.events {
        let Some((session, new)) = new_bytes(world, event) else { continue };
        for ancestor in Lineage::of(world, session) {
            let held: usize = Lineage::descendants(world, ancestor).map(entry_bytes).sum();
            if held + new > limits::AGENT_ENTRY_BYTES {
                let caller = caller(world.sessions.get(&ancestor).or_else(|| world.sessions.get(&session)));
                let (what, limit) = (AgentQuota::EntryBytes, limits::AGENT_ENTRY_BYTES);
                return Err(Refusal::QuotaReached { caller, what, limit });
            }
        }
    }
    Ok(())
}

/// The session whose entries an event adds to, and how many bytes it adds. A new session adds to its parent's.
fn new_bytes(world: &World, event: &Event) -> Option<(SessionId, usize)> {
    let sizes = |entries: &BTreeMap<String, String>| -> usize {
        entries.iter().map(|(key, value)| key.len() + value.len()).sum()
    };
    let replaced = |session: &SessionId, key: &str, environment: bool| {
        let session = world.sessions.get(session)?;
        let entries = if environment { &session.environment } else { &session.metadata };
        entries.get(key).map(|value| key.len() + value.len())
    };
    match event {
        Event::SessionCreated(e) => Some((e.parent?, sizes(&e.metadata) + sizes(&e.environment))),
        Event::TagsChanged { session, added, .. } => {
            Some((*session, added.iter().map(|tag| tag.as_str().len()).sum()))
        }
        Event::MetadataChanged { session, key, value: Some(value) } => {
            let old = replaced(session, key, false).unwrap_or_default();
            Some((*session, (key.len() + value.len()).saturating_sub(old)))
        }
        Event::EnvironmentChanged { session, name, value: Some(value) } => {
            let old = replaced(session, name, true).unwrap_or_default();
            Some((*session, (name.len() + value.len()).saturating_sub(old)))
        }
        _ => None,
    }
    .filter(|(_, bytes)| *bytes > 0)
}

fn entry_bytes(session: &Session) -> usize {
    let entries = session.metadata.iter().chain(&session.environment);
    let tags: usize = session.tags.iter().map(|tag| tag.as_str().len()).sum();
    tags + entries.map(|(key, value)| key.len() + value.len()).sum::<usize>()
}

fn own_session<'a>(world: &'a World, context: &RequestContext) -> Option<&'a Session> {
    world.caller_pane(context).map(|pane| world.session_of(pane))
}

/// The caller as a refusal names it.
fn caller(session: Option<&Session>) -> String {
    session.map_or_else(
        || "An agent outside any session".into(),
        |session| format!("Session `{}`", session.name),
    )
}
