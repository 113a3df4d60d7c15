//! The receipts of a message: one for each recipient, mostly a single one. They are in one allocation of the right size;
//! the smallest node of a B-tree has room for eleven.

use std::collections::BTreeMap;

use fugue_protocol::SessionId;
use fugue_protocol::agent_messages::{Receipt, Recipient};

/// A map from the recipients of a message to its delivery state for them, sorted by session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Receipts(Box<[(SessionId, Receipt)]>);

impl Receipts {
    fn position(&self, session: SessionId) -> Option<usize> {
        self.0.binary_search_by_key(&session, |(session, _)| *session).ok()
    }

    /// The receipt of a recipient.
    pub fn get(&self, session: &SessionId) -> Option<&Receipt> {
        Some(&self.0[self.position(*session)?].1)
    }

    pub(super) fn get_mut(&mut self, session: &SessionId) -> Option<&mut Receipt> {
        let at = self.position(*session)?;
        Some(&mut self.0[at].1)
    }

    /// Adds receipts for recipients that were found after the message was sent.
    pub(super) fn add(&mut self, found: &[Recipient]) {
        let new = |to: &Recipient| Receipt { found: Some(Box::new(to.clone())), ..Receipt::default() };
        let fresh: Vec<_> = found.iter().filter(|to| !self.contains_key(&to.session)).collect();
        let old = std::mem::take(&mut self.0).into_iter();
        *self = old.chain(fresh.into_iter().map(|to| (to.session, new(to)))).collect();
    }

    /// Whether a session is a recipient.
    pub(crate) fn contains_key(&self, session: &SessionId) -> bool {
        self.position(*session).is_some()
    }

    /// The recipients.
    pub fn keys(&self) -> impl Iterator<Item = &SessionId> {
        self.iter().map(|(session, _)| session)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Receipt> {
        self.iter().map(|(_, receipt)| receipt)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SessionId, &Receipt)> {
        self.0.iter().map(|(session, receipt)| (session, receipt))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&SessionId, &mut Receipt)> {
        self.0.iter_mut().map(|(session, receipt)| (&*session, receipt))
    }
}

impl Receipts {
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Receipt> {
        self.iter_mut().map(|(_, receipt)| receipt)
    }
}

impl FromIterator<(SessionId, Receipt)> for Receipts {
    /// A session that is given twice has its last receipt.
    fn from_iter<I: IntoIterator<Item = (SessionId, Receipt)>>(receipts: I) -> Self {
        Self(receipts.into_iter().collect::<BTreeMap<_, _>>().into_iter().collect())
    }
}
