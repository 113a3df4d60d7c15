//! The list of agents: one row for each, who needs a person first, with the choices of those that ask something.

use fugue_protocol::Timestamp;
use fugue_protocol::agents::Urgency;
use fugue_protocol::dialogs::DialogChoice;
use fugue_protocol::verbs::{AnswerPermission, VerbSpec};
use fugue_protocol::views::PermissionList;
use unicode_width::UnicodeWidthStr;

use super::host_rows::{UNREACHABLE, unreachable, unreachable_row};
use super::list::List;
use super::list_contents::go_to_line;
use super::list_row::ListRow;
use crate::agents::{self, AgentRow};
use crate::text_wrap::shortened;
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The title of the list.
pub(crate) const AGENTS: &str = "Agents";

/// A narrower terminal has no columns for the age and the agent's name: the session's name tells agents apart.
const MIN_COLS: u16 = 60;

/// In a narrower terminal, the reason takes the place of the state, which the symbol shows as well.
const MIN_STATE_COLS: u16 = 46;

/// The columns of the list, as wide as what is in them.
struct AgentColumns {
    session: usize,
    /// Whether the agent's name and the age have columns.
    has_name: bool,
    /// The columns of the state; none if it is shown only where there is no reason.
    state: Option<usize>,
    /// The most columns for the agent's name.
    name: usize,
}

