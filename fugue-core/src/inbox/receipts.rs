//! The receipts of a message: one for each recipient, mostly a single one. They are in one allocation of the right size;
//! the smallest node of a B-tree has room for eleven.

use std::collections::BTreeMap;

use fugue_protocol::SessionId;
use fugue_protocol::agent_messages::{DeliveryState, Receipt, Recipient};

/// A map from the recipients of a message to its delivery state for them, sorted by session. A recipient has a receipt of
/// its own once there is something to note in it.
#[derive(Debug, Clone, Default)]
pub struct Receipts(Box<[(SessionId, Option<Box<Receipt>>)]>);

/// The receipt of a message that is queued.
static QUEUED: Receipt = Receipt {
    state: DeliveryState::Queued,
    how: None,
    offered_at: None,
    settled_at: None,
    reply: None,
    reason: None,
    reported: None,
    resent_as: None,
    started: None,
    relay: None,
    found: None,
    replaced: false,
};

impl Receipts {
    fn position(&self, session: SessionId) -> Option<usize> {
        self.0.binary_search_by_key(&session, |(session, _)| *session).ok()
    }

    /// The receipt of a recipient.
    pub fn get(&self, session: &SessionId) -> Option<&Receipt> {
        Some(self.0[self.position(*session)?].1.as_deref().unwrap_or(&QUEUED))
    }

    pub(super) fn get_mut(&mut self, session: &SessionId) -> Option<&mut Receipt> {
        let at = self.position(*session)?;
        Some(self.0[at].1.get_or_insert_default())
    }

    /// Adds receipts for recipients that were found after the message was sent.
    pub(super) fn add(&mut self, found: &[Recipient]) {
        let new = |to: &Recipient| Receipt { found: Some(Box::new(to.clone())), ..Receipt::default() };
        let fresh: Vec<_> = found.iter().filter(|to| !self.contains_key(&to.session)).collect();
        let old = std::mem::take(&mut self.0).into_iter();
        let new = fresh.into_iter().map(|to| (to.session, Some(Box::new(new(to)))));
        self.0 = old.chain(new).collect::<BTreeMap<_, _>>().into_iter().collect();
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
        self.0.iter().map(|(session, receipt)| (session, receipt.as_deref().unwrap_or(&QUEUED)))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&SessionId, &mut Receipt)> {
        self.0.iter_mut().map(|(session, receipt)| (&*session, &mut **receipt.get_or_insert_default()))
    }
}

impl PartialEq for Receipts {
    /// Whether the receipts are the same, in a place of their own or not.
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
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
        let own = |receipt: Receipt| (receipt != QUEUED).then(|| Box::new(receipt));
        let receipts: BTreeMap<_, _> = receipts.into_iter().collect();
        Self(receipts.into_iter().map(|(session, receipt)| (session, own(receipt))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queued_message_has_the_receipt_of_all_queued_messages() {
        assert_eq!(QUEUED, Receipt::default());
        let session = SessionId::from_bytes([1; 16]);
        let mut receipts: Receipts = [(session, Receipt::default())].into_iter().collect();
        assert_eq!((receipts.get(&session), &receipts.0[0].1), (Some(&QUEUED), &None));
        receipts.get_mut(&session).expect("a recipient").state = DeliveryState::Offered;
        assert_eq!(receipts.get(&session).map(|receipt| receipt.state), Some(DeliveryState::Offered));
        assert_eq!(receipts.keys().count(), 1);
    }
}
