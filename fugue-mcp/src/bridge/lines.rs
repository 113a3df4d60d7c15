//! The lines of the input, each a message, none longer than can be taken in.

use rmcp::transport::StdioReader;
use tokio::io::{AsyncBufReadExt, BufReader};

/// A message may be so long: more than any verb takes, and a line without an end must not fill the memory.
const LONGEST: usize = 16 << 20;

/// The input, line by line. Whoever lets go of a read loses nothing: what was read is kept here.
pub(super) struct Lines {
    read: BufReader<StdioReader>,
    line: Vec<u8>,
    too_long: bool,
}

/// What came.
pub(super) enum Line {
    /// A line, with its end.
    Whole(Vec<u8>),
    /// One that was longer than may be; it is gone.
    TooLong,
}

impl Lines {
    pub(super) fn new(input: StdioReader) -> Self {
        Self { read: BufReader::new(input), line: Vec::new(), too_long: false }
    }

    /// The next one, none at the end of the input.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let part = self.read.fill_buf().await.ok().filter(|part| !part.is_empty())?;
            let end = part.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(part.len(), |end| end + 1);
            self.too_long |= self.line.len() + taken > LONGEST;
            match self.too_long {
                true => self.line = Vec::new(),
                false => self.line.extend_from_slice(&part[..taken]),
            }
            self.read.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Some(if std::mem::take(&mut self.too_long) {
                    Line::TooLong
                } else {
                    Line::Whole(line)
                });
            }
        }
    }
}
