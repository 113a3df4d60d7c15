//! The watch of one resource: a subscriber is notified when it changes, at most once a second. Each watch has a connection
//! of its own, over which the daemon reports changes; nothing is polled.

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
    resource: ResourceUri,
    mut open: Option<ChangeFeed>,
    notify: impl AsyncFn(),
) {
    loop {
        let error = match open.take() {
            Some(feed) => feed.notify_changes(&notify).await,
            None => match ChangeFeed::open(&endpoint, &resource).await {
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

/// A connection on which the daemon reports changes of one resource.
pub(super) struct ChangeFeed {
    connection: AsyncConnection,
    /// The session whose inbox is watched, if the resource is an inbox.
    inbox: Option<SessionId>,
}

impl ChangeFeed {
    pub(super) async fn open(endpoint: &Endpoint, resource: &ResourceUri) -> Result<Self, CallError> {
        let mut connection = AsyncConnection::open(endpoint, StartPolicy::Never).await?;
        let mut inbox = None;
        match resource {
            ResourceUri::Sessions => drop(connection.call(&SubscribeEvents { since: None }).await?),
            ResourceUri::Inbox => {
                inbox = Some(connection.call(&Whoami::default()).await?.session_id);
                connection.call(&SubscribeEvents { since: None }).await?;
            }
            ResourceUri::Pane(pane) => {
                let Ok(choice) = pane.parse().map(|pane| PaneChoice { pane: Some(pane), session: None });
                connection.call(&WatchPane { choice, stop: false }).await?;
                // The first screen is the current state, not a change.
                while !matches!(connection.next_frame().await?, ServerFrame::Screen(..)) {}
            }
        }
        Ok(Self { connection, inbox })
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

    /// Whether a frame reports a change of the resource.
    fn concerns(&self, frame: &ServerFrame) -> bool {
        let (Some(own), ServerFrame::Event(record)) = (self.inbox, frame) else { return true };
        match &record.event {
            Event::MessageSent(sent) => {
                sent.recipients.iter().any(|to| to.session == own)
                    || sent.from.as_ref().is_some_and(|from| from.session == own && sent.reply_to.is_some())
            }
            Event::MessagesRead { session, .. } => *session == own,
            Event::MessagesExpired { .. } => true,
            _ => false,
        }
    }
}
