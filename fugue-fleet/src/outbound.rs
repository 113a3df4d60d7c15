//! From the daemon's outbox to the stream. Each host has its own order and its own pauses: one whose items cannot be
//! stored does not hold up the others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fugue_protocol::FleetHost;
use fugue_protocol::agent_messages::RemoteTarget;
use fugue_protocol::relay_state::TroubleKind;
use fugue_protocol::verbs::{ConfirmOutbox, DeliverRemote, ExpandOutbox, RelayedMessage, TakeOutbox};
use fugue_protocol::views::{OutboxPage, RefusedDelivery, RemoteMessage, RemoteReceipt};
use futures_util::future::join_all;

use crate::broker::Broker;
use crate::daemon_link::DaemonLink;
use crate::envelope::{self, Envelope};
use crate::failure::{Failure, say};
use crate::members::KnownHosts;
use crate::presence;
use crate::relay_state::{Connected, SharedState, now};

/// How long the daemon may hold a request for the outbox. It ends sooner when there is something in it.
const WAIT: Duration = Duration::from_secs(60);

/// The first pause after an item could not be stored, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));

/// How long a message waits for a host that has never joined the fleet: both may be set up at the same time.
const JOIN_TIME: Duration = Duration::from_secs(30);

/// How many receipts travel in one item.
const RECEIPTS: usize = 100;

/// What relays the outbox.
pub(crate) struct Outbound {
    pub(crate) broker: Broker,
    pub(crate) own: FleetHost,
    pub(crate) daemon: DaemonLink,
    /// Hosts that are reached over ssh.
    pub(crate) except: Vec<FleetHost>,
    /// After what time a message is relayed again if its host has not said that it has stored it.
    pub(crate) resend_after: Duration,
    pub(crate) states: SharedState,
    pub(crate) known: KnownHosts,
}

impl Outbound {
    /// Relays the outbox until the process ends.
    pub(crate) async fn run(mut self, mut connected: Connected) {
        let mut paused = PausedHosts::default();
        let mut next_check = Instant::now();
        loop {
            connected.wait().await;
            let request = self.request(&paused, &mut next_check);
            let mut page = self.daemon.persist(&request).await;
            if !connected.is_now() {
                continue;
            }
            if !page.groups.is_empty() {
                expand(&self.broker, &mut self.daemon, &page, &mut paused).await;
            }
            page.messages = self.without_waiting(page.messages).await;
            let page = refuse_absent_hosts(&self.broker, &mut self.daemon, page).await;
            let page = self.refuse_strangers(page, &mut paused).await;
            let confirmed = relay_page(&self.broker, &self.own, page, &mut paused, &self.states).await;
            self.states.count(confirmed.relayed.len() + confirmed.reported.len(), 0);
            if !confirmed.relayed.is_empty() || !confirmed.reported.is_empty() {
                self.daemon.persist(&confirmed).await;
            }
        }
    }

    /// The next request. From time to time, it also asks for messages that may have been lost.
    fn request(&self, paused: &PausedHosts, next_check: &mut Instant) -> TakeOutbox {
        let (now, resend_after) = (Instant::now(), milliseconds(self.resend_after));
        let mut request = paused.request(now);
        request.except.extend(self.except.iter().cloned());
        if *next_check <= now {
            request.unstored_after_ms = Some(resend_after);
            *next_check = now + self.resend_after / 2;
        }
        request.wait_ms = request.wait_ms.min(milliseconds(*next_check - now)).max(1);
        request
    }

