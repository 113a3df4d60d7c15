use fugue_protocol::SessionId;
use serde_json::{Value, json};

use super::*;

fn id(number: usize) -> String {
    format!("01a00000-0000-7000-8000-{number:012x}")
}

/// A session with one agent in this state since this time; without a state, it has a program that has exited.
pub(crate) fn session(number: usize, state: Option<&str>, since: u64) -> SessionView {
    let agent =
        state.map(|state| json!({"name": "codex", "state": state, "since": since, "sure": "certain"}));
    let life = if state.is_some() { "running" } else { "exited" };
    let size = json!({"cols": 80, "rows": 24});
    let mut pane: Value = json!({
        "pane_id": id(number), "window_id": id(number), "session_id": id(number), "command": "codex",
        "state": life, "dimensions": size, "active": true,
        "place": {"col": 0, "row": 0, "cols": 80, "rows": 24},
    });
    pane["agent"] = agent.into();
    let window = json!({
        "window_id": id(number), "session_id": id(number), "name": "one", "index": 0, "active": true,
        "zoomed": false, "dimensions": size, "panes": [pane],
    });
    let session = json!({
        "session_id": id(number), "name": format!("s{number}"), "created_at": 1, "tags": [], "metadata": {},
        "windows": [window],
    });
    serde_json::from_value(session).expect("a session")
}

pub(crate) fn tree(sessions: Vec<SessionView>) -> Tree {
    let mut tree = Tree::new(SessionId::from_bytes([1; 16]));
    tree.update(sessions);
    tree
}

#[test]
fn two_hundred_agents_are_sorted_by_urgency_and_then_by_age() {
    let states = ["idle", "working", "complete", "error", "waiting_for_input", "blocked", "unknown"];
    let sessions = (0..200).map(|number| {
        let state = states[number % states.len()];
        session(number, Some(state), 1_000 - number as u64)
    });
    let tree = tree(sessions.chain([session(200, None, 0)]).collect());
    let rows = rows(&tree);
    assert_eq!(rows.len(), 200, "a program that is not an agent is not listed");
    let order = |row: &AgentRow<'_>| (row.urgency, row.since().is_none(), row.since());
    assert!(rows.is_sorted_by_key(order));
    let first: Vec<String> = rows.iter().take(3).map(|row| row.session.name.to_string()).collect();
    assert_eq!(first, ["s194", "s193", "s187"], "those that have waited longest, whatever they wait for");
    let visited = to_visit(&tree);
    assert_eq!(visited.len(), rows.iter().filter(|row| row.urgency <= Urgency::Failed).count());
    let texts: Vec<String> = AgentCounts::of(&tree).texts().into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["56 need you", "29 failed", "29 working"]);
}

#[test]
fn only_agents_that_exited_or_were_lost_are_listed() {
    let lost = |agent: Option<Value>| {
        let mut session = session(1, None, 0);
        let pane = &mut session.windows[0].panes[0];
        (pane.state, pane.command) = (Life::Lost, "sh -c claude".into());
        pane.lost = serde_json::from_value(json!({"agent": agent})).ok();
        session
    };
    let told = |session: SessionView| -> Vec<String> {
        rows(&tree(vec![session])).iter().map(AgentRow::placed_sentence).collect()
    };
    assert_eq!(told(lost(None)), [] as [&str; 0], "a shell");
    let agent = json!({"name": "claude", "state": "working", "since": 1, "sure": "certain"});
    assert_eq!(told(lost(Some(agent))), ["claude in s1 lost in a restart"]);
    let mut exited = session(1, None, 0);
    exited.windows[0].panes[0].exit = Some(ExitStatus::Code(1));
    exited.windows[0].panes[0].conversation =
        serde_json::from_value(json!({"agent": "codex", "id": "one"})).ok();
    assert_eq!(told(exited), ["codex in s1 exited: exit code 1"]);
}

#[test]
fn an_age_is_abbreviated() {
    let at = |minutes: u64| Timestamp::from_millis(minutes * 60_000);
    let ages = [0, 1, 59, 60, 1439, 1440, 9000].map(|minutes| ago(at(10_000), at(10_000 - minutes)));
    assert_eq!(ages, ["now", "1m", "59m", "1h", "23h", "1d", "6d"]);
    assert_eq!(ago(at(1), at(2)), "now", "a clock that went back");
}

#[test]
fn only_nonzero_counts_are_shown() {
    assert_eq!(AgentCounts::default().texts(), []);
    let counts = AgentCounts { waiting: 1, failed: 2, working: 0, unread: 2 };
    let texts: Vec<String> = counts.texts().into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["1 needs you", "2 failed", "2 unread"]);
}
