//! Sorts the entries of the file into settings, sections and mistakes. A mistake concerns its own entry alone.

use fugue_protocol::refusal::nearest;
use toml::de::{DeTable, DeValue};

use crate::config::Config;
use crate::confinement;
use crate::document::{LineEnds, RawEntry, count, entries};
use crate::hooks;
use crate::mistake::Mistake;
use crate::scope_fallback::seems_scopes;
use crate::sections::{self, ConfigEntry, ReadRule, SECTIONS};
use crate::settings::{FleetSettings, SettingReader, StatusSettings, settings};
use crate::source::{ConfigSource, UnusableConfig};
use crate::value::did_you_mean;

/// The most entries of a file, those of all sections together: more than anyone writes by hand. Every client and the
/// daemon read them at each change.
const MOST_ENTRIES: usize = 10_000;

/// The most mistakes that are listed for the daemon, and as many for the client.
const MOST_MISTAKES: usize = 100;

impl Config {
    /// Reads the settings of a file. `last` is what was in force before: an invalid scope keeps its value from there.
    pub fn parse(source: &ConfigSource, last: Option<&Self>) -> Result<Self, UnusableConfig> {
        Ok(Self::read(source)?.with_last_scopes(last))
    }

    /// Reads the settings of a file. Its invalid scopes are missing until [`Self::with_last_scopes`] completes them.
    pub fn read(source: &ConfigSource) -> Result<Self, UnusableConfig> {
        let text = match source {
            ConfigSource::Missing => return Ok(Self::of_no_file()),
            ConfigSource::Text(text) => text,
            ConfigSource::Unreadable(why) => return Err(UnusableConfig::unreadable(why)),
        };
        let lines = LineEnds::of(text);
        let table = DeTable::parse(text).map_err(|error| UnusableConfig::syntax(text, &lines, &error))?;
        if count(table.get_ref()) > MOST_ENTRIES {
            return Err(UnusableConfig::too_many_entries(MOST_ENTRIES));
        }
        let mut parser = ConfigParser { lines: &lines, config: Self::default() };
        entries(&lines, table.get_ref()).iter().for_each(|entry| parser.read_top(entry));
        for (line, why) in parser.config.unknown_profiles() {
            parser.mistake(line, SettingReader::Daemon, why);
        }
        parser.config.shorten_mistakes();
        Ok(parser.config)
    }

    fn of_no_file() -> Self {
        let mut config = Self::default();
        config.unread_scopes.no_file = true;
        config
    }

    /// Lists the first mistakes, and how many others there are.
    fn shorten_mistakes(&mut self) {
        for reader in [SettingReader::Daemon, SettingReader::Client] {
            let more = self.mistakes_for(reader).count().saturating_sub(MOST_MISTAKES);
            if more == 0 {
                continue;
            }
            let mut number = 0;
            self.mistakes.retain(|mistake| {
                number += usize::from(mistake.reader == reader);
                mistake.reader != reader || number <= MOST_MISTAKES
            });
            let text = format!("{more} more errors are not listed");
            self.mistakes.push(Mistake { line: None, reader, text });
        }
    }
}

/// The settings read so far.
struct ConfigParser<'a> {
    lines: &'a LineEnds,
    config: Config,
}

