//! tmux's settings as fugue's: options and key bindings become entries of `config.toml`. `set-option`, `bind-key` and
//! `fugue import-tmux` share this.

mod bindings;
mod import;
mod option_commands;
mod option_table;
mod option_value;
mod status_format;
mod styles;

use fugue_client::ThisMachine;
use fugue_tmux::format::expand_without_session;
use fugue_tmux::reader::{self, ScriptCommand};

pub(crate) use bindings::{bind, unbind, unbound_table};
pub(crate) use import::{command, run};
pub(crate) use option_table::{Counterpart, configured, counterpart, setting_of, toggled};

/// Reads commands whose conditions are evaluated as far as that is possible without a session.
fn parse(text: &str) -> Result<Vec<ScriptCommand>, String> {
    let variable = |name: &str| std::env::var(name).ok();
    reader::parse(text, &variable, &|format| expand_without_session(format, &ThisMachine, &variable))
}
