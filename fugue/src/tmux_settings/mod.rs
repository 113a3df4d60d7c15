//! tmux's settings as fugue's: options and key bindings become entries of `config.toml`. `set-option`, `bind-key` and
//! `fugue import-tmux` share this.

mod bindings;
mod conditions;
mod import;
mod option_commands;
mod option_table;
mod option_value;
mod status_format;
mod styles;

pub(crate) use bindings::{bind, unbind};
pub(crate) use conditions::expand as expand_without_session;
pub(crate) use import::{command, run};
pub(crate) use option_table::{Counterpart, configured, counterpart, setting_of, toggled};
