//! Strings: operating system commands, device control strings, and those that are passed over.

use super::Handler;
use super::scan::uncontrolled;
use super::state::{BEL, CAN, ESC, Parser, SUB, State};

/// Longer strings are read to their end and dropped. The longest one of use is a clipboard of 100 KB in base64.
const LONGEST_STRING: usize = 192 * 1024;
/// Room that is given back after a long string.
const USUAL_STRING: usize = 4096;

impl Parser {
    pub(super) fn begin_string(&mut self, state: State) {
        self.string.clear();
        self.overlong = false;
        self.state = state;
    }

    pub(super) fn dcs_head(&mut self, byte: u8) {
        match (self.state, byte) {
            (State::DcsEntry, b'<'..=b'?') => self.sequence.prefix = byte,
            (State::DcsMiddle, 0x30..=0x3f) | (State::DcsParams, b'<'..=b'?') => {
                return self.state = State::DcsIgnore;
            }
            (_, b'0'..=b'9') => self.sequence.params.digit(byte),
            (_, b';' | b':') => self.sequence.params.separator(byte == b':'),
            (_, 0x20..=0x2f) => {
                self.sequence.collect(byte);
                return self.state = State::DcsMiddle;
            }
            (_, 0x40..=0x7e) => {
                self.sequence.last = byte;
                return self.state = State::Dcs;
            }
            _ => return,
        }
        self.state = State::DcsParams;
    }

    pub(super) fn string(&mut self, bytes: &[u8], to: &mut impl Handler) -> usize {
        let run = uncontrolled(bytes);
        self.keep(&bytes[..run]);
        match bytes.get(run) {
            None => return run,
            Some(&ESC) => {
                self.end_string(false, to);
                self.begin_escape();
            }
            Some(&BEL) if self.state == State::Osc => {
                self.end_string(true, to);
                self.state = State::Ground;
            }
            Some(&(CAN | SUB)) => self.state = State::Ground,
            Some(_) => {}
        }
        run + 1
    }

    fn keep(&mut self, bytes: &[u8]) {
        if !matches!(self.state, State::Osc | State::Dcs) || self.overlong {
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
            State::Osc => to.osc(&self.string, bell),
            State::Dcs => to.dcs(&self.sequence, &self.string),
            _ => {}
        }
        self.string.clear();
        self.string.shrink_to(USUAL_STRING);
    }
}
