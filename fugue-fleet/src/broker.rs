//! The NATS side: the stream, publishing to it, and the consumer of this host's items.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{ConnectOptions, ServerAddr};
use fugue_protocol::relay_state::TroubleKind;
use fugue_protocol::{FleetHost, limits};
use futures_util::TryStreamExt;
use percent_encoding::percent_decode_str;

use crate::envelope::{self, Envelope};
use crate::failure::Failure;
use crate::security;

/// The most hosts of a fleet, each of which has a consumer. NATS 2.15 accepts 1,000 unless the stream has a limit of its
/// own; the servers' memory is used up long before this one.
const MAX_HOSTS: i32 = 10_000;

/// How long a request to the server may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the server remembers the ids of items, so that one that is published again after a failure is not stored
/// twice. Daemons recognize later ones by their id.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(600);

/// The most items of one sender for one receiver: as many as a receiver takes in at once. A host that is away longer finds
/// the rest in the sender's outbox. One sender can thus store at most 128 MiB for each host that it may send to.
const ITEMS_PER_PAIR: i64 = 256;

/// The size of the stream unless an administrator sets another: one sender that may send to 31 others cannot fill it.
pub(crate) const STREAM_BYTES: i64 = 4 << 30;

/// The most items in the stream: each costs the servers memory, whatever its size.
const STREAM_ITEMS: i64 = 1_000_000;

/// How long an item is kept for a host that is away: as long as a message can live.
const KEPT: Duration = Duration::from_millis(limits::TTL_MOST_MS);

/// How long an item may be unacknowledged before the server sends it again.
const ACK_WAIT: Duration = Duration::from_secs(30);

/// The number of items on their way to this host.
pub(crate) const BATCH: usize = 64;

/// A connection to the servers.
#[derive(Clone)]
pub(crate) struct Broker {
    pub(crate) jetstream: Context,
    own: FleetHost,
    pub(crate) replicas: usize,
}

fn stream_failure(why: &dyn std::fmt::Display) -> Failure {
    let failure = Failure::nats("use the stream FUGUE", why);
    match failure.kind() {
        Some(_) => failure,
        None => {
            let hint = "an administrator of the servers can create it with `fugue fleet setup`";
            Failure::new(failure.message(), Some(hint))
        }
    }
}

/// The options with the name and password of the first address that has them: the library does not use them by itself.
fn with_user(options: ConnectOptions, addresses: &[ServerAddr]) -> ConnectOptions {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    match addresses.iter().find_map(|address| address.username().zip(address.password())) {
        Some((user, password)) => options.user_and_password(decoded(user), decoded(password)),
        None => options,
    }
}

impl Broker {
    /// Connects to one of the servers; with `retry_on_initial_connect`, this returns at once.
    pub(crate) async fn connect(
        servers: &[String],
        own: FleetHost,
        replicas: usize,
        options: ConnectOptions,
    ) -> Result<Self, Failure> {
        let parse = |server: &String| {
            let hint = "correct `servers` in the [fleet] section of config.toml";
            let invalid = |why| Failure::new(format!("Invalid NATS server: {why}"), Some(hint));
            server.parse::<ServerAddr>().map_err(invalid)
        };
        let addresses = servers.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let client = with_user(options, &addresses).connect(addresses).await;
        let client = client.map_err(|why| security::cannot_connect(&why))?;
        let jetstream = jetstream::ContextBuilder::new().timeout(REQUEST_TIMEOUT).build(client);
        Ok(Self { jetstream, own, replicas: replicas.max(1) })
    }

    /// Creates the stream unless it exists.
    pub(crate) async fn ensure_stream(&self) -> Result<(), Failure> {
        let made = self.jetstream.get_or_create_stream(self.stream_config(STREAM_BYTES)).await;
        made.map(drop).map_err(|why| stream_failure(&why))
    }

    /// Creates the stream of this size, or gives the one that exists the current limits. Returns what it holds.
    pub(crate) async fn set_up_stream(&self, bytes: i64) -> Result<(), Failure> {
        let wanted = self.stream_config(bytes);
        let made =
            self.jetstream.get_or_create_stream(wanted.clone()).await.map_err(|why| stream_failure(&why))?;
        let mut config = made.cached_info().config.clone();
        config.max_bytes = wanted.max_bytes;
        config.max_messages = wanted.max_messages;
        config.max_messages_per_subject = wanted.max_messages_per_subject;
        config.num_replicas = wanted.num_replicas;
        if config == made.cached_info().config {
            return Ok(());
        }
        self.jetstream.update_stream(config).await.map(drop).map_err(|why| stream_failure(&why))
    }

