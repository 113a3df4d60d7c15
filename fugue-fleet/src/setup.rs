//! `fugue fleet setup`: creates the stream and the bucket. It needs the rights of an administrator, which hosts should not
//! have: a stream can be made to republish under any subject.

use async_nats::ConnectOptions;

use crate::broker::Broker;
use crate::failure::Failure;
use crate::presence;

/// Creates what a fleet needs, unless it exists.
pub(crate) async fn run(servers: Vec<String>, replicas: usize) -> Result<(), Failure> {
    let own = "setup".parse().map_err(|why| Failure::new(format!("{why}"), None))?;
    let broker = Broker::connect(&servers, own, replicas, ConnectOptions::new().max_reconnects(1)).await?;
    broker.ensure_stream().await?;
    presence::ensure_bucket(&broker).await.map(drop)
}
