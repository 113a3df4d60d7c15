//! `fugue fleet status`: whether the relay runs and is connected, how much waits in the outbox, and which hosts are there.

use std::io::Write;
use std::time::Duration;

use fugue_client::CallError;
use fugue_protocol::FleetHost;
use fugue_protocol::escape::{escape, escape_json};
use fugue_protocol::verbs::TakeOutbox;
use serde_json::{Value, json};

use crate::daemon_link::DaemonLink;
use crate::failure::Failure;
use crate::membership::Membership;
use crate::presence::{self, HostEntry};
use crate::relay_state::{self, RelayState};

/// How long the servers may take to list the hosts.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What is known of the fleet.
struct FleetStatus {
    host: FleetHost,
    /// Whether it uses NATS.
    has_servers: bool,
    relay: Option<RelayState>,
    /// Messages and bytes; none for a program in a pane, which may not see them.
    outbox: Option<Result<(usize, usize), Failure>>,
    hosts: Result<Vec<(FleetHost, HostEntry)>, Failure>,
}

/// Prints the status. It fails if messages are not being relayed.
pub(crate) async fn show(server: Option<String>, json: bool) -> Result<(), Failure> {
    let membership = Membership::read(server)?;
    let mut daemon = DaemonLink::new(&membership.paths);
    let outbox = daemon.call(&TakeOutbox::default()).await;
    let status = FleetStatus {
        host: membership.host.clone(),
        has_servers: !membership.settings.servers.is_empty(),
        relay: relay_state::running(&membership.paths.state),
        outbox: match outbox {
            Ok(page) => Some(Ok((page.waiting, page.waiting_bytes))),
            Err(CallError::Refused(refused)) if refused.code == "only_relay" => None,
            Err(error) => Some(Err(error.into())),
        },
        hosts: tokio::time::timeout(TIMEOUT, hosts(&membership))
            .await
            .unwrap_or_else(|_| Err(Failure::new("The NATS servers do not respond", None))),
    };
    let text =
        if json { format!("{}\n", escape_json(&status.as_json().to_string())) } else { status.as_text() };
    let _ = std::io::stdout().write_all(text.as_bytes());
    status.verdict()
}

async fn hosts(membership: &Membership) -> Result<Vec<(FleetHost, HostEntry)>, Failure> {
    if membership.settings.servers.is_empty() {
        return Ok(Vec::new());
    }
    let options = membership.connect_options().await?.max_reconnects(1);
    presence::hosts(&membership.connect(options).await?).await
}

impl FleetStatus {
    fn relay_text(&self) -> String {
        let Some(relay) = &self.relay else { return "not running".into() };
        if relay.stopped {
            return format!("stopped, process {}", relay.pid);
        }
        if !self.has_servers {
            return format!("running, process {}", relay.pid);
        }
        let problem = relay.problem.as_ref().map(|problem| format!(" ({})", escape(problem)));
        let state = if relay.connected { "connected" } else { "not connected" };
        format!("{state}{}, process {}", problem.unwrap_or_default(), relay.pid)
    }

    fn as_text(&self) -> String {
        let outbox = match &self.outbox {
            Some(Ok((messages, bytes))) => format!("{messages} messages, {bytes} bytes"),
            Some(Err(failure)) => failure.message().to_owned(),
            None => "not shown in a pane".into(),
        };
        let mut text = format!("host    {}\nrelay   {}\noutbox  {outbox}\n", self.host, self.relay_text());
        for (host, ssh) in self.relay.iter().flat_map(|relay| &relay.ssh) {
            let problem = ssh.problem.as_ref().map(|problem| format!(" ({})", escape(problem)));
            let state = if ssh.connected { "connected" } else { "not connected" };
            text += &format!("ssh     {host}: {state}{}\n", problem.unwrap_or_default());
        }
        match &self.hosts {
            Err(failure) => text += &format!("hosts   {}\n", escape(failure.message())),
            Ok(hosts) => {
                for (at, (host, entry)) in hosts.iter().enumerate() {
                    let label = if at == 0 { "hosts " } else { "      " };
                    let names: Vec<_> = entry.sessions.iter().map(|session| session.name.as_str()).collect();
                    text += &format!("{label}  {host}: {}\n", escape(&names.join(", ")));
                }
            }
        }
        text
    }

    fn as_json(&self) -> Value {
        let hosts = self.hosts.as_ref().map(|hosts| {
            let host = |(host, entry): &(FleetHost, HostEntry)| json!({ "host": host, "entry": entry });
            hosts.iter().map(host).collect::<Vec<_>>()
        });
        json!({
            "host": self.host,
            "relay": self.relay,
            "outbox": self.outbox.as_ref().and_then(|outbox| outbox.as_ref().ok()).map(|(messages, bytes)| json!({ "messages": messages, "bytes": bytes })),
            "hosts": hosts.ok(),
        })
    }

    fn verdict(self) -> Result<(), Failure> {
        match self.relay {
            None => Err(Failure::new("The relay is not running", Some("start it with `fugue fleet run`"))),
            Some(relay) if relay.stopped => {
                let hint = format!("run `kill -CONT {}` to resume it", relay.pid);
                Err(Failure::new(format!("The relay (pid {}) is stopped", relay.pid), Some(&hint)))
            }
            Some(relay) if self.has_servers && !relay.connected => {
                Err(self.hosts.err().unwrap_or_else(|| {
                    Failure::new("The relay is not connected to NATS", Some("try again in a moment"))
                }))
            }
            Some(relay) => match relay.ssh.iter().find(|(_, ssh)| !ssh.connected) {
                Some((host, _)) => {
                    let hint = format!("`fugue hosts ping {host}` tests the connection");
                    Err(Failure::new(format!("The relay is not connected to host `{host}`"), Some(&hint)))
                }
                None => self.outbox.map_or(Ok(()), |outbox| outbox.map(drop)),
            },
        }
    }
}
