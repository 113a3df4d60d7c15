//! News: what the manager is told, by clients, panes, the keeper and git.

use std::os::fd::OwnedFd;

use fugue_config::ConfigSource;
use fugue_core::Caller;
use fugue_core::agents::Front;
use fugue_keeper::Message;
use fugue_protocol::agents::Evidence;
use fugue_protocol::orchestration::GitLocation;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{MessageId, PaneId, Refusal, RunId, SessionId, Verb};
use tokio::sync::{mpsc, oneshot};

use crate::client::Subscription;
use crate::reply::Reply;

/// What may wait for the manager. Whoever sends more waits itself.
pub(super) const DESK: usize = 4_096;

/// What the manager is told.
pub(crate) enum News {
    /// A client asks for something.
    Request { reply: Reply, verb: Box<Verb>, caller: Caller, subscription: Subscription },
    /// Who is a process with these ancestors, that claims to be in this pane?
    Identify {
        ancestors: Vec<u32>,
        claimed: Option<PaneId>,
        answer: oneshot::Sender<Result<Caller, Refusal>>,
    },
    /// Which way to a pane's task?
    Door { pane: PaneId, answer: oneshot::Sender<Option<mpsc::Sender<crate::pane::Order>>> },
    /// Git has told where these panes are; then this is to be done.
    Located { places: Vec<(PaneId, Option<GitLocation>)>, then: Option<Box<News>> },
    /// What was run in these panes has been told: they are no longer needed.
    Cleared { panes: Vec<PaneId> },
    /// `config.toml` has changed.
    ConfigChanged(ConfigSource),
    /// A client came.
    Came,
    /// A client went.
    Went { client: u64 },
    /// The keeper says something; nothing when it is gone.
    Keeper(Option<(Message, Vec<OwnedFd>)>),
    /// A program ended and all it wrote is read.
    Ended { run: RunId, exit: ExitStatus },
    /// A command that had a pane of its own is over and told.
    Told { pane: PaneId },
    /// A line that tells of these messages was typed, and taken.
    Typed { session: SessionId, messages: Vec<MessageId> },
    /// A program set its title.
    Titled { pane: PaneId, title: String },
    /// A program went to another directory.
    WentTo { pane: PaneId, cwd: String },
    /// A program rang the bell.
    Rang { pane: PaneId },
    /// A program has something to tell a person.
    Notified { pane: PaneId, title: String, body: String },
    /// What a look at a pane found.
    Seen { pane: PaneId, front: Front, signs: Vec<Evidence> },
}

/// Where news are brought.
pub(crate) type Desk = mpsc::Sender<News>;
