//! Another host that is reached with ssh instead of NATS: messages and receipts go straight from one daemon to the other,
//! in both directions. The other host needs no relay.

use std::time::{Duration, Instant};

use fugue_client::Paths;
use fugue_protocol::FleetHost;
use fugue_protocol::relay_state::SshState;
use fugue_protocol::verbs::{Claim, ConfirmOutbox, DeliverRemote, ExpandOutbox, RelayedMessage, TakeOutbox};
use fugue_protocol::views::OutboxPage;
use tokio::sync::watch;

use crate::daemon_link::DaemonLink;
use crate::delivery::{Delivery, Item};
use crate::envelope::{self, Envelope};
use crate::failure::say;
use crate::membership::Membership;
use crate::name_lease::{machine_id, machine_label};
use crate::rate_limit::RateLimit;
use crate::relay_state::SharedState;

/// How long a daemon may hold a request for its outbox. It ends sooner when there is something in it.
const WAIT: Duration = Duration::from_secs(15);

/// How long the lease on this host's name lasts on the other host, and how often it is renewed. Each renewal is an event
/// in the other host's journal.
const NAME_LEASE: (Duration, Duration) = (Duration::from_secs(180), Duration::from_secs(60));

/// How soon a relay whose name is taken tries again.
const NAME_RETRY: Duration = Duration::from_secs(15);

/// A host that is reached with ssh.
pub(crate) struct SshHost {
    pub(crate) host: FleetHost,
    /// Its daemon.
    pub(crate) paths: Paths,
}

impl SshHost {
    /// Carries messages and receipts in both directions until the process ends.
    pub(crate) async fn run(self, membership: &Membership, states: &SharedState) {
        let (own, other) = (membership.host.clone(), self.host.clone());
        let limit = || RateLimit::new(membership.settings.messages_per_minute_per_host);
        let local = || DaemonLink::new(&membership.paths);
        let there = || DaemonLink::over_ssh(&self.paths, Some(observer(&other, states)));
        // Without servers, whatever is for all hosts goes to those that are reached with ssh.
        let peers = |hosts: Vec<FleetHost>| membership.settings.servers.is_empty().then_some(hosts);
        let hosts = membership.ssh.iter().map(|(host, _)| host.clone()).collect();
        let (is_held, held) = watch::channel(false);
        let name = SshName::new(membership, is_held);
        let out = SshDirection {
            from: own.clone(),
            source: local(),
            target: Delivery { host: other.clone(), daemon: there(), limit: limit() },
            peers: peers(hosts),
            states: states.clone(),
        };
        let back = SshDirection {
            from: other.clone(),
            source: there(),
            target: Delivery { host: own.clone(), daemon: local(), limit: limit() },
            peers: peers(vec![own]),
            states: states.clone(),
        };
        tokio::join!(out.run(held), back.run_with_name(name));
    }
}

/// Tells `fugue fleet status` whether the host can be reached.
fn observer(host: &FleetHost, states: &SharedState) -> Box<dyn Fn(Option<String>)> {
    let (host, states) = (host.clone(), states.clone());
    Box::new(move |problem| note(&states, &host, problem))
}

/// Notes whether messages move to and from a host.
fn note(states: &SharedState, host: &FleetHost, problem: Option<String>) {
    // The hint of an error is in lines of its own; the state is one line.
    let problem = problem.map(|why| why.lines().next().unwrap_or_default().to_owned());
    states.change(|state| {
        let new = SshState { connected: problem.is_none(), problem: problem.clone() };
        if state.ssh.get(host) != Some(&new) {
            let text = problem.map_or_else(|| "connected".into(), |why| format!("not connected: {why}"));
            say(&format!("host `{host}`: {text}"));
            state.ssh.insert(host.clone(), new);
        }
    });
}

/// The lease on this host's name, which is one of the other host's daemon: two relays with one name would split the
/// messages that the other host has for it.
struct SshName {
    claim: Claim,
    renew_at: Instant,
    is_held: watch::Sender<bool>,
}

