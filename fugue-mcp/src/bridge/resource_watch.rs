//! The watch of one resource, or of the list of resources: a subscriber is notified when it changes, at most once a
//! second. Each watch has a connection of its own, over which the daemon reports changes; nothing is polled.

use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, ServerFrame, StartPolicy};
use fugue_protocol::verbs::{PaneChoice, SubscribeEvents, WatchPane, Whoami};
use fugue_protocol::{Event, SessionId};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::Instant;

use crate::resources::ResourceUri;

/// The minimum time between notifications: the subscriber reads the whole resource after each.
const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// The task that watches a resource for a client of the older protocol version. It ends with the subscription, or with
/// the client's session.
#[derive(Debug)]
pub(super) struct ResourceWatch(AbortHandle);

impl ResourceWatch {
    /// A watch that ends this task when it is dropped.
    pub(super) fn of(task: &JoinHandle<()>) -> Self {
        Self(task.abort_handle())
    }

    /// Whether it has ended because the daemon is gone.
    pub(super) fn has_ended(&self) -> bool {
        self.0.is_finished()
    }
}

/// What is watched.
#[derive(Debug, Clone)]
pub(super) enum Watched {
    /// The contents of a resource.
    Contents(ResourceUri),
    /// The list of resources, which has one for each pane.
    List,
}

impl Drop for ResourceWatch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Notifies of changes until the resource is gone. After a reconnect it notifies at once, because changes may have been
/// missed.
pub(super) async fn watch(
    endpoint: Endpoint,
    watched: Watched,
    mut open: Option<ChangeFeed>,
    notify: impl AsyncFn(),
) {
    loop {
        let error = match open.take() {
            Some(feed) => feed.notify_changes(&notify).await,
            None => match ChangeFeed::open(&endpoint, &watched).await {
                Ok(feed) => {
                    notify().await;
                    feed.notify_changes(&notify).await
                }
                Err(error) => error,
            },
        };
        if !error.is_temporary() {
            return;
        }
        tokio::time::sleep(UPDATE_INTERVAL).await;
    }
}

/// A connection on which the daemon reports changes of what is watched.
pub(super) struct ChangeFeed {
    connection: AsyncConnection,
    relevant: RelevantFrames,
}

/// Which of the frames on the connection report a change.
enum RelevantFrames {
    All,
    /// Events about the inbox of this session.
    Inbox(SessionId),
    /// Events about panes that come, go or are renamed.
    Panes,
}

impl ChangeFeed {
    pub(super) async fn open(endpoint: &Endpoint, watched: &Watched) -> Result<Self, CallError> {
        let mut connection = AsyncConnection::open(endpoint, StartPolicy::Never).await?;
        let mut relevant = RelevantFrames::All;
        match watched {
            Watched::Contents(ResourceUri::Sessions) => {
                connection.call(&SubscribeEvents { since: None }).await?;
            }
            Watched::List => {
                relevant = RelevantFrames::Panes;
                connection.call(&SubscribeEvents { since: None }).await?;
            }
            Watched::Contents(ResourceUri::Inbox) => {
                relevant = RelevantFrames::Inbox(connection.call(&Whoami::default()).await?.session_id);
                connection.call(&SubscribeEvents { since: None }).await?;
            }
            Watched::Contents(ResourceUri::Pane(pane)) => {
                let Ok(choice) = pane.parse().map(|pane| PaneChoice { pane: Some(pane), session: None });
                connection.call(&WatchPane { choice, stop: false }).await?;
                // The first screen is the current state, not a change.
                while !matches!(connection.next_frame().await?, ServerFrame::Screen(..)) {}
            }
        }
        Ok(Self { connection, relevant })
    }

    /// Notifies of changes until the connection fails. Changes within the interval are reported together at its end.
    async fn notify_changes(mut self, notify: &impl AsyncFn()) -> CallError {
        let (mut next, mut pending) = (Instant::now(), false);
        loop {
            tokio::select! {
                frame = self.connection.next_frame() => match frame {
                    Ok(frame) => pending |= self.concerns(&frame),
                    Err(error) => return error,
                },
                () = tokio::time::sleep_until(next), if pending => {
                    notify().await;
                    (next, pending) = (Instant::now() + UPDATE_INTERVAL, false);
                }
            }
        }
    }

    /// Whether a frame reports a change.
    fn concerns(&self, frame: &ServerFrame) -> bool {
        let ServerFrame::Event(record) = frame else { return true };
        match &self.relevant {
            RelevantFrames::All => true,
            RelevantFrames::Inbox(own) => concerns_inbox(&record.event, *own),
            RelevantFrames::Panes => concerns_panes(&record.event),
        }
    }
}

/// Whether an event changes the list of panes, or what it says of a pane.
fn concerns_panes(event: &Event) -> bool {
    matches!(
        event,
        Event::PaneOpened(_) | Event::PaneClosed { .. } | Event::PaneRenamed { .. } | Event::PaneRespawned(_)
    )
}

/// Whether an event changes the inbox of a session.
fn concerns_inbox(event: &Event, own: SessionId) -> bool {
    match event {
        Event::MessageSent(sent) => {
            sent.recipients.iter().any(|to| to.session == own)
                || sent.from.as_ref().is_some_and(|from| from.session == own && sent.reply_to.is_some())
        }
        Event::MessagesRead { session, .. } => *session == own,
        Event::MessagesExpired { .. } => true,
        _ => false,
    }
}
