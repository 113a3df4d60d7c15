//! A pane's screen as one client sees it: the revision that was sent, and the changes since.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use fugue_protocol::PaneId;
use fugue_protocol::frames::{self, FrameKind};
use fugue_screen::ImageData;
use tokio::sync::oneshot;

use crate::channels::local_queue::LocalSender;
use crate::pane::{Clipboard, PaneOrder, ScreenUpdate, Subscriber};

/// A pane's screen that a client watches.
pub(super) struct WatchedScreen {
    pane: PaneId,
    orders: LocalSender<PaneOrder>,
    subscriber: Rc<Subscriber>,
    revision: u64,
    /// The clipboard's count when the screen was last sent.
    clipboard: Option<u64>,
    /// The images that were visible when the screen was last sent.
    images: Vec<Arc<ImageData>>,
    /// The images among them that the client has, or will have when it has read everything.
    sent: BTreeSet<u64>,
}

impl WatchedScreen {
    /// A screen of which nothing was sent yet.
    pub(super) fn new(pane: PaneId, orders: LocalSender<PaneOrder>, subscriber: Rc<Subscriber>) -> Self {
        let (clipboard, images, sent) = (None, Vec::new(), BTreeSet::new());
        Self { pane, orders, subscriber, revision: 0, clipboard, images, sent }
    }

    pub(super) fn pane(&self) -> PaneId {
        self.pane
    }

    pub(super) fn subscriber(&self) -> &Subscriber {
        &self.subscriber
    }

    /// Whether the pane is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.orders.is_closed()
    }

    /// Returns what changed since the last call, as a frame.
    pub(super) async fn update(&mut self) -> Option<Vec<u8>> {
        let update = match self.subscriber.take_prepared(self.revision) {
            Some(update) => update,
            None => self.request().await?,
        };
        self.revision = update.revision;
        self.subscriber.set_known(update.revision);
        self.images = update.images.unwrap_or_else(|| std::mem::take(&mut self.images));
        let mut frame = Vec::new();
        frames::write(
            &mut frame,
            FrameKind::Screen,
            &[self.pane.as_bytes(), update.encoded.as_slice()].concat(),
        );
        self.append_clipboard(&update.clipboard, &mut frame);
        Some(frame)
    }

    /// Returns the images that the client does not have yet. It forgets those that are not visible any more, as it is
    /// assumed here.
    pub(super) fn take_new_images(&mut self) -> Vec<Arc<ImageData>> {
        let visible: BTreeSet<u64> = self.images.iter().map(|image| image.key).collect();
        self.sent.retain(|key| visible.contains(key));
        let new = self.images.iter().filter(|image| !self.sent.contains(&image.key));
        let new: Vec<_> = new.map(Arc::clone).collect();
        self.sent.extend(new.iter().map(|image| image.key));
        new
    }

    /// Whether an image is visible.
    pub(super) fn shows(&self, key: u64) -> bool {
        self.images.iter().any(|image| image.key == key)
    }

    /// Forgets what the client has, because it does not want images.
    pub(super) fn forget_images(&mut self) {
        self.sent.clear();
    }

    async fn request(&self) -> Option<ScreenUpdate> {
        let (answer, update) = oneshot::channel();
        self.orders.send(PaneOrder::Update { since: self.revision, answer }).await.ok()?;
        update.await.ok()
    }

    /// Appends the clipboard's new text after the screen. Text set before this client watched is not sent.
    fn append_clipboard(&mut self, clipboard: &Clipboard, frame: &mut Vec<u8>) {
        if self.clipboard.replace(clipboard.count).is_some_and(|before| before != clipboard.count) {
            let body = [self.pane.as_bytes(), clipboard.text.as_bytes()].concat();
            frames::write(frame, FrameKind::Clipboard, &body);
        }
    }
}
