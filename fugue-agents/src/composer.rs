//! The input fields of agents ("composers"), as their screens show them. A field counts as empty only if it is seen and
//! holds nothing but the hint that the agent itself shows there. How each agent's field looks is in its module, and is
//! known from captured screens.

use crate::shown_screen::{ShownRow, ShownScreen, ShownStyle};

/// What an agent's input field shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Composer {
    /// It is not on the screen, or is not recognized.
    Unseen,
    /// It is there, and nothing is typed in it.
    Empty,
    /// It holds this text.
    Holds(String),
}

impl From<Option<String>> for Composer {
    /// Takes the text of a field, if there is one.
    fn from(found: Option<String>) -> Self {
        match found {
            None => Self::Unseen,
            Some(text) if text.trim().is_empty() => Self::Empty,
            Some(text) => Self::Holds(text.trim().to_owned()),
        }
    }
}

/// The end of a field whose first empty row is at `end`. Line breaks at the end of the text are empty rows, up to the
/// cursor.
pub(crate) fn with_line_breaks(screen: &ShownScreen, end: usize) -> usize {
    let breaks = screen.rows.get(end..=screen.cursor_row);
    let breaks = breaks.filter(|rows| screen.shows_cursor && !rows.is_empty());
    let are_empty = breaks.is_some_and(|rows| rows.iter().all(|row| row.text().is_empty()));
    if are_empty { screen.cursor_row + 1 } else { end }
}

/// The text of a row from a column on.
pub(crate) fn from_column(row: &ShownRow, from: usize) -> String {
    row.text().chars().skip(from).collect()
}

/// The text of a row from a column on, without what is drawn as a hint.
pub(crate) fn typed(row: &ShownRow, from: usize) -> String {
    let cells = row.spans.iter().flat_map(|span| span.text.chars().map(|c| (c, span.style)));
    let cells: Vec<(char, ShownStyle)> = cells.skip(from).collect();
    // The cursor may be drawn over the first character of a hint.
    let under_cursor =
        |at: usize| cells[at].1.is_reverse && cells.get(at + 1).is_some_and(|(_, style)| style.is_hint());
    let shown = |at: usize| !(cells[at].1.is_hint() || at == 0 && under_cursor(at));
    let text: String = (0..cells.len()).map(|at| if shown(at) { cells[at].0 } else { ' ' }).collect();
    text.trim_end().to_owned()
}
