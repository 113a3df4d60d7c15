//! The end of a pane's task, when its pane is closed or its program is replaced: everything that was asked of it is
//! answered.

use std::time::{Duration, Instant};

use fugue_protocol::views::ExitStatus;
use fugue_screen::Screen;

use super::order::PaneOrder;
use super::task::PaneTask;
use crate::channels::local_queue::LocalReceiver;

/// How long recordings of a closed pane may take to be read to their end.
const RECORDING_GRACE: Duration = Duration::from_secs(1);

impl PaneTask {
    pub(super) async fn close(&mut self, screen: &mut Screen, mut orders: LocalReceiver<PaneOrder>) {
        // These were given before the pane was closed.
        while let Some(order) = orders.try_recv() {
            self.execute(order, screen);
        }
        self.write();
        let recorded = self.status.borrow().exit_recorded;
        self.end_waits(screen, recorded, Instant::now());
        let exit = self.ended.or(self.status.borrow().exited).unwrap_or(ExitStatus::Unknown);
        self.keyboard.input().end_submits(exit);
        self.answers.end(self.id, exit);
        self.finish_recordings(exit, screen, &mut orders).await;
    }

    /// Serves recordings to their end, if that does not take long.
    async fn finish_recordings(
        &mut self,
        exit: ExitStatus,
        screen: &Screen,
        orders: &mut LocalReceiver<PaneOrder>,
    ) {
        self.subscribers.recording.ended(exit);
        let deadline = Instant::now() + RECORDING_GRACE;
        while self.subscribers.recording.is_recorded()
            && let Ok(Some(order)) = tokio::time::timeout_at(deadline.into(), orders.recv()).await
        {
            if let PaneOrder::RecordingSlice { from, answer } = order {
                let _ = answer.send(self.subscribers.recording.slice(from, screen, self.io.size()));
            }
        }
    }
}
