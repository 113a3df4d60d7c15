//! `fugue fleet run`: the tasks of the relay, and the connection that they share.

use async_nats::{ClientError, ConnectOptions, Event};
use tokio::sync::watch;

use crate::daemon_link::DaemonLink;
use crate::failure::{Failure, say};
use crate::inbound::Inbound;
use crate::membership::Membership;
use crate::rate_limit::RateLimit;
use crate::relay_state::{Connected, RelayLock, RelayState};
use crate::{outbound, presence, security};

/// Relays messages until the process ends.
pub(crate) async fn run(server: Option<String>) -> Result<(), Failure> {
    let membership = Membership::read(server)?;
    let lock = RelayLock::acquire(&membership.paths)?;
    let (sender, states) = watch::channel(RelayState { pid: std::process::id(), ..RelayState::default() });
    // The library does not say why it cannot connect if it tries again and again.
    let once = membership.connect_options().await?.max_reconnects(1);
    if let Err(failure) = membership.connect(once).await {
        say(&failure.to_string());
    }
    let options = observed(membership.connect_options().await?, sender).retry_on_initial_connect();
    let broker = membership.connect(options).await?;
    let connected = Connected::new(states.clone());
    let inbound = Inbound {
        broker: broker.clone(),
        own: membership.host.clone(),
        daemon: DaemonLink::new(&membership.paths),
        limit: RateLimit::new(membership.settings.messages_per_minute_per_host),
    };
    say(&format!("relaying messages for host `{}`", membership.host));
    tokio::join!(
        publish_states(&lock, states),
        inbound.run(connected.clone()),
        outbound::run(&broker, &membership.host, connected.clone(), DaemonLink::new(&membership.paths)),
        presence::announce(&broker, &membership, connected, DaemonLink::new(&membership.paths)),
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
async fn publish_states(lock: &RelayLock, mut states: watch::Receiver<RelayState>) {
    loop {
        let state = states.borrow_and_update().clone();
        lock.publish(&state);
        let problem = state.problem.map(|problem| format!(": {problem}")).unwrap_or_default();
        say(&format!("{}{problem}", if state.connected { "connected" } else { "not connected" }));
        if states.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
