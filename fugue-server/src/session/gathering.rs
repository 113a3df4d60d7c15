//! Waiting for several panes at once: for the first that is through, or for all of them.

use std::time::Instant;

use fugue_core::edge_request::WaitRequest;
use fugue_core::gone;
use fugue_protocol::views::{ExitStatus, WaitOutcome, WaitResult, WaitedPane};
use fugue_protocol::{PaneId, Refusal};
use tokio::sync::{mpsc, oneshot};

use super::Manager;

type Answer = Result<WaitResult, Refusal>;

impl Manager {
    /// Waits for panes; dropping what this gives lets go of all of them.
    pub(super) fn gather(
        &self,
        panes: &[PaneId],
        waiting: &WaitRequest,
        all: bool,
    ) -> impl Future<Output = Result<Answer, oneshot::error::RecvError>> + 'static {
        let waits: Vec<_> = panes.iter().map(|pane| self.awaited(*pane, waiting)).collect();
        async move { Ok(gathered(waits, all).await) }
    }

    fn awaited(&self, id: PaneId, waiting: &WaitRequest) -> oneshot::Receiver<Answer> {
        if let Some(pane) = self.panes.get(&id) {
            return pane.wait(waiting.clone());
        }
        let (answer, told) = oneshot::channel();
        let exit = self.machine.world().departed(id).unwrap_or(ExitStatus::Unknown);
        let _ = answer.send(Ok(gone(id, exit)));
        told
    }
}

/// The first that is through, or all.
async fn gathered(waits: Vec<oneshot::Receiver<Answer>>, all: bool) -> Answer {
    let since = Instant::now();
    let count = waits.len();
    let (through, mut heard) = mpsc::channel(count.max(1));
    // They end with this future: whoever drops it drops the set.
    let mut set = tokio::task::JoinSet::new();
    for wait in waits {
        let through = through.clone();
        set.spawn_local(async move {
            let answer = wait.await.unwrap_or(Err(Refusal::ShuttingDown));
            let _ = through.send(answer).await;
        });
    }
    drop(through);
    let mut seen = Vec::new();
    while let Some(answer) = heard.recv().await {
        seen.push(answer?);
        if !all && is_through(seen.last()) {
            break;
        }
    }
    let decisive = seen.iter().rev().find(|waited| !is_through(Some(waited))).or(seen.last()).cloned();
    let mut whole = if all { decisive } else { seen.last().cloned() }.ok_or(Refusal::ShuttingDown)?;
    whole.panes = seen.into_iter().map(shortened).collect();
    whole.elapsed_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(whole)
}

/// Whether what was waited for came.
fn is_through(waited: Option<&WaitResult>) -> bool {
    waited.is_some_and(|waited| !matches!(waited.outcome, WaitOutcome::Timeout | WaitOutcome::Closed))
}

fn shortened(waited: WaitResult) -> WaitedPane {
    let WaitResult { pane_id, outcome, exit, matched, cursor, .. } = waited;
    WaitedPane { pane_id, outcome, exit, matched, cursor }
}
