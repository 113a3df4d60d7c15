//! Choosing character sets.

use crate::charset::Charset;
use crate::parser::Sequence;
use crate::terminal::Terminal;

impl Terminal {
    /// SCS. Sets of 96 letters and national sets other than the British one are taken as ASCII.
    pub(super) fn designate(&mut self, sequence: &Sequence) {
        let slot = match sequence.middle[0] {
            b'(' => 0,
            b')' => 1,
            b'*' => 2,
            b'+' => 3,
            _ => return,
        };
        let known = sequence.middle[1] == 0;
        self.caret.charsets.sets[slot] =
            if known { Charset::from_final(sequence.last) } else { Charset::Ascii };
    }
}
