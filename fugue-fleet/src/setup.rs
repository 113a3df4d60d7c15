//! `fugue fleet setup`: creates the stream and the buckets. It needs the rights of an administrator, which hosts should not
//! have: a stream can be made to republish under any subject.

use std::io::Write;

use async_nats::ConnectOptions;
use fugue_protocol::FleetHost;

use crate::broker::Broker;
use crate::failure::Failure;
use crate::security::Security;
use crate::{lease_bucket, members, presence};

/// Creates what a fleet needs, and gives a stream that exists the current limits.
pub(crate) async fn run(
    servers: Vec<String>,
    replicas: usize,
    bytes: i64,
    security: &Security,
) -> Result<(), Failure> {
    let own = "setup".parse().map_err(|why| Failure::new(format!("{why}"), None))?;
    let options = security.apply(ConnectOptions::new().max_reconnects(1)).await?;
    let broker = Broker::connect(&servers, own, replicas, options).await?;
    broker.set_up_stream(bytes).await?;
    presence::HOSTS.ensure(&broker).await?;
    members::MEMBERS.ensure(&broker).await?;
    lease_bucket::LEASES.ensure(&broker).await.map(drop)
}

/// Removes what waits in the stream for a host, or comes from it, and the host itself from the list of hosts.
pub(crate) async fn forget(
    host: FleetHost,
    servers: Vec<String>,
    security: &Security,
) -> Result<(), Failure> {
    let own = "setup".parse().map_err(|why| Failure::new(format!("{why}"), None))?;
    let options = security.apply(ConnectOptions::new().max_reconnects(1)).await?;
    let broker = Broker::connect(&servers, own, 1, options).await?;
    let removed = broker.forget(&host).await?;
    for bucket in [&presence::HOSTS, &members::MEMBERS] {
        let deleted = bucket.open(&broker).await?.purge(host.as_str()).await;
        deleted.map_err(|why| Failure::nats(&format!("remove host `{host}` from {}", bucket.name), &why))?;
    }
    let _ = writeln!(std::io::stdout(), "removed {removed} items to and from host `{host}`");
    Ok(())
}
