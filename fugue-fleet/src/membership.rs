//! This host's part in the fleet: its name, and how it reaches the servers. It is read from `config.toml`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::ConnectOptions;
use fugue_client::{DaemonName, Env, HostName, Paths};
use fugue_config::{Config, ConfigSource, FleetSettings, UnusableConfig};
use fugue_protocol::FleetHost;

use crate::broker::Broker;
use crate::failure::Failure;
use crate::security::Security;

/// The longest pause between two attempts to connect.
const MAX_RECONNECT_DELAY: Duration = Duration::from_secs(8);

/// How long a server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// What shows all mistakes of the file.
const CHECK_HINT: &str = "`fugue config check` lists the errors";

/// A host that is set up as part of a fleet.
pub(crate) struct Membership {
    pub(crate) host: FleetHost,
    pub(crate) settings: FleetSettings,
    pub(crate) paths: Paths,
    /// The hosts that are reached with ssh, and their daemons.
    pub(crate) ssh: Vec<(FleetHost, Paths)>,
}

impl Membership {
    /// Reads the settings of the daemon of this name.
    pub(crate) fn read(server: Option<String>) -> Result<Self, Failure> {
        let paths = DaemonName { host: None, server }.paths(&Env::own())?;
        let config = usable(&ConfigSource::read(&paths.config))?;
        let ssh = ssh_hosts(&config)?;
        // An entry with a mistake counts as missing.
        let mistake = config.mistakes.first().map(ToString::to_string);
        let settings = config.fleet;
        let Some(host) = settings.host.clone() else {
            if let Some(mistake) = mistake {
                return Err(Failure::new(mistake, Some(CHECK_HINT)));
            }
            let hint = "add a [fleet] section with `host` and `servers`; see docs/fleet.md";
            return Err(Failure::new(
                "This host has no name in a fleet: config.toml does not set fleet.host",
                Some(hint),
            ));
        };
        if ssh.iter().any(|(other, _)| *other == host) {
            let hint = "give this host another name, or remove the entry from fleet.ssh";
            return Err(Failure::new(
                format!("fleet.ssh contains this host's own name, `{host}`"),
                Some(hint),
            ));
        }
        Ok(Self { host, settings, paths, ssh })
    }

    /// Whether a relay of this host has anything to do. If not, those of other hosts may reach it over ssh.
    pub(crate) fn has_relay(&self) -> bool {
        !self.settings.servers.is_empty() || !self.ssh.is_empty()
    }

    /// Refuses a relay that would have nothing to do.
    pub(crate) fn for_the_relay(self) -> Result<Self, Failure> {
        if self.has_relay() {
            return Ok(self);
        }
        let hint = "set `servers` in the [fleet] section, such as [\"nats://127.0.0.1:4222\"]; a host that \
                    another one reaches with `fleet.ssh` needs no relay";
        Err(Failure::new("No NATS server is set: config.toml has no fleet.servers", Some(hint)))
    }

    /// Refuses what needs NATS if no servers are set.
    pub(crate) fn needs_servers(&self, what: &str) -> Result<(), Failure> {
        if !self.settings.servers.is_empty() {
            return Ok(());
        }
        let hint = "set `servers` in the [fleet] section; `fugue claim` claims a lease on one host";
        Err(Failure::new(format!("{what} need NATS, and config.toml has no fleet.servers"), Some(hint)))
    }

    /// Connects to one of the servers.
    pub(crate) async fn connect(&self, options: ConnectOptions) -> Result<Broker, Failure> {
        Broker::connect(&self.settings.servers, self.host.clone(), self.settings.replicas, options).await
    }

    /// The options of a connection. The inbox prefix is the host's own, so that servers can keep others from listening
    /// to its replies.
    pub(crate) async fn connect_options(&self) -> Result<ConnectOptions, Failure> {
        let options = ConnectOptions::new()
            .name(format!("fugue {}", self.host))
            .custom_inbox_prefix(format!("_INBOX_{}", self.host))
            .connection_timeout(CONNECT_TIMEOUT)
            .reconnect_delay_callback(reconnect_delay);
        let file = |name: &Option<String>| name.as_ref().map(|name| self.file(name));
        let FleetSettings { tls_ca, creds, nkey_seed, .. } = &self.settings;
        let security = Security { tls_ca: file(tls_ca), creds: file(creds), nkey_seed: file(nkey_seed) };
        security.apply(options).await
    }

    /// A file that the configuration names; relative to the configuration.
    fn file(&self, name: &str) -> PathBuf {
        self.paths.config.parent().unwrap_or(Path::new("/")).join(name)
    }
}

/// Reads the settings of a file. One that cannot be read at all may well have a name for this host.
fn usable(source: &ConfigSource) -> Result<Config, Failure> {
    let failure = |unusable: UnusableConfig| Failure::new(unusable.mistake.to_string(), Some(CHECK_HINT));
    Config::parse(source, None).map_err(failure)
}

/// The hosts in `fleet.ssh`.
fn ssh_hosts(config: &Config) -> Result<Vec<(FleetHost, Paths)>, Failure> {
    let host = |name: &String| {
        let host: FleetHost = name.parse().map_err(|why| {
            Failure::new(format!("Invalid host in fleet.ssh: {why}"), Some("correct it in config.toml"))
        })?;
        let entry = config.hosts.iter().find(|entry| entry.name == *name).ok_or_else(|| {
            let hint = format!("add it with `fugue hosts add {name} ADDRESS`");
            Failure::new(format!("Host `{name}` in fleet.ssh is not in the [hosts] section"), Some(&hint))
        })?;
        let there = HostName { name: name.clone(), address: entry.value.clone() };
        Ok((host, DaemonName { host: Some(there), server: None }.paths(&Env::own())?))
    };
    config.fleet.ssh.iter().map(host).collect()
}

/// The pause before another attempt to connect.
fn reconnect_delay(attempt: usize) -> Duration {
    let doubled =
        Duration::from_millis(100) * 2_u32.saturating_pow(u32::try_from(attempt.min(10)).unwrap_or(10));
    doubled.min(MAX_RECONNECT_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_not_one_without_a_fleet() {
        let failure = |text: &str| usable(&ConfigSource::Text(text.into())).err().map(|why| why.to_string());
        let why = failure("[fleet]\nhost = desk\n").expect("a mistake");
        assert!(why.starts_with("config.toml, line 2: "), "{why}");
        assert!(why.ends_with("\nhint: `fugue config check` lists the errors"), "{why}");
        assert_eq!(failure("[fleet]\nhost = \"desk\"\n"), None);
    }

    #[test]
    fn attempts_to_connect_become_rarer() {
        assert_eq!(reconnect_delay(0), Duration::from_millis(100));
        assert_eq!(reconnect_delay(3), Duration::from_millis(800));
        assert_eq!(reconnect_delay(50), MAX_RECONNECT_DELAY);
    }
}
