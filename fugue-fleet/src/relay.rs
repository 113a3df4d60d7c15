//! `fugue fleet run`: the tasks of the relay, and the connection that they share.

use async_nats::{ClientError, ConnectOptions, Event};
use futures_util::future::join_all;
use tokio::sync::watch;

use crate::daemon_link::DaemonLink;
use crate::delivery::Delivery;
use crate::failure::{Failure, say};
use crate::inbound::Inbound;
use crate::membership::Membership;
use crate::outbound::Outbound;
use crate::rate_limit::RateLimit;
use crate::relay_state::{Connected, RelayLock, RelayState, SshState};
use crate::ssh_host::SshHost;
use crate::{presence, security};

/// Relays messages until the process ends.
pub(crate) async fn run(server: Option<String>) -> Result<(), Failure> {
    let membership = Membership::read(server)?;
    // Files that cannot be read are named before anything else is said.
    membership.connect_options().await?;
    let lock = RelayLock::acquire(&membership.paths.state)?;
    let ssh = membership.ssh.iter().map(|(host, _)| (host.clone(), SshState::default())).collect();
    let state = RelayState { pid: std::process::id(), ssh, ..RelayState::default() };
    let (sender, states) = watch::channel(state);
    let ssh_hosts = membership.ssh.iter().map(|(host, paths)| {
        let host = SshHost { host: host.clone(), paths: paths.clone() };
        host.run(&membership, &sender)
    });
    say(&format!("relaying messages for host `{}`", membership.host));
    let published = publish_states(&lock, states.clone(), !membership.settings.servers.is_empty());
    let servers = use_servers(&membership, sender.clone(), states);
    let others = async { Ok(tokio::join!(published, join_all(ssh_hosts))) };
    tokio::try_join!(servers, others).map(drop)
}

/// Relays messages over the servers, if there are any.
async fn use_servers(
    membership: &Membership,
    sender: watch::Sender<RelayState>,
    states: watch::Receiver<RelayState>,
) -> Result<(), Failure> {
    if membership.settings.servers.is_empty() {
        return Ok(());
    }
    // The library does not say why it cannot connect if it tries again and again.
    let once = membership.connect_options().await?.max_reconnects(1);
    if let Err(failure) = membership.connect(once).await {
        say(&failure.to_string());
    }
    let options = observed(membership.connect_options().await?, sender).retry_on_initial_connect();
    let broker = membership.connect(options).await?;
    let connected = Connected::new(states);
    let link = || DaemonLink::new(&membership.paths);
    let limit = RateLimit::new(membership.settings.messages_per_minute_per_host);
    let delivery = Delivery { host: membership.host.clone(), daemon: link(), limit };
    let inbound = Inbound { broker: broker.clone(), delivery };
    let outbound = Outbound {
        broker: broker.clone(),
        own: membership.host.clone(),
        daemon: link(),
        except: membership.ssh.iter().map(|(host, _)| host.clone()).collect(),
        resend_after: membership.settings.resend_after.duration(),
    };
    tokio::join!(
        inbound.run(connected.clone()),
        outbound.run(connected.clone()),
        presence::announce(&broker, membership, connected, link()),
    );
    Ok(())
}

/// The options with a callback that keeps track of the connection.
fn observed(options: ConnectOptions, states: watch::Sender<RelayState>) -> ConnectOptions {
    let states = std::sync::Arc::new(states);
    options.event_callback(move |event| {
        let states = std::sync::Arc::clone(&states);
        async move {
            let change = |connected: Option<bool>, problem: Option<String>| {
                states.send_if_modified(|state| {
                    let before = state.clone();
                    state.connected = connected.unwrap_or(state.connected);
                    state.problem = problem;
                    *state != before
                });
            };
            match event {
                Event::Connected => change(Some(true), None),
                Event::Disconnected | Event::Closed => {
                    change(Some(false), Some("no server can be reached".into()));
                }
                Event::ServerError(why) => change(None, Some(why.to_string())),
                Event::ClientError(ClientError::Other(why)) => change(None, Some(security::explain(&why))),
                Event::ClientError(why) => change(None, Some(why.to_string())),
                _ => {}
            }
        }
    })
}

/// Tells `fugue fleet status`, and whoever reads the output, of every change.
async fn publish_states(lock: &RelayLock, mut states: watch::Receiver<RelayState>, has_servers: bool) {
    let mut told = None;
    loop {
        let state = states.borrow_and_update().clone();
        lock.publish(&state);
        let problem = state.problem.map(|problem| format!(": {problem}")).unwrap_or_default();
        let text = format!("{}{problem}", if state.connected { "connected" } else { "not connected" });
        if has_servers && told.as_ref() != Some(&text) {
            say(&text);
            told = Some(text);
        }
        if states.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