impl AgentColumns {
    fn of(agents: &[AgentRow<'_>], hosts: usize, terminal: u16) -> Self {
        let widest = |cols: fn(&AgentRow<'_>) -> usize| agents.iter().map(cols).max().unwrap_or(0);
        let state = widest(|agent| agent.state().width());
        let state = state.max(if hosts > 0 { UNREACHABLE.width() } else { 0 });
        let terminal_cols = usize::from(terminal);
        Self {
            session: widest(|agent| agent.place().width()).min((terminal_cols / 5).clamp(10, 20)),
            has_name: terminal >= MIN_COLS,
            state: (terminal >= MIN_STATE_COLS).then_some(state),
            name: (terminal_cols / 8).min(16),
        }
    }

    /// The session's name and the agent's.
    fn text(&self, agent: &AgentRow<'_>) -> String {
        let session = shortened(&agent.place(), self.session);
        let padding = " ".repeat(self.session.saturating_sub(session.width()));
        match self.has_name {
            true => format!("{session}{padding}  {}", shortened(&agent.name(), self.name)),
            false => session,
        }
    }

    /// State, age and reason, and the widths of the first two.
    pub(super) fn detail(&self, state: &str, age: &str, reason: &str) -> (String, [usize; 2]) {
        let Some(cols) = self.state else {
            let only = if reason.is_empty() { state } else { reason };
            return (only.to_owned(), [if reason.is_empty() { state.width() } else { 0 }, 0]);
        };
        let age = if self.has_name { format!("{age:>3}  ") } else { String::new() };
        let state = format!("{state:<cols$}  ");
        (format!("{state}{age}{reason}").trim_end().to_owned(), [state.width(), age.width()])
    }
}

/// All agents, with a preview of the selected one, for a terminal of this width.
pub(crate) fn agents(tree: &Tree, asked: &PermissionList, now: Timestamp, terminal: u16) -> List {
    let (agents, hosts) = (agents::rows(tree), unreachable(tree, now));
    let columns = AgentColumns::of(&agents, hosts.len(), terminal);
    let rows = |agent: &AgentRow<'_>| {
        let own = row(tree, agent, &columns, now);
        std::iter::once(own).chain(choices(agent, asked)).collect::<Vec<_>>()
    };
    let hosts = hosts
        .into_iter()
        .map(|(host, age, reason)| unreachable_row(host, columns.detail(UNREACHABLE, &age, reason).0));
    List::new(AGENTS, agents.iter().flat_map(rows).chain(hosts).collect(), 0)
        .in_order()
        .with_marks()
        .doing("go there")
        .when_empty("No agents yet. Start one in a pane: claude, codex, …")
}

fn row(tree: &Tree, agent: &AgentRow<'_>, columns: &AgentColumns, now: Timestamp) -> ListRow {
    let (sign, part) = agent.sign();
    let explanation = agent.explanation_and_unread();
    let (detail, [state, age]) = columns.detail(agent.state(), &agent.age(now), &explanation);
    ListRow {
        sign: Some((sign, part)),
        bold: if agent.urgency == Urgency::NeedsPerson {
            agent.place().width().min(columns.session)
        } else {
            0
        },
        text: columns.text(agent),
        colors: vec![(state, part), (age, ThemePart::Faint)],
        detail,
        also: format!("{} {} {}", agent.session_name(), agent.name(), agents::session_place(agent.session)),
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
    let note = |text: &str| ListRow { text: format!("    {text}"), note: true, ..ListRow::default() };
    let subject = note(&dialog.subject());
    let rule = own.and_then(|own| own.rule.as_deref()).map(note);
    let row = |(at, choice): (usize, &DialogChoice)| ListRow {
        text: format!("    {} {}", at + 1, choice.shown()),
        also: format!("{} {}", agent.session_name(), agent.name()),
        name: preview_name(agent),
        command: answer_line(id, at + 1, choice),
        pane: Some(agent.pane.pane_id),
        choice: Some(at + 1),
        ..ListRow::default()
    };
    std::iter::once(subject).chain(rule).chain(dialog.choices.iter().enumerate().map(row)).collect()
}

/// The command line that answers a dialog with a choice; a field is filled in first.
fn answer_line(id: &str, number: usize, choice: &DialogChoice) -> String {
    let answer = format!("{} {id} {number}", AnswerPermission::NAME);
    match choice.takes_text {
        true => format!("ask 'Your answer: ' '' '{answer} --text={{answer}}'"),
        false => answer,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use fugue_protocol::Size;
    use fugue_screen::keys::Key;

    use super::*;
    use crate::agents::tests::{session, tree};
    use crate::paint::{Canvas, DirtyRows};
    use crate::theme::Theme;

    /// The list of so many agents, every tenth of which waits, and the tree they are from.
    fn list(count: usize, cols: u16) -> List {
        let state = |number: usize| if number.is_multiple_of(10) { "waiting_for_input" } else { "working" };
        let sessions = (0..count).map(|number| session(number, Some(state(number)), number as u64));
        let nothing = PermissionList { permissions: Vec::new() };
        agents(&tree(sessions.collect()), &nothing, Timestamp::from_millis(60_000), cols)
    }

    #[test]
    fn a_field_asks_for_the_answer_and_other_choices_answer_at_once() {
        let mut choice = DialogChoice::new("Type something.", fugue_protocol::dialogs::ChoiceEffect::Other);
        assert_eq!(answer_line("4f0c2a91", 3, &choice), "answer-permission 4f0c2a91 3");
        choice.takes_text = true;
        let line = "ask 'Your answer: ' '' 'answer-permission 4f0c2a91 3 --text={answer}'";
        assert_eq!(answer_line("4f0c2a91", 3, &choice), line);
    }

    #[test]
    fn unread_messages_are_told_with_the_agent_that_has_them() {
        let mut sessions = vec![session(1, Some("idle"), 0), session(2, Some("idle"), 0)];
        sessions[1].unread = 3;
        let nothing = PermissionList { permissions: Vec::new() };
        let list = agents(&tree(sessions), &nothing, Timestamp::from_millis(60_000), 80);
        let shown = drawn(&list, 80, 24);
        let row = |text: &str| shown.iter().find(|row| row.contains(text)).cloned().unwrap_or_default();
        assert!(row(" s2 ").contains("3 unread") && !row(" s1 ").contains("unread"), "{}", shown.join("\n"));
    }

    /// The rows of a terminal of this size.
    fn drawn(list: &List, cols: u16, rows: u16) -> Vec<String> {
        let mut canvas = Canvas::new(Size::new(cols, rows));
        list.draw(&mut canvas, &BTreeMap::new(), rows - 1);
        (0..rows).map(|row| canvas.text_of(row)).collect()
    }

    #[test]
    fn the_selected_agent_keeps_the_color_of_its_state() {
        let theme = Rc::new(Theme::named("dusk").expect("a theme"));
        let mut canvas = Canvas::new(Size::new(80, 24));
        canvas.open(DirtyRows::All, Rc::clone(&theme));
        list(2, 80).draw(&mut canvas, &BTreeMap::new(), 23);
        let style_of = |row: u16, text: &str| {
            let at = canvas.text_of(row).split(text).next().map_or(0, UnicodeWidthStr::width);
            canvas.row(row)[at].style
        };
        let row = |text: &str| (0..24).find(|row| canvas.text_of(*row).contains(text)).expect("a row");
        let (selected, other) = (row("? s0 "), row("▸ s1 "));
        let waiting = theme.on_chosen(ThemePart::Waiting);
        assert_eq!((style_of(selected, "?"), style_of(selected, "waiting")), (waiting, waiting));
        assert_eq!(style_of(selected, "codex"), theme.of(ThemePart::Chosen));
        assert_eq!(style_of(other, "▸"), theme.of(ThemePart::Working));
    }

    #[test]
    fn two_hundred_agents_are_scrolled_marked_and_counted() {
        for (cols, rows) in [(80, 24), (120, 35), (200, 50)] {
            let mut list = list(200, cols);
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
