//! Options: those that were set, fugue's settings in the place of others, and defaults. Formats name them, and what a hook is
//! about.

use std::collections::BTreeMap;

use fugue_protocol::OptionScope;
use fugue_protocol::verbs::{ChangeOption, ListOptions};
use fugue_protocol::views::WindowView;

use super::expansion::Question;
use super::{LineContext, unexpected};
use crate::command_table;
use crate::format::FormatPlace;
use crate::options;
use crate::steps::{LineOrigin, Step, StepReply};

/// The option by which programs name windows.
const AUTOMATIC_RENAME: &str = "automatic-rename";

impl LineContext {
    /// The value of the setting in the place of an option.
    pub(super) async fn setting_of(&self, name: &str) -> Result<Option<String>, String> {
        match self.ask(Step::Setting(name.to_owned())).await? {
            StepReply::Text(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Reads the options that were set.
    pub(crate) async fn read_options(&mut self) -> Result<(), String> {
        self.options = self.call(&ListOptions::default()).await?.options;
        Ok(())
    }

    /// Changes an option. Returns whether it was set in this scope before.
    pub(crate) async fn change_option(&mut self, change: &ChangeOption) -> Result<bool, String> {
        let was_set = self.call(change).await?.was_set;
        let values = self.options.entry(change.scope).or_default();
        match &change.value {
            None => drop(values.remove(&change.name)),
            Some(_) if change.only_unset && was_set => {}
            Some(value) if change.append => values.entry(change.name.clone()).or_default().push_str(value),
            Some(value) => drop(values.insert(change.name.clone(), value.clone())),
        }
        Ok(was_set)
    }

    /// Gives an option a value, or takes it away.
    pub(crate) async fn set_option(
        &mut self,
        scope: OptionScope,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), String> {
        let (name, value) = (name.to_owned(), value.map(str::to_owned));
        self.change_option(&ChangeOption { scope, name, value, append: false, only_unset: false })
            .await
            .map(drop)
    }

    /// The value that holds in a scope: that of the scope or of what is around it, or else a default.
    pub(crate) async fn held(&self, scope: OptionScope, name: &str) -> Result<Option<String>, String> {
        let window = |pane| {
            let mut windows = self.sessions.iter().flat_map(|session| &session.windows);
            let has_it = |window: &&WindowView| window.panes.iter().any(|view| view.pane_id == pane);
            windows.find(has_it).map(|window| OptionScope::Window(window.window_id))
        };
        let around = match scope {
            OptionScope::Pane(pane) => window(pane),
            _ => None,
        };
        let mut scopes = [Some(scope), around, Some(OptionScope::Global)].into_iter().flatten();
        match scopes.find_map(|scope| self.option(scope, name)) {
            None if !name.starts_with('@') => self.inherited(name).await,
            set => Ok(set),
        }
    }

    /// The values of an option that has several, by index: those that were set in a scope, and at the top the defaults, unless
    /// all of them were replaced.
    pub(crate) async fn array(
        &self,
        scope: OptionScope,
        name: &str,
    ) -> Result<BTreeMap<u32, String>, String> {
        let set = self.options_of(scope);
        let mut values = BTreeMap::new();
        if scope == OptionScope::Global && !set.contains_key(name) {
            for row in options::names() {
                if let Some(index) = index_of(row, name)
                    && let Some(value) = self.inherited(row).await?
                {
                    values.insert(index, value);
                }
            }
        }
        values.extend(set.into_iter().filter_map(|(set, value)| Some((index_of(&set, name)?, value))));
        Ok(values)
    }

    /// The commands that an alias stands for (`command-alias`). Those that were set take the place of commands, but only in lines
    /// of programs: what a program has set does not change what a person's line does.
    pub(crate) fn alias(&self, name: &str) -> Option<String> {
        const ALIASES: &str = "command-alias";
        let of_name = |entry: &str| {
            let (alias, commands) = entry.split_once('=')?;
            (alias == name).then(|| commands.to_owned())
        };
        let is_program = self.setting.origin == LineOrigin::Program;
        let set = self.options.get(&OptionScope::Global).filter(|_| is_program);
        let is_alias = |option: &str| index_of(option, ALIASES).is_some();
        let mut set_here = set.into_iter().flatten().filter(|(option, _)| is_alias(option));
        if let Some(commands) = set_here.find_map(|(_, entry)| of_name(entry)) {
            return Some(commands);
        }
        let is_replaced =
            |option: &str| set.is_some_and(|set| set.contains_key(option) || set.contains_key(ALIASES));
        if command_table::named(name).is_some() {
            return None;
        }
        let mut defaults = options::names().filter(|option| is_alias(option) && !is_replaced(option));
        defaults.find_map(|option| of_name(&options::default(option, true)?))
    }

    /// The value that an option was given in a scope.
    pub(crate) fn option(&self, scope: OptionScope, name: &str) -> Option<String> {
        let set = self.options.get(&scope).and_then(|set| set.get(name).cloned());
        set.or_else(|| (name == AUTOMATIC_RENAME && self.is_named(scope)).then(|| "off".to_owned()))
    }

    /// Whether a scope is a window that somebody has named: no program gives it another name, which in tmux is an option.
    fn is_named(&self, scope: OptionScope) -> bool {
        let mut windows = self.sessions.iter().flat_map(|session| &session.windows);
        let is_it = |window: &&WindowView| scope == OptionScope::Window(window.window_id);
        windows.find(is_it).is_some_and(|window| window.own_name.is_none())
    }

    /// The options that were set in a scope.
    pub(crate) fn options_of(&self, scope: OptionScope) -> BTreeMap<String, String> {
        let mut set = self.options.get(&scope).cloned().unwrap_or_default();
        if let Some(value) = self.option(scope, AUTOMATIC_RENAME) {
            set.insert(AUTOMATIC_RENAME.to_owned(), value);
        }
        set
    }

    /// The value of an option at a place, for a format: that of the pane, of its window, of its session, or of all.
    pub(super) fn option_value(&self, place: &FormatPlace<'_>, name: &str) -> Option<String> {
        let scopes = [
            OptionScope::Pane(place.pane.pane_id),
            OptionScope::Window(place.window.window_id),
            OptionScope::Session(place.session.session_id),
            OptionScope::Global,
        ];
        let set = scopes.into_iter().find_map(|scope| self.option(scope, name));
        set.or_else(|| self.known_inherited(name))
    }

    /// The value of an option that was not set, as far as it is known.
    fn known_inherited(&self, name: &str) -> Option<String> {
        // Most names that formats ask for are none of options.
        if name.starts_with('@') || !options::is_known(name) {
            return None;
        }
        let question = Question::Setting(name.to_owned());
        let setting = self.known(question, |facts| facts.settings.get(name).cloned()).flatten();
        self.inherited_over(name, setting)
    }

    /// The value of an option that was not set: that of the setting in its place, or a default.
    pub(crate) async fn inherited(&self, name: &str) -> Result<Option<String>, String> {
        let setting = self.setting_of(name).await?;
        Ok(self.inherited_over(name, setting))
    }

    fn inherited_over(&self, name: &str, setting: Option<String>) -> Option<String> {
        let is_fixed = !self.is_person() && name == "status";
        setting.filter(|_| !is_fixed).or_else(|| options::default(name, !self.is_person()))
    }

    /// What a hook is about, by tmux's names: the variables that the hook is told of.
    pub(super) fn hook_value(&self, name: &str) -> Option<String> {
        if let Some((hook, _)) = self.hook_run.as_ref().filter(|_| name == "hook") {
            return Some(hook.clone());
        }
        let rest = name.strip_prefix("hook").filter(|_| self.setting.origin == LineOrigin::Hook)?;
        let told = |name: &str| self.setting.environment.get(&format!("FUGUE_HOOK{name}")).cloned();
        match rest {
            "" => {
                let event = told("")?;
                Some(self.setting.settings.hook(&event).map_or(event, |hook| hook.tmux.to_owned()))
            }
            "_client" => told("_CLIENT"),
            "_pane" => told("_PANE"),
            "_session" => {
                let id = told("_SESSION_ID")?;
                let known = self.sessions.iter().find(|session| session.session_id.to_string() == id);
                Some(known.map_or(id, |session| format!("${}", session.number)))
            }
            "_session_name" => told("_SESSION"),
            "_window" => {
                let id = told("_WINDOW_ID")?;
                let mut windows = self.sessions.iter().flat_map(|session| &session.windows);
                let known = windows.find(|window| window.window_id.to_string() == id);
                Some(known.map_or(id, |window| format!("@{}", window.number)))
            }
            "_window_name" => told("_WINDOW"),
            _ => None,
        }
    }
}

/// The index of an option's name, if it is one of the values of this option that has several.
fn index_of(name: &str, array: &str) -> Option<u32> {
    name.strip_prefix(array)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}
