//! Positions of the screen as the cursors of a request.

use fugue_protocol::verbs::OutputCursor;
use fugue_screen::Position;

/// Converts a position of the screen to a cursor.
pub(super) fn cursor(position: Position) -> OutputCursor {
    OutputCursor::new(position.line, position.offset)
}

/// Converts a cursor to a position of the screen.
pub(super) fn position(cursor: OutputCursor) -> Position {
    Position { line: cursor.line, offset: cursor.offset }
}
