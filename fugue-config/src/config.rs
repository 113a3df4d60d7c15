//! The reader. A mistake concerns its own entry alone; only a file that is not TOML cannot be used at all.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use fugue_protocol::Scope;
use fugue_screen::keys::Key;
use toml::Value;
use toml::de::{DeTable, DeValue};

use crate::document::{RawEntry, entries, line_of};
use crate::mistake::{Mistake, did_you_mean};
use crate::sections::{self, ConfigEntry, KeyBinding, SECTIONS};
use crate::settings::{ClientSettings, DaemonSettings, Setting, SettingReader, settings};

/// The settings of a file, and the mistakes in it. What the file does not set, or sets to an invalid value, has its
/// default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The daemon's settings.
    pub daemon: DaemonSettings,
    /// The terminal client's settings.
    pub client: ClientSettings,
    /// The entries of `[scopes]`.
    pub scopes: Vec<ConfigEntry<Scope>>,
    /// The entries of `[theme]`.
    pub theme: Vec<ConfigEntry<String>>,
    /// The entries of `[keys]`.
    pub keys: Vec<ConfigEntry<KeyBinding>>,
    /// The entries of `[copy_keys]`.
    pub copy_keys: Vec<ConfigEntry<(Key, String)>>,
    /// The mistakes, in the order of the file.
    pub mistakes: Vec<Mistake>,
    /// The lines of the settings that the file sets, by full name.
    lines: BTreeMap<String, usize>,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigSource {
    /// There is no file. That is no mistake: every setting has its default.
    Missing,
    /// The file's text.
    Text(String),
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

/// A file that cannot be used at all: the settings that were in force stay in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableConfig {
    /// The reason.
    pub mistake: Mistake,
    /// Whether the file restricts agents, or may do so.
    may_have_scopes: bool,
}

impl ConfigSource {
    /// Reads a file.
    pub fn read(path: &Path) -> Self {
        match std::fs::read(path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Unreadable("is not UTF-8 text".into()),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Self::Missing,
            Err(error) => Self::Unreadable(format!("cannot be read: {error}")),
        }
    }
}

impl UnusableConfig {
    /// Returns the defaults, for a process that starts with this file. Agents may only observe if the file may have
    /// scopes: a typing mistake must not give them more than the person wanted.
    pub fn or_defaults(self) -> Config {
        let scopes = if self.may_have_scopes { strictest() } else { Vec::new() };
        Config { scopes, mistakes: vec![self.mistake], ..Config::default() }
    }

    fn unreadable(why: &str) -> Self {
        let text = format!("{why}; the file is ignored until this is fixed");
        Self { mistake: Mistake { line: None, reader: SettingReader::Daemon, text }, may_have_scopes: true }
    }

    fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| line_of(text, span.start));
        let why = error.message().replace('\n', ", ");
        let mistake = Mistake {
            line,
            reader: SettingReader::Daemon,
            text: format!("invalid TOML: {why}; the file is ignored until this is fixed"),
        };
        Self { mistake, may_have_scopes: mentions_scopes(text) }
    }
}

/// Whether a line begins with the name of the section, however broken the rest of it is.
fn mentions_scopes(text: &str) -> bool {
    text.lines().any(|line| line.trim_start_matches(['[', '"', '\'', ' ', '\t']).starts_with("scopes"))
}

/// The scopes that let the agents of every session only observe.
fn strictest() -> Vec<ConfigEntry<Scope>> {
    vec![ConfigEntry { name: "*".into(), line: 0, value: Scope::Observe }]
}

impl Config {
    /// Reads the settings of a file. `last` is what was in force before: an invalid scope keeps its value from there.
    pub fn parse(source: &ConfigSource, last: Option<&Self>) -> Result<Self, UnusableConfig> {
        let text = match source {
            ConfigSource::Missing => return Ok(Self::default()),
            ConfigSource::Text(text) => text,
            ConfigSource::Unreadable(why) => return Err(UnusableConfig::unreadable(why)),
        };
        let table = DeTable::parse(text).map_err(|error| UnusableConfig::syntax(text, &error))?;
        let mut parser = Parser { text, last, config: Self::default() };
        entries(text, table.get_ref()).iter().for_each(|entry| parser.read_top(entry));
        Ok(parser.config)
    }

    /// Returns the value of a setting, if it is set.
    pub fn value(&self, setting: &Setting) -> Option<Value> {
        match setting.reader {
            SettingReader::Daemon => self.daemon.get(setting.key),
            SettingReader::Client => self.client.get(setting.key),
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
            "theme" => shown(&self.theme, |value| value.as_str().into()),
            "keys" => shown(&self.keys, |binding| binding.command.as_str().into()),
            "copy_keys" => shown(&self.copy_keys, |(_, action)| action.as_str().into()),
            _ => Vec::new(),
        }
    }

    /// Returns the mistakes in the entries that a process uses.
    pub fn mistakes_for(&self, reader: SettingReader) -> impl Iterator<Item = &Mistake> {
        self.mistakes.iter().filter(move |mistake| mistake.reader == reader)
    }
}

fn shown<T>(entries: &[ConfigEntry<T>], value: impl Fn(&T) -> Value) -> Vec<(String, Option<usize>, Value)> {
    let line = |entry: &ConfigEntry<T>| Some(entry.line).filter(|line| *line > 0);
    entries.iter().map(|entry| (entry.name.clone(), line(entry), value(&entry.value))).collect()
}

