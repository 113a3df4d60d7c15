//! The options that a tmux.conf sets: their values so far, so that `set -a` adds to a value and `set -u` drops it.

use std::collections::BTreeMap;

use fugue_config::ClientSettings;

use super::super::option_table::{self, Counterpart, counterpart, setting_of, toggled};
use crate::config_edit::ConfigEdit;

/// What a command changes.
pub(super) enum OptionChange {
    Set(ConfigEdit),
    /// The setting of this section and key has its default again.
    Unset(Option<&'static str>, &'static str),
    /// This option need not be set, and why.
    NotNeeded(String, &'static str),
    Nothing,
}

/// The options that color the status line. The last two are older, and replace a color of the first.
const STATUS_STYLE: [&str; 3] = ["status-style", "status-fg", "status-bg"];

/// The style of the status line in tmux, unless the file sets another one.
const DEFAULT_STYLE: &str = "fg=black,bg=green";

/// The values of the options so far, by their names.
#[derive(Default)]
pub(super) struct FileOptions {
    values: BTreeMap<String, String>,
}

impl FileOptions {
    /// Takes the words after `set-option`.
    pub(super) fn take(&mut self, words: &[String]) -> Result<OptionChange, String> {
        let is_flag = |word: &&String| word.starts_with('-') && word.len() > 1;
        let flags: String = words.iter().take_while(is_flag).map(String::as_str).collect();
        let rest: Vec<_> = words.iter().skip_while(is_flag).map(String::as_str).collect();
        let [name, values @ ..] = rest.as_slice() else { return Err("no option".into()) };
        if name.starts_with('@') {
            return Err("a plugin option".into());
        }
        if flags.contains('u') {
            return Ok(self.unset(name));
        }
        match values.first() {
            Some(value) if flags.contains('a') => self.set(name, &self.with(name, value)?),
            Some(value) => self.set(name, value),
            None => self.toggle(name),
        }
    }

    fn unset(&mut self, name: &str) -> OptionChange {
        self.values.remove(name);
        if STATUS_STYLE.contains(&name)
            && STATUS_STYLE.iter().any(|name| self.values.contains_key(*name))
            && let Counterpart::Entry(entry) = counterpart(STATUS_STYLE[0], &self.status_style())
        {
            return OptionChange::Set(entry);
        }
        let name = if STATUS_STYLE.contains(&name) { STATUS_STYLE[0] } else { name };
        setting_of(name).map_or(OptionChange::Nothing, |(section, key)| OptionChange::Unset(section, key))
    }

    /// The value so far, with another one added to it.
    fn with(&self, name: &str, value: &str) -> Result<String, String> {
        if setting_of(name).is_none() {
            return Ok(value.to_owned());
        }
        let before = self.values.get(name).cloned().or_else(|| fugues_own(name));
        let before =
            before.ok_or_else(|| format!("`set -a` adds to a value, but the file has not set {name}"))?;
        option_table::joined(name, &before, value).ok_or_else(|| format!("`set -a` cannot add to {name}"))
    }

    fn toggle(&mut self, name: &str) -> Result<OptionChange, String> {
        let current = self.values.get(name).map_or("off", String::as_str);
        let value = toggled(name, current).unwrap_or("on");
        self.set(name, value).map_err(|why| match counterpart(name, value) {
            Counterpart::Invalid(_) => format!("{name} has no value"),
            _ => why,
        })
    }

    /// The style of the status line as the options for it give it together.
    fn status_style(&self) -> String {
        let value = |name| self.values.get(name).map(String::as_str);
        let [style, fg, bg] = STATUS_STYLE.map(value);
        let mut style = style.unwrap_or(DEFAULT_STYLE).to_owned();
        fg.into_iter().for_each(|color| style += &format!(",fg={color}"));
        bg.into_iter().for_each(|color| style += &format!(",bg={color}"));
        style
    }

    fn set(&mut self, name: &str, value: &str) -> Result<OptionChange, String> {
        let before = self.values.insert(name.to_owned(), value.to_owned());
        let counterpart = match STATUS_STYLE.contains(&name) {
            true => counterpart(STATUS_STYLE[0], &self.status_style()),
            false => counterpart(name, value),
        };
        if !matches!(counterpart, Counterpart::Entry(_)) {
            self.values.remove(name);
            self.values.extend(before.map(|before| (name.to_owned(), before)));
        }
        let refusal = counterpart.refusal(name).unwrap_or_default();
        match counterpart {
            Counterpart::Entry(entry) => Ok(OptionChange::Set(entry)),
            Counterpart::NotNeeded(why) => Ok(OptionChange::NotNeeded(name.to_owned(), why)),
            Counterpart::Missing(_) | Counterpart::Invalid(_) => Err(refusal),
        }
    }
}

/// The value that an option of fugue's has by default, where `set -a` may add to it.
fn fugues_own(name: &str) -> Option<String> {
    (name == "update-environment").then(|| ClientSettings::default().update_environment.join(" "))
}
