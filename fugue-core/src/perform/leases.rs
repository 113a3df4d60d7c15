//! Verbs about leases.

use fugue_protocol::agent_messages::Sender;
use fugue_protocol::leases::{Lease, LeaseEnd};
use fugue_protocol::refusal::{ArgumentProblem, Quantity};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Awaited, Claimed, Done, LeaseList, WaitGraph};
use fugue_protocol::{Event, IdempotencyKey, LeaseName, Refusal, Timestamp, limits};

use super::{Perform, at_most};
use crate::decision::Decision;
use crate::decision::{PendingWait, WaitSubject, WakeReason};
use crate::edge_request::EdgeRequest;
use crate::leases::{ended, view};
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for Claim {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Claimed>, Refusal> {
        let owner = owner_of_claim(world, context, self.ttl_ms)?;
        at_most("ttl_ms", Quantity::Lifetime, self.ttl_ms.unwrap_or_default(), limits::LEASE_MOST_MS)?;
        at_most("wait_ms", Quantity::Wait, self.wait_ms.unwrap_or_default(), limits::MESSAGE_WAIT_MS)?;
        let claim = Claiming {
            key: self.idempotency_key.filter(|_| owner.is_none()),
            owner,
            name: self.name,
            ttl_ms: self.ttl_ms.unwrap_or(limits::LEASE_MS),
            note: self.note.map(|note| note.chars().take(limits::LEASE_CHARS).collect()),
        };
        match (claim.taken(world, context.now)?, self.wait_ms.filter(|wait| *wait > 0)) {
            (Ok(claimed), _) => Ok(claimed),
            (Err(held), None) => Err(refusal(&held, context.now)),
            (Err(held), Some(wait_ms)) => Ok(Decision::when(claim.wait(held, context.now, wait_ms))),
        }
    }
}

/// The owner of a claim: a pane, whose end releases it, or a user outside, who must set a duration.
fn owner_of_claim(
    world: &World,
    context: &RequestContext,
    ttl_ms: Option<u64>,
) -> Result<Option<Sender>, Refusal> {
    let ttl = |why| Err(Refusal::argument("ttl_ms", why));
    let owner = match context.caller.is_agent_outside() {
        true => Some(recipients::sender_inside(world, context)?),
        false => recipients::sender(world, context)?,
    };
    match ttl_ms {
        Some(0) => ttl(ArgumentProblem::ZeroDuration),
        None if owner.is_none() => ttl(ArgumentProblem::LeaseNeedsDuration),
        _ => Ok(owner),
    }
}

/// A request for a lease.
struct Claiming {
    key: Option<IdempotencyKey>,
    owner: Option<Sender>,
    name: LeaseName,
    ttl_ms: u64,
    note: Option<String>,
}

impl Claiming {
    /// Takes the lease, or returns the one that is held by somebody else.
    fn taken(&self, world: &World, now: Timestamp) -> Result<Result<Decision<Claimed>, Lease>, Refusal> {
        let before = world.leases.get(&self.name, now);
        match before {
            Some(lease) if !self.is_own(lease) => return Ok(Err(lease.clone())),
            None => world.leases.check_room(self.owner.as_ref().map(|owner| owner.session))?,
            Some(_) => {}
        }
        let lease = Lease {
            name: self.name.clone(),
            owner: self.owner.clone(),
            claimed_at: before.map_or(now, |lease| lease.claimed_at),
            expires_at: Timestamp::from_millis(now.millis() + self.ttl_ms),
            fence: before.map_or(world.leases.fence + 1, |lease| lease.fence),
            note: self.note.clone(),
            key: self.key.clone(),
        };
        let claimed = Claimed {
            held: true,
            renewed: before.is_some(),
            lease: view(&lease),
            outcome: None,
            circle: Vec::new(),
        };
        Ok(Ok(Decision::reply(claimed).event(Event::LeaseClaimed(Box::new(lease)))))
    }

    /// Another agent in the same session is a different owner, and so is another shell outside.
    fn is_own(&self, lease: &Lease) -> bool {
        match (&lease.owner, &self.owner) {
            (Some(theirs), Some(own)) => theirs.pane == own.pane,
            (None, None) => lease.key.is_some() && lease.key == self.key,
            _ => false,
        }
    }

