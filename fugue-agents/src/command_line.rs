//! Command lines: their words, and the agent that they start.

/// Programs that run other programs: the agent is the next word.
const RUNNERS: [&str; 20] = [
    "node", "nodejs", "bun", "bunx", "deno", "npx", "npm", "pnpm", "python", "python3", "uv", "uvx", "env",
    "exec", "sh", "bash", "dash", "zsh", "fish", "ksh",
];

/// The agent is among the first words; later ones are its prompt.
const WORDS: usize = 8;

/// Where npm installs packages.
const PACKAGES: &str = "node_modules/";

/// The name of an agent, and the names of its program and package.
pub(crate) type AgentNames<'a> = (&'a str, &'a [String]);

/// The agent that a command starts, and which of the words names it.
pub(crate) fn agent_at<'a>(
    agents: impl Iterator<Item = AgentNames<'a>> + Clone,
    words: &[impl AsRef<str>],
) -> Option<(usize, &'a str)> {
    for (at, word) in words.iter().map(AsRef::as_ref).enumerate().take(WORDS) {
        let short = short(word);
        if let Some(agent) = agent(agents.clone(), word, short) {
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

fn agent<'a>(mut agents: impl Iterator<Item = AgentNames<'a>>, word: &str, short: &str) -> Option<&'a str> {
    let is_packaged = word.contains(PACKAGES);
    let is = |(name, others): &AgentNames<'a>| {
        let is_other = |other: &String| other == short || is_packaged && in_package(word, other);
        short == *name || others.iter().any(is_other)
    };
    agents.find(is).map(|(name, _)| name)
}

/// `…/node_modules/@google/gemini-cli/dist/index.js`
fn in_package(word: &str, package: &str) -> bool {
    word.split(PACKAGES).skip(1).any(|path| {
        path.strip_prefix(package).is_some_and(|after| after.is_empty() || after.starts_with('/'))
    })
}

/// The name of a program without directory and extension.
fn short(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches('-');
    [".js", ".mjs", ".cjs", ".py", ".exe"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// The words of a command line that any shell splits in the same way; none if it does more than start one program.
pub(crate) fn plain_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '$' | '`' | '\\' | '!') | (None, '\0'..='\u{8}' | '\n' | '$' | '`' | '\\' | '!') => {
                return None;
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (
                None,
                ';' | '&' | '|' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | ']' | '{' | '}' | '~' | '#',
            ) => return None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let is_assignment = words.first().is_none_or(|first| first.contains('='));
    (quote.is_none() && !is_assignment).then_some(words)
}
