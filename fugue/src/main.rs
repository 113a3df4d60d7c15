//! The fugue binary. Its first word decides what it is: a command, the MCP server of an agent, or one of the
//! background processes, `keeper` and `daemon`.

mod asciicast;
mod attach;
mod completions;
mod config_command;
mod context;
mod daemon_entry;
mod debug_bundle;
mod dispatch;
mod doctor;
mod events;
mod guide;
mod help;
mod hook;
mod messages;
mod own_commands;
mod print;
mod project;
mod record;
mod tmux_translation;
mod upgrade;
mod verb_command;
mod watch;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some("keeper") => daemon_entry::keeper(&words),
        Some("daemon") => daemon_entry::daemon(&words),
        Some("mcp") => fugue_mcp::run(&words),
        _ => dispatch::run(words),
    }
}
