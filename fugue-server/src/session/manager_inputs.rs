//! The inputs of the manager, from clients, panes, the keeper and git.

use fugue_config::ConfigSource;
use fugue_core::{Caller, Input};
use fugue_protocol::git_location::GitLocation;
use fugue_protocol::{PaneId, Refusal, Verb};
use tokio::sync::{mpsc, oneshot};

use crate::client::ClientFeed;
use crate::keeper_link::KeeperEvent;
use crate::pane::PaneOrder;
use crate::reply::Reply;

/// Inputs that may be queued. When the queue is full, senders wait.
const QUEUE: usize = 4_096;

/// An input of the manager.
pub(crate) enum ManagerInput {
    /// A client made a request.
    Request { reply: Reply, verb: Box<Verb>, caller: Caller, feed: ClientFeed },
    /// A client asks who it is: a process with these ancestors that claims to be in this pane.
    Identify {
        ancestors: Vec<u32>,
        claimed: Option<PaneId>,
        answer: oneshot::Sender<Result<Caller, Refusal>>,
    },
    /// A client asks for the queue of a pane's task.
    Route { pane: PaneId, answer: oneshot::Sender<Option<mpsc::Sender<PaneOrder>>> },
    /// The repositories of these panes were looked up; the input that waited for that follows.
    Located { locations: Vec<(PaneId, Option<GitLocation>)>, then: Option<Box<Self>> },
    /// `config.toml` has changed.
    ConfigChanged(ConfigSource),
    /// A client connected.
    Connected,
    /// A client disconnected.
    Disconnected { client: u64 },
    /// An event from the keeper.
    Keeper(KeeperEvent),
    /// It is time to try whether events can be stored again.
    RetryStorage,
    /// The daemon was asked to terminate by a signal.
    Terminated,
    /// An input that goes to the machine as it is.
    Machine(Input),
}

/// A sender of the manager's inputs.
pub(crate) type ManagerTx = mpsc::Sender<ManagerInput>;

/// Creates the queue of the manager's inputs.
pub(crate) fn channel() -> (ManagerTx, mpsc::Receiver<ManagerInput>) {
    mpsc::channel(QUEUE)
}
