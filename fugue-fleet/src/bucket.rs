//! KV buckets, and the restrictions that keep hosts from abusing them.

use std::time::Duration;

use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{self, DiscardPolicy, StorageType};
use futures_util::StreamExt;

use crate::broker::Broker;
use crate::failure::Failure;

/// A bucket and its bounds.
pub(crate) struct KvBucket {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// How long an entry is kept.
    pub(crate) kept: Duration,
    /// The size of the largest entry, in bytes.
    pub(crate) max_bytes: i32,
    /// The number of entries.
    pub(crate) max_entries: i64,
}

impl KvBucket {
    /// Opens the bucket.
    pub(crate) async fn open(&self, broker: &Broker) -> Result<Store, Failure> {
        let opened = broker.jetstream.get_key_value(self.name).await;
        opened.map_err(|why| Failure::nats(&format!("open the bucket {}", self.name), &why))
    }

    /// Opens the bucket, and creates it if it does not exist.
    pub(crate) async fn ensure(&self, broker: &Broker) -> Result<Store, Failure> {
        if let Ok(store) = broker.jetstream.get_key_value(self.name).await {
            return Ok(store);
        }
        let config = stream::Config {
            name: format!("KV_{}", self.name),
            description: Some(self.description.into()),
            subjects: vec![format!("$KV.{}.>", self.name)],
            max_messages: self.max_entries,
            discard: DiscardPolicy::New,
            max_messages_per_subject: 1,
            max_message_size: self.max_bytes,
            max_age: self.kept,
            storage: StorageType::File,
            num_replicas: broker.replicas,
            allow_rollup: true,
            deny_delete: true,
            // The reply to a direct request is the bare entry, under a subject that the requester chooses: a host could
            // have the server speak for another.
            allow_direct: false,
            ..stream::Config::default()
        };
        let created = broker.jetstream.get_or_create_stream(config).await;
        created.map_err(|why| Failure::nats(&format!("create the bucket {}", self.name), &why))?;
        self.open(broker).await
    }

    /// Removes an entry, as an administrator. A client of the bucket would leave a marker in its place, which is listed.
    pub(crate) async fn remove(&self, broker: &Broker, key: &str) -> Result<(), Failure> {
        let stream = self.open(broker).await?.stream;
        let removed = stream.purge().filter(format!("$KV.{}.{key}", self.name)).await;
        removed
            .map(drop)
            .map_err(|why| Failure::nats(&format!("remove host `{key}` from {}", self.name), &why))
    }

    /// The keys of the entries, in order. They are found in the description of the bucket's stream: a consumer could
    /// deliver to any subject, so hosts are not allowed to create one.
    pub(crate) async fn keys(&self, store: &Store) -> Result<Vec<String>, Failure> {
        let cannot = |why: &dyn std::fmt::Display| {
            Failure::nats(&format!("list the entries of the bucket {}", self.name), why)
        };
        let prefix = format!("$KV.{}.", self.name);
        let subjects = store.stream.info_with_subjects(format!("{prefix}>")).await;
        let mut subjects = subjects.map_err(|why| cannot(&why))?;
        let mut keys = Vec::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(|why| cannot(&why))?;
            keys.extend(subject.strip_prefix(&prefix).map(str::to_owned));
        }
        keys.sort();
        Ok(keys)
    }
}
