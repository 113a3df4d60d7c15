//! Another host that is reached with ssh instead of NATS: messages and receipts go straight from one daemon to the other,
//! in both directions. The other host needs no relay.

use std::time::Duration;

use fugue_client::Paths;
use fugue_protocol::FleetHost;
use fugue_protocol::verbs::{ConfirmOutbox, DeliverRemote, ExpandOutbox, RelayedMessage, TakeOutbox};
use fugue_protocol::views::OutboxPage;
use tokio::sync::watch;

use crate::daemon_link::DaemonLink;
use crate::delivery::{Delivery, Item};
use crate::envelope::{self, Envelope};
use crate::failure::say;
use crate::membership::Membership;
use crate::rate_limit::RateLimit;
use crate::relay_state::{RelayState, SshState};

/// How long a daemon may hold a request for its outbox. It ends sooner when there is something in it.
const WAIT: Duration = Duration::from_secs(30);

/// A host that is reached with ssh.
pub(crate) struct SshHost {
    pub(crate) host: FleetHost,
    /// Its daemon.
    pub(crate) paths: Paths,
}

impl SshHost {
    /// Carries messages and receipts in both directions until the process ends.
    pub(crate) async fn run(self, membership: &Membership, states: &watch::Sender<RelayState>) {
        let (own, other) = (membership.host.clone(), self.host.clone());
        let limit = || RateLimit::new(membership.settings.messages_per_minute_per_host);
        let local = || DaemonLink::new(&membership.paths);
        let there = || DaemonLink::over_ssh(&self.paths, Some(observer(&other, states)));
        // Without servers, whatever is for all hosts goes to those that are reached with ssh.
        let peers = |hosts: Vec<FleetHost>| membership.settings.servers.is_empty().then_some(hosts);
        let hosts = membership.ssh.iter().map(|(host, _)| host.clone()).collect();
        let out = SshDirection {
            from: own.clone(),
            source: local(),
            target: Delivery { host: other.clone(), daemon: there(), limit: limit() },
            peers: peers(hosts),
        };
        let back = SshDirection {
            from: other.clone(),
            source: there(),
            target: Delivery { host: own.clone(), daemon: local(), limit: limit() },
            peers: peers(vec![own]),
        };
        tokio::join!(out.run(), back.run());
    }
}

/// Tells `fugue fleet status` whether the host can be reached.
fn observer(host: &FleetHost, states: &watch::Sender<RelayState>) -> Box<dyn Fn(Option<String>)> {
    let (host, states) = (host.clone(), states.clone());
    Box::new(move |problem| {
        states.send_if_modified(|state| {
            let new = SshState { connected: problem.is_none(), problem: problem.clone() };
            let changed = state.ssh.get(&host) != Some(&new);
            if changed {
                let text = problem
                    .as_deref()
                    .map_or_else(|| "connected".into(), |why| format!("not connected: {why}"));
                say(&format!("host `{host}`: {text}"));
                state.ssh.insert(host.clone(), new);
            }
            changed
        });
    })
}

/// From the outbox of one daemon to another daemon.
struct SshDirection {
    /// The host of the source.
    from: FleetHost,
    source: DaemonLink,
    target: Delivery,
    /// The hosts to which messages for all hosts go; none if the servers know them.
    peers: Option<Vec<FleetHost>>,
}

impl SshDirection {
    async fn run(mut self) {
        let request = TakeOutbox {
            only: vec![self.target.host.clone()],
            without_groups: self.peers.is_none(),
            wait_ms: u64::try_from(WAIT.as_millis()).unwrap_or(u64::MAX),
            ..TakeOutbox::default()
        };
        loop {
            let page = self.source.persist(&request).await;
            self.expand(&page).await;
            self.carry(page).await;
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
        if !relayed.is_empty() || !reported.is_empty() {
            self.source.persist(&ConfirmOutbox { relayed, reported }).await;
        }
    }
}