    fn wait(self, held: Lease, now: Timestamp, wait_ms: u64) -> PendingWait<Claimed> {
        PendingWait {
            who: self.owner.as_ref().map(|owner| owner.session),
            about: WaitSubject::Lease(self.name.clone()),
            on: held.owner.iter().map(|owner| owner.session).collect(),
            until: Timestamp::from_millis(now.millis() + wait_ms),
            check: Box::new(move |world, wake_up| {
                let outcome = match &wake_up.reason {
                    WakeReason::Changed => None,
                    WakeReason::Timeout => Some((Awaited::Timeout, Vec::new())),
                    WakeReason::Deadlock(names) => Some((Awaited::Circle, names.clone())),
                };
                match (self.taken(world, wake_up.now), outcome) {
                    (Ok(Ok(claimed)), _) => Some(claimed),
                    (Ok(Err(_)) | Err(_), None) => None,
                    (Ok(Err(held)), Some((outcome, circle))) => {
                        Some(Decision::reply(not_had(&held, outcome, circle)))
                    }
                    (Err(_), Some((outcome, circle))) => {
                        Some(Decision::reply(not_had(&held, outcome, circle)))
                    }
                }
            }),
            abandoned: Vec::new(),
        }
    }
}

fn not_had(held: &Lease, outcome: Awaited, circle: Vec<fugue_protocol::SessionName>) -> Claimed {
    Claimed { held: false, renewed: false, lease: view(held), outcome: Some(outcome), circle }
}

fn owner(lease: &Lease) -> String {
    match &lease.owner {
        Some(owner) => format!("pane {} in session `{}`", owner.pane, owner.name),
        None => "a user outside any session".into(),
    }
}

fn refusal(held: &Lease, now: Timestamp) -> Refusal {
    let left = held.expires_at.since(now).as_millis();
    Refusal::LeaseHeld {
        name: held.name.to_string(),
        owner: owner(held),
        fence: held.fence,
        retry_after_ms: u64::try_from(left).unwrap_or(u64::MAX),
    }
}

impl Perform for Release {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let caller = recipients::sender(world, context)?;
        let not_yours = |why: String| Refusal::NotYourLease { name: self.name.to_string(), why };
        let lease = world.leases.get(&self.name, context.now);
        let lease = lease.or_else(|| claimed_as_word(&self.name, caller.as_ref(), world, context.now));
        let lease = lease.ok_or_else(|| not_yours("no one holds it".into()))?;
        let pane = lease.owner.as_ref().map(|owner| owner.pane);
        let own = caller.as_ref().map(|caller| caller.pane) == pane && !context.caller.is_agent_outside();
        let force = self.force && !context.caller.is_agent();
        if !own && !force {
            return Err(not_yours(format!("it is held by {}", owner(lease))));
        }
        if self.fence.is_some_and(|fence| fence != lease.fence) {
            return Err(not_yours(format!("its fencing token is now {}", lease.fence)));
        }
        let why = if own { LeaseEnd::Released } else { LeaseEnd::TakenAway };
        Ok(Decision::done().event(ended(lease, why)))
    }
}

/// The caller's lease on the last part of a path: it was claimed by that word before such a file existed.
fn claimed_as_word<'a>(
    path: &LeaseName,
    caller: Option<&Sender>,
    world: &'a World,
    now: Timestamp,
) -> Option<&'a Lease> {
    let (_, word) = path.as_str().rsplit_once('/')?;
    let lease = world.leases.get(&word.parse().ok()?, now)?;
    lease.owner.as_ref().filter(|owner| Some(owner.pane) == caller.map(|caller| caller.pane)).and(Some(lease))
}

impl Perform for ListLeases {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<LeaseList>, Refusal> {
        let held = world.leases.held.values().filter(|lease| lease.expires_at > context.now);
        Ok(Decision::reply(LeaseList { leases: held.map(view).collect() }))
    }
}

impl Perform for ShowWaits {
    fn perform(self, _: &World, _: &RequestContext) -> Result<Decision<WaitGraph>, Refusal> {
        Ok(Decision::later(EdgeRequest::Waits))
    }
}
