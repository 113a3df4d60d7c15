//! Commands that ran side by side: what each wrote is read from its pane, told, and the panes are closed.

use fugue_protocol::PaneId;
use fugue_protocol::views::{PaneOutput, ParallelRuns};
use tokio::sync::{mpsc, oneshot};

use super::{Manager, News};
use crate::pane::{Order, Pane};
use crate::reply::Reply;

type Door = mpsc::Sender<Order>;

impl Manager {
    /// Answers with what the commands wrote; their panes are closed after that, unless they are kept.
    pub(super) fn tell_outputs(&self, mut told: ParallelRuns, lines: usize, reply: Reply) {
        let door = |pane: PaneId| self.panes.get(&pane).map(Pane::door);
        let doors: Vec<_> = told.runs.iter().map(|run| door(run.pane_id)).collect();
        let desk = self.desk.clone();
        tokio::task::spawn_local(async move {
            for (run, door) in told.runs.iter_mut().zip(doors) {
                let Some(output) = tail(door, lines).await else { continue };
                run.output = output.text.trim_end().to_owned();
                run.lines_missing = output.from_line;
            }
            let panes: Vec<_> = told.runs.iter().map(|run| run.pane_id).collect();
            if !told.kept {
                let _ = desk.send(News::Cleared { panes }).await;
            }
            reply.done(&told);
        });
    }
}

async fn tail(door: Option<Door>, lines: usize) -> Option<PaneOutput> {
    let (answer, output) = oneshot::channel();
    door?.send(Order::Tail { lines, answer }).await.ok()?;
    output.await.ok()
}
