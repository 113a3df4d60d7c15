//! Standard input split into lines, one message each, with a bounded length.

use rmcp::model::RequestId;
use rmcp::transport::StdioReader;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::json_rpc::IdScanner;

/// The length limit: more than any verb accepts, so that input without a line break cannot fill the memory.
pub(super) const MAX_MESSAGE: usize = 16 << 20;

/// Reads the input line by line. Cancelling a read loses nothing: partial lines are kept here.
pub(super) struct InputLines<R = StdioReader> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Reads a line that exceeds the limit for its id.
    too_long: Option<IdScanner>,
}

/// One line of input.
pub(super) enum InputLine {
    /// A complete line, with its line break unless the input ended without one.
    Complete(Vec<u8>),
    /// A line that exceeded the limit; its content was discarded, except for its id.
    TooLong(Option<RequestId>),
}

impl<R: AsyncRead + Unpin> InputLines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), too_long: None }
    }

    /// Reads the next line; `None` at the end of the input.
    pub(super) async fn next(&mut self) -> Option<InputLine> {
        loop {
            let chunk = match self.input.fill_buf().await {
                Ok(chunk) if !chunk.is_empty() => chunk,
                // What came last needs no line break: the end of the input ends it.
                _ => return (self.too_long.is_some() || !self.line.is_empty()).then(|| self.finish()),
            };
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            if self.too_long.is_none() && self.line.len() + taken > MAX_MESSAGE {
                let scanner = self.too_long.insert(IdScanner::default());
                scanner.feed(&std::mem::take(&mut self.line));
            }
            match &mut self.too_long {
                Some(scanner) => scanner.feed(&chunk[..taken]),
                None => self.line.extend_from_slice(&chunk[..taken]),
            }
            self.input.consume(taken);
            if end.is_some() {
                return Some(self.finish());
            }
        }
    }

    fn finish(&mut self) -> InputLine {
        match self.too_long.take() {
            Some(scanner) => InputLine::TooLong(scanner.finish()),
            None => InputLine::Complete(std::mem::take(&mut self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_last_line_without_a_line_break_is_read() {
        let mut lines = InputLines::new(&b"{\"id\":1}\n{\"id\":2}"[..]);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await {
            match line {
                InputLine::Complete(line) => read.push(String::from_utf8(line).expect("text")),
                InputLine::TooLong(_) => panic!("a short line"),
            }
        }
        assert_eq!(read, ["{\"id\":1}\n", "{\"id\":2}"]);
    }
}
