//! `fugue fleet run`: the tasks of the relay, and the connection that they share.

use async_nats::{ClientError, ConnectOptions, Event};
use fugue_protocol::relay_state::{NameState, RelayState, SshState};
use fugue_protocol::verbs::{ConfirmOutbox, DeliverRemote, TakeOutbox};
use fugue_protocol::views::{RefusedDelivery, RemoteMessage};
use futures_util::future::join_all;
use tokio::sync::watch;

use crate::broker::Broker;
use crate::daemon_link::DaemonLink;
use crate::delivery::Delivery;
use crate::failure::{Failure, say};
use crate::inbound::Inbound;
use crate::members::KnownHosts;
use crate::membership::Membership;
use crate::outbound::Outbound;
use crate::rate_limit::RateLimit;
use crate::relay_state::{Connected, RelayLock, SharedState, now};
use crate::round_trip::{RoundTrips, ServerErrors};
use crate::ssh_host::SshHost;
use crate::{envelope, presence, security};

/// Relays messages until the process ends.
pub(crate) async fn run(server: Option<String>) -> Result<(), Failure> {
    let membership = Membership::read(server)?.for_the_relay()?;
    // Files that cannot be read are named before anything else is said.
    membership.connect_options().await?;
    let lock = RelayLock::acquire(&membership.paths.state)?;
    let states = SharedState::new(first_state(&membership));
    let ssh_hosts = membership.ssh.iter().map(|(host, paths)| {
        let host = SshHost { host: host.clone(), paths: paths.clone() };
        host.run(&membership, &states)
    });
    say(&format!("relaying messages for host `{}`", membership.host));
    let servers = NatsRelay::connect(&membership, &states).await?;
    let check = async || {
        if let Some(servers) = &servers {
            servers.round_trips.check().await;
        }
    };
    let relay = async {
        match &servers {
            Some(servers) => servers.run(&membership, &states).await,
            None => refuse_unreachable(&membership).await,
        }
    };
    let reports = publish_states(&lock, &states, servers.is_some());
    tokio::join!(relay, reports, lock.answer(&states, check), join_all(ssh_hosts));
    Ok(())
}

fn first_state(membership: &Membership) -> RelayState {
    let ssh = membership.ssh.iter().map(|(host, _)| (host.clone(), SshState::default())).collect();
    RelayState {
        pid: std::process::id(),
        host: Some(membership.host.clone()),
        started_at: Some(now()),
        ssh,
        // Over ssh, each of the other hosts has a lease of its own.
        name: if membership.settings.servers.is_empty() { NameState::Held } else { NameState::Unknown },
        ..RelayState::default()
    }
}

/// The relay's part that uses the servers.
struct NatsRelay {
    broker: Broker,
    round_trips: RoundTrips,
    arrivals: watch::Sender<String>,
    not_receiving: watch::Sender<Option<String>>,
}

impl NatsRelay {
    /// Connects to the servers, if there are any; the connection is opened again whenever it drops.
    async fn connect(membership: &Membership, states: &SharedState) -> Result<Option<Self>, Failure> {
        if membership.settings.servers.is_empty() {
            return Ok(None);
        }
        // The library does not say why it cannot connect if it tries again and again.
        let once = membership.connect_options().await?.max_reconnects(1);
        if let Err(failure) = membership.connect(once).await {
            say(&failure.to_string());
        }
        let errors = ServerErrors::default();
        let options = observed(membership.connect_options().await?, states.clone(), errors.clone());
        let broker = membership.connect(options.retry_on_initial_connect()).await?;
        let (arrivals, arrived) = watch::channel(String::new());
        let (not_receiving, why) = watch::channel(None);
        let host = membership.host.clone();
        let round_trips = RoundTrips::new(broker.clone(), host, states.clone(), errors, arrived, why);
        Ok(Some(Self { broker, round_trips, arrivals, not_receiving }))
    }