struct Parser<'a> {
    text: &'a str,
    last: Option<&'a Config>,
    config: Config,
}

impl Parser<'_> {
    fn mistake(&mut self, line: usize, reader: SettingReader, text: String) {
        self.config.mistakes.push(Mistake { line: Some(line), reader, text });
    }

    /// Reads an entry at the top of the file: a setting of the daemon's, or a section.
    fn read_top(&mut self, entry: &RawEntry<'_>) {
        match (entry.name, entry.value) {
            ("client", DeValue::Table(table)) => self.read_client(table),
            ("scopes", DeValue::Table(table)) => self.read_scopes(table),
            ("theme", DeValue::Table(table)) => {
                self.config.theme = self.read_section(table, SettingReader::Client, sections::theme);
            }
            ("keys", DeValue::Table(table)) => {
                self.config.keys = self.read_section(table, SettingReader::Client, sections::key_binding);
            }
            ("copy_keys", DeValue::Table(table)) => {
                self.config.copy_keys = self.read_section(table, SettingReader::Client, sections::copy_key);
            }
            _ => self.read_daemon(entry),
        }
    }

    fn read_daemon(&mut self, entry: &RawEntry<'_>) {
        match self.config.daemon.set(entry.name, entry.value) {
            Some(outcome) => self.finish(entry, SettingReader::Daemon, entry.name.into(), outcome),
            None => self.unknown_top(entry),
        }
    }

    fn read_client(&mut self, table: &DeTable<'_>) {
        for entry in entries(self.text, table) {
            match self.config.client.set(entry.name, entry.value) {
                Some(outcome) => {
                    self.finish(&entry, SettingReader::Client, format!("client.{}", entry.name), outcome);
                }
                None => self.unknown_setting(&entry, Some("client"), SettingReader::Client),
            }
        }
    }

    /// Remembers the line of a setting, or what is wrong with its value.
    fn finish(
        &mut self,
        entry: &RawEntry<'_>,
        reader: SettingReader,
        name: String,
        outcome: Result<(), String>,
    ) {
        match outcome {
            Ok(()) => drop(self.config.lines.insert(name, entry.line)),
            Err(why) => self.mistake(entry.line, reader, format!("\"{}\" {why}", entry.name)),
        }
    }

    /// Reads the valid entries of a section.
    fn read_section<T>(
        &mut self,
        table: &DeTable<'_>,
        reader: SettingReader,
        read: impl Fn(&str, &RawEntry<'_>) -> Result<T, (usize, String)>,
    ) -> Vec<ConfigEntry<T>> {
        let mut valid = Vec::new();
        for entry in entries(self.text, table) {
            match read(self.text, &entry) {
                Ok(value) => valid.push(ConfigEntry { name: entry.name.into(), line: entry.line, value }),
                Err((line, why)) => self.mistake(line, reader, why),
            }
        }
        valid
    }

    /// Reads the scopes. An invalid one keeps its last valid value; if there is none, it is the strictest.
    fn read_scopes(&mut self, table: &DeTable<'_>) {
        self.config.scopes = self.read_section(table, SettingReader::Daemon, sections::scope);
        for entry in entries(self.text, table) {
            if !self.config.scopes.iter().any(|valid| valid.name == entry.name) {
                let last = self.last.and_then(|last| last.scopes.iter().find(|last| last.name == entry.name));
                let value = last.map_or(Scope::Observe, |last| last.value);
                self.config.scopes.push(ConfigEntry { name: entry.name.into(), line: entry.line, value });
            }
        }
        self.config.scopes.sort_by_key(|entry| entry.line);
    }

    /// Reports a name at the top of the file that is neither a setting of the daemon's nor a section with entries.
    fn unknown_top(&mut self, entry: &RawEntry<'_>) {
        let name = entry.name;
        let sections = || SECTIONS.iter().map(|section| section.name).chain(["client"]);
        if sections().any(|section| section == name) {
            if name == "scopes" {
                self.config.scopes = self.last.map_or_else(strictest, |last| last.scopes.clone());
            }
            self.mistake(
                entry.line,
                SettingReader::Daemon,
                format!("\"{name}\" is a section: write [{name}]"),
            );
        } else if entry.value.is_table() {
            let near = did_you_mean(name, sections());
            self.mistake(entry.line, SettingReader::Daemon, format!("unknown section \"{name}\"{near}"));
        } else {
            self.unknown_setting(entry, None, SettingReader::Daemon);
        }
    }

    /// Reports a name that no setting of a section has, with the nearest one of the section, or the place where a
    /// setting of that name belongs.
    fn unknown_setting(&mut self, entry: &RawEntry<'_>, section: Option<&str>, reader: SettingReader) {
        let elsewhere =
            settings().find(|setting| setting.key == entry.name).map(|setting| match setting.section {
                Some(section) => format!("; it belongs in [{section}]"),
                None => "; it belongs at the top of the file, before any section".into(),
            });
        let known = settings().filter(|setting| setting.section == section).map(|setting| setting.key);
        let hint = elsewhere.unwrap_or_else(|| did_you_mean(entry.name, known));
        let place = section.map(|section| format!(" in [{section}]")).unwrap_or_default();
        self.mistake(entry.line, reader, format!("unknown setting \"{}\"{place}{hint}", entry.name));
    }
}
