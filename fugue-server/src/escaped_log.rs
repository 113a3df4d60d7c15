//! The daemon's log: whoever prints it to a terminal must not have the terminal obey names and titles in it.

use std::io::{self, Write};

use fugue_protocol::escape::escape_lines;

/// Standard error, with every control character escaped. The subscriber writes a whole line at a time.
pub(crate) struct EscapedLog;

impl Write for EscapedLog {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(escape_lines(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
