//! The binary format of updates, snapshots and packed history: varints, byte strings, styles.

use std::fmt;

use crate::packed_style::PackedStyle;

/// The error for bytes that are cut off, damaged, or of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError(pub(crate) &'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot decode the screen: {}", self.0)
    }
}

impl std::error::Error for DecodeError {}

/// Appends a number as LEB128, so that small ones take one byte.
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

/// Data that claims to decompress to more than this is not ours.
const LARGEST: usize = 1 << 30;

/// Decompresses what `lz4_flex` compressed with its size in front.
pub(crate) fn decompress(packed: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let size = packed.first_chunk::<4>().map(|size| u32::from_le_bytes(*size) as usize);
    // lz4 expands one byte to 255 at most. A larger claim is false and would cost memory.
    let most = packed.len().saturating_mul(255).min(LARGEST);
    if size.is_none_or(|size| size > most) {
        return Err(DecodeError("the length is wrong"));
    }
    lz4_flex::block::decompress_size_prepended(packed).map_err(|_| DecodeError("the data is damaged"))
}

/// Reads what the functions above wrote, and never past the end.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    version: u8,
}

/// The version in which snapshots are written. Version 1 was compressed as a whole, had longer style runs and no times.
pub(crate) const VERSION: u8 = 2;

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader::of_version(bytes, VERSION)
    }

    /// Returns a reader for bytes that another version may have written.
    pub(crate) fn of_version(bytes: &'a [u8], version: u8) -> Self {
        Reader { rest: bytes, version }
    }

    pub(crate) fn version(&self) -> u8 {
        self.version
    }

    /// The number of bytes left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn number(&mut self) -> Result<u64, DecodeError> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(DecodeError("the data ends too early"))?;
            self.rest = rest;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(DecodeError("a number is too long"))
    }

    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        T::try_from(self.number()?).map_err(|_| DecodeError("a number is out of range"))
    }

    pub(crate) fn flag(&mut self) -> Result<bool, DecodeError> {
        Ok(self.number()? != 0)
    }

    /// Reads a count of items that take at least `least` bytes each. More items than the rest can hold are an error.
    pub(crate) fn count(&mut self, least: usize) -> Result<usize, DecodeError> {
        let n: usize = self.small()?;
        if n.saturating_mul(least) > self.rest.len() {
            return Err(DecodeError("a count exceeds the data"));
        }
        Ok(n)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let len = self.count(1)?;
        let (bytes, rest) = self.rest.split_at(len);
        self.rest = rest;
        Ok(bytes)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| DecodeError("text is not UTF-8"))
    }

    pub(crate) fn style(&mut self) -> Result<PackedStyle, DecodeError> {
        let colors = [self.small()?, self.small()?, self.small()?];
        Ok(PackedStyle::from_parts(colors, self.small()?, self.small()?))
    }
}
