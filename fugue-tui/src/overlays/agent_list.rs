//! The list of agents: one row for each, who needs a person first, with the choices of those that ask something.

use fugue_protocol::Timestamp;
use fugue_protocol::dialogs::DialogChoice;
use fugue_protocol::verbs::{AnswerPermission, VerbSpec};
use fugue_protocol::views::PermissionList;
use unicode_width::UnicodeWidthStr;

use super::host_rows::unreachable_rows;
use super::list::{List, ListRow};
use super::list_contents::go_to_line;
use crate::agents::{self, AgentRow, Need};
use crate::text_wrap::shortened;
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The title of the list.
pub(crate) const AGENTS: &str = "Agents";

/// The most columns for the name of a session, and for that of an agent.
const SESSION_COLS: usize = 20;
const NAME_COLS: usize = 16;

/// The columns for a state.
const STATE_COLS: usize = 15;

/// All agents, with a preview of the selected one.
pub(crate) fn agents(tree: &Tree, asked: &PermissionList, now: Timestamp) -> List {
    let agents = agents::rows(tree);
    let cols = agents.iter().map(|agent| agent.session_name().width()).max().unwrap_or(0);
    let rows = |agent: &AgentRow<'_>| {
        let own = row(tree, agent, cols.min(SESSION_COLS), now);
        std::iter::once(own).chain(choices(agent, asked)).collect::<Vec<_>>()
    };
    let rows = agents.iter().flat_map(rows).chain(unreachable_rows(tree, now)).collect();
    List::new(AGENTS, rows, 0)
        .in_order()
        .with_marks()
        .doing("goes there")
        .when_empty("No agents yet. Start one in a pane: claude, codex, …")
}

fn row(tree: &Tree, agent: &AgentRow<'_>, cols: usize, now: Timestamp) -> ListRow {
    let (sign, part) = agent.sign();
    let session = shortened(&agent.session_name(), cols);
    let padding = " ".repeat(cols.saturating_sub(session.width()));
    let age = format!("{:>3}  ", agent.age(now));
    let detail = format!("{:<STATE_COLS$} {age}{}", agent.state(), agent.explanation());
    ListRow {
        sign: Some((sign, part)),
        bold: if agent.need == Need::Person { session.width() } else { 0 },
        text: format!("{session}{padding}  {}", shortened(&agent.name(), NAME_COLS)),
        colors: vec![(STATE_COLS + 1, part), (age.width(), ThemePart::Faint)],
        detail: detail.trim_end().to_owned(),
        also: format!("{} {}", agent.session_name(), agents::session_place(agent.session)),
        name: preview_name(agent),
        command: go_to_line(agent.pane),
        // The screens of other hosts are not here, and actions on several agents are for one host.
        pane: Some(agent.pane.pane_id).filter(|_| agent.host == tree.host.as_deref()),
        ..ListRow::default()
    }
}

fn preview_name(agent: &AgentRow<'_>) -> String {
    format!("{} · {}", agent.session.name, agent.name())
}

/// What is asked, and the choices of the dialog in a pane; Enter or the number of a choice answers it.
fn choices(agent: &AgentRow<'_>, asked: &PermissionList) -> Vec<ListRow> {
    let own = asked.permissions.iter().find(|one| one.pane_id == agent.pane.pane_id);
    let Some((dialog, id)) = own.and_then(|own| own.dialog.as_ref().zip(own.dialog_id.as_ref())) else {
        return Vec::new();
    };
    let subject = ListRow { text: format!("    {}", dialog.subject()), note: true, ..ListRow::default() };
    let row = |(at, choice): (usize, &DialogChoice)| ListRow {
        text: format!("    {} {}", at + 1, choice.label),
        also: format!("{} {}", agent.session_name(), agent.name()),
        name: preview_name(agent),
        command: format!("{} {id} {}", AnswerPermission::NAME, at + 1),
        pane: Some(agent.pane.pane_id),
        choice: Some(at + 1),
        ..ListRow::default()
    };
    std::iter::once(subject).chain(dialog.choices.iter().enumerate().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fugue_protocol::Size;
    use fugue_screen::keys::Key;

    use super::*;
    use crate::agents::tests::{session, tree};
    use crate::paint::Canvas;

    /// The list of so many agents, every tenth of which waits, and the tree they are from.
    fn list(count: usize) -> List {
        let state = |number: usize| if number.is_multiple_of(10) { "waiting_for_input" } else { "working" };
        let sessions = (0..count).map(|number| session(number, Some(state(number)), number as u64));
        let nothing = PermissionList { permissions: Vec::new() };
        agents(&tree(sessions.collect()), &nothing, Timestamp::from_millis(60_000))
    }

    /// The rows of a terminal of this size.
    fn drawn(list: &List, cols: u16, rows: u16) -> Vec<String> {
        let mut canvas = Canvas::new(Size::new(cols, rows));
        list.draw(&mut canvas, &BTreeMap::new(), rows - 1);
        (0..rows).map(|row| canvas.text_of(row)).collect()
    }

    #[test]
    fn two_hundred_agents_are_scrolled_marked_and_counted() {
        for (cols, rows) in [(80, 24), (120, 35), (200, 50)] {
            let mut list = list(200);
            let shown = drawn(&list, cols, rows);
            let frame = |rows: &[String], text: &str| rows.iter().any(|row| row.contains(text));
            let visible = shown.iter().filter(|row| row.contains("  codex  ")).count();
            assert!(visible > 5, "{}", shown.join("\n"));
            assert!(
                shown.iter().find(|row| row.contains("  codex  ")).is_some_and(|row| row.contains("? s0 "))
            );
            assert!(frame(&shown, &format!(" {} more ", 200 - visible)), "{}", shown.join("\n"));
            ["End", "Space", "C-a"].iter().for_each(|key| drop(list.key(key.parse::<Key>().unwrap())));
            let shown = drawn(&list, cols, rows);
            assert!(
                frame(&shown, "s199 ") && frame(&shown, " 200 marked  C-s message "),
                "{}",
                shown.join("\n")
            );
            assert_eq!(shown.iter().filter(|row| row.contains('●')).count(), visible, "{}", shown.join("\n"));
        }
    }
}
