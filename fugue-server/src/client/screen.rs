//! A pane's screen as one client sees it: what was sent, and what changed since.

use std::sync::Arc;

use fugue_protocol::PaneId;
use fugue_protocol::frames::{self, FrameKind};
use tokio::sync::{mpsc, oneshot};

use crate::pane::{Copied, Order, Shown, Watcher};

/// A pane that is watched.
pub(super) struct Screen {
    pane: PaneId,
    orders: mpsc::Sender<Order>,
    watcher: Arc<Watcher>,
    revision: u64,
    /// How often its program had wanted something on the clipboard when it was last looked at.
    copied: Option<u64>,
}

impl Screen {
    /// A screen of which nothing was seen yet.
    pub(super) fn new(pane: PaneId, orders: mpsc::Sender<Order>, watcher: Arc<Watcher>) -> Self {
        Self { pane, orders, watcher, revision: 0, copied: None }
    }

    pub(super) fn pane(&self) -> PaneId {
        self.pane
    }

    pub(super) fn watcher(&self) -> &Watcher {
        &self.watcher
    }

    /// Whether the pane is no more.
    pub(super) fn is_gone(&self) -> bool {
        self.orders.is_closed()
    }

    /// What changed since the last time, as a frame.
    pub(super) async fn update(&mut self) -> Option<Vec<u8>> {
        let shown = match self.watcher.take_laid(self.revision) {
            Some(shown) => shown,
            None => self.ask().await?,
        };
        self.revision = shown.revision;
        self.watcher.knows(shown.revision);
        let mut frame = Vec::new();
        frames::write(
            &mut frame,
            FrameKind::Screen,
            &[self.pane.as_bytes(), shown.update.as_slice()].concat(),
        );
        self.put_copied(&shown.copied, &mut frame);
        Some(frame)
    }

    async fn ask(&self) -> Option<Shown> {
        let (answer, update) = oneshot::channel();
        self.orders.send(Order::Update { since: self.revision, answer }).await.ok()?;
        update.await.ok()
    }

    /// What the program wants on the clipboard goes behind the screen; what it wanted before anybody looked is old.
    fn put_copied(&mut self, copied: &Copied, frame: &mut Vec<u8>) {
        if self.copied.replace(copied.count).is_some_and(|before| before != copied.count) {
            let body = [self.pane.as_bytes(), copied.text.as_bytes()].concat();
            frames::write(frame, FrameKind::Clipboard, &body);
        }
    }
}
