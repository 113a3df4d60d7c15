//! Strings: operating system commands, device control strings, application program commands, and those that are
//! ignored.

use super::scan::text_without_controls;
use super::state::{BEL, CAN, ESC, Parser, ParserState, SUB};
use super::{Handler, Sequence};
use crate::images::{IMAGE_BYTES, LONGEST_CONTROL};

/// The introducer of an application program command.
const APC: u8 = b'_';

/// Longer strings are read to their end and dropped. The longest useful one is a clipboard of 100 KB in base64.
const LONGEST_STRING: usize = 192 * 1024;
/// The same for images, which programs need not split into chunks: the largest image in base64.
const LONGEST_IMAGE: usize = IMAGE_BYTES.div_ceil(3) * 4 + LONGEST_CONTROL;
/// The capacity that is kept after a long string.
const USUAL_STRING: usize = 4096;

impl Parser {
    pub(super) fn begin_string(&mut self, state: ParserState) {
        self.string.clear();
        self.overlong = false;
        self.state = state;
    }

    pub(super) fn begin_apc(&mut self) {
        self.begin_string(ParserState::Skipped);
        self.string.push(APC);
    }

    pub(super) fn dcs_header(&mut self, byte: u8) {
        match (self.state, byte) {
            (ParserState::DcsEntry, b'<'..=b'?') => self.sequence.prefix = byte,
            (ParserState::DcsIntermediate, 0x30..=0x3f) | (ParserState::DcsParams, b'<'..=b'?') => {
                return self.state = ParserState::DcsIgnore;
            }
            (_, b'0'..=b'9') => self.sequence.params.digit(byte),
            (_, b';' | b':') => self.sequence.params.separator(byte == b':'),
            (_, 0x20..=0x2f) => {
                self.sequence.collect(byte);
                return self.state = ParserState::DcsIntermediate;
            }
            (_, 0x40..=0x7e) => {
                self.sequence.last = byte;
                return self.state = ParserState::Dcs;
            }
            _ => return,
        }
        self.state = ParserState::DcsParams;
    }

    pub(super) fn string(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        let run = text_without_controls(bytes);
        self.append_string(&bytes[..run]);
        match bytes.get(run) {
            None => return run,
            Some(&ESC) => {
                self.end_string(false, to);
                self.begin_escape();
            }
            Some(&BEL) if self.state == ParserState::Osc => {
                self.end_string(true, to);
                self.state = ParserState::Ground;
            }
            Some(&(CAN | SUB)) => {
                self.clear_string();
                self.state = ParserState::Ground;
            }
            Some(_) => {}
        }
        run + 1
    }

    fn append_string(&mut self, bytes: &[u8]) {
        let longest = match self.state {
            ParserState::Osc => LONGEST_STRING,
            ParserState::Dcs if is_sixel(&self.sequence) => LONGEST_IMAGE,
            ParserState::Dcs => LONGEST_STRING,
            // Only images are of interest.
            ParserState::Skipped
                if self.string == [APC] && bytes.first().is_some_and(|&byte| byte != b'G') =>
            {
                0
            }
            ParserState::Skipped if !self.string.is_empty() => LONGEST_IMAGE,
            _ => return,
        };
        self.overlong |= self.string.len() + bytes.len() > longest;
        if !self.overlong {
            self.string.extend_from_slice(bytes);
        }
    }

    fn end_string(&mut self, bell: bool, to: &mut impl Handler) {
        match self.state {
            _ if self.overlong => {}
            ParserState::Osc => to.osc(&self.string, bell),
            ParserState::Dcs => to.dcs(&self.sequence, &self.string),
            ParserState::Skipped if !self.string.is_empty() => to.apc(&self.string[1..]),
            _ => {}
        }
        self.clear_string();
    }

    fn clear_string(&mut self) {
        self.string.clear();
        self.string.shrink_to(USUAL_STRING);
    }
}

/// Whether a device control string is an image.
pub(crate) fn is_sixel(sequence: &Sequence) -> bool {
    (sequence.prefix, sequence.intermediates, sequence.last) == (0, [0, 0], b'q')
}
