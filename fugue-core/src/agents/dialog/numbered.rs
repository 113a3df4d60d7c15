//! Dialogs with numbered choices, one below the other: those of Claude Code, Codex and Gemini CLI, and the questions of
//! OpenCode.

use fugue_protocol::dialogs::{Dialog, DialogKind};
use fugue_screen::{RowView, ScreenView};

use super::dialog_row::{ChoiceRow, DialogRow};
use super::dialog_words::{choice, kind_of};
use super::{marked, shown_command};

/// The marks in front of the selected choice.
const MARKS: [char; 4] = ['❯', '›', '●', '▶'];

/// Returns the dialog at the end of the screen.
pub(super) fn find(agent: &str, view: &ScreenView) -> Option<Dialog> {
    let rows: Vec<_> = view.rows.iter().map(DialogRow::of).collect();
    let unnumbered = || marked::choices(view).filter(|_| agent == "claude");
    let choices = choices(view, &rows).or_else(unnumbered)?;
    let (first, last) = (choices.first()?.row, choices.last()?.row);
    let is_plain = agent == "claude" && ends_plainly(&rows[..first], &rows[last + 1..]);
    if !is_plain && !ends_dialog(agent, &rows[last + 1..]) {
        return None;
    }
    let (title, detail, question) = parts(agent, &head(agent, &rows[..first]));
    let selected = choices.iter().position(|choice| choice.selected)? + 1;
    let texts: Vec<&str> = title.iter().chain(&detail).chain([&question]).map(String::as_str).collect();
    // In OpenCode, permissions have their choices in one row.
    let kind = if agent == "opencode" { DialogKind::Question } else { kind_of(&texts) };
    let command = (kind == DialogKind::Permission).then(|| shown_command::find(agent, view, first)).flatten();
    let choices = choices.iter().map(|one| choice(&one.label)).collect();
    Some(Dialog { kind, title, question, detail, command, choices, selected })
}

/// The last group of choices: from number 1 on, with one of them selected.
fn choices(view: &ScreenView, rows: &[DialogRow]) -> Option<Vec<ChoiceRow>> {
    let found = view.rows.iter().zip(rows).enumerate();
    let all: Vec<_> = found.filter_map(|(row, (view, text))| choice_row(row, view, &text.text)).collect();
    let first = all.iter().rposition(|choice| choice.number == 1)?;
    let mut group: Vec<ChoiceRow> = Vec::new();
    for next in all.into_iter().skip(first) {
        if next.number == group.len() + 1 {
            group.push(next);
        }
    }
    let selected = group.iter().filter(|choice| choice.selected).count();
    (group.len() > 1 && selected == 1).then_some(group)
}

fn choice_row(row: usize, view: &RowView, text: &str) -> Option<ChoiceRow> {
    let unmarked = text.strip_prefix(MARKS).map(str::trim_start);
    let (number, label) = unmarked.unwrap_or(text).split_once(". ")?;
    let number: usize = number.parse().ok()?;
    let selected = unmarked.is_some() || is_highlighted(view, number);
    Some(ChoiceRow { row, number, selected, label: label.trim().to_owned() })
}

/// Whether the number is drawn on another background than what is before it.
fn is_highlighted(view: &RowView, number: usize) -> bool {
    let at = view.spans.iter().position(|span| span.text.trim_start().starts_with(&format!("{number}.")));
    at.filter(|at| *at > 0).is_some_and(|at| view.spans[at].style.bg != view.spans[at - 1].style.bg)
}

/// Whether the rows after the last choice are those of a dialog. An input field there means that what looks like a dialog
/// is text above it or in it.
fn ends_dialog(agent: &str, rest: &[DialogRow]) -> bool {
    let has = |texts: &[&str]| {
        rest.iter().any(|row| texts.iter().any(|text| row.text.to_lowercase().contains(text)))
    };
    match agent {
        "claude" => {
            let is_field = rest.iter().any(DialogRow::is_rule);
            !is_field && has(&["esc to cancel", "enter to confirm", "enter to select", "esc to exit"])
        }
        "codex" => rest.iter().any(names_enter),
        "gemini" => !has(&["type your message", "? for shortcuts", "/model"]),
        _ => has(&["enter "]),
    }
}

/// Whether nothing follows the last choice of a dialog below a rule: Claude Code's request to leave plan mode names no
/// keys. Text of a conversation is always followed by the input field.
fn ends_plainly(head: &[DialogRow], rest: &[DialogRow]) -> bool {
    head.iter().any(DialogRow::is_rule) && rest.iter().all(|row| row.text.is_empty())
}

/// Whether a row says what Enter does, as the last row of a dialog of Codex. The directory, which may have that word in its
/// name, is in its last row otherwise.
fn names_enter(row: &DialogRow) -> bool {
    let keys = row.text.to_lowercase();
    let mut keys = keys.split(['|', '·']).map(str::trim_start);
    keys.any(|key| key.trim_start_matches("press ").starts_with("enter "))
}

/// The rows of the dialog above its choices: those after the last rule, gap or text of the agent that separates it from
/// what is above. Codex indents its dialogs, and Gemini CLI indents the box around its first one.
fn head<'a>(agent: &str, rows: &'a [DialogRow]) -> Vec<&'a DialogRow> {
    let is_edge = |row: &DialogRow| match agent {
        "codex" => !row.is_indented,
        "gemini" => row.is_rule() || row.is_box_top(),
        _ => row.is_rule(),
    };
    let begin = rows.iter().rposition(is_edge).map_or_else(|| after_gap(rows), |edge| edge + 1);
    rows[begin..].iter().collect()
}

/// The row after the last two blank ones that are followed by text.
fn after_gap(rows: &[DialogRow]) -> usize {
    let text = rows.iter().rposition(|row| !row.text.is_empty()).unwrap_or(0);
    let is_gap = |at: &usize| rows[*at].text.is_empty() && rows[at + 1].text.is_empty();
    (0..text.saturating_sub(1)).rev().find(is_gap).map_or(0, |gap| gap + 2)
}

/// Heading, subject and question. The subject is what stands between two thin rules, if there are any, and no hints.
fn parts(agent: &str, head: &[&DialogRow]) -> (Option<String>, Vec<String>, String) {
    let rules: Vec<_> = (0..head.len()).filter(|at| head[*at].is_thin_rule()).collect();
    let subject = match rules.as_slice() {
        [from, .., to] => *from..*to,
        _ => 0..head.len(),
    };
    let is_text = |at: &usize| !head[*at].text.is_empty() && !head[*at].is_thin_rule();
    let texts: Vec<usize> = (0..head.len()).filter(is_text).collect();
    let is_question = |at: &&usize| head[**at].text.contains('?') && !head[**at].text.starts_with("$ ");
    let question = match agent {
        // What Codex asks is above the command, which may have a question mark, too.
        "codex" => texts.iter().find(is_question),
        _ => texts.iter().rev().find(is_question),
    };
    let asks = question.or(texts.last()).copied();
    let title = texts.first().copied().filter(|first| Some(*first) != asks);
    let detail = texts
        .iter()
        .copied()
        .filter(|at| subject.contains(at) && Some(*at) != asks && Some(*at) != title && !head[*at].is_faint);
    let text = |at: usize| head[at].text.trim_start_matches("? ").to_owned();
    (title.map(text), detail.map(text).collect(), asks.map(text).unwrap_or_default())
}
