//! The table of agents: how each is recognized, and what its title and its screen mean. The built-in rows are in
//! `agents.toml`; a user's file of the same form adds to them.

use std::sync::{Arc, LazyLock};

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use serde::Deserialize;

use crate::command_line::{self, AgentNames};
use crate::screens::ScreenRule;
use crate::start::AgentStart;

static BUILT_IN: LazyLock<Arc<AgentTable>> =
    LazyLock::new(|| Arc::new(AgentTable { rows: parse(include_str!("agents.toml")).unwrap_or_default() }));

/// The agents that are known.
#[derive(Debug, Clone, Default)]
pub struct AgentTable {
    rows: Vec<AgentTableRow>,
}

/// One agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentTableRow {
    name: String,
    /// Names of its program and package, and names by which it calls itself.
    #[serde(default)]
    processes: Vec<String>,
    /// Whether it reports its own state (OSC 7501). Before its first report it is not ready, whatever its screen shows.
    #[serde(default)]
    reports: bool,
    /// How it is started; none if that is not known.
    #[serde(default)]
    start: Option<AgentStart>,
    /// What the beginning of its title means; the first rule that fits counts.
    #[serde(default)]
    title: Vec<TitleRule>,
    /// What its screen means; the first rule that fits counts.
    #[serde(default)]
    screen: Vec<ScreenRule>,
}

/// The form of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentFile {
    #[serde(default)]
    agent: Vec<AgentTableRow>,
}

/// A mistake in a file of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableMistake {
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub text: String,
}

impl AgentTable {
    /// Returns the agents that fugue knows by itself.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Returns the same table, for an owner that may replace it.
    pub fn shared() -> Arc<Self> {
        Arc::clone(&BUILT_IN)
    }

    /// Returns the built-in agents and those of a user's file. Its rules for an agent come before the built-in ones.
    pub fn with_file(text: &str) -> Result<Self, TableMistake> {
        let mut rows = parse(text)?;
        check(text, &rows)?;
        for built_in in &BUILT_IN.rows {
            match rows.iter_mut().find(|row| row.name == built_in.name) {
                Some(row) => row.add(built_in),
                None => rows.push(built_in.clone()),
            }
        }
        Ok(Self { rows })
    }

    /// Returns the canonical name of an agent: `claude-code` is claude. Unknown names stay.
    pub fn canonical<'a>(&'a self, name: &'a str) -> &'a str {
        self.rows.iter().find(|row| row.is_named(name)).map_or(name, |row| &row.name)
    }

    /// Returns the agent that a command starts, if any.
    pub fn name_of(&self, words: &[String]) -> Option<&str> {
        self.agent_at(words).map(|(_, agent)| agent)
    }

    /// Returns the agent that a command starts, and which of the words names it.
    pub(crate) fn agent_at(&self, words: &[impl AsRef<str>]) -> Option<(usize, &str)> {
        command_line::agent_at(self.names(), words)
    }

    /// Returns the evidence in a title of an agent.
    pub fn titled(&self, agent: &str, title: &str) -> Option<Evidence> {
        let own = self.row(agent).map(|row| row.title.as_slice()).unwrap_or_default();
        let any = self.row("*").map(|row| row.title.as_slice()).unwrap_or_default();
        own.iter().chain(any).find_map(|rule| rule.evidence(title))
    }

    /// Returns what the rows of its screen say of an agent.
    pub fn shown(&self, agent: &str, rows: &[String], now: Timestamp) -> Option<Evidence> {
        self.row(agent)?.screen.iter().find_map(|rule| rule.evidence(rows, now))
    }

    /// Returns how an agent is started, if that is known.
    pub(crate) fn start_of(&self, agent: &str) -> Option<&AgentStart> {
        self.row(agent)?.start.as_ref()
    }

    /// Returns the names of the agents that can be started.
    pub(crate) fn startable(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter(|row| row.start.is_some()).map(|row| row.name.as_str())
    }

    /// Whether an agent is in the table.
    pub(crate) fn has(&self, agent: &str) -> bool {
        agent != "*" && self.row(agent).is_some()
    }

