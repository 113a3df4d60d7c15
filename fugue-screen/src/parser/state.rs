//! The state machine.

use super::scan::{printable_ascii, text_without_controls};
use super::{Handler, Sequence};

pub(super) const ESC: u8 = 0x1b;
pub(super) const CAN: u8 = 0x18;
pub(super) const SUB: u8 = 0x1a;
pub(super) const BEL: u8 = 0x07;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParserState {
    #[default]
    Ground,
    Escape,
    EscapeIntermediate,
    CsiEntry,
    CsiParams,
    CsiIntermediate,
    CsiIgnore,
    DcsEntry,
    DcsParams,
    DcsIntermediate,
    DcsIgnore,
    Dcs,
    Osc,
    /// SOS and PM, which are ignored, and APC. Of an APC string that may be an image, the string with its introducer is
    /// kept, which tells it from the others.
    Skipped,
}

/// All states by number, for snapshots.
pub(crate) const STATES: [ParserState; 14] = [
    ParserState::Ground,
    ParserState::Escape,
    ParserState::EscapeIntermediate,
    ParserState::CsiEntry,
    ParserState::CsiParams,
    ParserState::CsiIntermediate,
    ParserState::CsiIgnore,
    ParserState::DcsEntry,
    ParserState::DcsParams,
    ParserState::DcsIntermediate,
    ParserState::DcsIgnore,
    ParserState::Dcs,
    ParserState::Osc,
    ParserState::Skipped,
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Parser {
    pub(crate) state: ParserState,
    pub(crate) sequence: Sequence,
    pub(crate) string: Vec<u8>,
    /// The string is too long and will be dropped.
    pub(crate) overlong: bool,
    /// The beginning of a character that the last chunk split.
    pub(crate) partial: Vec<u8>,
}

impl Parser {
    /// Parses bytes until the receiver takes no more. Returns how many were parsed.
    pub(crate) fn feed(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        let mut at = 0;
        while at < bytes.len() && !to.is_full() {
            at += match self.state {
                ParserState::Ground => self.ground(&bytes[at..], to),
                ParserState::Osc | ParserState::Dcs | ParserState::DcsIgnore | ParserState::Skipped => {
                    self.string(&bytes[at..], to)
                }
                ParserState::CsiEntry | ParserState::CsiParams => self.csi(&bytes[at..], to),
                _ => self.step(bytes[at], to),
            };
        }
        at
    }

    /// Whether no sequence and no character is incomplete.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == ParserState::Ground && self.partial.is_empty()
    }

    #[inline]
    fn ground(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        if !self.partial.is_empty() {
            return self.complete_partial(bytes, to);
        }
        let run = printable_ascii(bytes);
        if run > 0 && bytes.get(run).is_none_or(|&next| next < 0x80) {
            let taken = to.ascii(&bytes[..run]);
            if taken < run {
                return taken;
            }
            return run + self.control_or_escape(&bytes[run..], to);
        }
        match bytes[0] {
            byte if byte < 0x20 || byte == 0x7f => self.control_or_escape(bytes, to),
            _ => self.utf8(bytes, to),
        }
    }

    #[inline]
    fn control_or_escape(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        match bytes {
            [] => return 0,
            [ESC, b'[', rest @ ..] => return self.plain_csi(rest, to) + 2,
            [ESC, ..] => self.begin_escape(),
            [0x7f, ..] => {}
            // The end of nearly every line.
            [b'\r', b'\n', ..] => {
                to.control(b'\r');
                to.control(b'\n');
                return 2;
            }
            &[byte, ..] => to.control(byte),
        }
        1
    }

    /// Parses a control sequence from its first byte on. Plain ones, which are nearly all, are handled here in one
    /// pass. At the first byte that is not plain the state machine takes over.
    #[inline]
    fn plain_csi(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        self.sequence.clear();
        let mut at = 0;
        if let Some(&prefix @ b'<'..=b'?') = bytes.first() {
            self.sequence.prefix = prefix;
            at = 1;
        }
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => self.sequence.params.digit(byte),
                b';' => self.sequence.params.separator(false),
                0x40..=0x7e => {
                    self.end_csi(byte, to);
                    return at + 1;
                }
                _ => break,
            }
            at += 1;
        }
        self.state = if at == 0 { ParserState::CsiEntry } else { ParserState::CsiParams };
        at
    }

    pub(super) fn begin_escape(&mut self) {
        self.sequence.clear();
        self.state = ParserState::Escape;
    }

    /// Handles text that is not all ASCII, up to the next control.
    fn utf8(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        let run = text_without_controls(bytes);
        let error = match simdutf8::compat::from_utf8(&bytes[..run]) {
            Ok(text) => return to.text(text),
            Err(error) => error,
        };
        let valid = error.valid_up_to();
        if let Ok(text) = std::str::from_utf8(&bytes[..valid])
            && !text.is_empty()
        {
            let taken = to.text(text);
            if taken < valid {
                return taken;
            }
        }
        match error.error_len() {
            None if run == bytes.len() => self.partial.extend_from_slice(&bytes[valid..]),
            _ => {
                to.text("\u{fffd}");
            }
        }
        error.error_len().map_or(run, |len| valid + len)
    }

    /// Continues a character that the end of the last chunk split.
    fn complete_partial(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        self.partial.push(bytes[0]);
        match std::str::from_utf8(&self.partial) {
            Ok(text) => {
                to.text(text);
            }
            Err(error) if error.error_len().is_none() => return 1,
            Err(_) => {
                to.text("\u{fffd}");
                self.partial.clear();
                return 0;
            }
        }
        self.partial.clear();
        1
    }

    /// Handles the parameters of a control sequence that was split or is not plain.
    fn csi(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b'0'..=b'9' => self.sequence.params.digit(byte),
                b';' => self.sequence.params.separator(false),
                b':' => self.sequence.params.separator(true),
                0x40..=0x7e => {
                    self.end_csi(byte, to);
                    return at + 1;
                }
                b'<'..=b'?' if self.state == ParserState::CsiEntry => self.sequence.prefix = byte,
                b'<'..=b'?' => self.state = ParserState::CsiIgnore,
                0x20..=0x2f => {
                    self.sequence.collect(byte);
                    self.state = ParserState::CsiIntermediate;
                }
                _ => self.control_in_sequence(byte, to),
            }
            match self.state {
                ParserState::CsiEntry => self.state = ParserState::CsiParams,
                ParserState::CsiParams => {}
                _ => return at + 1,
            }
        }
        bytes.len()
    }

    /// Handles a control within a sequence. Some end it; most are executed as if they had come before.
    fn control_in_sequence(&mut self, byte: u8, to: &mut impl Handler) {
        match byte {
            ESC => self.begin_escape(),
            CAN | SUB => self.state = ParserState::Ground,
            0..0x20 => to.control(byte),
            _ => {}
        }
    }

    fn step(&mut self, byte: u8, to: &mut impl Handler) -> usize {
        match (self.state, byte) {
            (
                ParserState::DcsEntry | ParserState::DcsParams | ParserState::DcsIntermediate,
                0..=0x17 | 0x19 | 0x1c..=0x1f,
            ) => {}
            (_, 0..=0x1f) => self.control_in_sequence(byte, to),
            (ParserState::Escape, _) => self.escape(byte, to),
            (ParserState::EscapeIntermediate, 0x20..=0x2f) => self.sequence.collect(byte),
            (ParserState::EscapeIntermediate, 0x30..=0x7e) => self.end_escape(byte, to),
            (ParserState::CsiIntermediate, 0x20..=0x2f) => self.sequence.collect(byte),
            (ParserState::CsiIntermediate, 0x30..=0x3f) => self.state = ParserState::CsiIgnore,
            (ParserState::CsiIntermediate, 0x40..=0x7e) => self.end_csi(byte, to),
            (ParserState::CsiIgnore, 0x40..=0x7e) => self.state = ParserState::Ground,
            (ParserState::DcsEntry | ParserState::DcsParams | ParserState::DcsIntermediate, _) => {
                self.dcs_header(byte);
            }
            _ => {}
        }
        1
    }

    fn escape(&mut self, byte: u8, to: &mut impl Handler) {
        match byte {
            0x20..=0x2f => {
                self.sequence.collect(byte);
                self.state = ParserState::EscapeIntermediate;
            }
            b'[' => self.state = ParserState::CsiEntry,
            b']' => self.begin_string(ParserState::Osc),
            b'P' => self.begin_string(ParserState::DcsEntry),
            b'X' | b'^' => self.begin_string(ParserState::Skipped),
            b'_' => self.begin_apc(),
            0x30..=0x7e => self.end_escape(byte, to),
            _ => {}
        }
    }

    fn end_escape(&mut self, byte: u8, to: &mut impl Handler) {
        self.sequence.last = byte;
        self.state = ParserState::Ground;
        to.escape(&self.sequence);
    }

    fn end_csi(&mut self, byte: u8, to: &mut impl Handler) {
        self.sequence.last = byte;
        self.state = ParserState::Ground;
        to.csi(&self.sequence);
    }
}
