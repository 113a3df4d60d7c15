//! Dialogs whose choices are side by side in one row, the selected one on another background: those of OpenCode.

use fugue_protocol::dialogs::Dialog;
use fugue_screen::{RowView, ScreenView, Span};

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