    async fn run(&self, membership: &Membership, states: &SharedState) {
        let connected = Connected::new(states.subscribe());
        let link = || DaemonLink::new(&membership.paths);
        let limit = RateLimit::new(membership.settings.messages_per_minute_per_host);
        let inbound = Inbound {
            broker: self.broker.clone(),
            delivery: Delivery { host: membership.host.clone(), daemon: link(), limit },
            states: states.clone(),
            arrivals: self.arrivals.clone(),
            not_receiving: self.not_receiving.clone(),
        };
        let outbound = Outbound {
            broker: self.broker.clone(),
            own: membership.host.clone(),
            daemon: link(),
            except: membership.ssh.iter().map(|(host, _)| host.clone()).collect(),
            resend_after: membership.settings.resend_after.duration(),
            states: states.clone(),
            known: KnownHosts::default(),
        };
        tokio::join!(
            inbound.run(connected.clone()),
            outbound.run(connected),
            presence::announce(&self.broker, membership, states, link()),
            self.round_trips.run(),
        );
    }
}

/// The options with a callback that keeps track of the connection.
fn observed(options: ConnectOptions, states: SharedState, errors: ServerErrors) -> ConnectOptions {
    options.event_callback(move |event| {
        let (states, errors) = (states.clone(), errors.clone());
        async move {
            let change = |connected: Option<bool>, problem: Option<String>| {
                states.change(|state| {
                    state.connected = connected.unwrap_or(state.connected);
                    state.problem = problem;
                    // The lease on the name may expire before the relay is connected again.
                    if connected.is_some() {
                        state.name = NameState::Unknown;
                    }
                });
            };
            match event {
                Event::Connected => change(Some(true), None),
                Event::Disconnected | Event::Closed => {
                    change(Some(false), Some("no server can be reached".into()));
                }
                Event::ServerError(why) => {
                    errors.note(why.to_string());
                    change(None, Some(why.to_string()));
                }
                Event::ClientError(ClientError::Other(why)) => change(None, Some(security::explain(&why))),
                Event::ClientError(why) => change(None, Some(why.to_string())),
                _ => {}
            }
        }
    })
}

/// Writes the state for others, and tells whoever reads the output of every change.
async fn publish_states(lock: &RelayLock, states: &SharedState, has_servers: bool) {
    let mut states = states.subscribe();
    let (mut told, mut trouble) = (None, None);
    loop {
        let state = states.borrow_and_update().clone();
        lock.publish(&state);
        let new_trouble = state.trouble().filter(|_| state.connected).map(|trouble| trouble.message);
        let problem = state.problem.map(|problem| format!(": {problem}")).unwrap_or_default();
        let text = format!("{}{problem}", if state.connected { "connected" } else { "not connected" });
        if has_servers && told.as_ref() != Some(&text) {
            say(&text);
            told = Some(text);
        }
        if has_servers && trouble != new_trouble {
            say(new_trouble.as_deref().unwrap_or("messages are relayed again"));
            trouble = new_trouble;
        }
        if states.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// How long the daemon may hold a request for messages that cannot be relayed.
const UNREACHABLE_WAIT_MS: u64 = 60_000;

/// Without servers: dead-letters messages for hosts that are not reached over ssh, which nobody would ever take.
async fn refuse_unreachable(membership: &Membership) {
    let mut daemon = DaemonLink::new(&membership.paths);
    let except = membership.ssh.iter().map(|(host, _)| host.clone()).collect();
    let request =
        TakeOutbox { except, without_groups: true, wait_ms: UNREACHABLE_WAIT_MS, ..TakeOutbox::default() };
    loop {
        let page = daemon.persist(&request).await;
        for RemoteMessage { host, message, .. } in page.messages {
            let reason = format!(
                "host `{host}` cannot be reached: it is not in fleet.ssh, and fleet.servers is not set"
            );
            let refused = RefusedDelivery { message_id: message.message_id, reason, nobody: false };
            let receipts = vec![envelope::dead_letter(&host, refused)];
            daemon.persist(&DeliverRemote { host, messages: Vec::new(), receipts, refuse_new: None }).await;
        }
        // Receipts for a host that has been taken out of fleet.ssh have nobody to tell.
        if !page.receipts.is_empty() {
            daemon.persist(&ConfirmOutbox { relayed: Vec::new(), reported: page.receipts }).await;
        }
    }
}
