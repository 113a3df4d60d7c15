//! The parser: bytes become text, controls and sequences. The state machine is Paul Williams' with UTF-8 text.
//!
//! It is our own rather than the `vte` crate because it finds runs of text and passes them on whole, bounds strings,
//! and can be put into a snapshot at any byte. A test compares it with `vte`.

mod params;
mod scan;
mod state;
mod strings;

pub(crate) use params::{Params, Sequence};
pub(crate) use state::{Parser, STATES};
pub(crate) use strings::is_sixel;

/// The receiver of a parsed stream.
pub(crate) trait Handler {
    /// Whether it takes no more for now.
    fn is_full(&self) -> bool;
    /// Printable ASCII, at least one byte. Returns how many bytes were taken, at least one.
    fn ascii(&mut self, text: &[u8]) -> usize;
    /// Text with at least one character beyond ASCII; no C0 controls, no DEL. Returns how many bytes were taken, at least
    /// the first character.
    fn text(&mut self, text: &str) -> usize;
    /// A C0 control.
    fn control(&mut self, byte: u8);
    /// `ESC` with intermediates and a final byte.
    fn escape(&mut self, sequence: &Sequence);
    /// `CSI` with parameters.
    fn csi(&mut self, sequence: &Sequence);
    /// A complete operating system command.
    fn osc(&mut self, text: &[u8], bell: bool);
    /// A complete device control string.
    fn dcs(&mut self, sequence: &Sequence, text: &[u8]);
    /// A complete application program command that may be an image.
    fn apc(&mut self, text: &[u8]);
}

#[cfg(test)]
mod tests;
