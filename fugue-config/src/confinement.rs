//! The sections `[confine]` and `[confine_profiles]`: which sessions' programs are confined, and what the user's own profiles
//! allow.

use std::path::PathBuf;

use fugue_confinement::{Network, Profile, WriteAccess};
use toml::Value;
use toml::de::{DeTable, DeValue};

use crate::config::Config;
use crate::document::{EntryResult, LineEnds, RawEntry, entries};
use crate::sections::ConfigEntry;
use crate::value::SettingType;
use crate::value::did_you_mean;

/// The value of `[confine]` by which a session's programs are not confined.
pub const NOT_CONFINED: &str = "off";

const FIELDS: [&str; 5] = ["write", "ports", "read_paths", "write_paths", "variables"];

/// Reads an entry of `[confine]`: the pattern of a session's name, and a profile. Whether there is such a profile is known
/// when the file has been read.
pub(crate) fn rule(_: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<String> {
    entry.read()
}

/// Reads an entry of `[confine_profiles]`.
pub(crate) fn profile(lines: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<Profile> {
    let wrong = |why: String| (entry.line, format!("\"{}\" {why}", entry.name));
    if entry.name == NOT_CONFINED || Profile::named(entry.name).is_some() {
        return Err(wrong("is the name of a profile that cannot be changed".into()));
    }
    let DeValue::Table(fields) = entry.value else { return Err(wrong("must be a table".into())) };
    read_fields(lines, entry, fields)
}

fn read_fields(lines: &LineEnds, entry: &RawEntry<'_>, fields: &DeTable<'_>) -> EntryResult<Profile> {
    let mut profile = Profile::default();
    for field in entries(lines, fields) {
        match field.name {
            "write" => profile.write = write_access(&field)?,
            "ports" => profile.network = Network::Ports(ports(&field)?),
            "read_paths" => profile.read_paths = paths(&field)?,
            "write_paths" => profile.write_paths = paths(&field)?,
            "variables" => profile.variables = Some(field.read()?),
            wrong => {
                let near = did_you_mean(wrong, FIELDS.into_iter());
                return Err((field.line, format!("unknown field \"{wrong}\" in \"{}\"{near}", entry.name)));
            }
        }
    }
    Ok(profile)
}

fn write_access(field: &RawEntry<'_>) -> EntryResult<WriteAccess> {
    match field.value.as_str() {
        Some("worktree") => Ok(WriteAccess::Worktree),
        Some("temporary") => Ok(WriteAccess::Temporary),
        _ => Err((field.line, "\"write\" must be \"worktree\" or \"temporary\"".into())),
    }
}

fn ports(field: &RawEntry<'_>) -> EntryResult<Vec<u16>> {
    let wrong = || (field.line, "\"ports\" must be a list of TCP ports".to_owned());
    let all = field.value.as_array().ok_or_else(wrong)?.iter();
    all.map(|port| port.get_ref().as_integer().and_then(|port| port.as_str().parse().ok()).ok_or_else(wrong))
        .collect()
}

/// Paths that are absolute or begin with `~`.
fn paths(field: &RawEntry<'_>) -> EntryResult<Vec<PathBuf>> {
    let wrong = || (field.line, format!("\"{}\" must be a list of absolute paths", field.name));
    let all: Vec<String> = Vec::read(field.value).map_err(|_| wrong())?;
    let is_valid = |path: &&String| path.starts_with('/') || *path == "~" || path.starts_with("~/");
    if all.iter().all(|path| is_valid(&path)) {
        Ok(all.into_iter().map(PathBuf::from).collect())
    } else {
        Err(wrong())
    }
}

impl Config {
    /// Returns the profile of a name: one of the user's, or one that needs no configuration.
    pub fn confinement_profile(&self, name: &str) -> Option<Profile> {
        let own = self.confine_profiles.iter().find(|entry| entry.name == name);
        own.map(|entry| entry.value.clone()).or_else(|| Profile::named(name))
    }

    /// Returns the names of all profiles.
    pub fn confinement_profiles(&self) -> impl Iterator<Item = &str> {
        Profile::NAMES.into_iter().chain(self.confine_profiles.iter().map(|entry| entry.name.as_str()))
    }

    /// Whether every profile that `[confine]` names exists.
    pub fn knows_all_profiles(&self) -> bool {
        self.unknown_profiles().is_empty()
    }

    /// Returns the entries of `[confine]` that name no profile. They stay in force: a program of such a session does not
    /// start.
    pub(crate) fn unknown_profiles(&self) -> Vec<(usize, String)> {
        let is_unknown = |entry: &&ConfigEntry<String>| {
            entry.value != NOT_CONFINED && self.confinement_profile(&entry.value).is_none()
        };
        let text = |entry: &ConfigEntry<String>| {
            let near = did_you_mean(&entry.value, self.confinement_profiles());
            let effect = "; until this is fixed, no program of such a session is started";
            format!("\"{}\": there is no profile \"{}\"{near}{effect}", entry.name, entry.value)
        };
        let unknown = self.confine.iter().filter(is_unknown);
        unknown.map(|entry| (entry.line.unwrap_or_default(), text(entry))).collect()
    }
}

/// Shows a profile as it is written in the file.
pub(crate) fn to_toml(profile: &Profile) -> Value {
    let text = |path: &PathBuf| Value::String(path.to_string_lossy().into_owned());
    let list = |paths: &[PathBuf]| Value::Array(paths.iter().map(text).collect());
    let write = match profile.write {
        WriteAccess::Worktree => "worktree",
        WriteAccess::Temporary => "temporary",
    };
    let mut table = toml::Table::new();
    table.insert("write".into(), write.into());
    if let Network::Ports(ports) = &profile.network {
        table
            .insert("ports".into(), Value::Array(ports.iter().map(|port| i64::from(*port).into()).collect()));
    }
    for (name, paths) in [("read_paths", &profile.read_paths), ("write_paths", &profile.write_paths)] {
        if !paths.is_empty() {
            table.insert(name.into(), list(paths));
        }
    }
    if let Some(variables) = &profile.variables {
        table.insert("variables".into(), variables.clone().into());
    }
    Value::Table(table)
}
