//! Dialogs with numbered choices, one below the other: those of Claude Code, Codex and Gemini CLI, and the questions of
//! OpenCode. They differ in what is in `NumberedRules`.

use std::ops::Range;

use fugue_protocol::dialogs::{Dialog, DialogKind};

use super::choice_rows::{self, ChoiceRow, ChoiceRules, Choices, MORE_ABOVE};
use super::dialog_row::{DialogRow, continues};
use super::dialog_words::kind_of;
use super::shown_command::{self, RowsAbove};
use crate::shown_screen::ShownScreen;

/// How an agent draws dialogs with numbered choices.
#[derive(Debug)]
pub(crate) struct NumberedRules {
    /// Whether the rows above the first choice and below the last one are those of a dialog. An input field below means that
    /// what looks like a dialog is text above the field or in it.
    pub(crate) is_dialog: fn(&[DialogRow], &[DialogRow]) -> bool,
    /// Whether a row separates a dialog from what is above it.
    pub(crate) is_edge: fn(&DialogRow) -> bool,
    /// Finds the heading with which a dialog begins, in the rows above its choices, where other indented text may be above it.
    pub(crate) heading: fn(&[DialogRow]) -> Option<usize>,
    /// Whether the question is above what it is about, which may have a question mark, too.
    pub(crate) asks_first: bool,
    /// The kind of all these dialogs; without one, their words tell.
    pub(crate) kind: Option<DialogKind>,
    /// Reads the command that is asked about in the rows above the choices.
    pub(crate) command: fn(&RowsAbove) -> Option<String>,
    /// Finds choices that have no numbers.
    pub(crate) unnumbered: fn(&ShownScreen) -> Option<Vec<ChoiceRow>>,
    /// How its choices are drawn.
    pub(crate) choices: ChoiceRules,
}

/// Returns the dialog at the end of the screen.
pub(crate) fn find(rules: &NumberedRules, screen: &ShownScreen) -> Option<Dialog> {
    let rows: Vec<_> = screen.rows.iter().map(DialogRow::of).collect();
    let unnumbered = || choice_rows::of(&rules.choices, screen, &rows, &(rules.unnumbered)(screen)?);
    let choices = choice_rows::find(&rules.choices, screen, &rows).or_else(unnumbered)?;
    let Choices { all: choices, selected, first_row: first, last_row: last } = choices;
    if !(rules.is_dialog)(&rows[..first], &rows[last + 1..]) {
        return None;
    }
    let head = head(rules, &rows[..first]);
    let (title, detail, question) = parts(rules, screen, head.start, &rows[head]);
    let texts: Vec<&str> = title.iter().chain(&detail).chain([&question]).map(String::as_str).collect();
    let kind = rules.kind.unwrap_or_else(|| kind_of(&texts));
    let command = (kind == DialogKind::Permission).then(|| shown_command::find(rules.command, screen, first));
    Some(Dialog { kind, title, question, detail, command: command.flatten(), choices, selected })
}

/// Whether one of these rows has one of these texts, in any case.
pub(crate) fn has_any(rows: &[DialogRow], texts: &[&str]) -> bool {
    rows.iter().any(|row| texts.iter().any(|text| row.text.to_lowercase().contains(text)))
}

/// The rows of the dialog above its choices: those after the last rule, gap or text of the agent that separates it from
/// what is above.
fn head(rules: &NumberedRules, rows: &[DialogRow]) -> Range<usize> {
    let begin = rows.iter().rposition(rules.is_edge).map_or_else(|| after_gap(rows), |edge| edge + 1);
    begin.max((rules.heading)(rows).unwrap_or(0))..rows.len()
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
    rules: &NumberedRules,
    screen: &ShownScreen,
    start: usize,
    head: &[DialogRow],
) -> (Option<String>, Vec<String>, String) {
    let thin: Vec<_> = (0..head.len()).filter(|at| head[*at].is_thin_rule()).collect();
    let subject = match thin.as_slice() {
        [from, .., to] => *from..*to,
        _ => 0..head.len(),
    };
    let is_text =
        |at: &usize| !head[*at].text.is_empty() && !head[*at].is_thin_rule() && head[*at].text != MORE_ABOVE;
    let texts: Vec<usize> = (0..head.len()).filter(is_text).collect();
    let is_question = |at: &&usize| head[**at].text.contains('?') && !head[**at].text.starts_with("$ ");
    let question = match rules.asks_first {
        true => texts.iter().find(is_question),
        false => texts.iter().rev().find(is_question),
    };
    let last = question.or(texts.last()).copied();
    let rows = &screen.rows[start..];
    let goes_on =
        |at: &usize| is_text(at) && is_text(&(at + 1)) && continues(&rows[*at], &rows[at + 1], screen.cols);
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
