//! From the stream to the daemon. An item is acknowledged only when the daemon has stored it, or when its sender was told
//! why it cannot be.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use fugue_protocol::FleetHost;
use fugue_protocol::views::RemoteReceipt;
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::sync::watch;

use crate::broker::{BATCH, Broker};
use crate::delivery::{Delivery, Item};
use crate::envelope::{self, Envelope};
use crate::failure::{Failure, say};
use crate::relay_state::{Connected, SharedState};

/// The pause before a new consumer is made after something went wrong, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// How often the server says that it is still there.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// How long a request for items is open.
const EXPIRES: Duration = Duration::from_secs(30);

/// How long nothing may arrive before the relay looks whether the stream still has items for this host.
const IDLE: Duration = Duration::from_secs(20);

/// What takes items in.
pub(crate) struct Inbound {
    pub(crate) broker: Broker,
    pub(crate) delivery: Delivery,
    pub(crate) states: SharedState,
    /// The last of this relay's own items that arrived.
    pub(crate) arrivals: watch::Sender<String>,
    /// Why items cannot be received, if they cannot.
    pub(crate) not_receiving: watch::Sender<Option<String>>,
}

impl Inbound {
    /// Takes items in until the process ends.
    pub(crate) async fn run(mut self, mut connected: Connected) {
        let mut pause = PAUSES.0;
        loop {
            connected.wait().await;
            let started = Instant::now();
            let mut name = connected.clone();
            let received = tokio::select! {
                received = self.receive() => received,
                // The rest is for the machine that has the name now.
                () = name.taken() => continue,
            };
            if let Err(failure) = received {
                if connected.is_now() {
                    say(failure.message());
                    self.not_receiving.send_replace(Some(failure.message().to_owned()));
                }
                if started.elapsed() > PAUSES.1 {
                    pause = PAUSES.0;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }

    /// Takes items in, in the order of the stream, until something is missing or the line drops.
    async fn receive(&mut self) -> Result<(), Failure> {
        self.broker.ensure_stream().await?;
        let consumer = self.broker.fresh_consumer().await?;
        let items = consumer.stream().max_messages_per_batch(BATCH).heartbeat(HEARTBEAT).expires(EXPIRES);
        let items = items.messages().await.map_err(|why| Failure::nats("read this host's items", &why))?;
        let mut batches = items.ready_chunks(BATCH);
        let (mut expected, mut idle) = (1, IdleChecks::default());
        loop {
            let Ok(batch) = tokio::time::timeout(IDLE, batches.next()).await else {
                if idle.found(self.broker.waiting_items().await?) {
                    return Err(Failure::new("Items were left behind; starting again", None));
                }
                continue;
            };
            let Some(batch) = batch else { break };
            idle = IdleChecks::default();
            self.not_receiving.send_replace(None);
            let batch: Result<Vec<Message>, _> = batch.into_iter().collect();
            let batch = batch.map_err(|why| Failure::nats("read this host's items", &why))?;
            for message in &batch {
                // An item that got lost on its way would come after newer ones: a new consumer begins with it.
                let number = message.info().map(|info| info.consumer_sequence);
                let number = number.map_err(|why| Failure::nats("read an item", &why))?;
                if number != expected {
                    return Err(Failure::new(format!("Item {expected} is missing; starting again"), None));
                }
                expected += 1;
            }
            self.take(&batch).await;
            for message in &batch {
                message.ack().await.map_err(|why| Failure::nats("acknowledge an item", &why))?;
            }
        }
        Err(Failure::new("The server closed the consumer; starting again", None))
    }

    /// Hands a batch to the daemon, and tells other hosts which of their messages it refuses.
    async fn take(&mut self, batch: &[Message]) {
        let items: Vec<_> = batch.iter().filter_map(|message| self.read(message)).collect();
        let count = items.len();
        let mut receipts = BTreeMap::<FleetHost, Vec<RemoteReceipt>>::new();
        for (host, refused) in self.delivery.take(items).await {
            receipts.entry(host.clone()).or_default().push(envelope::dead_letter(&host, refused));
        }
        self.states.count(0, count);
        tell_senders(receipts, |host, receipts| {
            let broker = &self.broker;
            async move { broker.publish(&host, &Envelope::Receipts(receipts), None).await }
        })
        .await;
    }

    /// Reads an item. One that makes no sense is dropped: its sender does not keep to the form.
    fn read(&self, message: &Message) -> Option<Item> {
        let from = envelope::sender(&message.subject, &self.delivery.host);
        let envelope = serde_json::from_slice(&message.payload);
        match (from, envelope) {
            (Some(from), Ok(Envelope::RoundTrip(id))) => {
                if from == self.delivery.host {
                    self.arrivals.send_replace(id);
                }
                None
            }
            (Some(from), Ok(envelope)) => Some(Item { from, envelope, bytes: message.payload.len() }),
            (from, _) => {
                let from = from.map_or_else(|| "an unnamed host".into(), |from| format!("host `{from}`"));
                say(&format!("dropped an unreadable item from {from}"));
                None
            }
        }
    }
}

/// Publishes receipts to all hosts at the same time. A receipt that cannot be published, because too many items wait for
/// its host, is dropped: whatever else arrives must not wait for it, and the host's relay sends the message again later,
/// which is then refused once more.
async fn tell_senders<P: Future<Output = Result<(), Failure>>>(
    receipts: BTreeMap<FleetHost, Vec<RemoteReceipt>>,
    publish: impl Fn(FleetHost, Vec<RemoteReceipt>) -> P,
) {
    let publish = &publish;
    let told = receipts.into_iter().map(|(host, receipts)| async move {
        let count = receipts.len();
        if let Err(failure) = publish(host.clone(), receipts).await {
            say(&format!("dropped {count} receipts for host `{host}`: {}", failure.message()));
        }
    });
    join_all(told).await;
}

/// Looks at the stream while nothing arrives. After a crash, some servers (2.9) have consumers that skip items; a new
/// consumer gets them.
#[derive(Default)]
struct IdleChecks {
    had_items: bool,
}

impl IdleChecks {
    /// Notes how many items the stream has for this host. Returns whether it had some the last time, too: those of the
    /// first time may still have been on their way.
    fn found(&mut self, items: usize) -> bool {
        std::mem::replace(&mut self.had_items, items > 0) && items > 0
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::views::RefusedDelivery;

    use super::*;

    #[tokio::test]
    async fn a_receipt_that_cannot_be_published_holds_up_no_other() {
        let [full, other] = ["full", "other"].map(|host| host.parse::<FleetHost>().expect("a host"));
        let receipts = [&full, &other].map(|host| {
            let message_id = fugue_protocol::MessageId::from_bytes([1; 16]);
            let refused = RefusedDelivery { message_id, reason: "no session".into(), nobody: true };
            (host.clone(), vec![envelope::dead_letter(host, refused)])
        });
        let published = std::cell::RefCell::new(Vec::new());
        tell_senders(receipts.into(), |host, _| {
            let fails = host == full;
            published.borrow_mut().push(host);
            async move { if fails { Err(Failure::new("maximum messages exceeded", None)) } else { Ok(()) } }
        })
        .await;
        assert_eq!(*published.borrow(), [full, other]);
    }

    #[test]
    fn items_that_stay_in_the_stream_while_nothing_arrives_were_left_behind() {
        let mut idle = IdleChecks::default();
        assert_eq!([0, 3, 0, 2, 2].map(|items| idle.found(items)), [false, false, false, false, true]);
    }
}
