//! VT52 mode: the terminal before ANSI, which old programs and vttest still use. Control sequences keep working, so
//! that a mode left behind does not make a pane unusable.

use crate::charset::Charset;
use crate::modes::ModeFlag;
use crate::terminal::{Terminal, Vt52Address};

/// Rows and columns are sent as characters, from the space on.
const FIRST: u8 = b' ';

impl Terminal {
    /// DECANM: on is ANSI mode, the normal one.
    pub(super) fn set_ansi(&mut self, on: bool) {
        self.modes.set(ModeFlag::Vt52, !on);
        self.settings.vt52_address = None;
        self.caret.charsets = Default::default();
    }

    pub(super) fn vt52_escape(&mut self, last: u8) {
        self.settings.vt52_address = None;
        match last {
            b'<' => self.set_ansi(true),
            b'=' | b'>' => self.set_keypad(last == b'='),
            b'A' => self.cursor_up(1),
            b'B' => self.cursor_down(1),
            b'C' => self.cursor_right(1),
            b'D' => self.cursor_left(1),
            b'F' => self.caret.charsets.sets[0] = Charset::Drawing,
            b'G' => self.caret.charsets.sets[0] = Charset::Ascii,
            b'H' => self.move_to(0, 0),
            b'I' => self.reverse_index(),
            b'J' => self.erase_screen(0, false),
            b'K' => self.erase_line(0, false),
            b'Y' => self.settings.vt52_address = Some(Vt52Address::Row),
            b'Z' => self.reply("\x1b/Z"),
            _ => {}
        }
    }

    /// Takes the two characters after `ESC Y`; one beyond ASCII ends the address. Returns the rest, which is text
    /// again.
    pub(super) fn take_vt52_address<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        let mut rest = text;
        while let (Some(placing), [byte, after @ ..]) = (self.settings.vt52_address, rest) {
            if !byte.is_ascii() {
                self.settings.vt52_address = None;
                break;
            }
            rest = after;
            self.settings.vt52_address = match placing {
                Vt52Address::Row => Some(Vt52Address::Column(*byte)),
                Vt52Address::Column(row) => {
                    self.move_to(coordinate(row), coordinate(*byte));
                    None
                }
            };
        }
        rest
    }
}

fn coordinate(byte: u8) -> usize {
    usize::from(byte.saturating_sub(FIRST))
}
