//! The numbered choices of a dialog: each with all the rows of its text, its box if it can be checked, and the field into
//! which an answer of one's own is typed.

use fugue_protocol::dialogs::{ChoiceEffect, DialogChoice};
use fugue_screen::{RowView, ScreenView};

use super::dialog_row::{DialogRow, continues};
use super::dialog_words::choice;

/// The marks in front of the selected choice.
const MARKS: [char; 4] = ['❯', '›', '●', '▶'];

/// The marks of a checked box.
const CHECKS: [char; 5] = ['✔', '✓', 'x', 'X', '☒'];

/// The placeholder of an empty field for an answer in your own words.
const EMPTY_FIELDS: [&str; 3] = ["Type something", "Enter a custom value", "Type your own answer"];

/// The choice of Claude Code after its own field.
const AFTER_FIELD: &str = "Chat about this";

/// The heading of Gemini CLI's questions. The last of three or more choices is a field.
const GEMINI_ASKS: &str = "Answer Questions";

/// The choice that finishes a dialog in which several choices can be checked.
pub(super) const SUBMIT: &str = "Submit";

/// What Claude Code calls it before another question.
const NEXT: &str = "Next";

/// A choice, as it is drawn.
pub(super) struct ChoiceRow {
    pub(super) row: usize,
    pub(super) number: usize,
    pub(super) selected: bool,
    pub(super) label: String,
    /// The last row of its text.
    pub(super) last_row: usize,
}

/// The choices of a dialog in order, and the number of the selected one.
pub(super) struct Choices {
    pub(super) all: Vec<DialogChoice>,
    pub(super) selected: usize,
    pub(super) first_row: usize,
    pub(super) last_row: usize,
}

/// Whether the field for an answer of one's own with this text is empty.
pub fn is_empty_field(label: &str) -> bool {
    EMPTY_FIELDS.iter().any(|empty| label.trim_end_matches('.') == *empty)
}

/// The last group of numbered choices: from number 1 on, with one of them selected, or what finishes them.
pub(super) fn find(agent: &str, view: &ScreenView, rows: &[DialogRow]) -> Option<Choices> {
    let found = view.rows.iter().zip(rows).enumerate();
    let all: Vec<_> = found.filter_map(|(row, (view, text))| choice_row(row, view, &text.text)).collect();
    let first = all.iter().rposition(|choice| choice.number == 1)?;
    let mut group: Vec<ChoiceRow> = Vec::new();
    for next in all.into_iter().skip(first) {
        if next.number == group.len() + 1 {
            group.push(next);
        }
    }
    group.iter_mut().for_each(|choice| join_rows(choice, view, rows));
    of(agent, view, rows, &group)
}

/// The choices that these rows show.
pub(super) fn of(agent: &str, view: &ScreenView, rows: &[DialogRow], group: &[ChoiceRow]) -> Option<Choices> {
    let mut all: Vec<_> = group.iter().map(|one| boxed(&one.label)).collect();
    let (first_row, last_row) = (group.first()?.row, group.last()?.last_row);
    let can_be_checked = all.iter().any(|choice| choice.checked.is_some());
    let submit = can_be_checked.then(|| submit_row(agent, rows, first_row)).flatten();
    if let Some(field) = field(agent, rows, group, &all) {
        let typed = typed_below(agent, view, rows, &group[field]);
        let choice = &mut all[field];
        choice.takes_text = true;
        choice.is_open = typed.is_some() || agent != "opencode" && group[field].selected;
        choice.label = typed.unwrap_or_else(|| choice.label.clone());
        choice.effect = ChoiceEffect::Other;
    }
    let mut selected = (1..).zip(group).filter(|(_, choice)| choice.selected).map(|(number, _)| number);
    let (first, second) = (selected.next(), selected.next());
    let number = submit.filter(|(_, is_selected)| *is_selected).map(|_| group.len() + 1);
    if let Some((label, _)) = submit {
        all.push(DialogChoice { submits: true, ..DialogChoice::new(label, ChoiceEffect::Other) });
    }
    let selected = first.filter(|_| second.is_none()).xor(number)?;
    (all.len() > 1).then_some(Choices { all, selected, first_row, last_row })
}