    /// The stream. An item is removed as soon as its receiver has acknowledged it. Hosts are not permitted to purge it,
    /// but an administrator must be able to.
    fn stream_config(&self, bytes: i64) -> stream::Config {
        stream::Config {
            name: envelope::STREAM.into(),
            subjects: vec![envelope::SUBJECTS.into()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            max_messages_per_subject: ITEMS_PER_PAIR,
            max_messages: STREAM_ITEMS,
            max_bytes: bytes,
            max_age: KEPT,
            max_message_size: envelope::MAX_BYTES,
            max_consumers: MAX_HOSTS,
            duplicate_window: DUPLICATE_WINDOW,
            num_replicas: self.replicas,
            deny_delete: true,
            ..stream::Config::default()
        }
    }

    /// Whether the stream exists.
    pub(crate) async fn find_stream(&self) -> Result<(), Failure> {
        let found = self.jetstream.get_stream(envelope::STREAM).await;
        found.map(drop).map_err(|why| match why.to_string() {
            why if why.contains("no responders") => Failure::of_kind(
                TroubleKind::NoJetstream,
                "The NATS server has no JetStream",
                "start it with `--jetstream`, and enable JetStream for the account of the fleet",
            ),
            why => Failure::nats("find the stream FUGUE", &why),
        })
    }

    /// Removes what waits for a host or comes from it.
    pub(crate) async fn forget(&self, host: &FleetHost) -> Result<u64, Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::nats("purge the stream FUGUE", why);
        let stream = self.jetstream.get_stream(envelope::STREAM).await.map_err(|why| cannot(&why))?;
        let mut removed = 0;
        for subjects in [envelope::filter(host), format!("fugue.to.*.{host}")] {
            let purged = stream.purge().filter(subjects).await.map_err(|why| cannot(&why))?;
            removed += purged.purged;
        }
        let _ = stream.delete_consumer(&format!("to-{host}")).await;
        Ok(removed)
    }

    /// Publishes an item and waits until the stream has stored it. An item with an id is stored once.
    pub(crate) async fn publish(
        &self,
        to: &FleetHost,
        item: &Envelope,
        id: Option<String>,
    ) -> Result<(), Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::nats(&format!("publish to host `{to}`"), why);
        let payload = serde_json::to_vec(item).map_err(|why| cannot(&why))?;
        let publish = PublishMessage::build().payload(payload.into());
        let publish = id.into_iter().fold(publish, PublishMessage::message_id);
        let subject = envelope::subject(to, &self.own);
        let sent = self.jetstream.send_publish(subject, publish).await;
        sent.map_err(|why| cannot(&why))?.await.map(drop).map_err(|why| cannot(&why))
    }

    /// How many items for this host are in the stream.
    pub(crate) async fn waiting_items(&self) -> Result<usize, Failure> {
        self.count(envelope::filter(&self.own)).await
    }

    /// How many items from this host to another are in the stream.
    pub(crate) async fn items_to(&self, host: &FleetHost) -> Result<usize, Failure> {
        self.count(envelope::subject(host, &self.own)).await
    }

    async fn count(&self, subjects: String) -> Result<usize, Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::nats("count items", why);
        let stream = self.jetstream.get_stream_no_info(envelope::STREAM).await.map_err(|why| cannot(&why))?;
        let subjects = stream.info_with_subjects(subjects).await;
        let subjects = subjects.map_err(|why| cannot(&why))?;
        let counts = subjects.try_fold(0, |sum, (_, count)| async move { Ok(sum + count) }).await;
        counts.map_err(|why| cannot(&why))
    }

    /// A new consumer of the items for this host, from the oldest unacknowledged one on. A former consumer is deleted:
    /// what it had sent to a process that is gone would be sent again only after newer items.
    pub(crate) async fn fresh_consumer(&self) -> Result<PullConsumer, Failure> {
        let name = format!("to-{}", self.own);
        let deleted = self.jetstream.delete_consumer_from_stream(&name, envelope::STREAM).await;
        if let Err(why) = deleted.as_ref().map(drop).map_err(ToString::to_string)
            && !why.contains("not found")
        {
            return Err(Failure::nats("replace this host's consumer", &why));
        }
        let config = pull::Config {
            durable_name: Some(name),
            filter_subject: envelope::filter(&self.own),
            ack_policy: AckPolicy::Explicit,
            deliver_policy: DeliverPolicy::All,
            ack_wait: ACK_WAIT,
            max_ack_pending: i64::try_from(4 * BATCH).unwrap_or(i64::MAX),
            ..pull::Config::default()
        };
        let made = self.jetstream.create_consumer_on_stream(config, envelope::STREAM).await;
        made.map_err(|why| Failure::nats("create this host's consumer", &why))
    }
}
