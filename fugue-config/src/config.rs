//! The settings of a file, as the daemon and the client use them.

use std::collections::BTreeMap;

use fugue_confinement::Profile;
use fugue_protocol::permission_rules::PermissionRule;
use fugue_protocol::{FleetHost, Scope};
use fugue_screen::keys::Key;
use toml::Value;

use crate::confinement;
use crate::hooks::HookActions;
use crate::mistake::Mistake;
use crate::scope_fallback::UnreadScopes;
use crate::sections::{ConfigEntry, KeyBinding};
use crate::settings::{
    ClientSettings, DaemonSettings, FleetSettings, Setting, SettingReader, StatusSettings,
};
use crate::value::SettingType;

/// The settings of a file, and the mistakes in it. What the file does not set, or sets to an invalid value, has its
/// default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The daemon's settings.
    pub daemon: DaemonSettings,
    /// The terminal client's settings.
    pub client: ClientSettings,
    /// The settings of the status line.
    pub status: StatusSettings,
    /// The settings of the fleet.
    pub fleet: FleetSettings,
    /// Whether there is a mistake in `[status]`: a client keeps the status line that it has.
    pub status_mistaken: bool,
    /// The entries of `[scopes]`.
    pub scopes: Vec<ConfigEntry<Scope>>,
    /// Whether some of these are not from the file, because of a mistake in it: they are the last valid ones, or the
    /// strictest.
    pub scopes_kept: bool,
    /// The scopes of the file that could not be read, until the last ones take their place.
    pub(crate) unread_scopes: UnreadScopes,
    /// The entries of `[permissions]`.
    pub permissions: Vec<ConfigEntry<PermissionRule>>,
    /// Whether there are rules of which not even the command can be read. Each might deny anything, so nothing is
    /// allowed.
    pub permissions_incomplete: bool,
    /// The entries of `[confine]`: patterns of session names, and profiles.
    pub confine: Vec<ConfigEntry<String>>,
    /// The entries of `[confine_profiles]`: the user's own profiles.
    pub confine_profiles: Vec<ConfigEntry<Profile>>,
    /// The entries of `[theme]`.
    pub theme: Vec<ConfigEntry<String>>,
    /// The entries of `[keys]`.
    pub keys: Vec<ConfigEntry<KeyBinding>>,
    /// The entries of `[copy_keys]`.
    pub copy_keys: Vec<ConfigEntry<(Key, String)>>,
    /// The entries of `[hooks]`: events and their actions.
    pub hooks: Vec<ConfigEntry<HookActions>>,
    /// The entries of `[hosts]`: names and addresses.
    pub hosts: Vec<ConfigEntry<String>>,
    /// The mistakes, in the order of the file.
    pub mistakes: Vec<Mistake>,
    /// The lines of the settings that the file sets, by full name.
    pub(crate) lines: BTreeMap<String, usize>,
}

impl Config {
    /// The entries of `[hosts]` without this host, which has its name in the fleet: all hosts may share a file.
    pub fn other_hosts(&self) -> impl Iterator<Item = &ConfigEntry<String>> {
        let own = self.fleet.host.as_ref().map(FleetHost::as_str);
        self.hosts.iter().filter(move |host| own != Some(host.name.as_str()))
    }

    /// Returns the value of a setting, if it is set.
    pub fn value(&self, setting: &Setting) -> Option<Value> {
        match setting.section {
            Some(StatusSettings::SECTION) => self.status.get(setting.key),
            Some(FleetSettings::SECTION) => self.fleet.get(setting.key),
            Some(_) => self.client.get(setting.key),
            None => self.daemon.get(setting.key),
        }
    }

    /// Returns the line on which the file sets a setting; nothing if it has its default.
    pub fn line(&self, setting: &Setting) -> Option<usize> {
        self.lines.get(&setting.name()).copied()
    }

    /// Returns the entries of a section whose entries a person names: name, line and value. A scope that is in force
    /// without being in the file has no line.
    pub fn section(&self, name: &str) -> Vec<(String, Option<usize>, Value)> {
        match name {
            "scopes" => shown(&self.scopes, |scope| scope.name().into()),
            "permissions" => shown(&self.permissions, |rule| rule.verdict.name().into()),
            "confine" => shown(&self.confine, |profile| profile.as_str().into()),
            "confine_profiles" => shown(&self.confine_profiles, confinement::to_toml),
            "theme" => shown(&self.theme, |value| value.as_str().into()),
            "keys" => shown(&self.keys, |binding| binding.command.as_str().into()),
            "copy_keys" => shown(&self.copy_keys, |(_, action)| action.as_str().into()),
            "hooks" => shown(&self.hooks, |actions| actions.to_toml().unwrap_or(Value::Array(Vec::new()))),
            "hosts" => shown(&self.hosts, |address| address.as_str().into()),
            _ => Vec::new(),
        }
    }

    /// Returns the scopes, and the rules for confinement if there are any, as the text of a file that contains nothing else.
    pub fn scopes_text(&self) -> String {
        let scopes = self.scopes.iter().map(|entry| (entry.name.clone(), entry.value.name().into()));
        let confine = self.confine.iter().map(|entry| (entry.name.clone(), entry.value.clone().into()));
        let section = |name: &str, entries: toml::Table| {
            [(name.to_owned(), Value::Table(entries))].into_iter().collect::<toml::Table>().to_string()
        };
        let confine: toml::Table = confine.collect();
        if confine.is_empty() {
            return section("scopes", scopes.collect());
        }
        let profiles = self.confine_profiles.iter();
        let profiles =
            profiles.map(|entry| (entry.name.clone(), confinement::to_toml(&entry.value))).collect();
        section("scopes", scopes.collect())
            + &section("confine", confine)
            + &section("confine_profiles", profiles)
    }

    /// Returns the mistakes in the entries that a process uses.
    pub fn mistakes_for(&self, reader: SettingReader) -> impl Iterator<Item = &Mistake> {
        self.mistakes.iter().filter(move |mistake| mistake.reader == reader)
    }
}

fn shown<T>(entries: &[ConfigEntry<T>], value: impl Fn(&T) -> Value) -> Vec<(String, Option<usize>, Value)> {
    entries.iter().map(|entry| (entry.name.clone(), entry.line, value(&entry.value))).collect()
}
