//! `fugue metrics`: the state of the daemon, the keeper, the relay and the fleet as numbers, in the OpenMetrics text format.

mod exposition;
mod http;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use fugue_client::{CallError, Paths, StartPolicy, ask_relay, connect, running_relay};
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::messages::Role;
use fugue_protocol::relay_state::{NameState, RelayState, TroubleKind};
use fugue_protocol::verbs::{GetMetrics, GetServerStatus};
use fugue_protocol::views::{DaemonMetrics, ServerStatus};

use crate::context::{self, CommandFailure};
use exposition::{Exposition, FamilyType};

/// The files of the journal.
const JOURNAL: [&str; 4] = ["journal.db", "journal.db-wal", "journal.db-shm", "journal.copy"];

/// The ticks per second in which Linux counts the times of processes, on every platform that fugue runs on.
const TICKS: u64 = 100;

/// The command line.
pub(crate) fn command() -> Command {
    let http = Arg::new("http")
        .long("http")
        .value_name("ADDRESS")
        .num_args(0..=1)
        .default_missing_value(http::default_address())
        .value_parser(http::parse_address)
        .help("Serve the metrics at http://ADDRESS/metrics until stopped [default: 127.0.0.1:7434]");
    let any = Arg::new("any-address")
        .long("any-address")
        .action(ArgAction::SetTrue)
        .requires("http")
        .help("Allow an address that other hosts can reach; there is no authentication");
    Command::new("metrics")
        .about("Print metrics in the OpenMetrics text format")
        .after_help("This command starts no daemon.")
        .arg(http)
        .arg(any)
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let paths = context::paths(&args)?;
    let Some(address) = args.get_one::<std::net::SocketAddr>("http") else {
        let _ = std::io::stdout().write_all(page(&paths).as_bytes());
        return Ok(());
    };
    if !address.ip().is_loopback() && !args.get_flag("any-address") {
        let hint = "hint: `--any-address` allows it; anyone who reaches it can read the metrics";
        return Err(CallError::Local(format!("{} is not a loopback address\n{hint}", address.ip())).into());
    }
    Ok(http::serve(*address, || page(&paths))?)
}

/// All metrics now.
fn page(paths: &Paths) -> String {
    let mut text = Exposition::default();
    let version = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
    text.family(FamilyType::Info, "fugue_build", "The version of fugue.", &[(version, 1.0)]);
    let daemon = read_daemon(paths);
    text.gauge("fugue_daemon_up", "Whether the daemon answers.", u8::from(daemon.is_some()));
    if let Some((status, counts)) = &daemon {
        add_daemon(&mut text, status, counts);
    }
    let journal: u64 = JOURNAL
        .iter()
        .filter_map(|file| fs::metadata(paths.state.join(file)).ok())
        .map(|file| file.len())
        .sum();
    text.gauge("fugue_journal_bytes", "The size of the journal's files.", number(journal));
    add_fleet(&mut text, paths);
    text.finish()
}

fn read_daemon(paths: &Paths) -> Option<(ServerStatus, DaemonMetrics)> {
    let mut connection = connect(paths, Role::Command, StartPolicy::Never).ok()?;
    Some((connection.call(&GetServerStatus {}).ok()?, connection.call(&GetMetrics {}).ok()?))
}

fn add_daemon(text: &mut Exposition, status: &ServerStatus, counts: &DaemonMetrics) {
    let mut gauge = |name: &str, help: &str, value: usize| text.gauge(name, help, number(value as u64));
    gauge("fugue_sessions", "Sessions.", counts.sessions);
    gauge("fugue_windows", "Windows.", counts.windows);
    gauge("fugue_panes", "Panes.", counts.panes);
    gauge("fugue_clients", "Attached clients.", counts.clients);
    gauge("fugue_connections", "Connections to the daemon.", status.connections);
    gauge("fugue_warnings", "Warnings that `fugue server-status` shows.", status.warnings.len());
    gauge("fugue_inbox_messages", "Unread messages in all inboxes.", counts.inbox_messages);
    gauge("fugue_inbox_bytes", "The size of their payloads.", counts.inbox_bytes);
    gauge(
        "fugue_inbox_largest_messages",
        "Unread messages in the fullest inbox.",
        counts.largest_inbox_messages,
    );
    gauge(
        "fugue_outbox_messages",
        "Messages that wait to be relayed to other hosts.",
        counts.outbox_messages,
    );
    gauge("fugue_outbox_bytes", "The size of their payloads.", counts.outbox_bytes);
    gauge("fugue_leases", "Leases that are held on this host.", counts.leases);
    let dead = counts.receipts.get("dead_lettered").copied().unwrap_or_default();
    gauge("fugue_dead_letters", "Stored receipts of messages that could not be delivered.", dead);
    by_state(text, "fugue_agents", "Agents by state.", &counts.agents);
    by_state(
        text,
        "fugue_receipts",
        "Stored receipts by state: one for each message and recipient.",
        &counts.receipts,
    );
    text.gauge(
        "fugue_daemon_uptime_seconds",
        "How long this daemon has been running.",
        number(status.uptime_ms) / 1_000.0,
    );
    started(
        text,
        "fugue_daemon_start_time_seconds",
        "When this daemon started; it changes with each restart.",
        status.pid,
    );
    let keeper = start_time(status.keeper_pid);
    text.gauge("fugue_keeper_up", "Whether the keeper is running.", u8::from(keeper.is_some()));
    started(text, "fugue_keeper_start_time_seconds", "When the keeper started.", status.keeper_pid);
}

