//! Dialogs whose choices are side by side in one row, the selected one on another background: those of OpenCode; and the
//! last page of its questions, which is only submitted.

use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogChoice, DialogKind};
use fugue_screen::{RowView, ScreenView, Span};

use super::choice_rows::SUBMIT;
use super::dialog_row::DialogRow;
use super::dialog_words::{choice, kind_of};
use super::shown_command;

/// The sign before the keys that move the selection.
const SELECT: &str = "⇆";

/// Returns the dialog at the end of the screen.
pub(super) fn find(view: &ScreenView) -> Option<Dialog> {
    let rows: Vec<_> = view.rows.iter().map(|row| DialogRow::of(row).text).collect();
    let last = rows.iter().rposition(|row| row.contains(SELECT))?;
    // The command may have such a sign, too: the heading is the first one in the panel.
    let is_inside = |row: &RowView| row.text().trim_start().starts_with('┃');
    let above = view.rows[..last].iter().rposition(|row| !is_inside(row)).map_or(0, |row| row + 1);
    let first = above + rows[above..last].iter().position(|row| row.starts_with('△'))?;
    let (labels, selected) = labels(&view.rows[last].spans)?;
    let title = rows[first].trim_start_matches(['△', ' ']).to_owned();
    let mut texts = rows[first + 1..last].iter().filter(|row| !row.is_empty());
    let question = texts.next().map(|text| text.trim_start_matches(['#', '→', ' '])).unwrap_or_default();
    let detail: Vec<String> = texts.cloned().collect();
    let kind = kind_of(&[&title, question]);
    let command = shown_command::find("opencode", view, last);
    let choices = labels.iter().map(|label| choice(label)).collect();
    let question = question.to_owned();
    Some(Dialog { kind, title: Some(title), question, detail, command, choices, selected })
}

/// Returns the page on which the answers to several questions are reviewed, if it is at the end of the screen.
pub(super) fn review(view: &ScreenView) -> Option<Dialog> {
    let inside = |row: &RowView| row.text().trim_start().starts_with('┃').then(|| DialogRow::of(row).text);
    let last = view.rows.iter().rposition(|row| inside(row).is_some_and(|text| !text.is_empty()))?;
    let first = view.rows[..last].iter().rposition(|row| inside(row).is_none()).map_or(0, |row| row + 1);
    let rows: Vec<String> = view.rows[first..=last].iter().filter_map(inside).collect();
    let heading = rows.iter().position(|row| row == "Review")?;
    let keys = rows.iter().rposition(String::is_empty).filter(|keys| *keys > heading)? + 1;
    let names = |word: &str| rows[keys..].iter().any(|row| row.contains(word));
    if !names("submit") || names("select") || names("toggle") {
        return None;
    }
    let detail = rows[heading + 1..keys].iter().filter(|row| !row.is_empty()).cloned().collect();
    let submit = DialogChoice { submits: true, ..DialogChoice::new(SUBMIT, ChoiceEffect::Other) };
    let (kind, question) = (DialogKind::Question, rows[heading].clone());
    Some(Dialog { kind, title: None, question, detail, command: None, choices: vec![submit], selected: 1 })
}

/// The labels in a row, and the number of the selected one.
fn labels(spans: &[Span]) -> Option<(Vec<String>, usize)> {
    let sign = spans.iter().position(|span| span.text.contains(SELECT))?;
    let plain = spans[sign].style.bg;
    let labels: Vec<_> = spans[..sign]
        .iter()
        .take_while(|span| !span.text.starts_with("ctrl+"))
        .filter(|span| !span.text.trim_matches([' ', '┃']).is_empty())
        .collect();
    let selected = labels.iter().position(|span| span.style.bg != plain)? + 1;
    Some((labels.iter().map(|span| span.text.trim().to_owned()).collect(), selected))
}
