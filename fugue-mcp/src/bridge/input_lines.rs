//! Standard input split into lines, one message each, with a bounded length.

use rmcp::transport::StdioReader;
use tokio::io::{AsyncBufReadExt, BufReader};

/// The length limit: more than any verb accepts, so that input without a line break cannot fill the memory.
const MAX_LINE: usize = 16 << 20;

/// Reads the input line by line. Cancelling a read loses nothing: partial lines are kept here.
pub(super) struct InputLines {
    input: BufReader<StdioReader>,
    line: Vec<u8>,
    too_long: bool,
}

/// One line of input.
pub(super) enum InputLine {
    /// A complete line, with its line break.
    Complete(Vec<u8>),
    /// A line that exceeded the limit; its content was discarded.
    TooLong,
}

impl InputLines {
    pub(super) fn new(input: StdioReader) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), too_long: false }
    }

    /// Reads the next line; `None` at the end of the input.
    pub(super) async fn next(&mut self) -> Option<InputLine> {
        loop {
            let chunk = self.input.fill_buf().await.ok().filter(|chunk| !chunk.is_empty())?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            self.too_long |= self.line.len() + taken > MAX_LINE;
            match self.too_long {
                true => self.line = Vec::new(),
                false => self.line.extend_from_slice(&chunk[..taken]),
            }
            self.input.consume(taken);
            if end.is_some() {
                return Some(self.finish());
            }
        }
    }

    fn finish(&mut self) -> InputLine {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) { InputLine::TooLong } else { InputLine::Complete(line) }
    }
}