impl SshName {
    fn new(membership: &Membership, is_held: watch::Sender<bool>) -> Option<Self> {
        let key = format!("fleet-{}", machine_id(&membership.paths.state));
        let claim = Claim {
            name: format!("fleet-host:{}", membership.host).parse().ok()?,
            ttl_ms: Some(u64::try_from(NAME_LEASE.0.as_millis()).unwrap_or(u64::MAX)),
            wait_ms: None,
            note: Some(format!("relayed by {}", machine_label())),
            idempotency_key: key.parse().ok(),
        };
        Some(Self { claim, renew_at: Instant::now(), is_held })
    }

    /// Renews the lease if it is time. Returns why this host may not relay, if it may not.
    async fn renew(&mut self, there: &mut DaemonLink) -> Option<String> {
        if Instant::now() < self.renew_at {
            return None;
        }
        match there.settle(&self.claim).await {
            Ok(_) => {
                self.renew_at = Instant::now() + NAME_LEASE.1;
                self.is_held.send_replace(true);
                None
            }
            Err(refused) => {
                self.is_held.send_replace(false);
                let name = &self.claim.name;
                Some(format!(
                    "another machine uses this host's name: {} (`fugue leases` there shows {name})",
                    refused.message
                ))
            }
        }
    }
}

/// From the outbox of one daemon to another daemon.
struct SshDirection {
    /// The host of the source.
    from: FleetHost,
    source: DaemonLink,
    target: Delivery,
    /// The hosts to which messages for all hosts go; none if the servers know them.
    peers: Option<Vec<FleetHost>>,
    states: SharedState,
}

impl SshDirection {
    /// Carries pages while this host's name is its own.
    async fn run(mut self, mut is_held: watch::Receiver<bool>) {
        let request = self.request();
        loop {
            if is_held.wait_for(|is_held| *is_held).await.is_err() {
                std::future::pending::<()>().await;
            }
            let page = self.source.persist(&request).await;
            if *is_held.borrow() {
                self.expand(&page).await;
                self.carry(page).await;
            }
        }
    }

    /// Carries pages, and keeps the lease on this host's name at the source.
    async fn run_with_name(mut self, mut name: Option<SshName>) {
        let request = self.request();
        loop {
            let taken = match &mut name {
                Some(name) => name.renew(&mut self.source).await,
                None => None,
            };
            if let Some(why) = taken {
                note(&self.states, &self.from, Some(why));
                tokio::time::sleep(NAME_RETRY).await;
                continue;
            }
            let page = self.source.persist(&request).await;
            self.expand(&page).await;
            self.carry(page).await;
        }
    }

    fn request(&self) -> TakeOutbox {
        TakeOutbox {
            only: vec![self.target.host.clone()],
            without_groups: self.peers.is_none(),
            wait_ms: u64::try_from(WAIT.as_millis()).unwrap_or(u64::MAX),
            ..TakeOutbox::default()
        }
    }

    async fn expand(&mut self, page: &OutboxPage) {
        if let Some(hosts) = self.peers.clone().filter(|_| !page.groups.is_empty()) {
            self.source.persist(&ExpandOutbox { messages: page.groups.clone(), hosts }).await;
        }
    }

    /// Hands a page to the target, and confirms it once the target has stored it. If the line drops in between, the page
    /// is carried again, and the target recognizes what it has.
    async fn carry(&mut self, page: OutboxPage) {
        let to = self.target.host.clone();
        let relayed: Vec<_> = page
            .messages
            .iter()
            .map(|message| RelayedMessage { host: to.clone(), message: message.message.message_id })
            .collect();
        let reported = page.receipts.clone();
        let messages = page.messages.into_iter().map(|message| Item {
            from: self.from.clone(),
            bytes: message.message.bytes,
            envelope: Envelope::Message(Box::new(message)),
        });
        let receipts = (!page.receipts.is_empty()).then(|| Item {
            from: self.from.clone(),
            bytes: 0,
            envelope: Envelope::Receipts(page.receipts),
        });
        let refused = self.target.take(messages.chain(receipts).collect()).await;
        let receipts: Vec<_> =
            refused.into_iter().map(|(from, refused)| envelope::dead_letter(&from, refused)).collect();
        if !receipts.is_empty() {
            let call = DeliverRemote { host: to, messages: Vec::new(), receipts, refuse_new: None };
            self.source.persist(&call).await;
        }
        self.states.count(relayed.len() + reported.len(), 0);
        if !relayed.is_empty() || !reported.is_empty() {
            self.source.persist(&ConfirmOutbox { relayed, reported }).await;
        }
    }
}
