//! The images that a client is yet to be sent: those that are visible in the screens it watches, each once.

use std::collections::VecDeque;
use std::sync::Arc;

use fugue_protocol::PaneId;
use fugue_protocol::frames::{self, FrameKind};
use fugue_screen::ImageData;

use super::watched_screen::WatchedScreen;

/// Images that may be queued; a client that does not read shows placeholders for the others. Their bytes are shared with
/// the screens and count toward the total of all images.
const MOST_QUEUED: usize = 256;

/// The images to send, the oldest first.
#[derive(Default)]
pub(super) struct ImageQueue {
    queued: VecDeque<(PaneId, Arc<ImageData>)>,
    is_wanted: bool,
}

impl ImageQueue {
    /// Sets whether the client shows images.
    pub(super) fn set_wanted(&mut self, wanted: bool, screens: &mut [WatchedScreen]) {
        if std::mem::replace(&mut self.is_wanted, wanted) == wanted {
            return;
        }
        self.queued.clear();
        screens.iter_mut().for_each(WatchedScreen::forget_images);
        screens.iter_mut().for_each(|screen| self.screen_sent(screen));
    }

    /// Queues the new images of a screen of which an update is sent. Those that are not visible any more are dropped:
    /// the client would not know what to do with them.
    pub(super) fn screen_sent(&mut self, screen: &mut WatchedScreen) {
        if !self.is_wanted {
            return;
        }
        let pane = screen.pane();
        let new = screen.take_new_images();
        self.queued.retain(|(queued, image)| *queued != pane || screen.shows(image.key));
        let room = MOST_QUEUED.saturating_sub(self.queued.len());
        self.queued.extend(new.into_iter().take(room).map(|image| (pane, image)));
    }

    /// Drops the images of a pane that the client does not watch any more, or asked for again.
    pub(super) fn drop_pane(&mut self, pane: PaneId) {
        self.queued.retain(|(queued, _)| *queued != pane);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// Takes the next image, as a frame.
    pub(super) fn next_frame(&mut self) -> Option<Vec<u8>> {
        let (pane, image) = self.queued.pop_front()?;
        let mut frame = Vec::new();
        frames::write(&mut frame, FrameKind::Image, &[pane.as_bytes(), image.encode().as_slice()].concat());
        Some(frame)
    }
}
