//! The numbered choices of a dialog: each with all the rows of its text, its box if it can be checked, and the field into
//! which an answer of one's own is typed.

use fugue_protocol::dialogs::{ChoiceEffect, DialogChoice};

use super::dialog_row::{DialogRow, continues};
use super::dialog_words::choice;
use crate::shown_screen::{ShownRow, ShownScreen};

/// The marks in front of the selected choice.
pub(crate) const MARKS: [char; 4] = ['❯', '›', '●', '▶'];

/// The marks of a checked box.
const CHECKS: [char; 5] = ['✔', '✓', 'x', 'X', '☒'];

/// The rows above and below choices of which some are hidden, since there is no room for them.
pub(crate) const MORE_ABOVE: &str = "▲";
const MORE_BELOW: &str = "▼";

/// The choice that finishes a dialog in which several choices can be checked.
pub(crate) const SUBMIT: &str = "Submit";

/// How an agent draws choices.
#[derive(Debug)]
pub(crate) struct ChoiceRules {
    /// Finds the field for an answer of one's own, given the rows above the choices. The agents add it after all choices
    /// that the model offers, so a choice that the model offers cannot imitate it.
    pub(crate) field: fn(&[DialogRow], &[DialogChoice]) -> Option<usize>,
    /// Whether Enter opens the field; its text is then below its choice.
    pub(crate) opens_field: bool,
    /// Finds what finishes a dialog in which several choices can be checked, in the rows from the first choice on: its text,
    /// and whether it is selected.
    pub(crate) submit: fn(&[DialogRow]) -> Option<(&'static str, bool)>,
}

/// A choice, as it is drawn.
pub(crate) struct ChoiceRow {
    pub(crate) row: usize,
    pub(crate) number: usize,
    pub(crate) selected: bool,
    pub(crate) label: String,
    /// The last row of its text.
    pub(crate) last_row: usize,
}

/// The choices of a dialog in order, and the number of the selected one.
pub(crate) struct Choices {
    pub(crate) all: Vec<DialogChoice>,
    pub(crate) selected: usize,
    pub(crate) first_row: usize,
    pub(crate) last_row: usize,
}

/// The last group of numbered choices: from number 1 on, with one of them selected, or what finishes them.
pub(crate) fn find(rules: &ChoiceRules, screen: &ShownScreen, rows: &[DialogRow]) -> Option<Choices> {
    let found = screen.rows.iter().zip(rows).enumerate();
    let all: Vec<_> = found.filter_map(|(row, (view, text))| choice_row(row, view, &text.text)).collect();
    let first = all.iter().rposition(|choice| choice.number == 1)?;
    let mut group: Vec<ChoiceRow> = Vec::new();
    for next in all.into_iter().skip(first) {
        if next.number == group.len() + 1 {
            group.push(next);
        }
    }
    group.iter_mut().for_each(|choice| join_rows(choice, screen, rows));
    of(rules, screen, rows, &group)
}

/// The choices that these rows show.
pub(crate) fn of(
    rules: &ChoiceRules,
    screen: &ShownScreen,
    rows: &[DialogRow],
    group: &[ChoiceRow],
) -> Option<Choices> {
    let mut all: Vec<_> = group.iter().map(|one| boxed(&one.label)).collect();
    let (first_row, last_row) = (group.first()?.row, group.last()?.last_row);
    let can_be_checked = all.iter().any(|choice| choice.checked.is_some());
    let submit = can_be_checked.then(|| (rules.submit)(&rows[first_row..])).flatten();
    let is_last_shown = !rows[last_row + 1..].iter().any(|row| row.text == MORE_BELOW);
    if let Some(field) = (rules.field)(&rows[..first_row], &all).filter(|_| is_last_shown) {
        let typed = rules.opens_field.then(|| typed_below(screen, rows, &group[field])).flatten();
        let choice = &mut all[field];
        choice.takes_text = true;
        choice.is_open = typed.is_some() || !rules.opens_field && group[field].selected;
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

fn choice_row(row: usize, view: &ShownRow, text: &str) -> Option<ChoiceRow> {
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
fn is_highlighted(view: &ShownRow, number: usize) -> bool {
    let at = view.spans.iter().position(|span| span.text.trim_start().starts_with(&format!("{number}.")));
    at.filter(|at| *at > 0).is_some_and(|at| view.spans[at].style.bg != view.spans[at - 1].style.bg)
}

/// Appends the rows into which the text of a choice is wrapped.
fn join_rows(choice: &mut ChoiceRow, screen: &ShownScreen, rows: &[DialogRow]) {
    let is_text = |row: usize| !rows[row].text.is_empty() && !rows[row].is_rule() && rows[row].is_inside();
    let is_choice = |row: usize| choice_row(row, &screen.rows[row], &rows[row].text).is_some();
    let goes_on = |row: &usize| {
        is_text(*row) && !is_choice(*row) && continues(&screen.rows[row - 1], &screen.rows[*row], screen.cols)
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

/// The text of a field that is below its choice while it is open and after it was filled in.
fn typed_below(screen: &ShownScreen, rows: &[DialogRow], field: &ChoiceRow) -> Option<String> {
    let below = field.last_row + 1;
    let mut last = Some(below).filter(|row| rows.get(*row).is_some_and(|row| !row.text.is_empty()))?;
    let mut text = rows[last].text.clone();
    while rows.get(last + 1).is_some_and(|row| !row.text.is_empty())
        && continues(&screen.rows[last], &screen.rows[last + 1], screen.cols)
    {
        last += 1;
        text = format!("{text} {}", rows[last].text);
    }
    Some(text)
}
