//! The last screen of a pane that was closed because its program ended. For a while, it answers reads and waits in place of
//! the pane's task. It is kept in memory only; after a restart of the daemon, only the exit status is known.

use std::rc::Rc;
use std::time::{Duration, Instant};

use fugue_core::edge_request::{ReadRequest, WaitRequest};
use fugue_core::ended_panes::ENDED_MS;
use fugue_protocol::views::{ExitStatus, PaneOutput, WaitResult};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::Screen;
use tokio::sync::{oneshot, watch};

use crate::pane::handle::PaneHandle;
use crate::pane::text::text_reader;
use crate::pane::waiters::Waiters;
use crate::tasks;

/// The most bytes of one of these screens, compressed: a screen of usual size and a few thousand lines. Of all that are
/// kept at a time, 8 MiB.
const SCREEN_BYTES: usize = 128 << 10;

/// A screen as bytes, once the pane's task has ended; none before that and after its time.
type StoredScreen = Option<Rc<[u8]>>;

/// The last screen of a pane.
pub(crate) struct LastScreen {
    pane: PaneId,
    exit: ExitStatus,
    stored: watch::Receiver<StoredScreen>,
}

impl LastScreen {
    /// Takes over the screen of a pane that is closed, and frees it after a while.
    pub(crate) fn keep(pane: PaneId, handle: PaneHandle, exit: ExitStatus) -> Self {
        let (sender, stored) = watch::channel(None);
        tasks::spawn_local(async move {
            let bytes = handle.into_screen().await.snapshot_tail(SCREEN_BYTES);
            let _ = sender.send(bytes.map(Rc::from));
            tokio::select! {
                () = sender.closed() => {}
                () = tokio::time::sleep(Duration::from_millis(ENDED_MS)) => drop(sender.send_replace(None)),
            }
        });
        Self { pane, exit, stored }
    }

    /// Whether this is the screen of a pane.
    pub(crate) fn is_of(&self, pane: PaneId) -> bool {
        self.pane == pane
    }

    /// Reads the text that is asked for.
    pub(crate) fn read(&self, reading: ReadRequest) -> oneshot::Receiver<Result<PaneOutput, Refusal>> {
        let (pane, exit) = (self.pane, self.exit);
        self.with_screen(move |screen| {
            let mut output = text_reader::read(pane, screen, &reading, Some(exit))?;
            if let Some(dropped) = &mut output.dropped {
                dropped.reason.get_or_insert_with(|| "of an ended pane, only the last output is kept".into());
            }
            Ok(output)
        })
    }

    /// Answers a wait: a pattern may match what the program has written, and everything else has ended with it.
    pub(crate) fn wait(&self, waiting: WaitRequest) -> oneshot::Receiver<Result<WaitResult, Refusal>> {
        let (pane, exit) = (self.pane, self.exit);
        self.with_screen(move |screen| {
            let (answer, mut answered) = oneshot::channel();
            Waiters::answer_ended(pane, &waiting, answer, (screen, exit), Instant::now());
            answered.try_recv().unwrap_or(Err(Refusal::ShuttingDown))
        })
    }

    /// Calls a function with the screen once the pane's task has ended.
    fn with_screen<T: 'static>(
        &self,
        act: impl FnOnce(&Screen) -> Result<T, Refusal> + 'static,
    ) -> oneshot::Receiver<Result<T, Refusal>> {
        let (answer, receiver) = oneshot::channel();
        let (mut stored, pane, exit) = (self.stored.clone(), self.pane, self.exit);
        tasks::spawn_local(async move {
            let stored = stored.wait_for(Option::is_some).await.ok().and_then(|stored| stored.clone());
            let screen = stored.and_then(|bytes| Screen::restore(&bytes).ok());
            let gone = || Refusal::OutputNotKept { pane: pane.to_string(), exit };
            let _ = answer.send(screen.ok_or_else(gone).and_then(|screen| act(&screen)));
        });
        receiver
    }
}
