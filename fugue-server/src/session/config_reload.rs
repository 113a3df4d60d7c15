//! Applying a changed `config.toml`. The manager alone owns the settings.

use fugue_config::{Config, ConfigEntry, HookActions, SettingReader, UnusableConfig};
use fugue_core::Caller;
use fugue_core::scope::AuditEntry;
use fugue_protocol::Scope;

use super::manager::Manager;
use crate::clock;
use crate::config::settings;
use crate::pane::MonitorSettings;

/// The warning while a mistake keeps scopes of the file from taking effect.
const SCOPES_KEPT: &str =
    "Until config.toml is corrected, agents keep their last valid scopes, or `observe` if they had none";

impl Manager {
    /// Applies the settings of a changed file. If the file cannot be used, the current ones stay in force, and agents that
    /// had no scopes may only observe if the file may have some.
    pub(super) fn reload_config(&mut self, read: Result<Config, UnusableConfig>) {
        let current = &self.host.config;
        match read {
            Ok(config) => {
                self.apply_config(config.with_last_scopes(Some(current)));
                tracing::info!("Reloaded config.toml");
            }
            Err(unusable) => {
                self.apply_scopes(unusable.or_current(current));
                tracing::warn!("Cannot reload config.toml; the current settings stay in force");
            }
        }
        self.config_warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
    }

    fn apply_config(&mut self, config: Config) {
        self.apply_scopes(config);
        let config = &self.host.config;
        self.git.remotes = self.machine.is_in_fleet();
        self.machine.set_rules(settings::permission_rules(config));
        if let Err(warning) = self.host.environment.apply(&config.daemon) {
            self.lifecycle.warn(warning);
        }
        if let Err(warning) = self.host.last_scopes.store(&self.host.config) {
            self.lifecycle.warn(warning);
        }
        self.store.hooks().configure(&self.host.config.hooks);
        let monitored = MonitorSettings::of(&config.daemon);
        self.host.monitor.modify(|before| *before = monitored);
        self.host.context.screens.set_on(config.daemon.save_screens);
    }

    /// Puts a configuration in force as far as the machine knows it, its scopes first of all.
    fn apply_scopes(&mut self, config: Config) {
        self.audit_sections(&config);
        self.machine.configure(settings::machine_settings(&config), settings::scopes(&config));
        self.host.config = config;
    }

    /// Records a change of `[scopes]` or `[hooks]` in the audit log: any program of the user can write to the file.
    fn audit_sections(&mut self, config: &Config) {
        let scopes = |config: &Config| {
            let rule = |entry: &ConfigEntry<Scope>| format!("{} = {}", entry.name, entry.value.name());
            config.scopes.iter().map(rule).collect::<Vec<_>>()
        };
        let hooks = |config: &Config| {
            let hook = |entry: &ConfigEntry<HookActions>| {
                let actions: Vec<_> = entry.value.0.iter().map(ToString::to_string).collect();
                format!("{} = {}", entry.name, actions.join("; "))
            };
            config.hooks.iter().map(hook).collect::<Vec<_>>()
        };
        self.audit_section("scopes", &scopes(&self.host.config), scopes(config));
        self.audit_section("hooks", &hooks(&self.host.config), hooks(config));
    }

    fn audit_section(&mut self, verb: &'static str, before: &[String], after: Vec<String>) {
        if before != after {
            let entry = AuditEntry {
                verb,
                caller: Caller::Outside,
                session: None,
                touched: after,
                detail: None,
                refusal: None,
            };
            self.store.audit(clock::now(), None, &entry);
        }
    }

    /// Returns the mistakes in the daemon's settings as they are now, and what they mean for scopes.
    pub(super) fn config_warnings(&self) -> Vec<String> {
        let mistakes = self.host.config.mistakes_for(SettingReader::Daemon).map(ToString::to_string);
        let kept = self.host.config.scopes_kept.then_some(SCOPES_KEPT).map(ToString::to_string);
        let unwatched = self.host.watch_warning.borrow().clone();
        mistakes.chain(kept).chain(self.host.context.agents.mistake()).chain(unwatched).collect()
    }
}
