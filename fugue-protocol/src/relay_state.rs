//! What the relay (`fugue fleet run`) reports about itself: to `fugue fleet status`, to the daemon and to `fugue metrics`.
//! It is in the file `fleet.json` of the state directory, and the reply on the relay's socket.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fleet_host::FleetHost;
use crate::time::Timestamp;

/// The relay's lock in the state directory: it is held while the relay runs.
pub const RELAY_LOCK: &str = "fleet.lock";

/// The file in the state directory with the relay's last [`RelayState`].
pub const RELAY_FILE: &str = "fleet.json";

/// The relay's socket in the state directory. The relay checks its connections, and then sends its [`RelayState`].
pub const RELAY_SOCKET: &str = "fleet.sock";

/// The most hosts of which a state names why their items cannot be relayed: enough to see the pattern.
pub const NAMED_HOSTS: usize = 20;

/// How the relay is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RelayState {
    /// The relay's process id.
    pub pid: u32,
    /// The name of this host in the fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<FleetHost>,
    /// When the relay started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// Whether it is connected to a NATS server.
    pub connected: bool,
    /// Why it is not, or the last error that the server reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whether the process was stopped by a signal: then the rest is how it was before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// The name of this host, which only one machine may use.
    pub name: NameState,
    /// Another machine that tried to use this host's name, and when it was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rival: Option<(String, Timestamp)>,
    /// The last round trip through the stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip: Option<RoundTrip>,
    /// Hosts whose items could not be relayed the last time, and why; at most [`NAMED_HOSTS`].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub held_up: BTreeMap<FleetHost, RelayTrouble>,
    /// The hosts that it reaches with ssh.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ssh: BTreeMap<FleetHost, SshState>,
    /// Number of messages and receipts that it has relayed.
    pub sent: u64,
    /// Number of messages and receipts of other hosts that it has handed to the daemon.
    pub received: u64,
}

/// Whether this host may use its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum NameState {
    /// Not known yet: nothing is relayed.
    #[default]
    Unknown,
    /// This relay holds the lease on the name.
    Held,
    /// The lease cannot be read or written. The relay works as if it held it.
    Unchecked {
        /// Why.
        why: String,
    },
    /// Another machine holds it: nothing is relayed until its lease has expired.
    Taken {
        /// The other machine.
        by: String,
    },
}

/// A round trip through the stream: the relay publishes an item to its own host and receives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundTrip {
    /// When it ended.
    pub at: Timestamp,
    /// How long it took, in microseconds, or why it failed.
    pub outcome: Result<u64, RelayTrouble>,
}

/// Whether a host can be reached with ssh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SshState {
    /// Whether the last call was answered.
    pub connected: bool,
    /// Why it cannot be reached, or why nothing is relayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Why messages are not relayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayTrouble {
    /// Its kind, for programs.
    pub kind: TroubleKind,
    /// One sentence.
    pub message: String,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleKind {
    /// No relay is running.
    NotRunning,
    /// The relay was stopped by a signal.
    Stopped,
    /// The relay does not answer.
    NotResponding,
    /// Another machine has this host's name.
    NameTaken,
    /// Another machine tries to use this host's name.
    NameContested,
    /// The lease on this host's name cannot be used.
    NameUnchecked,
    /// The relay is not connected to a server.
    NotConnected,
    /// The servers or the account have no JetStream.
    NoJetstream,
    /// The stream does not exist.
    NoStream,
    /// The server does not permit a request.
    NotPermitted,
    /// The stream or the servers' storage is full.
    StoreFull,
    /// An item did not come back, for another reason.
    NoRoundTrip,
    /// Items for a host cannot be relayed.
    HeldUp,
    /// A host cannot be reached with ssh.
    SshUnreachable,
    /// A kind that only a newer version knows.
    #[serde(other)]
    Other,
}

impl RelayState {
    /// The first reason why messages are not relayed, as far as the relay knows.
    pub fn trouble(&self) -> Option<RelayTrouble> {
        let pid = self.pid;
        if self.stopped {
            let hint = format!("run `kill -CONT {pid}` to resume it");
            return Some(RelayTrouble::new(
                TroubleKind::Stopped,
                format!("The relay (pid {pid}) is stopped"),
                &hint,
            ));
        }
        let is_taken = matches!(self.name, NameState::Taken { .. });
        self.name_trouble()
            .filter(|_| is_taken)
            .or_else(|| self.round_trip.as_ref().and_then(|trip| trip.outcome.clone().err()))
            .or_else(|| self.name_trouble())
            .or_else(|| self.held_up_trouble())
            .or_else(|| self.ssh_trouble())
    }

    fn name_trouble(&self) -> Option<RelayTrouble> {
        let host = self.host.as_ref().map(ToString::to_string).unwrap_or_default();
        let rename = "set another `host` in the [fleet] section of config.toml on one of the two machines";
        match (&self.name, &self.rival) {
            (NameState::Taken { by }, _) => Some(RelayTrouble::new(
                TroubleKind::NameTaken,
                format!("Host name `{host}` is used by {by}; this machine relays nothing until it stops"),
                rename,
            )),
            (NameState::Unchecked { why }, _) => Some(RelayTrouble::new(
                TroubleKind::NameUnchecked,
                format!("Cannot check whether another machine uses the host name `{host}`: {why}"),
                "check the bucket `fugue_hosts` and this host's permissions; see docs/fleet.md",
            )),
            (_, Some((rival, _))) => Some(RelayTrouble::new(
                TroubleKind::NameContested,
                format!("{rival} also uses the host name `{host}`; its relay is refused"),
                rename,
            )),
            _ => None,
        }
    }

    fn held_up_trouble(&self) -> Option<RelayTrouble> {
        let (host, trouble) = self.held_up.iter().next()?;
        let message = format!("Items for host `{host}` cannot be relayed: {}", trouble.message);
        Some(RelayTrouble { message, ..trouble.clone() })
    }

    fn ssh_trouble(&self) -> Option<RelayTrouble> {
        let (host, ssh) = self.ssh.iter().find(|(_, ssh)| !ssh.connected || ssh.problem.is_some())?;
        let why = ssh.problem.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let message = format!("The relay is not connected to host `{host}`{why}");
        let hint = format!("`fugue hosts ping {host}` tests the connection");
        Some(RelayTrouble::new(TroubleKind::SshUnreachable, message, &hint))
    }
}

impl RelayTrouble {
    /// Trouble with a hint.
    pub fn new(kind: TroubleKind, message: impl Into<String>, hint: &str) -> Self {
        Self { kind, message: message.into(), hint: Some(hint.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_of_an_older_relay_and_trouble_of_a_newer_one_can_be_read() {
        let old: RelayState = serde_json::from_str(r#"{"pid":7,"connected":true}"#).expect("a state");
        assert_eq!((old.pid, old.name), (7, NameState::Unknown));
        let newer =
            r#"{"pid":7,"round_trip":{"at":1,"outcome":{"Err":{"kind":"moon_phase","message":"m"}}}}"#;
        let newer: RelayState = serde_json::from_str(newer).expect("a state");
        assert_eq!(newer.trouble().map(|trouble| trouble.kind), Some(TroubleKind::Other));
    }

    #[test]
    fn a_name_that_is_taken_is_named_first() {
        let host = "desk".parse().ok();
        let state =
            RelayState { host, name: NameState::Taken { by: "box (pid 3)".into() }, ..RelayState::default() };
        assert_eq!(
            state.trouble().map(|trouble| trouble.message),
            Some(
                "Host name `desk` is used by box (pid 3); this machine relays nothing until it stops".into()
            )
        );
    }
}