fn choice_row(row: usize, view: &RowView, text: &str) -> Option<ChoiceRow> {
    let unmarked = text.strip_prefix(MARKS).map(str::trim_start);
    let (number, label) = unmarked.unwrap_or(text).split_once('.')?;
    // In few columns, Claude Code leaves no blank after the number.
    if !label.starts_with(|c: char| c.is_whitespace() || c.is_alphabetic()) {
        return None;
    }
    let number: usize = number.parse().ok()?;
    let selected = unmarked.is_some() || is_highlighted(view, number);
    Some(ChoiceRow { row, number, selected, label: label.trim().to_owned(), last_row: row })
}

/// Whether the number is drawn on another background than what is before it.
fn is_highlighted(view: &RowView, number: usize) -> bool {
    let at = view.spans.iter().position(|span| span.text.trim_start().starts_with(&format!("{number}.")));
    at.filter(|at| *at > 0).is_some_and(|at| view.spans[at].style.bg != view.spans[at - 1].style.bg)
}

/// Appends the rows into which the text of a choice is wrapped.
fn join_rows(choice: &mut ChoiceRow, view: &ScreenView, rows: &[DialogRow]) {
    let cols = usize::from(view.size.cols);
    let is_text = |row: usize| !rows[row].text.is_empty() && !rows[row].is_rule() && rows[row].is_inside();
    let is_choice = |row: usize| choice_row(row, &view.rows[row], &rows[row].text).is_some();
    let goes_on = |row: &usize| {
        is_text(*row) && !is_choice(*row) && continues(&view.rows[row - 1], &view.rows[*row], cols)
    };
    for row in (choice.row + 1..rows.len()).take_while(goes_on) {
        choice.label = format!("{} {}", choice.label, rows[row].text);
        choice.last_row = row;
    }
}

/// A choice without its box.
fn boxed(label: &str) -> DialogChoice {
    let mut inside = label.strip_prefix('[').and_then(|rest| rest.split_once(']')).into_iter();
    let checked = inside.next().and_then(|(mark, rest)| match mark.chars().next() {
        Some(' ') | None => Some((false, rest)),
        Some(mark) if CHECKS.contains(&mark) => Some((true, rest)),
        Some(_) => None,
    });
    match checked {
        Some((checked, rest)) => DialogChoice { checked: Some(checked), ..choice(rest.trim()) },
        None => choice(label),
    }
}

/// The index of the field for an answer of one's own. The agents add it after all choices that the model offers, so a choice
/// that the model offers cannot imitate it.
fn field(agent: &str, rows: &[DialogRow], group: &[ChoiceRow], all: &[DialogChoice]) -> Option<usize> {
    let last = all.len().checked_sub(1)?;
    match agent {
        "claude" if last > 0 && all[last].label == AFTER_FIELD => Some(last - 1),
        "claude" | "opencode" => is_empty_field(&all[last].label).then_some(last),
        "gemini" => {
            let asks = rows[..group.first()?.row].iter().rev().take(8).any(|row| row.text == GEMINI_ASKS);
            (asks && last > 1).then_some(last)
        }
        _ => None,
    }
}

/// The text of OpenCode's field, which is below its choice while it is open and after it was filled in.
fn typed_below(agent: &str, view: &ScreenView, rows: &[DialogRow], field: &ChoiceRow) -> Option<String> {
    let below = field.last_row + 1;
    let mut last = Some(below)
        .filter(|row| agent == "opencode" && rows.get(*row).is_some_and(|row| !row.text.is_empty()))?;
    let mut text = rows[last].text.clone();
    while rows.get(last + 1).is_some_and(|row| !row.text.is_empty())
        && continues(&view.rows[last], &view.rows[last + 1], usize::from(view.size.cols))
    {
        last += 1;
        text = format!("{text} {}", rows[last].text);
    }
    Some(text)
}

/// The text of what finishes the dialog, if there is such a row below the choices, and whether it is selected.
fn submit_row(agent: &str, rows: &[DialogRow], first: usize) -> Option<(&'static str, bool)> {
    let mut below = rows[first..].iter().map(|row| row.text.as_str());
    match agent {
        "claude" => below.find_map(|text| {
            let unmarked = text.strip_prefix(MARKS).map(str::trim_start);
            let label = [SUBMIT, NEXT].into_iter().find(|label| unmarked.unwrap_or(text) == *label)?;
            Some((label, unmarked.is_some()))
        }),
        // A key finishes it, wherever the selection is.
        "opencode" => below.any(|text| text.contains("toggle")).then_some((SUBMIT, false)),
        _ => None,
    }
}
