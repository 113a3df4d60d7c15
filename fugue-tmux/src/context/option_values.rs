//! Options: those that were set, fugue's settings in the place of others, and defaults. Formats name them, and what a hook is
//! about.

use std::collections::BTreeMap;

use fugue_protocol::OptionScope;
use fugue_protocol::verbs::{ChangeOption, ListOptions};

use super::expansion::Question;
use super::{LineContext, unexpected};
use crate::format::FormatPlace;
use crate::options;
use crate::steps::{LineOrigin, Step, StepReply};

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
    pub(crate) async fn change_option(&self, change: &ChangeOption) -> Result<bool, String> {
        Ok(self.call(change).await?.was_set)
    }

    /// The value that an option was given in a scope.
    pub(crate) fn option(&self, scope: OptionScope, name: &str) -> Option<String> {
        self.options.get(&scope)?.get(name).cloned()
    }

    /// The options that were set in a scope.
    pub(crate) fn options_of(&self, scope: OptionScope) -> BTreeMap<String, String> {
        self.options.get(&scope).cloned().unwrap_or_default()
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
        if name.starts_with('@') {
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
        let rest = name.strip_prefix("hook").filter(|_| self.setting.origin == LineOrigin::Hook)?;
        let told = |name: &str| self.setting.environment.get(&format!("FUGUE_HOOK{name}")).cloned();
        match rest {
            "" => told(""),
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
