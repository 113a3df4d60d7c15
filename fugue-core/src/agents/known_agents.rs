//! Known agents and the commands that start them. A new agent is a new row.

use fugue_protocol::Launch;

use super::Front;

/// The name of an agent, and its other names: its package, its own titles.
const AGENTS: [(&str, &[&str]); 13] = [
    ("claude", &["claude-code", "@anthropic-ai/claude-code"]),
    ("codex", &["codex-cli", "@openai/codex"]),
    ("gemini", &["gemini-cli", "@google/gemini-cli"]),
    ("opencode", &["opencode-ai"]),
    ("copilot", &["copilot-cli", "@github/copilot"]),
    ("cursor-agent", &["cursor-cli"]),
    ("qwen", &["qwen-code", "@qwen-code/qwen-code"]),
    ("aider", &["aider-chat"]),
    ("goose", &[]),
    ("amp", &["@sourcegraph/amp"]),
    ("crush", &["@charmland/crush"]),
    ("droid", &[]),
    ("auggie", &["@augmentcode/auggie"]),
];

/// Programs that run other programs: the agent is the next word.
const RUNNERS: [&str; 14] = [
    "node", "nodejs", "bun", "bunx", "deno", "npx", "npm", "pnpm", "python", "python3", "uv", "uvx", "env",
    "exec",
];

/// The agent is among the first words; later ones are its prompt.
const WORDS: usize = 8;

/// The canonical name of an agent: `claude-code` is claude. Unknown names stay.
pub fn canonical(name: &str) -> &str {
    AGENTS
        .iter()
        .find(|(known, others)| *known == name || others.contains(&name))
        .map_or(name, |(known, _)| known)
}

/// The agent that a command starts, if any.
pub fn name_of(words: &[String]) -> Option<&'static str> {
    agent_at(words).map(|(_, agent)| agent)
}

/// The agent that a pane was started with, if any.
pub(crate) fn launched(launch: &Launch) -> Option<&'static str> {
    let line = launch.command.iter().flat_map(|line| line.split_whitespace().map(str::to_owned));
    name_of(&line.chain(launch.argv.iter().cloned()).collect::<Vec<_>>())
}

/// The agent that a command starts, and which of the words names it.
pub(crate) fn agent_at(words: &[String]) -> Option<(usize, &'static str)> {
    for (at, word) in words.iter().enumerate().take(WORDS) {
        let short = short(word);
        if let Some(agent) = agent(word, short) {
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
        Front::Other => None,
        Front::Program(words) => name_of(words).or_else(launched).map(str::to_owned),
        Front::Hidden => launched().map(str::to_owned),
    }
}

fn agent(word: &str, short: &str) -> Option<&'static str> {
    let is = |known: &str, others: &[&str]| {
        short == known || others.contains(&short) || others.iter().any(|other| in_package(word, other))
    };
    AGENTS.iter().find(|(known, others)| is(known, others)).map(|(known, _)| *known)
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
