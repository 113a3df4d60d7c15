//! Designation of character sets.

use crate::charset::Charset;
use crate::modes::ModeFlag;
use crate::parser::Sequence;
use crate::terminal::Terminal;

impl Terminal {
    /// SCS. An unknown set is taken as ASCII.
    pub(super) fn designate(&mut self, sequence: &Sequence) {
        let (slot, of_96) = match sequence.intermediates[0] {
            b'(' => (0, false),
            b')' => (1, false),
            b'*' => (2, false),
            b'+' => (3, false),
            b'-' => (1, true),
            b'.' => (2, true),
            b'/' => (3, true),
            _ => return,
        };
        let name: String = [sequence.intermediates[1], sequence.last]
            .iter()
            .filter(|&&byte| byte != 0)
            .map(|&byte| byte as char)
            .collect();
        let set = Charset::named(&name, of_96);
        let here = !set.is_national() || self.has(ModeFlag::NationalCharsets);
        self.caret.charsets.sets[slot] = if here { set } else { Charset::Ascii };
    }
}
