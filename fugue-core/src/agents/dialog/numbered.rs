//! Dialogs with numbered choices, one below the other: those of Claude Code, Codex and Gemini CLI, and the questions of
//! OpenCode.

use std::ops::Range;

use fugue_protocol::dialogs::{Dialog, DialogKind};
use fugue_screen::ScreenView;

use super::choice_rows::{self, Choices};
use super::dialog_row::{DialogRow, continues};
use super::dialog_words::kind_of;
use super::{marked, shown_command};

/// Returns the dialog at the end of the screen.
pub(super) fn find(agent: &str, view: &ScreenView) -> Option<Dialog> {
    let rows: Vec<_> = view.rows.iter().map(DialogRow::of).collect();
    let unnumbered = || {
        let marked = marked::choices(view).filter(|_| agent == "claude")?;
        choice_rows::of(agent, view, &rows, &marked)
    };
    let choices = choice_rows::find(agent, view, &rows).or_else(unnumbered)?;
    let Choices { all: choices, selected, first_row: first, last_row: last } = choices;
    let is_plain = agent == "claude" && ends_plainly(&rows[..first], &rows[last + 1..]);
    if !is_plain && !ends_dialog(agent, &rows[last + 1..]) {
        return None;
    }
    let head = head(agent, &rows[..first]);
    let (title, detail, question) = parts(agent, view, head.start, &rows[head]);
    let texts: Vec<&str> = title.iter().chain(&detail).chain([&question]).map(String::as_str).collect();
    // In OpenCode, permissions have their choices in one row.
    let kind = if agent == "opencode" { DialogKind::Question } else { kind_of(&texts) };
    let command = (kind == DialogKind::Permission).then(|| shown_command::find(agent, view, first)).flatten();
    Some(Dialog { kind, title, question, detail, command, choices, selected })
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
fn head(agent: &str, rows: &[DialogRow]) -> Range<usize> {
    let is_edge = |row: &DialogRow| match agent {
        "codex" => !row.is_indented,
        "gemini" => row.is_rule() || row.is_box_top(),
        _ => row.is_rule(),
    };
    let begin = rows.iter().rposition(is_edge).map_or_else(|| after_gap(rows), |edge| edge + 1);
    begin..rows.len()
}

/// The row after the last two blank ones that are followed by text.
fn after_gap(rows: &[DialogRow]) -> usize {
    let text = rows.iter().rposition(|row| !row.text.is_empty()).unwrap_or(0);
    let is_gap = |at: &usize| rows[*at].text.is_empty() && rows[at + 1].text.is_empty();
    (0..text.saturating_sub(1)).rev().find(is_gap).map_or(0, |gap| gap + 2)
}

/// Heading, subject and question. The subject is what stands between two thin rules, if there are any, and no hints. The
/// first of these rows has this number on the screen.
fn parts(
    agent: &str,
    view: &ScreenView,
    start: usize,
    head: &[DialogRow],
) -> (Option<String>, Vec<String>, String) {
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
    let last = question.or(texts.last()).copied();
    let rows = &view.rows[start..];
    let cols = usize::from(view.size.cols);
    let goes_on =
        |at: &usize| is_text(at) && is_text(&(at + 1)) && continues(&rows[*at], &rows[at + 1], cols);
    let asks = last.map_or(0..0, |last| {
        let first = (0..last).rev().take_while(goes_on).last().unwrap_or(last);
        first..last + 1 + (last..head.len().saturating_sub(1)).take_while(goes_on).count()
    });
    let title = texts.first().copied().filter(|first| !asks.contains(first));
    let detail = texts
        .iter()
        .copied()
        .filter(|at| subject.contains(at) && !asks.contains(at) && Some(*at) != title && !head[*at].is_faint);
    let text = |at: usize| head[at].text.trim_start_matches("? ").to_owned();
    let question = asks.clone().map(text).collect::<Vec<_>>().join(" ");
    // Claude Code's heading says which questions are answered: the question that is open stays the same.
    let title = title.map(|at| text(at).replace('☒', "☐"));
    (title, detail.map(text).collect(), question)
}
