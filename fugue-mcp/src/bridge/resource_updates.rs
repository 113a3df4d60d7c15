//! Subscriptions to resources: a subscriber is notified when a resource changes, at most once a second. Each subscription
//! has a connection of its own, over which the daemon reports changes; nothing is polled.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, ServerFrame, StartPolicy};
use fugue_protocol::verbs::{PaneChoice, SubscribeEvents, WatchPane, Whoami};
use fugue_protocol::{Event, SessionId};
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::Bridge;
use crate::resources::{self, ResourceUri};

/// The minimum time between notifications: the subscriber reads the whole resource after each.
const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// The task that watches a resource for a client of the older protocol version. It ends with the subscription, or with
/// the client's session.
#[derive(Debug)]
pub(super) struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Bridge {
    /// Subscribes a client of the older protocol version, which names one resource at a time.
    pub(super) async fn subscribe_peer(&self, uri: String, peer: Peer<RoleServer>) -> Result<(), ErrorData> {
        let failed = |error: CallError| ErrorData::resource_not_found(error.to_string(), None);
        let resource = ResourceUri::parse(&uri).ok_or_else(|| resources::not_found(&uri))?;
        let endpoint = self.link().map_err(failed)?.endpoint;
        let feed = ChangeFeed::open(&endpoint, &resource).await.map_err(failed)?;
        let updated = ResourceUpdatedNotificationParam::new(uri.clone());
        let task = tokio::spawn(watch(endpoint, resource, Some(feed), async move || {
            let _ = peer.notify_resource_updated(updated.clone()).await;
        }));
        self.watches().insert(uri, Watch(task.abort_handle()));
        Ok(())
    }

    /// Ends the subscription of a client of the older protocol version.
    pub(super) fn unsubscribe_peer(&self, uri: &str) {
        self.watches().remove(uri);
    }

    fn watches(&self) -> MutexGuard<'_, BTreeMap<String, Watch>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes a client of the newer protocol version, which names all resources in one request. Dropping the set ends
    /// the subscriptions.
    pub(super) fn subscribe_all(&self, context: &SubscriptionContext) -> JoinSet<()> {
        let mut watches = JoinSet::new();
        let Ok(link) = self.link() else { return watches };
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            let Some(resource) = ResourceUri::parse(uri) else { continue };
            let (sink, uri) = (context.sink().clone(), uri.clone());
            watches.spawn(watch(link.endpoint.clone(), resource, None, async move || {
                let _ = sink.notify_resource_updated(uri.clone()).await;
            }));
        }
        watches
    }
}

/// Notifies of changes until the resource is gone. After a reconnect it notifies at once, because changes may have been
/// missed.
async fn watch(
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
struct ChangeFeed {
    connection: AsyncConnection,
    /// The session whose inbox is watched, if the resource is an inbox.
    inbox: Option<SessionId>,
}

impl ChangeFeed {
    async fn open(endpoint: &Endpoint, resource: &ResourceUri) -> Result<Self, CallError> {
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
