//! The commands that start agents.

use fugue_protocol::Launch;

use super::{AgentTable, Front};

/// Programs that run other programs: the agent is the next word.
const RUNNERS: [&str; 20] = [
    "node", "nodejs", "bun", "bunx", "deno", "npx", "npm", "pnpm", "python", "python3", "uv", "uvx", "env",
    "exec", "sh", "bash", "dash", "zsh", "fish", "ksh",
];

/// The agent is among the first words; later ones are its prompt.
const WORDS: usize = 8;

/// The canonical name of a built-in agent: `claude-code` is claude. Unknown names stay.
pub fn canonical(name: &str) -> &str {
    AgentTable::built_in().canonical(name)
}

/// The built-in agent that a command starts, if any.
pub fn name_of(words: &[String]) -> Option<&'static str> {
    AgentTable::built_in().name_of(words)
}

/// The agent that a pane was started with, if any.
pub(crate) fn launched(launch: &Launch) -> Option<&'static str> {
    let line = launch.command.iter().flat_map(|line| line.split_whitespace().map(str::to_owned));
    name_of(&line.chain(launch.argv.iter().cloned()).collect::<Vec<_>>())
}

/// The built-in agent that a command starts, and which of the words names it.
pub(crate) fn agent_at(words: &[String]) -> Option<(usize, &'static str)> {
    agent_at_in(AgentTable::built_in(), words)
}

/// The agent of a table that a command starts, and which of the words names it.
pub(super) fn agent_at_in<'a>(table: &'a AgentTable, words: &[String]) -> Option<(usize, &'a str)> {
    for (at, word) in words.iter().enumerate().take(WORDS) {
        let short = short(word);
        if let Some(agent) = agent(table, word, short) {
            return Some((at, agent));
        }
        let passes =
            RUNNERS.contains(&short) || word.starts_with('-') || word.contains('=') || short == "run";
        if !passes {
            return None;
        }
    }
    None
}

/// The agent in the foreground: by its own process, else by the pane's launch unless something else is running.
pub(super) fn in_front(front: &Front, launch: &Launch) -> Option<String> {
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

fn agent<'a>(table: &'a AgentTable, word: &str, short: &str) -> Option<&'a str> {
    let is = |(name, others): &(&str, &[String])| {
        short == *name || others.iter().any(|other| other == short || in_package(word, other))
    };
    table.rows().find(is).map(|(name, _)| name)
}

/// `…/node_modules/@google/gemini-cli/dist/index.js`
fn in_package(word: &str, package: &str) -> bool {
    word.split_once(package).is_some_and(|(before, after)| {
        before.ends_with("node_modules/") && (after.is_empty() || after.starts_with('/'))
    })
}

/// The name of a program without directory and extension.
fn short(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches('-');
    [".js", ".mjs", ".cjs", ".py", ".exe"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}