impl ConfigParser<'_> {
    fn mistake(&mut self, line: usize, reader: SettingReader, text: String) {
        self.config.mistakes.push(Mistake { line: Some(line), reader, text });
    }

    /// Reads an entry at the top of the file: a setting of the daemon's, or a section.
    fn read_top(&mut self, entry: &RawEntry<'_>) {
        match (entry.name, entry.value) {
            ("client", DeValue::Table(table)) => self.read_client(table),
            (StatusSettings::SECTION, DeValue::Table(table)) => self.read_status(table),
            (FleetSettings::SECTION, DeValue::Table(table)) => self.read_fleet(table),
            ("scopes", DeValue::Table(table)) => self.read_scopes(table),
            ("permissions", DeValue::Table(table)) => self.read_permissions(table),
            ("confine", DeValue::Table(table)) => {
                self.config.confine = self.read_section(table, SettingReader::Daemon, confinement::rule);
            }
            ("confine_profiles", DeValue::Table(table)) => {
                self.config.confine_profiles =
                    self.read_section(table, SettingReader::Daemon, confinement::profile);
            }
            ("hooks", DeValue::Table(table)) => {
                self.config.hooks = self.read_section(table, SettingReader::Daemon, hooks::hook);
            }
            ("theme", DeValue::Table(table)) => {
                self.config.theme = self.read_section(table, SettingReader::Client, sections::theme);
            }
            ("keys", DeValue::Table(table)) => {
                self.config.keys = self.read_section(table, SettingReader::Client, sections::key_binding);
            }
            ("copy_keys", DeValue::Table(table)) => {
                self.config.copy_keys = self.read_section(table, SettingReader::Client, sections::copy_key);
            }
            ("hosts", DeValue::Table(table)) => {
                self.config.hosts = self.read_section(table, SettingReader::Client, sections::host);
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
        for entry in entries(self.lines, table) {
            match self.config.client.set(entry.name, entry.value) {
                Some(outcome) => {
                    self.finish(&entry, SettingReader::Client, format!("client.{}", entry.name), outcome);
                }
                None => self.unknown_setting(&entry, Some("client"), SettingReader::Client),
            }
        }
    }

    /// Reads the settings of the status line. A mistake is noted, since the client keeps the line that it has then.
    fn read_status(&mut self, table: &DeTable<'_>) {
        let before = self.config.mistakes.len();
        for entry in entries(self.lines, table) {
            let section = StatusSettings::SECTION;
            match self.config.status.set(entry.name, entry.value) {
                Some(outcome) => {
                    self.finish(&entry, SettingReader::Client, format!("{section}.{}", entry.name), outcome);
                }
                None => self.unknown_setting(&entry, Some(section), SettingReader::Client),
            }
        }
        self.config.status_mistaken = self.config.mistakes.len() > before;
    }

    fn read_fleet(&mut self, table: &DeTable<'_>) {
        for entry in entries(self.lines, table) {
            let section = FleetSettings::SECTION;
            match self.config.fleet.set(entry.name, entry.value) {
                Some(outcome) => {
                    self.finish(&entry, SettingReader::Daemon, format!("{section}.{}", entry.name), outcome);
                }
                None => self.unknown_setting(&entry, Some(section), SettingReader::Daemon),
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
        read: impl Fn(&LineEnds, &RawEntry<'_>) -> Result<T, (usize, String)>,
    ) -> Vec<ConfigEntry<T>> {
        let mut valid = Vec::new();
        for entry in entries(self.lines, table) {
            match read(self.lines, &entry) {
                Ok(value) => valid.push(entry.with(value)),
                Err((line, why)) => self.mistake(line, reader, why),
            }
        }
        valid
    }

    /// Reads the rules for what agents ask. A mistake must not let another rule allow what one was to deny.
    fn read_permissions(&mut self, table: &DeTable<'_>) {
        for entry in entries(self.lines, table) {
            let ReadRule { rule, is_unknown, mistake } = sections::permission_rule(&entry);
            self.config.permissions_incomplete |= is_unknown;
            self.config.permissions.extend(rule.map(|rule| entry.with(rule)));
            if let Some((line, why)) = mistake {
                self.mistake(line, SettingReader::Daemon, why);
            }
        }
    }

    /// Reads the scopes, and notes the invalid ones.
    fn read_scopes(&mut self, table: &DeTable<'_>) {
        for entry in entries(self.lines, table) {
            match sections::scope(self.lines, &entry) {
                Ok(scope) => self.config.scopes.push(entry.with(scope)),
                Err((line, why)) => {
                    self.mistake(line, SettingReader::Daemon, why);
                    self.config.unread_scopes.entries.push((entry.name.into(), entry.line));
                }
            }
        }
    }

    /// Reports a name at the top of the file that is neither a setting of the daemon's nor a section with entries.
    fn unknown_top(&mut self, entry: &RawEntry<'_>) {
        let name = entry.name;
        let own = ["client", StatusSettings::SECTION, FleetSettings::SECTION];
        let sections = || SECTIONS.iter().map(|section| section.name).chain(own);
        let is_section = sections().any(|section| section == name);
        if !is_section && !entry.value.is_table() {
            return self.unknown_setting(entry, None, SettingReader::Daemon);
        }
        let text = match is_section {
            true => format!("\"{name}\" is a section: write [{name}]"),
            false => format!("unknown section \"{name}\"{}", did_you_mean(name, sections())),
        };
        self.mistake(entry.line, SettingReader::Daemon, text);
        let holds_scopes = |table: &DeTable<'_>| table.keys().any(|name| seems_scopes(name.get_ref()));
        self.config.unread_scopes.elsewhere |= seems_scopes(name)
            || nearest(name, sections()).as_deref() == Some("scopes")
            || entry.value.as_table().is_some_and(holds_scopes);
    }

    /// Reports a name that no setting of a section has, with the nearest one of the section, or the place where a
    /// setting of that name belongs.
    fn unknown_setting(&mut self, entry: &RawEntry<'_>, section: Option<&str>, reader: SettingReader) {
        self.config.unread_scopes.elsewhere |= seems_scopes(entry.name);
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
