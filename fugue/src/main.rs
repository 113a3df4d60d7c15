//! The fugue binary. Its first word decides what it is: a command, the MCP server of an agent, or one of the
//! background processes, `keeper` and `daemon`. Under the name `tmux`, it takes the place of tmux.

mod agents;
#[cfg(debug_assertions)]
mod allocation_count;
mod asciicast;
mod attach;
mod completions;
mod config_command;
mod config_edit;
mod confine;
mod context;
mod control_mode;
mod daemon_end;
mod daemon_entry;
mod debug_bundle;
mod dispatch;
mod doctor;
mod events;
mod file_replacement;
mod first_use;
mod flag_names;
mod fleet;
mod guide;
mod help;
mod hook;
mod hosts;
mod messages;
mod metrics;
mod own_commands;
mod plugin_link;
mod print;
mod project;
mod proxy;
mod record;
mod setting_name;
mod setup;
mod teams;
mod tmux_settings;
mod tmux_shim;
mod tmux_translation;
mod toml_text;
mod tutor;
mod unknown_command;
mod upgrade;
mod usage_error;
mod verb_command;
mod watch;

use std::process::ExitCode;

#[cfg(debug_assertions)]
#[global_allocator]
static ALLOCATOR: allocation_count::CountingAllocator = allocation_count::CountingAllocator;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    if tmux_shim::is_called_tmux(&words) {
        return tmux_shim::run_as_tmux(words);
    }
    match words.get(1).and_then(|word| word.to_str()) {
        Some("keeper") => daemon_entry::keeper(&words),
        Some("daemon") => daemon_entry::daemon(&words),
        _ => dispatch::run(words),
    }
}
