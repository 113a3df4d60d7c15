//! The inputs of the manager, from clients, panes, the keeper and git.

use fugue_config::{Config, UnusableConfig};
use fugue_core::{Caller, Input};
use fugue_protocol::upgrade::{UpgradeReport, UpgradeRequest};
use fugue_protocol::views::ServerStatus;
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{Event, PaneId, Refusal, Verb};
use tokio::sync::{mpsc, oneshot};

use super::programs::pending_worktrees::WorktreeOutcome;
use super::requests::caller_identity::CallerEvidence;
use crate::channels::local_queue::LocalSender;
use crate::client::ClientFeed;
use crate::keeper_link::KeeperEvent;
use crate::pane::PaneOrder;
use crate::replies::reply::Reply;

/// Inputs that may be queued. When the queue is full, senders wait.
const QUEUE: usize = 4_096;

/// An input of the manager.
pub(crate) enum ManagerInput {
    /// A client made a request.
    Request { reply: Reply, verb: Box<Verb>, caller: Caller, feed: ClientFeed },
    /// A client asks who it is.
    Identify { evidence: Box<CallerEvidence>, answer: oneshot::Sender<Result<Caller, Refusal>> },
    /// A client asks for the queue of a pane's task, to send keys to it.
    Route(RouteRequest),
    /// The repositories of these panes were looked up; the input that waited for that follows.
    Located { locations: Vec<(PaneId, Option<GitLocation>)>, then: Option<Box<Self>> },
    /// git made the worktree in which a program is to start, or did not.
    WorktreeMade(Box<WorktreeOutcome>),
    /// A request is ready to be decided: what it depends on was looked up.
    Prepared(Box<Self>),
    /// A client asks for an upgrade, or for the report about the last one.
    Upgrade(UpgradeInput),
    /// The upgrade of the keeper has ended; if it succeeded, this daemon is to be replaced, too.
    UpgradeEnded { is_keeper_replaced: bool },
    /// The client of the call with this key has been gone for a while. The pane was opened for the call.
    CallAbandoned { pane: PaneId, key: String },
    /// A client missed events that are not stored, and asks for what led to the current state.
    Resync { answer: oneshot::Sender<Vec<Event>> },
    /// `config.toml` has changed: its settings, or why it cannot be used.
    ConfigChanged(Box<Result<Config, UnusableConfig>>),
    /// A client connected.
    Connected,
    /// A client disconnected.
    Disconnected { client: u64 },
    /// Someone asks for the status, and the keeper has responded or is known not to.
    Status { answer: oneshot::Sender<Result<ServerStatus, Refusal>> },
    /// An event from the keeper.
    Keeper(KeeperEvent),
    /// An agent did not take the answer of a rule of the user.
    RuleFailed { pane: PaneId, detail: String, refusal: Refusal },
    /// It is time to try whether events can be stored again.
    RetryStorage,
    /// The daemon was asked to terminate by a signal.
    Terminated,
    /// An input that goes to the machine as it is.
    Machine(Input),
}

/// A request for the queue of a pane's task.
pub(crate) struct RouteRequest {
    pub(crate) pane: PaneId,
    pub(crate) caller: Caller,
    pub(crate) pid: Option<u32>,
    /// Whether the client sends keys to this pane for the first time, which is audited if it is allowed.
    pub(crate) is_first: bool,
    pub(crate) answer: oneshot::Sender<Result<LocalSender<PaneOrder>, Refusal>>,
}

/// A client's request for an upgrade.
pub(crate) struct UpgradeInput {
    pub(crate) request: UpgradeRequest,
    pub(crate) caller: Caller,
    pub(crate) pid: Option<u32>,
    /// Gets the report; the client then has the keeper replaced, unless it only wants the report.
    pub(crate) answer: oneshot::Sender<Result<UpgradeReport, Refusal>>,
}

/// A sender of the manager's inputs.
pub(crate) type ManagerTx = mpsc::Sender<ManagerInput>;

/// Creates the queue of the manager's inputs.
pub(crate) fn channel() -> (ManagerTx, mpsc::Receiver<ManagerInput>) {
    mpsc::channel(QUEUE)
}