    /// Whether there are rules for the screen of an agent.
    pub fn reads_screen_of(&self, agent: &str) -> bool {
        self.row(agent).is_some_and(|row| !row.screen.is_empty())
    }

    /// Whether an agent reports its own state.
    pub fn reports(&self, agent: &str) -> bool {
        self.row(agent).is_some_and(|row| row.reports)
    }

    fn names(&self) -> impl Iterator<Item = AgentNames<'_>> + Clone {
        self.rows.iter().map(|row| (row.name.as_str(), row.processes.as_slice()))
    }

    fn row(&self, agent: &str) -> Option<&AgentTableRow> {
        self.rows.iter().find(|row| row.name == agent)
    }
}

impl AgentTableRow {
    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.processes.iter().any(|process| process == name)
    }

    /// Adds what another row knows of the same agent.
    fn add(&mut self, other: &Self) {
        self.processes.extend(other.processes.iter().cloned());
        self.reports |= other.reports;
        self.start = match (self.start.take(), &other.start) {
            (Some(own), Some(other)) => Some(own.or(other)),
            (own, other) => own.or_else(|| other.clone()),
        };
        self.title.extend(other.title.iter().cloned());
        self.screen.extend(other.screen.iter().cloned());
    }
}

fn parse(text: &str) -> Result<Vec<AgentTableRow>, TableMistake> {
    let file: AgentFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_at(text, span.start));
        TableMistake { line, text: error.message().replace('\n', ", ") }
    })?;
    Ok(file.agent)
}

/// Checks the patterns of a user's file. Those of the built-in table are checked by a test.
fn check(text: &str, rows: &[AgentTableRow]) -> Result<(), TableMistake> {
    if let Some((name, why)) = rows.iter().find_map(|row| Some((&row.name, row.start.as_ref()?.mistake()?))) {
        let line = text.find(&format!("name = \"{name}\"")).map(|at| line_at(text, at));
        return Err(TableMistake { line, text: why });
    }
    let mistake = rows.iter().flat_map(|row| &row.screen).find_map(ScreenRule::mistake);
    mistake.map_or(Ok(()), |(pattern, why)| {
        let line = text.find(pattern).map(|at| line_at(text, at));
        Err(TableMistake { line, text: why.replace('\n', ", ") })
    })
}

fn line_at(text: &str, at: usize) -> usize {
    text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
}

/// The state that a title means if it starts with one of these texts. Only unambiguous ones are listed: Claude Code's `✳`
/// means both idle and asking, so it is no evidence.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TitleRule {
    state: AgentState,
    starts: Vec<String>,
}

impl TitleRule {
    /// Returns the evidence in a title.
    pub(crate) fn evidence(&self, title: &str) -> Option<Evidence> {
        let rest = self.starts.iter().find_map(|start| title.strip_prefix(start.as_str()))?;
        let asks = self.state.needs_somebody();
        Some(Evidence {
            reason: asks.then(|| rest.trim().to_owned()),
            waits_for: asks.then_some(WaitsFor::Permission),
            ..Evidence::new(EvidenceSource::Title, self.state)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_of_the_built_in_table_are_valid() {
        let text = include_str!("agents.toml");
        check(text, &parse(text).expect("the built-in table")).expect("valid patterns");
    }

    #[test]
    fn a_mistake_in_a_pattern_is_reported_with_its_line() {
        let file = |pattern: &str| {
            format!(
                "[[agent]]\nname = \"robot\"\n[[agent.screen]]\nstate = \"idle\"\nrows = 1\nreason = ['{pattern}']\n"
            )
        };
        let mistake = |pattern: &str| AgentTable::with_file(&file(pattern)).expect_err("a mistake");
        assert_eq!(mistake("no group").line, Some(6));
        assert!(mistake("no group").text.contains("needs a capture group"));
        assert_eq!(mistake("open (group").line, Some(6));
        assert!(mistake("open (group").text.starts_with("invalid pattern"));
        assert!(AgentTable::with_file(&file("a (group)")).is_ok());
    }
}
