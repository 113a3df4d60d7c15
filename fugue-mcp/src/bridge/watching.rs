//! Subscriptions: whoever subscribed to a resource is told when it changes, at most once a second. Each has a
//! connection of its own, over which the daemon tells what changes; nothing is asked again and again.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, ServerFrame, StartPolicy};
use fugue_protocol::escape::quoted;
use fugue_protocol::verbs::{PaneChoice, SubscribeEvents, WatchPane, Whoami};
use fugue_protocol::{Event, SessionId};
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::Bridge;
use crate::resources::Address;

/// A reader is told no more often: it reads the whole resource each time.
const PAUSE: Duration = Duration::from_secs(1);

impl Bridge {
    /// The older era: a client names one resource after another, and is told through its peer.
    pub(super) async fn watch_for(&self, uri: String, peer: Peer<RoleServer>) -> Result<(), ErrorData> {
        let unknown = |why: String| ErrorData::resource_not_found(why, None);
        let address =
            Address::read(&uri).ok_or_else(|| unknown(format!("there is no resource {}", quoted(&uri))))?;
        let dial = self.reach().map_err(|why| unknown(why.to_string()))?.dial;
        let wire = open(&dial, &address).await.map_err(|why| unknown(why.to_string()))?;
        let told = uri.clone();
        let watching = tokio::spawn(watch(dial, address, Some(wire), async move || {
            let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(told.clone())).await;
        }));
        if let Some(former) = self.watches().insert(uri, watching.abort_handle()) {
            former.abort();
        }
        Ok(())
    }

    pub(super) fn forget(&self, uri: &str) {
        if let Some(watching) = self.watches().remove(uri) {
            watching.abort();
        }
    }

    fn watches(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newer era: all at once, for as long as the request lives. They end when they are dropped.
    pub(super) fn watches_of(&self, context: &SubscriptionContext) -> JoinSet<()> {
        let mut watches = JoinSet::new();
        let Ok(reached) = self.reach() else { return watches };
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            let Some(address) = Address::read(uri) else { continue };
            let (sink, told) = (context.sink().clone(), uri.clone());
            watches.spawn(watch(reached.dial.clone(), address, None, async move || {
                let _ = sink.notify_resource_updated(told.clone()).await;
            }));
        }
        watches
    }
}

/// Tells of changes until nothing can change there any more. What happened before a connection was open was not heard:
/// it may have been a change.
async fn watch(dial: Endpoint, address: Address, mut opened: Option<Opened>, changed: impl AsyncFn()) {
    loop {
        let lost = match opened.take() {
            Some(opened) => tell(opened, &changed).await,
            None => match open(&dial, &address).await {
                Ok(opened) => {
                    changed().await;
                    tell(opened, &changed).await
                }
                Err(trouble) => trouble,
            },
        };
        if !matches!(lost, CallError::Lost(_)) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// A connection, and whose inbox it is opened for, if for one.
struct Opened {
    wire: AsyncConnection,
    inbox: Option<SessionId>,
}

impl Opened {
    /// Whether what was heard is a change of what is watched.
    fn concerns(&self, heard: &ServerFrame) -> bool {
        let (Some(own), ServerFrame::Event(told)) = (self.inbox, heard) else { return true };
        match &told.event {
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

async fn open(dial: &Endpoint, address: &Address) -> Result<Opened, CallError> {
    let mut wire = AsyncConnection::open(dial, StartPolicy::Never).await?;
    let mut inbox = None;
    match address {
        Address::Sessions => drop(wire.call(&SubscribeEvents { since: None }).await?),
        Address::Inbox => {
            inbox = Some(wire.call(&Whoami::default()).await?.session_id);
            wire.call(&SubscribeEvents { since: None }).await?;
        }
        Address::Pane(pane) => {
            let Ok(choice) = pane.parse().map(|pane| PaneChoice { pane: Some(pane), session: None });
            wire.call(&WatchPane { choice, stop: false }).await?;
            // The first screen is how it stands, not a change.
            while !matches!(wire.hear().await?, ServerFrame::Screen(..)) {}
        }
    }
    Ok(Opened { wire, inbox })
}

/// Tells of what is heard, and of what was heard during the pause once that is over.
async fn tell(mut opened: Opened, changed: &impl AsyncFn()) -> CallError {
    let (mut next, mut untold) = (Instant::now(), false);
    loop {
        tokio::select! {
            heard = opened.wire.hear() => match heard {
                Ok(heard) => untold |= opened.concerns(&heard),
                Err(trouble) => return trouble,
            },
            () = tokio::time::sleep_until(next), if untold => {
                changed().await;
                (next, untold) = (Instant::now() + PAUSE, false);
            }
        }
    }
}
