//! What a call waits for, in words: clients show them while the call waits.

use serde_json::Value;

use super::{Arguments, WaitPurpose};

/// The length limit of an argument in the words.
const MAX_CHARS: usize = 60;

impl WaitPurpose {
    /// Says what a call with these arguments waits for.
    pub fn words(self, arguments: &Arguments) -> String {
        let text = |name| arguments.get(name).and_then(Value::as_str).map(brief);
        let named = |what: &str, name| match text(name) {
            Some(value) => format!("{what} `{value}`"),
            None => what.to_owned(),
        };
        match self {
            Self::Command => named("the command", "command"),
            Self::Commands => format!("{} commands", count(arguments, "commands")),
            Self::Pane => condition(arguments),
            Self::Answer => "an answer".into(),
            Self::Message => "a message".into(),
            Self::Lease => named("the lease", "name"),
            Self::Agent => named("the agent", "agent"),
            Self::Channel => named("the channel", "channel"),
        }
    }
}

/// What is waited for in panes.
fn condition(arguments: &Arguments) -> String {
    let text = |name| arguments.get(name).and_then(Value::as_str);
    let panes = match (count(arguments, "panes"), text("pane").or(text("pane_id"))) {
        (0, None) => "the pane".into(),
        (0, Some(pane)) => format!("pane {}", brief(pane)),
        (panes, _) => format!("{panes} panes"),
    };
    let implied = if arguments.contains_key("states") { "agent_state" } else { "exit" };
    let implied = if arguments.contains_key("idle_ms") { "idle" } else { implied };
    match (text("pattern"), text("until").unwrap_or(implied)) {
        (Some(pattern), _) => format!("`{}` in {panes}", brief(pattern)),
        (None, "idle") => format!("{panes} to be quiet"),
        (None, "command_done") => format!("the command in {panes}"),
        (None, "agent_state") => format!("the agent in {panes}"),
        (None, "message") => "a message".into(),
        (None, _) => format!("{panes} to exit"),
    }
}

fn count(arguments: &Arguments, name: &str) -> usize {
    arguments.get(name).and_then(Value::as_array).map_or(0, Vec::len)
}

/// The beginning of the first line of a text.
fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut brief: String = line.chars().take(MAX_CHARS).collect();
    if brief.len() < text.len() {
        brief.push('…');
    }
    brief
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_words_name_what_a_call_waits_for() {
        for (purpose, arguments, words) in [
            (WaitPurpose::Command, json!({ "command": "make test" }), "the command `make test`"),
            (WaitPurpose::Command, json!({ "command": "one\ntwo" }), "the command `one…`"),
            (WaitPurpose::Commands, json!({ "commands": ["a", "b"] }), "2 commands"),
            (WaitPurpose::Pane, json!({ "pane": "build", "pattern": "^ok$" }), "`^ok$` in pane build"),
            (WaitPurpose::Pane, json!({ "pane": "build" }), "pane build to exit"),
            (WaitPurpose::Pane, json!({ "panes": ["a", "b"], "until": "idle" }), "2 panes to be quiet"),
            (WaitPurpose::Pane, json!({ "until": "command_done" }), "the command in the pane"),
            (WaitPurpose::Pane, json!({ "states": ["idle"] }), "the agent in the pane"),
            (WaitPurpose::Lease, json!({ "name": "/src/a.rs" }), "the lease `/src/a.rs`"),
            (WaitPurpose::Answer, json!({}), "an answer"),
        ] {
            assert_eq!(purpose.words(arguments.as_object().expect("arguments")), words);
        }
    }

    #[test]
    fn a_long_argument_is_cut() {
        let words =
            WaitPurpose::Command.words(json!({ "command": "é".repeat(90) }).as_object().expect("arguments"));
        assert_eq!(words, format!("the command `{}…`", "é".repeat(MAX_CHARS)));
    }
}
