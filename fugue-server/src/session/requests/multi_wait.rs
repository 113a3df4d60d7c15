//! Waiting for several panes at once, for the first that succeeds or for all of them, or for an event.

use std::time::Instant;

use fugue_core::gone;
use fugue_protocol::verbs::OutputCursor;
use fugue_protocol::views::{ExitStatus, WaitOutcome, WaitResult, WaitedPane};
use fugue_protocol::{PaneId, Refusal};
use tokio::sync::{mpsc, oneshot};

use super::event_waits::EventOutcome;
use crate::channels::local_queue::LocalSender;
use crate::pane::PaneOrder;

/// The result of one wait.
pub(crate) type WaitAnswer = Result<WaitResult, Refusal>;

/// One of the panes that are waited for.
pub(crate) struct PaneWait {
    pub(crate) pane: PaneId,
    /// The cursor after which its output counts.
    pub(crate) since: Option<OutputCursor>,
    pub(crate) result: oneshot::Receiver<WaitAnswer>,
    /// The queue of its task.
    pub(crate) orders: Option<LocalSender<PaneOrder>>,
}

/// Waits until the first of these waits succeeds, all have ended, or an event ends them. Dropping the future ends all.
pub(crate) async fn wait(
    waits: Vec<PaneWait>,
    all: bool,
    event: Option<oneshot::Receiver<EventOutcome>>,
) -> Result<WaitAnswer, oneshot::error::RecvError> {
    let (since, has_events) = (Instant::now(), event.is_some());
    let places: Vec<_> = waits.iter().map(|wait| (wait.pane, wait.since, wait.orders.clone())).collect();
    let is_single = places.len() == 1 && has_events;
    let results = waits.into_iter().map(|wait| wait.result).collect();
    let mut waited = tokio::select! {
        biased;
        waited = combined(results, all) => waited,
        Some(event) = next(event) => Ok(ended_by(event, places).await),
    };
    if let Ok(waited) = &mut waited {
        waited.elapsed_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        waited.panes.truncate(if is_single { 0 } else { waited.panes.len() });
    }
    Ok(waited)
}

async fn next(event: Option<oneshot::Receiver<EventOutcome>>) -> Option<EventOutcome> {
    match event {
        Some(event) => event.await.ok(),
        None => std::future::pending().await,
    }
}

type Place = (PaneId, Option<OutputCursor>, Option<LocalSender<PaneOrder>>);

/// The result of a wait that an event ended. Nothing was taken from the panes' output, so a cursor that was given stays.
async fn ended_by((outcome, at): EventOutcome, places: Vec<Place>) -> WaitResult {
    let mut panes = Vec::new();
    for (pane_id, since, orders) in places {
        let cursor = match since {
            Some(since) => since.to_string(),
            None => end_of(orders).await.unwrap_or_else(|| OutputCursor::new(0, 0).to_string()),
        };
        let outcome = if at == Some(pane_id) { outcome } else { WaitOutcome::Waiting };
        let (exit, matched, agent, dropped) = (None, None, None, None);
        panes.push(WaitedPane { pane_id, outcome, exit, matched, agent, cursor, dropped });
    }
    let place = panes.iter().find(|pane| at.is_none_or(|at| at == pane.pane_id));
    let (pane_id, cursor) =
        place.map_or_else(Default::default, |pane| (Some(pane.pane_id), pane.cursor.clone()));
    let ended = gone(pane_id.unwrap_or(PaneId::from_bytes([0; 16])), ExitStatus::Unknown);
    WaitResult { outcome, exit: None, already: false, cursor, panes, ..ended }
}

/// The cursor at the end of a pane's output.
async fn end_of(orders: Option<LocalSender<PaneOrder>>) -> Option<String> {
    let (answer, output) = oneshot::channel();
    orders?.send(PaneOrder::LastLines { lines: 0, answer }).await.ok()?;
    output.await.ok().map(|output| output.cursor)
}

async fn combined(waits: Vec<oneshot::Receiver<WaitAnswer>>, all: bool) -> WaitAnswer {
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
    let decisive = if all { decisive(&waited) } else { waited.last() };
    let mut result = decisive.cloned().ok_or(Refusal::ShuttingDown)?;
    result.panes = waited.into_iter().map(summary).collect();
    Ok(result)
}

/// Of waits that have all ended, the one that says how: the last one whose condition was not met, or else the last one of
/// a program or command that failed, or else the last one.
fn decisive(waited: &[WaitResult]) -> Option<&WaitResult> {
    let unmet = waited.iter().rev().find(|result| !is_success(Some(result)));
    let failed =
        || waited.iter().rev().find(|result| !matches!(result.exit, None | Some(ExitStatus::Code(0))));
    unmet.or_else(failed).or(waited.last())
}

/// Whether the awaited condition was met.
fn is_success(waited: Option<&WaitResult>) -> bool {
    waited.is_some_and(|waited| !matches!(waited.outcome, WaitOutcome::Timeout | WaitOutcome::Closed))
}

fn summary(waited: WaitResult) -> WaitedPane {
    let WaitResult { pane_id, outcome, exit, matched, agent, cursor, dropped, .. } = waited;
    WaitedPane { pane_id, outcome, exit, matched, agent, cursor, dropped }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(outcome: WaitOutcome, exit: Option<ExitStatus>) -> WaitResult {
        WaitResult { outcome, exit, ..gone(PaneId::from_bytes([0; 16]), ExitStatus::Unknown) }
    }

    #[test]
    fn of_several_panes_one_that_failed_gives_the_exit_code_whichever_ended_last() {
        let exited = |code| ended(WaitOutcome::Exited, Some(ExitStatus::Code(code)));
        let (timeout, matched) = (ended(WaitOutcome::Timeout, None), ended(WaitOutcome::Matched, None));
        for (waited, exit) in [
            (vec![exited(0), exited(3), exited(0)], Some(ExitStatus::Code(3))),
            (vec![exited(0), exited(0)], Some(ExitStatus::Code(0))),
            (vec![exited(3), timeout.clone(), exited(0)], None),
            (
                vec![matched.clone(), ended(WaitOutcome::Exited, Some(ExitStatus::Signal(9))), matched],
                Some(ExitStatus::Signal(9)),
            ),
        ] {
            assert_eq!(decisive(&waited).expect("there are some").exit, exit, "{waited:?}");
        }
        assert_eq!(decisive(&[timeout]).expect("it").outcome, WaitOutcome::Timeout);
    }
}