fn by_state(text: &mut Exposition, name: &str, help: &str, counts: &BTreeMap<String, usize>) {
    let sample = |(state, count): (&String, &usize)| (vec![("state", state.clone())], number(*count as u64));
    text.family(FamilyType::Gauge, name, help, &counts.iter().map(sample).collect::<Vec<_>>());
}

/// The relay and the fleet, if this host belongs to one. The relay makes a round trip for it.
fn add_fleet(text: &mut Exposition, paths: &Paths) {
    let config =
        Config::parse(&ConfigSource::read(&paths.config), None).unwrap_or_else(UnusableConfig::or_defaults);
    let Some(host) = &config.fleet.host else { return };
    let labels = vec![("host", host.to_string())];
    text.family(FamilyType::Info, "fugue_fleet", "The name of this host in its fleet.", &[(labels, 1.0)]);
    if config.fleet.servers.is_empty() && config.fleet.ssh.is_empty() {
        // It has no relay; those of other hosts reach it.
        return;
    }
    let last = running_relay(&paths.state);
    text.gauge("fugue_relay_running", "Whether the relay's process exists.", u8::from(last.is_some()));
    let answered = match last {
        None => Err(TroubleKind::NotRunning),
        Some(relay) if relay.stopped => Err(TroubleKind::Stopped),
        Some(_) => ask_relay(&paths.state).map_err(|_| TroubleKind::NotResponding),
    };
    text.gauge("fugue_relay_up", "Whether the relay answers.", u8::from(answered.is_ok()));
    match answered {
        Ok(relay) => add_relay(text, &relay),
        Err(trouble) => add_health(text, Some(trouble)),
    }
}

/// Whether messages are relayed, and why not.
fn add_health(text: &mut Exposition, trouble: Option<TroubleKind>) {
    text.gauge("fugue_relay_healthy", "Whether messages are relayed.", u8::from(trouble.is_none()));
    let kind =
        |kind: TroubleKind| serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
    let troubles: Vec<_> =
        trouble.and_then(kind).map(|kind| (vec![("kind", kind)], 1.0)).into_iter().collect();
    text.family(FamilyType::Gauge, "fugue_relay_trouble", "Why messages are not relayed.", &troubles);
}

fn add_relay(text: &mut Exposition, relay: &RelayState) {
    add_health(text, relay.trouble().map(|trouble| trouble.kind));
    text.gauge(
        "fugue_relay_connected",
        "Whether the relay is connected to a NATS server.",
        u8::from(relay.connected),
    );
    if let Some(Ok(micros)) = relay.round_trip.as_ref().map(|trip| &trip.outcome) {
        let help = "The time that an item takes through the stream and back.";
        text.gauge("fugue_relay_round_trip_seconds", help, number(*micros) / 1e6);
    }
    let is_held = relay.name == NameState::Held;
    text.gauge(
        "fugue_fleet_name_held",
        "Whether this relay holds the lease on its host's name.",
        u8::from(is_held),
    );
    let help = "Whether another machine uses or tried to use the same host name.";
    let contested = relay.rival.is_some() || matches!(relay.name, NameState::Taken { .. });
    text.gauge("fugue_fleet_name_contested", help, u8::from(contested));
    text.gauge(
        "fugue_relay_held_up_hosts",
        "Hosts to which items could not be relayed (at most 20).",
        number(relay.held_up.len() as u64),
    );
    let count = |count: u64| [(vec![], number(count))];
    text.family(
        FamilyType::Counter,
        "fugue_relay_sent",
        "Messages and receipts that the relay has sent.",
        &count(relay.sent),
    );
    text.family(
        FamilyType::Counter,
        "fugue_relay_received",
        "Items that the relay has received.",
        &count(relay.received),
    );
    let ssh = relay
        .ssh
        .iter()
        .map(|(host, ssh)| (vec![("host", host.to_string())], f64::from(u8::from(ssh.connected))));
    text.family(
        FamilyType::Gauge,
        "fugue_relay_ssh_connected",
        "Whether a host is reached over ssh.",
        &ssh.collect::<Vec<_>>(),
    );
    started(text, "fugue_relay_start_time_seconds", "When the relay started.", relay.pid);
}

fn started(text: &mut Exposition, name: &str, help: &str, pid: u32) {
    if let Some(at) = start_time(pid) {
        text.gauge(name, help, at);
    }
}

/// When a process started, in seconds since 1970; none if it has ended.
fn start_time(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    // The name before it may contain anything.
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: u64 = fields.get(19)?.parse().ok().filter(|_| fields[0] != "Z")?;
    let boot = fs::read_to_string("/proc/stat").ok()?;
    let boot: u64 = boot.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(number(boot) + number(ticks) / number(TICKS))
}

/// A number of the format. Counts are far below those that a float cannot hold.
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_started_before_now_and_one_that_does_not_exist_never_did() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
        let started = start_time(std::process::id()).expect("it runs");
        assert!((0.0..600.0).contains(&(now.as_secs_f64() - started)), "{started}");
        assert_eq!(start_time(u32::MAX), None);
    }
}