    /// Takes messages for hosts that do not belong to the fleet out of a page: nobody would ever take them out of the
    /// stream. A host that is being set up has a moment to join; then the message is dead-lettered.
    async fn refuse_strangers(&mut self, page: OutboxPage, paused: &mut PausedHosts) -> OutboxPage {
        // What was relayed before is for a host that was known then; the servers may have lost their data since.
        let is_new = |message: &&RemoteMessage| message.relays == 0;
        let hosts: BTreeSet<_> =
            page.messages.iter().filter(is_new).map(|message| message.host.clone()).collect();
        let strangers = self.known.strangers(&self.broker, hosts.iter()).await;
        if strangers.is_empty() {
            return page;
        }
        let is_stranger = |message: &RemoteMessage| message.relays == 0 && strangers.contains(&message.host);
        let (vain, messages): (Vec<_>, Vec<_>) = page.messages.into_iter().partition(is_stranger);
        let is_old = |message: &RemoteMessage| now().since(message.message.sent_at) >= JOIN_TIME;
        for RemoteMessage { host, message, .. } in vain.into_iter().filter(is_old) {
            let reason =
                format!("host `{host}` has never joined the fleet; `fugue fleet status` lists its hosts");
            let refused = RefusedDelivery { message_id: message.message_id, reason, nobody: false };
            let receipts = vec![envelope::dead_letter(&host, refused)];
            self.daemon
                .persist(&DeliverRemote { host, messages: Vec::new(), receipts, refuse_new: None })
                .await;
        }
        strangers.into_iter().for_each(|host| paused.pause(Some(host), Instant::now()));
        OutboxPage { messages, ..page }
    }

