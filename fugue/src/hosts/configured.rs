//! The hosts in the configuration.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Once;

use fugue_client::{CallError, DaemonName, Env, HostName};
use fugue_config::{Config, ConfigSource};
use fugue_protocol::escape::escape;

/// The host of this name in the configuration, or else the one with this address.
pub(crate) fn named(name: &str) -> HostName {
    let configured = all().into_iter().find(|host| host.name == name);
    configured.unwrap_or_else(|| HostName { name: name.to_owned(), address: name.to_owned() })
}

/// The hosts in the configuration. A file that cannot be used has none, and the person is told.
pub(crate) fn all() -> Vec<HostName> {
    let Ok(path) = config_path() else { return Vec::new() };
    let config = Config::parse(&ConfigSource::read(&path), None).unwrap_or_else(|unusable| {
        static SAY: Once = Once::new();
        let mistake = unusable.mistake.to_string();
        SAY.call_once(|| drop(writeln!(std::io::stderr(), "fugue: {}", escape(&mistake))));
        unusable.or_defaults()
    });
    let host = |entry: fugue_config::ConfigEntry<String>| HostName { name: entry.name, address: entry.value };
    config.hosts.into_iter().map(host).collect()
}

pub(super) fn config_path() -> Result<PathBuf, CallError> {
    DaemonName::default().paths(&Env::own()).map(|paths| paths.config)
}
