//! What a client wants to be sent besides answers: events, and the screens of panes.

use fugue_protocol::PaneId;
use fugue_protocol::views::PaneView;
use tokio::sync::mpsc;

use crate::pane::Order;
use crate::reply::Reply;

/// Wishes that may wait for the writer; a client that makes more at once is refused.
const WISHES: usize = 64;

/// A client's wish.
pub(super) enum Wish {
    /// Events after this one.
    Events { after: u64, reply: Reply },
    /// A pane's screen.
    Screen { pane: PaneId, orders: mpsc::Sender<Order>, reply: Reply },
    /// A pane's output.
    Recording { view: Box<PaneView>, orders: mpsc::Sender<Order>, reply: Reply },
    /// No more of a pane's screen.
    NoScreen { pane: PaneId, reply: Reply },
}

/// Where a client's wishes go: to its own writer.
#[derive(Clone)]
pub(crate) struct Subscription {
    wishes: mpsc::Sender<Wish>,
    /// The connection's number.
    pub(crate) client: u64,
    /// Whether a person looks at it.
    pub(crate) is_terminal: bool,
}

impl Subscription {
    pub(super) fn new(client: u64, is_terminal: bool) -> (Self, mpsc::Receiver<Wish>) {
        let (wishes, receiver) = mpsc::channel(WISHES);
        (Self { wishes, client, is_terminal }, receiver)
    }

    /// Send events after this one; the writer answers. Past the bound the reply refuses by being dropped.
    pub(crate) fn events(&self, after: u64, reply: Reply) {
        let _ = self.wishes.try_send(Wish::Events { after, reply });
    }

    /// Send a pane's screen; the writer answers.
    pub(crate) fn watch(&self, pane: PaneId, orders: mpsc::Sender<Order>, reply: Reply) {
        let _ = self.wishes.try_send(Wish::Screen { pane, orders, reply });
    }

    /// Send a pane's output; the writer answers.
    pub(crate) fn record(&self, view: Box<PaneView>, orders: mpsc::Sender<Order>, reply: Reply) {
        let _ = self.wishes.try_send(Wish::Recording { view, orders, reply });
    }

    /// Send nothing more of a pane's screen; the writer answers.
    pub(crate) fn unwatch(&self, pane: PaneId, reply: Reply) {
        let _ = self.wishes.try_send(Wish::NoScreen { pane, reply });
    }
}
