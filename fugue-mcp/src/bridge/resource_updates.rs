//! Subscriptions to resources, of clients of both protocol versions.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use fugue_client::CallError;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::task::JoinSet;

use super::Bridge;
use super::resource_watch::{ChangeFeed, ResourceWatch, Watched, watch};
use crate::results;

/// The key of the watch of the list; no URI is empty.
const LIST: &str = "";

impl Bridge {
    /// Notifies a client of the older protocol version, which has listed the resources, when the list changes. A client
    /// of the newer version subscribes to that. Nothing is watched while no daemon runs.
    pub(super) async fn watch_list(&self, peer: Peer<RoleServer>) {
        let is_watched = self.watches().get(LIST).is_some_and(|watch| !watch.has_ended());
        let Some(link) = self.link().ok().filter(|_| peer.peer_info().is_some() && !is_watched) else {
            return;
        };
        let Ok(feed) = ChangeFeed::open(&link.endpoint, &Watched::List).await else { return };
        let task = tokio::spawn(watch(link.endpoint, Watched::List, Some(feed), async move || {
            let _ = peer.notify_resource_list_changed().await;
        }));
        self.watches().insert(LIST.to_owned(), ResourceWatch::of(&task));
    }

    /// Subscribes a client of the older protocol version, which names one resource at a time.
    pub(super) async fn subscribe_peer(&self, uri: String, peer: Peer<RoleServer>) -> Result<(), ErrorData> {
        let failed = |error: CallError| results::resource_error(&error);
        let resource = self.resource_at(&uri)?;
        let endpoint = self.link().map_err(failed)?.endpoint;
        let watched = Watched::Contents(resource);
        let feed = ChangeFeed::open(&endpoint, &watched).await.map_err(failed)?;
        let updated = ResourceUpdatedNotificationParam::new(uri.clone());
        let task = tokio::spawn(watch(endpoint, watched, Some(feed), async move || {
            let _ = peer.notify_resource_updated(updated.clone()).await;
        }));
        self.watches().insert(uri, ResourceWatch::of(&task));
        Ok(())
    }

    /// Ends the subscription of a client of the older protocol version.
    pub(super) fn unsubscribe_peer(&self, uri: &str) {
        self.watches().remove(uri);
    }

    fn watches(&self) -> MutexGuard<'_, BTreeMap<String, ResourceWatch>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes a client of the newer protocol version, which names all resources in one request. Dropping the set ends
    /// the subscriptions.
    pub(super) fn subscribe_all(&self, context: &SubscriptionContext) -> JoinSet<()> {
        let mut watches = JoinSet::new();
        let Ok(link) = self.link() else { return watches };
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            let Ok(resource) = self.resource_at(uri) else { continue };
            let (sink, uri) = (context.sink().clone(), uri.clone());
            let watched = Watched::Contents(resource);
            watches.spawn(watch(link.endpoint.clone(), watched, None, async move || {
                let _ = sink.notify_resource_updated(uri.clone()).await;
            }));
        }
        if context.accepted().resources_list_changed == Some(true) {
            let sink = context.sink().clone();
            watches.spawn(watch(link.endpoint, Watched::List, None, async move || {
                let _ = sink.notify_resource_list_changed().await;
            }));
        }
        watches
    }
}
