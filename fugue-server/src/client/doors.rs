//! What a person types goes straight to the pane's task: the manager only shows the way, once. Where the pane has no
//! place for another order, this client's own reading waits for its next turn, and nobody else's.

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Refusal};
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
        let Some(orders) = self.orders(pane).await else {
            let exit = fugue_protocol::views::Exit::Unknown;
            return self.outbox.notice(&Refusal::PaneEnded { pane, exit });
        };
        let exit = fugue_protocol::views::Exit::Unknown;
        if orders.send(Order::Keys { bytes, receipt, outbox: self.outbox.clone() }).await.is_err() {
            self.outbox.notice(&Refusal::PaneEnded { pane, exit });
        }
    }

    /// The client is gone, and the daemon goes on.
    pub(super) fn close(&self) {
        self.ledger.iter().for_each(Ledger::close);
    }

    async fn orders(&mut self, pane: PaneId) -> Option<mpsc::Sender<Order>> {
        if self.known.get(&pane).is_none_or(mpsc::Sender::is_closed) {
            self.known.retain(|_, orders| !orders.is_closed());
            let (answer, told) = oneshot::channel();
            let _ = self.desk.send(News::Door { pane, answer }).await;
            self.known.insert(pane, told.await.ok()??);
        }
        self.known.get(&pane).cloned()
    }
}
