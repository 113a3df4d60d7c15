//! A whole screen as bytes, and back: for a daemon that is replaced while its panes live on.
//!
//! Everything that shapes what later bytes do is in it, also a sequence or a character that is only half there.
//! Answers and notices are not: whoever takes the snapshot has taken those before.

mod parser;
mod terminal;

use crate::bytes::{Broken, Reader, VERSION};
use crate::screen::Screen;

/// Says what it is; a digit for its version follows, and a newline.
const MAGIC: &[u8] = b"fugue-screen ";
/// A snapshot that claims to unpack to more than this is not one of ours.
const LARGEST: usize = 1 << 30;

impl Screen {
    /// Everything there is to know about it.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        self.parser.encode(&mut plain);
        self.terminal.encode(&mut plain);
        let mut out = [MAGIC, &[b'0' + VERSION, b'\n']].concat();
        out.extend(lz4_flex::block::compress_prepend_size(&plain));
        out
    }

    /// The screen that a snapshot was taken of.
    pub fn restore(bytes: &[u8]) -> Result<Screen, Broken> {
        let (version, packed) = versioned(bytes).ok_or(Broken("it is no snapshot of a known version"))?;
        let size = packed.first_chunk::<4>().map(|size| u32::from_le_bytes(*size) as usize);
        // lz4 makes no more than 255 bytes out of one; more is a lie that would cost memory.
        let most = packed.len().saturating_mul(255).min(LARGEST);
        if size.is_none_or(|size| size > most) {
            return Err(Broken("its length is wrong"));
        }
        let plain =
            lz4_flex::block::decompress_size_prepended(packed).map_err(|_| Broken("it is damaged"))?;
        let mut input = Reader::of_version(&plain, version);
        let parser = crate::parser::Parser::decode(&mut input)?;
        let terminal = crate::terminal::Terminal::decode(&mut input)?;
        Ok(Screen { parser, terminal })
    }
}

/// The version of a snapshot, and what follows its head.
fn versioned(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let [digit, b'\n', packed @ ..] = bytes.strip_prefix(MAGIC)? else { return None };
    let version = digit.wrapping_sub(b'0');
    (1..=VERSION).contains(&version).then_some((version, packed))
}

#[cfg(test)]
mod tests;
