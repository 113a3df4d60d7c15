//! The small binary language of updates, snapshots and packed history: varints, byte strings, styles.

use std::fmt;

use crate::packed_style::PackedStyle;

/// Bytes that are not what they should be: cut off, damaged, or of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError(pub(crate) &'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read the stored screen: {}", self.0)
    }
}

impl std::error::Error for DecodeError {}

/// LEB128, so that small numbers take one byte.
pub(crate) fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(crate) fn put_style(out: &mut Vec<u8>, style: &PackedStyle) {
    for color in [style.fg, style.bg, style.underline_color] {
        put_number(out, u64::from(color));
    }
    put_number(out, u64::from(style.attrs));
    put_number(out, u64::from(style.link));
}

/// What claims to unpack to more than this is not one of ours.
const LARGEST: usize = 1 << 30;

/// What `lz4_flex` packed, with its size before it.
pub(crate) fn decompress(packed: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let size = packed.first_chunk::<4>().map(|size| u32::from_le_bytes(*size) as usize);
    // lz4 makes no more than 255 bytes out of one; more is a lie that would cost memory.
    let most = packed.len().saturating_mul(255).min(LARGEST);
    if size.is_none_or(|size| size > most) {
        return Err(DecodeError("its length is wrong"));
    }
    lz4_flex::block::decompress_size_prepended(packed).map_err(|_| DecodeError("it is damaged"))
}

/// Reads what the functions above wrote; never past the end.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    version: u8,
}

/// How snapshots are written now. Version 1 was packed as a whole, and had longer style runs and no
/// times.
pub(crate) const VERSION: u8 = 2;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader::of_version(bytes, VERSION)
    }

    /// For bytes that another version may have written.
    pub fn of_version(bytes: &'a [u8], version: u8) -> Reader<'a> {
        Reader { rest: bytes, version }
    }

    pub fn version(&self) -> u8 {
        self.version
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn number(&mut self) -> Result<u64, DecodeError> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(DecodeError("it ends too early"))?;
            self.rest = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(DecodeError("a number is too long"))
    }

    pub fn small<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        T::try_from(self.number()?).map_err(|_| DecodeError("a number is out of range"))
    }

    pub fn flag(&mut self) -> Result<bool, DecodeError> {
        Ok(self.number()? != 0)
    }

    /// A count of things that take at least `least` bytes each: no more than the rest can hold.
    pub fn count(&mut self, least: usize) -> Result<usize, DecodeError> {
        let n: usize = self.small()?;
        if n.saturating_mul(least) > self.rest.len() {
            return Err(DecodeError("a count is larger than what follows"));
        }
        Ok(n)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = self.count(1)?;
        let (bytes, rest) = self.rest.split_at(len);
        self.rest = rest;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| DecodeError("text is not UTF-8"))
    }

    pub fn style(&mut self) -> Result<PackedStyle, DecodeError> {
        let colors = [self.small()?, self.small()?, self.small()?];
        Ok(PackedStyle::from_parts(colors, self.small()?, self.small()?))
    }
}
