//! Which agent a command, a launch or the foreground of a terminal is.

use fugue_protocol::Launch;

use crate::table::AgentTable;

/// The foreground of a pane's terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Front {
    /// It is unknown.
    #[default]
    Hidden,
    /// A shell at its prompt.
    Shell,
    /// No agent: a program started from a shell.
    Other,
    /// The program of the pane or an agent, by its command.
    Program(Vec<String>),
    /// An agent that identifies itself.
    Named(String),
}

/// The canonical name of a built-in agent: `claude-code` is claude. Unknown names stay.
pub fn canonical(name: &str) -> &str {
    AgentTable::built_in().canonical(name)
}

/// The built-in agent that a command starts, if any.
pub fn name_of(words: &[String]) -> Option<&'static str> {
    AgentTable::built_in().name_of(words)
}

/// The agent that a pane was started with, if any.
pub fn launched(launch: &Launch) -> Option<&'static str> {
    let line = launch.command.iter().flat_map(|line| line.split_whitespace().map(str::to_owned));
    name_of(&line.chain(launch.argv.iter().cloned()).collect::<Vec<_>>())
}

/// The built-in agent that a command starts, and which of the words names it.
pub(crate) fn agent_at(words: &[impl AsRef<str>]) -> Option<(usize, &'static str)> {
    AgentTable::built_in().agent_at(words)
}

/// The agent in the foreground: by its own process, else by the pane's launch unless something else is running.
pub fn in_front(front: &Front, launch: &Launch) -> Option<String> {
    let launched = || launched(launch);
    match front {
        Front::Named(name) => Some(canonical(name).to_owned()),
        Front::Other | Front::Shell => None,
        Front::Program(words) if is_setup(words) => None,
        Front::Program(words) => name_of(words).or_else(launched).map(str::to_owned),
        Front::Hidden => launched().map(str::to_owned),
    }
}

/// The name under which the script runs that sets a worktree up and then becomes the pane's program.
pub const SETUP_NAME: &str = "fugue-setup";

/// Whether a command is that script, so that the pane's program does not run yet: `sh -c SCRIPT fugue-setup …`.
fn is_setup(words: &[String]) -> bool {
    words.get(3).is_some_and(|word| word == SETUP_NAME)
}
