//! A client's direct routes to panes: typed keys go straight to a pane's task, and the manager is asked for the route only
//! once. While a pane's queue is full, only this client's reader waits.

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Refusal};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use crate::input_ledger::InputLedger;
use crate::pane::PaneOrder;
use crate::reply::Outbox;
use crate::session::{ManagerInput, ManagerTx};

/// A client's routes to panes.
pub(super) struct PaneRoutes {
    manager: ManagerTx,
    outbox: Outbox,
    /// The ledger in which the client reads how much of its input has arrived.
    ledger: Option<InputLedger>,
    known: BTreeMap<PaneId, mpsc::Sender<PaneOrder>>,
}

impl PaneRoutes {
    pub(super) fn new(manager: ManagerTx, outbox: Outbox, ledger: Option<InputLedger>) -> Self {
        Self { manager, outbox, ledger, known: BTreeMap::new() }
    }

    /// Types into a pane, in the order of the calls.
    pub(super) async fn send_keys(&mut self, pane: PaneId, bytes: Vec<u8>) {
        let receipt = self.ledger.as_mut().and_then(|ledger| ledger.receipt(pane, bytes.len()));
        let order = PaneOrder::Keys { bytes, receipt, outbox: self.outbox.clone() };
        let sent = match self.route(pane).await {
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

    /// Announces that keys will follow. Best effort: dropped if the pane is busy.
    pub(super) fn announce_keys(&self, pane: PaneId) {
        if let Some(orders) = self.known.get(&pane) {
            let _ = orders.try_send(PaneOrder::ExpectKeys);
        }
    }

    /// Closes the client's ledger: the client is gone while the daemon keeps running.
    pub(super) fn close(&self) {
        self.ledger.iter().for_each(InputLedger::close);
    }

    async fn route(&mut self, pane: PaneId) -> Option<&mpsc::Sender<PaneOrder>> {
        if self.known.get(&pane).is_none_or(mpsc::Sender::is_closed) {
            self.known.retain(|_, orders| !orders.is_closed());
            let (answer, route) = oneshot::channel();
            let _ = self.manager.send(ManagerInput::Route { pane, answer }).await;
            self.known.insert(pane, route.await.ok()??);
        }
        self.known.get(&pane)
    }
}
