//! A whole screen as bytes, and back: for a daemon that is replaced while its panes live on.
//!
//! Everything that shapes what later bytes do is in it, also a sequence or a character that is only half there.
//! Answers and notices are not: whoever takes the snapshot has taken those before.
//!
//! Taking one is copying: history goes in as it lies there, packed or not, so that a pane in a flood is not packed anew
//! for each of them.

mod parser;
mod terminal;

use std::borrow::Cow;

use crate::bytes::{DecodeError, Reader, VERSION, decompress};
use crate::screen::Screen;

/// Says what it is; a digit for its version follows, and a newline.
const MAGIC: &[u8] = b"fugue-screen ";
/// What comes last: without it a part is missing.
const END: &[u8] = b"end\n";

impl Screen {
    /// Everything there is to know about it.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = [MAGIC, &[b'0' + VERSION, b'\n']].concat();
        self.parser.encode(&mut out);
        self.terminal.encode(&mut out);
        out.extend_from_slice(END);
        out
    }

    /// The screen that a snapshot was taken of.
    pub fn restore(bytes: &[u8]) -> Result<Screen, DecodeError> {
        let (version, body) = versioned(bytes).ok_or(DecodeError("it is no snapshot of a known version"))?;
        let plain = match version {
            1 => Cow::Owned(decompress(body)?),
            _ => Cow::Borrowed(body.strip_suffix(END).ok_or(DecodeError("it ends too early"))?),
        };
        let mut input = Reader::of_version(&plain, version);
        let parser = crate::parser::Parser::decode(&mut input)?;
        let terminal = crate::terminal::Terminal::decode(&mut input)?;
        Ok(Screen { parser, terminal })
    }
}

/// The version of a snapshot, and what follows its head.
fn versioned(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [digit, b'\n', body @ ..] = bytes.strip_prefix(MAGIC)? else { return None };
    let version = digit.wrapping_sub(b'0');
    (1..=VERSION).contains(&version).then_some((version, body))
}

#[cfg(test)]
mod tests;
