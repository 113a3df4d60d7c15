//! The list of agents: one row for each, who needs a person first, with the choices of those that ask something.

use fugue_protocol::Timestamp;
use fugue_protocol::dialogs::DialogChoice;
use fugue_protocol::verbs::{AnswerPermission, VerbSpec};
use fugue_protocol::views::PermissionList;
use unicode_width::UnicodeWidthStr;

use super::list::{List, ListRow};
use super::list_contents::go_to_line;
use crate::agents::{self, AgentRow};
use crate::tree::Tree;

/// The title of the list.
pub(crate) const AGENTS: &str = "Agents";

/// The most columns for the name of a session.
const SESSION_COLS: usize = 24;

/// All agents, with a preview of the selected one.
pub(crate) fn agents(tree: &Tree, asked: &PermissionList, now: Timestamp) -> List {
    let agents = agents::rows(tree);
    let cols = agents.iter().map(|agent| agent.session.name.to_string().width()).max().unwrap_or(0);
    let rows = |agent: &AgentRow<'_>| {
        let own = row(tree, agent, cols.min(SESSION_COLS), now);
        std::iter::once(own).chain(choices(agent, asked)).collect::<Vec<_>>()
    };
    List::new(AGENTS, agents.iter().flat_map(rows).collect(), 0)
        .counting(agents.len())
        .in_order()
        .when_empty("No agents yet; start one in a pane, such as `claude` or `codex`")
}

fn row(tree: &Tree, agent: &AgentRow<'_>, cols: usize, now: Timestamp) -> ListRow {
    let reason = agent.pane.agent.as_ref().and_then(|view| view.reason.clone());
    let reason =
        reason.unwrap_or_else(|| if agent.state() == "exited" { agent.reason() } else { String::new() });
    let session = agent.session.name.to_string();
    let padding = " ".repeat(cols.saturating_sub(session.width()));
    ListRow {
        sign: Some(agent.sign()),
        text: format!("{session}{padding}  {}", agent.name()),
        detail: format!("{:<15} {:>3}  {reason}", agent.state(), agent.age(now)).trim_end().to_owned(),
        also: agents::session_place(agent.session),
        command: go_to_line(tree, agent.pane),
        pane: Some(agent.pane.pane_id),
        ..ListRow::default()
    }
}

/// The choices of the dialog in a pane; Enter answers it.
fn choices(agent: &AgentRow<'_>, asked: &PermissionList) -> Vec<ListRow> {
    let own = asked.permissions.iter().find(|one| one.pane_id == agent.pane.pane_id);
    let Some((dialog, id)) = own.and_then(|own| own.dialog.as_ref().zip(own.dialog_id.as_ref())) else {
        return Vec::new();
    };
    let row = |(at, choice): (usize, &DialogChoice)| ListRow {
        text: format!("    {} {}", at + 1, choice.label),
        detail: if at == 0 { dialog.subject() } else { String::new() },
        also: format!("{} {}", agent.session.name, agent.name()),
        command: format!("{} {id} {}", AnswerPermission::NAME, at + 1),
        pane: Some(agent.pane.pane_id),
        ..ListRow::default()
    };
    dialog.choices.iter().enumerate().map(row).collect()
}
