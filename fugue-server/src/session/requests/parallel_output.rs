//! The output of commands that ran in parallel: it is read from their panes, which are then closed.

use fugue_core::Input;
use fugue_protocol::views::{PaneOutput, ParallelRuns};
use tokio::sync::oneshot;

use crate::channels::local_queue::LocalSender;
use crate::pane::PaneOrder;
use crate::replies::reply::Reply;
use crate::session::manager_inputs::{ManagerInput, ManagerTx};
use crate::tasks;

type PaneOrders = Option<LocalSender<PaneOrder>>;

/// Replies with the last lines of each command's output, read through its pane's queue. Then the panes are closed, unless
/// they are to be kept.
pub(super) fn reply_with_outputs(
    mut runs: ParallelRuns,
    orders: Vec<PaneOrders>,
    lines: usize,
    manager: ManagerTx,
    reply: Reply,
) {
    tasks::spawn_local(async move {
        for (run, orders) in runs.runs.iter_mut().zip(orders) {
            let Some(output) = last_lines(orders, lines).await else { continue };
            run.output = output.text.trim_end().to_owned();
            (run.lines_missing, run.bytes_missing) = (output.lines_missing, output.bytes_missing);
            run.dropped = output.dropped;
            run.start = output.start.unwrap_or_else(|| "0:0".into());
        }
        // Once the panes are closed, only the stored answer knows the results.
        reply.answer_slot().iter().for_each(|slot| slot.put(&runs));
        let panes: Vec<_> = runs.runs.iter().map(|run| run.pane_id).collect();
        if !runs.kept {
            let _ = manager.send(ManagerInput::Machine(Input::PanesReleased { panes })).await;
        }
        reply.done(&runs);
    });
}

async fn last_lines(orders: PaneOrders, lines: usize) -> Option<PaneOutput> {
    let (answer, output) = oneshot::channel();
    orders?.send(PaneOrder::LastLines { lines, answer }).await.ok()?;
    output.await.ok()
}
