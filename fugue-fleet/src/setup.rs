//! `fugue fleet setup`: creates the stream and the buckets. It needs the rights of an administrator, which hosts should not
//! have: a stream can be made to republish under any subject.

use async_nats::ConnectOptions;

use crate::broker::Broker;
use crate::failure::Failure;
use crate::security::Security;
use crate::{lease_bucket, presence};

/// Creates what a fleet needs, unless it exists.
pub(crate) async fn run(servers: Vec<String>, replicas: usize, security: &Security) -> Result<(), Failure> {
    let own = "setup".parse().map_err(|why| Failure::new(format!("{why}"), None))?;
    let options = security.apply(ConnectOptions::new().max_reconnects(1)).await?;
    let broker = Broker::connect(&servers, own, replicas, options).await?;
    broker.ensure_stream().await?;
    presence::HOSTS.ensure(&broker).await?;
    lease_bucket::LEASES.ensure(&broker).await.map(drop)
}
