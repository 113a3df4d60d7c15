//! A client's direct routes to panes: typed keys go straight to a pane's task. For a person the manager is asked for the
//! route only once; for any other caller it checks the scope each time, since that and the panes may change. While a pane's queue is full, only this client's reader waits.

use std::collections::{BTreeMap, BTreeSet};

use fugue_core::Caller;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, Refusal};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;

use crate::channels::local_queue::LocalSender;
use crate::input_ledger::InputLedger;
use crate::pane::{PaneOrder, TypedKeys};
use crate::replies::reply::FrameQueue;
use crate::session::{ManagerInput, ManagerTx, RouteRequest};

/// A client's routes to panes.
pub(super) struct PaneRoutes {
    manager: ManagerTx,
    outbox: FrameQueue,
    /// The ledger in which the client reads how much of its input has arrived.
    ledger: Option<InputLedger>,
    known: BTreeMap<PaneId, LocalSender<PaneOrder>>,
    caller: Caller,
    pid: Option<u32>,
    /// The panes that the client has sent keys to, unless it is a person: at most as many as there were panes.
    asked: BTreeSet<PaneId>,
}

impl PaneRoutes {
    pub(super) fn new(
        manager: ManagerTx,
        outbox: FrameQueue,
        ledger: Option<InputLedger>,
        (caller, pid): (Caller, Option<u32>),
    ) -> Self {
        let (known, asked) = (BTreeMap::new(), BTreeSet::new());
        Self { manager, outbox, ledger, known, caller, pid, asked }
    }

    /// Types into a pane, in the order of the calls.
    pub(super) async fn send_keys(&mut self, pane: PaneId, bytes: Vec<u8>) {
        let receipt = self.ledger.as_mut().and_then(|ledger| ledger.receipt(pane, bytes.len()));
        let order = PaneOrder::Keys(Box::new(TypedKeys { bytes, receipt, outbox: self.outbox.clone() }));
        let sent = match self.route(pane).await {
            Err(refusal) => Err(refusal),
            Ok(orders) => match orders.try_send(order) {
                Ok(()) => Ok(()),
                Err(TrySendError::Full(order)) => orders.send(order).await.map_err(|_| ended(pane)),
                Err(TrySendError::Closed(_)) => Err(ended(pane)),
            },
        };
        if let Err(refusal) = sent {
            self.outbox.notice(&refusal);
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

    async fn route(&mut self, pane: PaneId) -> Result<&LocalSender<PaneOrder>, Refusal> {
        if self.caller.is_agent() || self.known.get(&pane).is_none_or(LocalSender::is_closed) {
            self.known.retain(|_, orders| !orders.is_closed());
            let route = self.ask(pane).await?;
            self.known.insert(pane, route);
        }
        self.known.get(&pane).ok_or_else(|| ended(pane))
    }

    async fn ask(&mut self, pane: PaneId) -> Result<LocalSender<PaneOrder>, Refusal> {
        let (answer, route) = oneshot::channel();
        let (caller, pid) = (self.caller, self.pid);
        let is_first = caller.is_agent() && !self.asked.contains(&pane);
        let request = RouteRequest { pane, caller, pid, is_first, answer };
        let _ = self.manager.send(ManagerInput::Route(request)).await;
        let route = route.await.unwrap_or(Err(Refusal::ShuttingDown))?;
        if is_first {
            self.asked.insert(pane);
        }
        Ok(route)
    }
}

fn ended(pane: PaneId) -> Refusal {
    Refusal::PaneEnded { pane, exit: ExitStatus::Unknown }
}