    /// Leaves out messages that were relayed before and that still wait in the stream: their host is away.
    async fn without_waiting(&self, messages: Vec<RemoteMessage>) -> Vec<RemoteMessage> {
        let hosts: BTreeSet<_> = messages
            .iter()
            .filter(|message| message.relays > 0)
            .map(|message| message.host.clone())
            .collect();
        let mut lost = BTreeSet::new();
        for host in hosts {
            if matches!(self.broker.items_to(&host).await, Ok(0)) {
                lost.insert(host);
            }
        }
        let is_due = |message: &RemoteMessage| message.relays == 0 || lost.contains(&message.host);
        messages.into_iter().filter(is_due).collect()
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Addresses the messages for all hosts to those that are there now. The daemon returns them with the next page.
async fn expand(broker: &Broker, daemon: &mut DaemonLink, page: &OutboxPage, paused: &mut PausedHosts) {
    match presence::host_names(broker).await {
        Ok(hosts) => {
            let hosts = hosts.into_iter().collect();
            daemon.persist(&ExpandOutbox { messages: page.groups.clone(), hosts }).await;
            paused.resume(None);
        }
        Err(failure) => {
            say(failure.message());
            paused.pause(None, Instant::now());
        }
    }
}

/// Takes requests for sessions on hosts that are not there out of a page, and tells who asked. A message can wait for
/// its host; whoever asks for a session waits for the answer.
async fn refuse_absent_hosts(broker: &Broker, daemon: &mut DaemonLink, page: OutboxPage) -> OutboxPage {
    let is_start = |message: &RemoteMessage| matches!(message.to, RemoteTarget::Start(_));
    if !page.messages.iter().any(is_start) {
        return page;
    }
    // If the hosts cannot be listed, the request waits for its host.
    let Ok(hosts) = presence::host_names(broker).await else { return page };
    let is_vain = |message: &RemoteMessage| is_start(message) && !hosts.contains(&message.host);
    let (vain, messages): (Vec<_>, Vec<_>) = page.messages.into_iter().partition(is_vain);
    for RemoteMessage { host, message, .. } in vain {
        let reason = format!("host `{host}` is not online");
        let refused = RefusedDelivery { message_id: message.message_id, reason, nobody: false };
        let receipts = vec![envelope::dead_letter(&host, refused)];
        let messages = Vec::new();
        daemon.persist(&DeliverRemote { host, messages, receipts, refuse_new: None }).await;
    }
    OutboxPage { messages, ..page }
}

/// Relays a page, to all hosts at the same time. Returns what the stream has stored.
async fn relay_page(
    broker: &Broker,
    own: &FleetHost,
    page: OutboxPage,
    paused: &mut PausedHosts,
    states: &SharedState,
) -> ConfirmOutbox {
    let mut confirmed = ConfirmOutbox::default();
    let hosts = by_host(page);
    let relayed = hosts.into_iter().map(|(host, batch)| async {
        let mut done = ConfirmOutbox::default();
        let outcome = relay_batch(broker, own, &host, batch, &mut done).await;
        (host, done, outcome)
    });
    for (host, done, outcome) in join_all(relayed).await {
        confirmed.relayed.extend(done.relayed);
        confirmed.reported.extend(done.reported);
        match outcome {
            Ok(()) => {
                states.hold_up(&host, None);
                paused.resume(Some(host));
            }
            Err(failure) => {
                say(failure.message());
                // A host that is away may have as many items as it can.
                let is_full = failure.message().contains("per subject exceeded");
                let kind = failure.kind().unwrap_or(TroubleKind::HeldUp);
                states.hold_up(&host, (!is_full).then(|| failure.trouble(kind)));
                paused.pause(Some(host), Instant::now());
            }
        }
    }
    confirmed
}

/// What a page holds for one host.
#[derive(Default)]
struct HostBatch {
    messages: Vec<RemoteMessage>,
    receipts: Vec<RemoteReceipt>,
}

fn by_host(page: OutboxPage) -> BTreeMap<FleetHost, HostBatch> {
    let mut hosts = BTreeMap::<FleetHost, HostBatch>::new();
    for message in page.messages {
        hosts.entry(message.host.clone()).or_default().messages.push(message);
    }
    for receipt in page.receipts {
        hosts.entry(receipt.host.clone()).or_default().receipts.push(receipt);
    }
    hosts
}

/// Publishes one item after the other, so that an item that fails is never overtaken by the next.
async fn relay_batch(
    broker: &Broker,
    own: &FleetHost,
    host: &FleetHost,
    batch: HostBatch,
    done: &mut ConfirmOutbox,
) -> Result<(), Failure> {
    for message in batch.messages {
        let id = message.message.message_id;
        // The servers drop an item whose id they have seen, and may have lost the item since.
        let unique = match message.relays {
            0 => format!("{own}.{host}.{id}"),
            relays => format!("{own}.{host}.{id}.{relays}"),
        };
        broker.publish(host, &Envelope::Message(Box::new(message)), Some(unique)).await?;
        done.relayed.push(RelayedMessage { host: host.clone(), message: id });
    }
    for receipts in batch.receipts.chunks(RECEIPTS) {
        broker.publish(host, &Envelope::Receipts(receipts.to_vec()), None).await?;
        done.reported.extend_from_slice(receipts);
    }
    Ok(())
}

/// Hosts whose items could not be stored, and when to try again; `None` stands for all hosts, which could not be listed.
#[derive(Default)]
struct PausedHosts(BTreeMap<Option<FleetHost>, (Instant, Duration)>);

impl PausedHosts {
    fn pause(&mut self, host: Option<FleetHost>, now: Instant) {
        let last = self.0.get(&host).map(|(_, pause)| *pause);
        let pause = last.map_or(PAUSES.0, |last| (last * 2).min(PAUSES.1));
        self.0.insert(host, (now + pause, pause));
    }

    fn resume(&mut self, host: Option<FleetHost>) {
        self.0.remove(&host);
    }

    /// The request for everything but what is for the hosts to leave out now, which ends when one is tried again.
    fn request(&self, now: Instant) -> TakeOutbox {
        let waiting = || self.0.iter().filter(|(_, (until, _))| *until > now);
        let next = waiting().map(|(_, (until, _))| *until - now).min().unwrap_or(WAIT);
        TakeOutbox {
            except: waiting().filter_map(|(host, _)| host.clone()).collect(),
            without_groups: waiting().any(|(host, _)| host.is_none()),
            wait_ms: milliseconds(next.min(WAIT)).max(1),
            ..TakeOutbox::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_fails_again_is_left_out_for_longer() {
        let (mut paused, start) = (PausedHosts::default(), Instant::now());
        let host: FleetHost = "b".parse().unwrap();
        let at = |paused: &PausedHosts, now: Instant| {
            let request = paused.request(now);
            (request.except, request.without_groups, Duration::from_millis(request.wait_ms))
        };
        paused.pause(Some(host.clone()), start);
        assert_eq!(at(&paused, start), (vec![host.clone()], false, PAUSES.0));
        let later = start + PAUSES.0;
        assert_eq!(at(&paused, later), (Vec::new(), false, WAIT));
        paused.pause(Some(host.clone()), later);
        assert_eq!(at(&paused, later).2, PAUSES.0 * 2);
        paused.resume(Some(host));
        assert_eq!(at(&paused, later), (Vec::new(), false, WAIT));
        paused.pause(None, later);
        assert_eq!(at(&paused, later), (Vec::new(), true, PAUSES.0));
    }
}
