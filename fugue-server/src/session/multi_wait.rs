//! Waiting for several panes at once: for the first that succeeds, or for all of them.

use std::time::Instant;

use fugue_protocol::Refusal;
use fugue_protocol::views::{WaitOutcome, WaitResult, WaitedPane};
use tokio::sync::{mpsc, oneshot};

/// The result of one wait.
pub(super) type WaitAnswer = Result<WaitResult, Refusal>;

/// Waits until the first of these waits succeeds, or all have ended. Dropping the future ends all of them.
pub(super) async fn wait(
    waits: Vec<oneshot::Receiver<WaitAnswer>>,
    all: bool,
) -> Result<WaitAnswer, oneshot::error::RecvError> {
    Ok(combined(waits, all).await)
}

async fn combined(waits: Vec<oneshot::Receiver<WaitAnswer>>, all: bool) -> WaitAnswer {
    let since = Instant::now();
    let count = waits.len();
    let (ended, mut results) = mpsc::channel(count.max(1));
    // Dropping this future drops the set, and with it all waits.
    let mut tasks = tokio::task::JoinSet::new();
    for wait in waits {
        let ended = ended.clone();
        tasks.spawn_local(async move {
            let answer = wait.await.unwrap_or(Err(Refusal::ShuttingDown));
            let _ = ended.send(answer).await;
        });
    }
    drop(ended);
    let mut waited = Vec::new();
    while let Some(answer) = results.recv().await {
        waited.push(answer?);
        if !all && is_success(waited.last()) {
            break;
        }
    }
    // Of all, the last one that did not succeed decides the outcome.
    let failed = waited.iter().rev().find(|result| !is_success(Some(result)));
    let last = waited.last();
    let decisive = if all { failed.or(last) } else { last };
    let mut result = decisive.cloned().ok_or(Refusal::ShuttingDown)?;
    result.panes = waited.into_iter().map(summary).collect();
    result.elapsed_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(result)
}

/// Whether the awaited condition was met.
fn is_success(waited: Option<&WaitResult>) -> bool {
    waited.is_some_and(|waited| !matches!(waited.outcome, WaitOutcome::Timeout | WaitOutcome::Closed))
}

fn summary(waited: WaitResult) -> WaitedPane {
    let WaitResult { pane_id, outcome, exit, matched, cursor, .. } = waited;
    WaitedPane { pane_id, outcome, exit, matched, cursor }
}
