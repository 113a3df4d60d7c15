//! How wide help is printed.

use std::io::stdout;

use rustix::termios::tcgetwinsize;

/// The width of what goes to a file or a pipe.
const USUAL: usize = 80;

/// The widest help: longer lines are hard to read.
const WIDEST: usize = 100;

/// The narrowest help: with fewer columns, words would be cut.
const NARROWEST: usize = 40;

/// The width of help on standard output.
pub(crate) fn of_output() -> usize {
    let cols = tcgetwinsize(stdout()).map_or(0, |size| usize::from(size.ws_col));
    if cols == 0 { USUAL } else { cols.clamp(NARROWEST, WIDEST) }
}
