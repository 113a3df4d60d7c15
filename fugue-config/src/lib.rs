//! `config.toml`: one table of settings, and one reader for the daemon and the clients.
//!
//! A setting is one row in [`settings`]. Its default, its type, its place in the reference page, its name in the shell
//! completion of `fugue config` and its error messages follow from that row. Nothing here applies a setting: the daemon
//! and the terminal client do that. Commands, copy mode actions and themes are checked by the client, which has the
//! tables for them.
//!
//! [`worktree_commands`] reads the part of a project's file that the daemon uses.

mod choices;
mod config;
mod confinement;
mod document;
mod hooks;
mod key_table;
mod mistake;
mod parser;
mod project_file;
mod reference_page;
mod regular_file;
mod run_rules;
mod scope_fallback;
mod sections;
mod settings;
mod source;
mod status_parts;
mod value;
mod watch;
mod watched_places;

pub use choices::{
    ActivityAction, ClipboardAccess, CopyKeyStyle, ImageOutput, PredictEcho, RestorePrograms, StatusPosition,
};
pub use config::Config;
pub use confinement::NOT_CONFINED;
pub use hooks::{HOOK_EVENTS, HookAction, HookActions, HookEvent};
pub use key_table::KeyTable;
pub use mistake::Mistake;
pub use project_file::{
    PROJECT_FILE, ProjectFileProblem, WorktreeCommands, is_trusted, named_by_path, trusted_copy,
    worktree_commands,
};
pub use reference_page::reference_page;
pub use regular_file::{open_regular, read_regular, read_regular_text};
pub use run_rules::RunRules;
pub use sections::{ConfigEntry, KeyBinding, SECTIONS, Section, names};
pub use settings::{
    ClientSettings, DaemonSettings, FleetSettings, Setting, SettingReader, StatusSettings, TakesEffect,
    settings,
};
pub use source::{ConfigSource, UnusableConfig};
pub use status_parts::{Seconds, StatusCommand, StatusPart, StatusSides};
pub use value::alternatives;
pub use watch::{FileWatch, POLL_INTERVAL};
pub use watched_places::FileChange;

#[cfg(test)]
mod tests;
