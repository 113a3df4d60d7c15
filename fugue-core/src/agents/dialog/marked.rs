//! Choices without numbers, one below the other, of which the selected one is marked: those of Claude Code's first dialog.

use fugue_screen::ScreenView;

use super::choice_rows::ChoiceRow;

/// The mark in front of the selected choice.
const MARK: char = '❯';

/// The last group of such choices on the screen.
pub(super) fn choices(view: &ScreenView) -> Option<Vec<ChoiceRow>> {
    let texts: Vec<String> = view.rows.iter().map(|row| row.text()).collect();
    let marked = texts.iter().rposition(|text| text.trim_start().starts_with(MARK))?;
    let column = texts[marked].chars().position(|c| c == MARK)? + 2;
    let is_choice = |at: usize| texts.get(at).is_some_and(|text| at == marked || begins_at(text, column));
    let first = (0..marked).rev().take_while(|at| is_choice(*at)).last().unwrap_or(marked);
    let rows = (first..texts.len()).take_while(|at| is_choice(*at));
    let choice = |(number, row): (usize, usize)| ChoiceRow {
        row,
        number: number + 1,
        selected: row == marked,
        label: texts[row].chars().skip(column).collect::<String>().trim().to_owned(),
        last_row: row,
    };
    let group: Vec<_> = rows.enumerate().map(choice).collect();
    (group.len() > 1 && group.iter().all(|choice| !choice.label.is_empty())).then_some(group)
}

/// Whether a row's text begins in this column.
fn begins_at(text: &str, column: usize) -> bool {
    text.chars().position(|c| !c.is_whitespace()) == Some(column)
}
