//! `fugue fleet setup`: creates the stream and the buckets. It needs the rights of an administrator, which hosts should not
//! have: a stream can be made to republish under any subject.

use std::io::Write;
use std::time::{Duration, Instant};

use async_nats::ConnectOptions;
use fugue_protocol::FleetHost;

use crate::broker::Broker;
use crate::failure::Failure;
use crate::host_entry::HOSTS;
use crate::security::Security;
use crate::{lease_bucket, members};

/// How long a server that refuses connections may be starting.
const STARTING: Duration = Duration::from_secs(5);

/// How often it is tried again meanwhile.
const RETRY: Duration = Duration::from_millis(200);

/// Creates what a fleet needs, and gives a stream that exists the current limits.
pub(crate) async fn run(
    servers: Vec<String>,
    replicas: usize,
    bytes: i64,
    security: &Security,
) -> Result<(), Failure> {
    let own = "setup".parse().map_err(|why| Failure::new(format!("{why}"), None))?;
    let broker = connect(&servers, (own, replicas), security).await?;
    broker.set_up_stream(bytes).await?;
    HOSTS.ensure(&broker).await?;
    members::MEMBERS.ensure(&broker).await?;
    lease_bucket::LEASES.ensure(&broker).await.map(drop)
}

/// Connects to a server, which may have been started a moment ago.
async fn connect(
    servers: &[String],
    (own, replicas): (FleetHost, usize),
    security: &Security,
) -> Result<Broker, Failure> {
    let started = Instant::now();
    loop {
        let options = security.apply(ConnectOptions::new().max_reconnects(1)).await?;
        match Broker::connect(servers, own.clone(), replicas, options).await {
            Err(failure) if failure.is_refused() && started.elapsed() < STARTING => {
                tokio::time::sleep(RETRY).await;
            }
            Err(failure) => return Err(failure.for_setup()),
            connected => return connected,
        }
    }
}

/// Removes what waits in the stream for a host, or comes from it, and the host itself from the list of hosts.
pub(crate) async fn forget(
    host: FleetHost,
    servers: Vec<String>,
    security: &Security,
) -> Result<(), Failure> {
    let own = "setup".parse().map_err(|why| Failure::new(format!("{why}"), None))?;
    let broker = connect(&servers, (own, 1), security).await?;
    let removed = broker.forget(&host).await?;
    for bucket in [&HOSTS, &members::MEMBERS] {
        bucket.remove(&broker, host.as_str()).await?;
    }
    let _ = writeln!(std::io::stdout(), "removed {removed} items to and from host `{host}`");
    Ok(())
}
