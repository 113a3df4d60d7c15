//! What a person types goes straight to the pane's task: the manager only shows the way, once. Where the pane has no
//! place for another order, this client's own reading waits for its next turn, and nobody else's.

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Refusal};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::ledger::Ledger;
use crate::pane::Order;
use crate::reply::Outbox;
use crate::session::{Desk, News};

/// A client's ways to panes.
pub(super) struct Doors {
    desk: Desk,
    outbox: Outbox,
    /// Where the client reads how much of it has arrived.
    ledger: Option<Ledger>,
    known: BTreeMap<PaneId, mpsc::Sender<Order>>,
}

impl Doors {
    pub(super) fn new(desk: Desk, outbox: Outbox, ledger: Option<Ledger>) -> Self {
        Self { desk, outbox, ledger, known: BTreeMap::new() }
    }

    /// Types into a pane, in the order in which this is called.
    pub(super) async fn type_in(&mut self, pane: PaneId, bytes: Vec<u8>) {
        let receipt = self.ledger.as_mut().and_then(|ledger| ledger.receipt(pane, bytes.len()));
        let order = Order::Keys { bytes, receipt, outbox: self.outbox.clone() };
        let sent = match self.orders(pane).await {
            None => false,
            Some(orders) => match orders.try_send(order) {
                Ok(()) => true,
                Err(TrySendError::Full(order)) => orders.send(order).await.is_ok(),
                Err(TrySendError::Closed(_)) => false,
            },
        };
        if !sent {
            let exit = fugue_protocol::views::ExitStatus::Unknown;
            self.outbox.notice(&Refusal::PaneEnded { pane, exit });
        }
    }

    /// Something is about to be typed into a pane. Who has no ear for that now need not know it.
    pub(super) fn expect(&self, pane: PaneId) {
        if let Some(orders) = self.known.get(&pane) {
            let _ = orders.try_send(Order::Expect);
        }
    }

    /// The client is gone, and the daemon goes on.
    pub(super) fn close(&self) {
        self.ledger.iter().for_each(Ledger::close);
    }

    async fn orders(&mut self, pane: PaneId) -> Option<&mpsc::Sender<Order>> {
        if self.known.get(&pane).is_none_or(mpsc::Sender::is_closed) {
            self.known.retain(|_, orders| !orders.is_closed());
            let (answer, told) = oneshot::channel();
            let _ = self.desk.send(News::Door { pane, answer }).await;
            self.known.insert(pane, told.await.ok()??);
        }
        self.known.get(&pane)
    }
}
