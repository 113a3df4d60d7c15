//! The hosts in the configuration.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Once;

use fugue_client::{CallError, DaemonName, Env, HostName};
use fugue_config::{Config, ConfigEntry, ConfigSource};
use fugue_protocol::escape::escape;

/// The host of this name in the configuration, or else the one with this address.
pub(crate) fn named(name: &str) -> HostName {
    let configured = all().into_iter().find(|host| host.name == name);
    configured.unwrap_or_else(|| HostName { name: name.to_owned(), address: name.to_owned() })
}

/// The hosts in the configuration.
pub(crate) fn all() -> Vec<HostName> {
    config().hosts.iter().map(host_name).collect()
}

/// The hosts in the configuration without this one.
pub(crate) fn others() -> Vec<HostName> {
    config().other_hosts().map(host_name).collect()
}

fn host_name(entry: &ConfigEntry<String>) -> HostName {
    HostName { name: entry.name.clone(), address: entry.value.clone() }
}

/// The configuration. A file that cannot be used names no hosts, and the person is told.
fn config() -> Config {
    let Ok(path) = config_path() else { return Config::default() };
    Config::parse(&ConfigSource::read(&path), None).unwrap_or_else(|unusable| {
        static SAY: Once = Once::new();
        let mistake = unusable.mistake.to_string();
        SAY.call_once(|| drop(writeln!(std::io::stderr(), "fugue: {}", escape(&mistake))));
        unusable.or_defaults()
    })
}

pub(super) fn config_path() -> Result<PathBuf, CallError> {
    DaemonName::default().paths(&Env::own()).map(|paths| paths.config)
}
