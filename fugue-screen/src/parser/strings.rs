//! Strings: operating system commands, device control strings, and those that are ignored.

use super::Handler;
use super::scan::text_without_controls;
use super::state::{BEL, CAN, ESC, Parser, ParserState, SUB};

/// Longer strings are read to their end and dropped. The longest useful one is a clipboard of 100 KB in base64.
const LONGEST_STRING: usize = 192 * 1024;
/// The capacity that is kept after a long string.
const USUAL_STRING: usize = 4096;

impl Parser {
    pub(super) fn begin_string(&mut self, state: ParserState) {
        self.string.clear();
        self.overlong = false;
        self.state = state;
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
            Some(&(CAN | SUB)) => self.state = ParserState::Ground,
            Some(_) => {}
        }
        run + 1
    }

    fn append_string(&mut self, bytes: &[u8]) {
        if !matches!(self.state, ParserState::Osc | ParserState::Dcs) || self.overlong {
            return;
        }
        self.overlong = self.string.len() + bytes.len() > LONGEST_STRING;
        if !self.overlong {
            self.string.extend_from_slice(bytes);
        }
    }

    fn end_string(&mut self, bell: bool, to: &mut impl Handler) {
        match self.state {
            _ if self.overlong => {}
            ParserState::Osc => to.osc(&self.string, bell),
            ParserState::Dcs => to.dcs(&self.sequence, &self.string),
            _ => {}
        }
        self.string.clear();
        self.string.shrink_to(USUAL_STRING);
    }
}
