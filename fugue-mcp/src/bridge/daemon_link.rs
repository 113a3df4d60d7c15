//! The link to the daemon: where it is, and the connection that calls share.

use fugue_client::{CallError, DaemonName, Endpoint, Env, SharedConnection, random_key};
use fugue_protocol::messages::Role;

/// Where the daemon is, and the connection that calls share.
#[derive(Debug, Clone)]
pub(super) struct DaemonAccess {
    pub(super) endpoint: Endpoint,
    pub(super) connection: SharedConnection,
}

impl DaemonAccess {
    /// Finds out where a daemon is. Nothing is opened.
    pub(super) fn resolve(daemon: &DaemonName) -> Result<Self, CallError> {
        let env = Env::own_or_inherited();
        let paths = daemon.paths(&env)?;
        // On another host the agent is in no pane.
        let pane = env.claimed_pane(&paths.socket).filter(|_| paths.host.is_none());
        // An agent in no pane is known by nothing else.
        let key_space = Some(random_key("mcp"));
        let endpoint = Endpoint { paths, role: Role::Bridge, pane, key_space };
        let connection = SharedConnection::new(endpoint.clone());
        Ok(Self { endpoint, connection })
    }
}
