//! A client's feed: what it is sent besides replies, such as events and the screens of panes. The manager grants these
//! requests; the client's own writer carries them out and replies.

use fugue_protocol::PaneId;
use fugue_protocol::views::PaneView;
use tokio::sync::mpsc;

use crate::channels::local_queue::LocalSender;
use crate::pane::PaneOrder;
use crate::replies::reply::Reply;

/// Requests that may be queued for the writer; a client that makes more at once is refused.
const QUEUE: usize = 64;

/// A change to what a client is sent.
pub(super) enum FeedRequest {
    /// Send the events after this one.
    Events { after: u64, reply: Reply },
    /// Send a pane's screen.
    Screen { pane: PaneId, orders: LocalSender<PaneOrder>, reply: Reply },
    /// Send a pane's output.
    Recording { view: Box<PaneView>, orders: LocalSender<PaneOrder>, reply: Reply },
    /// Send the images in screens, or stop sending them.
    Images { wanted: bool },
    /// Stop sending a pane's screen.
    StopScreen { pane: PaneId, reply: Reply },
}

/// A handle to a client's feed. When its queue is full, the reply is dropped, which refuses the request.
#[derive(Clone)]
pub(crate) struct ClientFeed {
    requests: mpsc::Sender<FeedRequest>,
    /// The connection's number.
    pub(crate) client: u64,
    /// The client's process.
    pub(crate) pid: Option<u32>,
    /// Whether the client is a person's terminal.
    pub(crate) is_terminal: bool,
}

impl ClientFeed {
    pub(super) fn new(
        client: u64,
        pid: Option<u32>,
        is_terminal: bool,
    ) -> (Self, mpsc::Receiver<FeedRequest>) {
        let (requests, receiver) = mpsc::channel(QUEUE);
        (Self { requests, client, pid, is_terminal }, receiver)
    }

    /// Sends the client all events after this one.
    pub(crate) fn send_events(&self, after: u64, reply: Reply) {
        let _ = self.requests.try_send(FeedRequest::Events { after, reply });
    }

    /// Sends the client a pane's screen and its changes.
    pub(crate) fn send_screen(&self, pane: PaneId, orders: LocalSender<PaneOrder>, reply: Reply) {
        let _ = self.requests.try_send(FeedRequest::Screen { pane, orders, reply });
    }

    /// Sends the client a pane's output as it is written.
    pub(crate) fn send_recording(&self, view: Box<PaneView>, orders: LocalSender<PaneOrder>, reply: Reply) {
        let _ = self.requests.try_send(FeedRequest::Recording { view, orders, reply });
    }

    /// Sends the client the images in the screens that it watches, or stops sending them.
    pub(crate) fn send_images(&self, wanted: bool) {
        let _ = self.requests.try_send(FeedRequest::Images { wanted });
    }

    /// Stops sending a pane's screen.
    pub(crate) fn stop_screen(&self, pane: PaneId, reply: Reply) {
        let _ = self.requests.try_send(FeedRequest::StopScreen { pane, reply });
    }
}
