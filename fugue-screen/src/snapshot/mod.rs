//! Snapshots: a whole screen as bytes and back, for a daemon that is replaced while its panes keep running.
//!
//! A snapshot contains everything that affects later output, including an incomplete sequence or character. Replies and
//! events are not in it: the caller has taken them before. Nor are the bytes of images.
//!
//! Taking one is copying. History is written as it is, compressed or not, so that frequent snapshots of a busy pane do
//! not compress it each time.

mod grid;
mod images;
mod parser;
mod prompt_marks;
mod terminal;

use std::borrow::Cow;

use crate::binary_format::{DecodeError, Reader, VERSION, decompress};
use crate::screen::Screen;

/// The header; a digit for the version and a newline follow.
const MAGIC: &[u8] = b"fugue-screen ";
/// The end marker, without which a part is missing.
const END: &[u8] = b"end\n";

impl Screen {
    /// Encodes the screen.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = [MAGIC, &[b'0' + VERSION, b'\n']].concat();
        self.parser.encode(&mut out);
        self.terminal.encode(&mut out);
        out.extend_from_slice(END);
        out
    }

    /// Encodes the screen with as much of its newest history as fits into `most` bytes. On the alternate screen there is
    /// none. Returns nothing if the screen alone does not fit.
    pub fn snapshot_tail(&self, most: usize) -> Option<Vec<u8>> {
        let mut out = [MAGIC, &[b'0' + VERSION, b'\n']].concat();
        self.parser.encode(&mut out);
        self.terminal.encode_tail(&mut out, most.saturating_sub(END.len()));
        out.extend_from_slice(END);
        (out.len() <= most).then_some(out)
    }

    /// Restores the screen from a snapshot.
    pub fn restore(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (version, body) = versioned(bytes).ok_or(DecodeError("not a snapshot of a known version"))?;
        let plain = match version {
            1 => Cow::Owned(decompress(body)?),
            _ => Cow::Borrowed(body.strip_suffix(END).ok_or(DecodeError("the data ends too early"))?),
        };
        let mut input = Reader::of_version(&plain, version);
        let parser = crate::parser::Parser::decode(&mut input)?;
        let terminal = crate::terminal::Terminal::decode(&mut input)?;
        Ok(Self { parser, terminal })
    }
}

/// The version of a snapshot, and what follows its header.
fn versioned(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [digit, b'\n', body @ ..] = bytes.strip_prefix(MAGIC)? else { return None };
    let version = digit.wrapping_sub(b'0');
    (1..=VERSION).contains(&version).then_some((version, body))
}

#[cfg(test)]
mod tests;
