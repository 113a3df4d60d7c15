//! `fugue fleet status`: whether messages are relayed, how much waits in the outbox, and which hosts are there. The relay
//! itself checks its connections; this command only asks it.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use fugue_client::{CallError, ask_relay, running_relay};
use fugue_protocol::FleetHost;
use fugue_protocol::escape::{escape, escape_json};
use fugue_protocol::relay_state::{NameState, RelayState, RelayTrouble, TroubleKind};
use fugue_protocol::verbs::TakeOutbox;
use serde_json::{Value, json};

use crate::daemon_link::DaemonLink;
use crate::failure::Failure;
use crate::host_entry::HostEntry;
use crate::members::member_names;
use crate::membership::Membership;
use crate::presence;

/// How long the servers may take to list the hosts.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The hosts of the fleet.
struct FleetHosts {
    there: Vec<(FleetHost, HostEntry)>,
    /// Those that belong to the fleet but are not there; none if that is not known.
    away: Option<Vec<FleetHost>>,
}

/// What is known of the fleet.
struct FleetStatus {
    host: FleetHost,
    /// Whether it uses NATS.
    has_servers: bool,
    /// Whether this host needs a relay.
    has_relay: bool,
    relay: Option<RelayState>,
    /// Why messages are not relayed.
    trouble: Option<RelayTrouble>,
    /// Messages and bytes; none for a program in a pane, which may not see them.
    outbox: Option<Result<(usize, usize), Failure>>,
    hosts: Result<FleetHosts, Failure>,
}

/// Prints the status. It fails if messages are not being relayed.
pub(crate) async fn show(server: Option<String>, json: bool) -> Result<(), Failure> {
    let membership = Membership::read(server)?;
    let mut daemon = DaemonLink::new(&membership.paths);
    let outbox = daemon.call(&TakeOutbox::default()).await;
    let (relay, trouble) = look(&membership);
    let hosts = tokio::time::timeout(TIMEOUT, hosts(&membership)).await;
    let status = FleetStatus {
        host: membership.host.clone(),
        has_servers: !membership.settings.servers.is_empty(),
        has_relay: membership.has_relay(),
        relay,
        trouble,
        outbox: match outbox {
            Ok(page) => Some(Ok((page.waiting, page.waiting_bytes))),
            Err(CallError::Refused(refused)) if refused.code == "only_relay" => None,
            Err(error) => Some(Err(error.into())),
        },
        hosts: hosts.unwrap_or_else(|_| Err(Failure::new("The NATS servers do not respond", None))),
    };
    let text =
        if json { format!("{}\n", escape_json(&status.as_json().to_string())) } else { status.as_text() };
    let _ = std::io::stdout().write_all(text.as_bytes());
    status.verdict()
}

/// Has the relay check its connections. Returns its state, and why it does not relay messages.
fn look(membership: &Membership) -> (Option<RelayState>, Option<RelayTrouble>) {
    if !membership.has_relay() {
        return (None, None);
    }
    let Some(last) = running_relay(&membership.paths.state) else {
        let hint = "start it with `fugue fleet run`";
        return (None, Some(RelayTrouble::new(TroubleKind::NotRunning, "The relay is not running", hint)));
    };
    if last.stopped {
        let trouble = last.trouble();
        return (Some(last), trouble);
    }
    match ask_relay(&membership.paths.state) {
        Ok(state) => {
            let trouble = state.trouble();
            (Some(state), trouble)
        }
        Err(why) => {
            let message = format!("The relay (pid {}) does not respond: {why}", last.pid);
            let hint = "restart it; a relay of an older version does not answer `fugue fleet status`";
            (Some(last), Some(RelayTrouble::new(TroubleKind::NotResponding, message, hint)))
        }
    }
}

async fn hosts(membership: &Membership) -> Result<FleetHosts, Failure> {
    if membership.settings.servers.is_empty() {
        return Ok(FleetHosts { there: Vec::new(), away: None });
    }
    let options = membership.connect_options().await?.max_reconnects(1);
    let broker = membership.connect(options).await?;
    let there = presence::hosts(&broker).await?;
    let names: BTreeSet<_> = there.iter().map(|(host, _)| host).collect();
    let away = member_names(&broker).await.ok();
    let away = away.map(|members| members.into_iter().filter(|host| !names.contains(host)).collect());
    Ok(FleetHosts { there, away })
}

impl FleetStatus {
    fn relay_text(&self) -> String {
        let Some(relay) = &self.relay else {
            return if self.has_relay { "not running" } else { "none: other hosts reach this one over ssh" }
                .into();
        };
        let pid = relay.pid;
        match self.trouble.as_ref().map(|trouble| trouble.kind) {
            Some(TroubleKind::Stopped) => return format!("stopped, process {pid}"),
            Some(TroubleKind::NotResponding) => return format!("not responding, process {pid}"),
            _ if !self.has_servers => return format!("running, process {pid}"),
            _ => {}
        }
        let problem = relay.problem.as_ref().map(|problem| format!(" ({})", escape(problem)));
        let state = match (&relay.name, relay.connected) {
            (NameState::Taken { .. }, true) => "refused",
            (_, true) => "connected",
            (_, false) => "not connected",
        };
        let trip = relay.round_trip.as_ref().and_then(|trip| trip.outcome.as_ref().ok());
        let trip = trip.filter(|_| state == "connected").map(|micros| {
            // Tenths of a millisecond are enough for people.
            format!(", round trip {}.{} ms", micros / 1_000, micros % 1_000 / 100)
        });
        format!("{state}{}, process {pid}{}", problem.unwrap_or_default(), trip.unwrap_or_default())
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
            Ok(hosts) => text += &hosts.as_text(),
        }
        text
    }

    fn as_json(&self) -> Value {
        let host = |(host, entry): &(FleetHost, HostEntry)| json!({ "host": host, "entry": entry });
        let hosts = self.hosts.as_ref().ok();
        json!({
            "host": self.host,
            "relay": self.relay,
            "trouble": self.trouble,
            "outbox": self.outbox.as_ref().and_then(|outbox| outbox.as_ref().ok()).map(|(messages, bytes)| json!({ "messages": messages, "bytes": bytes })),
            "hosts": hosts.map(|hosts| hosts.there.iter().map(host).collect::<Vec<_>>()),
            "away": hosts.and_then(|hosts| hosts.away.as_ref()),
        })
    }

    fn verdict(self) -> Result<(), Failure> {
        match self.trouble {
            // The servers say why nobody can connect.
            Some(trouble) if trouble.kind == TroubleKind::NotConnected => {
                Err(self.hosts.err().unwrap_or_else(|| trouble.into()))
            }
            Some(trouble) => Err(trouble.into()),
            None => {
                let outbox = self.outbox.map_or(Ok(()), |outbox| outbox.map(drop));
                outbox.and(self.hosts.map(drop))
            }
        }
    }
}

impl FleetHosts {
    fn as_text(&self) -> String {
        let mut text = String::new();
        for (at, (host, entry)) in self.there.iter().enumerate() {
            let label = if at == 0 { "hosts " } else { "      " };
            let names: Vec<_> = entry.sessions.iter().map(|session| session.name.as_str()).collect();
            text += &format!("{label}  {host}: {}\n", escape(&names.join(", ")));
        }
        if let Some(away) = self.away.as_ref().filter(|away| !away.is_empty()) {
            let names: Vec<_> = away.iter().map(FleetHost::as_str).collect();
            text += &format!("away    {}\n", names.join(", "));
        }
        text
    }
}
