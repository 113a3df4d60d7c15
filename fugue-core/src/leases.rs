//! Leases: which session may work on what. Only `evolve` changes them.

use std::collections::BTreeMap;

use fugue_protocol::leases::{Lease, LeaseEnd};
use fugue_protocol::refusal::Quota;
use fugue_protocol::views::LeaseView;
use fugue_protocol::{Event, LeaseName, PaneId, Refusal, SessionId, Timestamp, limits};
use serde::{Deserialize, Serialize};

/// All leases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Leases {
    /// The leases by name.
    pub held: BTreeMap<LeaseName, Lease>,
    /// The highest fence that was ever issued.
    pub fence: u64,
}

impl Leases {
    /// Returns a lease that has not expired.
    pub(crate) fn get(&self, name: &LeaseName, now: Timestamp) -> Option<&Lease> {
        self.held.get(name).filter(|lease| lease.expires_at > now)
    }

    /// Refuses one lease too many of a session, or of a user if there is none.
    pub(crate) fn check_room(&self, owner: Option<SessionId>) -> Result<(), Refusal> {
        let refuse = |what, limit| Err(Refusal::TooMany { what, limit });
        let (held, most) = (self.held.len(), limits::LEASES + limits::USER_LEASES);
        let Some(session) = owner else {
            return if held < most { Ok(()) } else { refuse(Quota::Leases, most) };
        };
        let is_own = |lease: &&Lease| lease.owner.as_ref().is_some_and(|owner| owner.session == session);
        let own = self.held.values().filter(is_own).count();
        match limits::LEASES.saturating_sub(held) {
            0 => refuse(Quota::Leases, limits::LEASES),
            left if own + 1 > left && own > 0 => refuse(Quota::SessionLeases, own),
            _ => Ok(()),
        }
    }

    /// The events that end expired leases.
    pub(crate) fn overdue(&self, now: Timestamp) -> Vec<Event> {
        let due = self.held.values().filter(|lease| lease.expires_at <= now);
        due.map(|lease| ended(lease, LeaseEnd::Expired)).collect()
    }

    /// The events that end the leases of a pane.
    pub(crate) fn of_pane(&self, pane: PaneId) -> Vec<Event> {
        let held = |lease: &&Lease| lease.owner.as_ref().is_some_and(|owner| owner.pane == pane);
        self.held.values().filter(held).map(|lease| ended(lease, LeaseEnd::OwnerGone)).collect()
    }

    /// The time at which the next lease expires.
    pub(crate) fn next_expiry(&self) -> Option<Timestamp> {
        self.held.values().map(|lease| lease.expires_at).min()
    }

    pub(crate) fn claimed(&mut self, lease: &Lease) {
        self.fence = self.fence.max(lease.fence);
        self.held.insert(lease.name.clone(), lease.clone());
    }

    /// Ends a lease; one that was claimed again since stays.
    pub(crate) fn ended(&mut self, name: &LeaseName, fence: u64) {
        if self.held.get(name).is_some_and(|lease| lease.fence == fence) {
            self.held.remove(name);
        }
    }
}

/// The event that ends a lease.
pub(crate) fn ended(lease: &Lease, why: LeaseEnd) -> Event {
    Event::LeaseEnded { name: lease.name.clone(), fence: lease.fence, why }
}

/// A lease as replies show it.
pub(crate) fn view(lease: &Lease) -> LeaseView {
    let owner = lease.owner.as_ref();
    LeaseView {
        name: lease.name.clone(),
        session_id: owner.map(|owner| owner.session),
        session_name: owner.map(|owner| owner.name.clone()),
        pane_id: owner.map(|owner| owner.pane),
        claimed_at: lease.claimed_at,
        expires_at: lease.expires_at,
        fence: lease.fence,
        note: lease.note.clone(),
    }
}
