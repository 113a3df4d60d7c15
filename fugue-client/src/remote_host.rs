//! A host that is reached over ssh.

use fugue_protocol::host::is_host_address;

use crate::call_error::CallError;

/// Another host, as a person named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName {
    /// The name to show.
    pub name: String,
    /// The destination as ssh takes it: `box`, `user@box`, `ssh://user@box:2222`, or a name of the ssh configuration.
    pub address: String,
}

/// A daemon on another host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteHost {
    /// Its host.
    pub host: HostName,
    /// Its name there; none for `default`.
    pub server: Option<String>,
}

impl RemoteHost {
    pub(crate) fn new(host: &HostName, server: Option<&str>) -> Result<Self, CallError> {
        if !is_host_address(&host.address) {
            let hint = "use an ssh destination, such as box, user@box or ssh://user@box:2222";
            return Err(CallError::Local(format!("Invalid host: {}\nhint: {hint}", host.address)));
        }
        Ok(Self { host: host.clone(), server: server.map(str::to_owned) })
    }
}
