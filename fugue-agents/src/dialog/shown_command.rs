//! The command that a dialog asks about. A rule of the user may allow it, so it is read only if the screen leaves no
//! doubt about it: the command's own text is on the screen, too, and may imitate any part of a dialog. What it cannot
//! imitate is where the agent draws: each line of a command is indented or framed.

use super::dialog_row::DialogRow;
use crate::shown_screen::ShownScreen;

/// The rows of a screen above the choices of a dialog.
pub(crate) struct RowsAbove {
    /// Their texts without trailing blanks.
    pub(crate) texts: Vec<String>,
    /// Whether all of a row is drawn as a hint.
    pub(crate) faint: Vec<bool>,
    /// The columns of the screen.
    pub(crate) cols: usize,
}

/// Returns the command, if the dialog whose choices begin in this row shows all of it.
pub(crate) fn find(
    read: fn(&RowsAbove) -> Option<String>,
    screen: &ShownScreen,
    choices: usize,
) -> Option<String> {
    let rows = &screen.rows[..choices];
    let above = RowsAbove {
        texts: rows.iter().map(|row| row.text().trim_end().to_owned()).collect(),
        faint: rows.iter().map(|row| DialogRow::of(row).is_faint).collect(),
        cols: screen.cols,
    };
    read(&above).filter(|command| !command.is_empty() && !command.contains('…'))
}

/// Whether a row is a line over the whole width.
pub(crate) fn is_line(row: &str, part: char, cols: usize) -> bool {
    row.chars().count() == cols && row.chars().all(|c| c == part)
}

/// The last row that is not blank.
pub(crate) fn last_text(rows: &[String]) -> Option<usize> {
    rows.iter().rposition(|row| !row.is_empty())
}

/// The last row whose text is not indented.
pub(crate) fn last_unindented(rows: &[String]) -> Option<usize> {
    rows.iter().rposition(|row| row.starts_with(|c: char| !c.is_whitespace()))
}
