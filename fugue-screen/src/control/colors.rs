//! Colors that a program asks for or changes (OSC 4, 5, 10 to 12, 104, 105, 110 to 112).

use super::osc::decimal;
use crate::color_overrides::{BACKGROUND, CURSOR, FOREGROUND, SPECIAL, SPECIAL_COUNT};
use crate::modes::ModeFlag;
use crate::palette::{TerminalPalette, parse};
use crate::terminal::Terminal;

impl Terminal {
    /// Takes the viewer's colors and reports a change between light and dark if the program asked for that.
    pub(crate) fn set_viewer_palette(&mut self, palette: TerminalPalette) {
        let was_dark = self.colors.palette.is_dark();
        self.colors.set_viewer_palette(palette);
        if self.has(ModeFlag::ColorSchemeReports) && was_dark != self.colors.palette.is_dark() {
            self.report_color_scheme();
        }
    }

    /// OSC 4 and 5: any number of pairs of number and color; `?` asks for the color.
    pub(super) fn palette_colors(&mut self, command: &str, text: &[u8], bell: bool) {
        let mut parts = text.split(|&byte| byte == b';');
        while let (Some(number), Some(color)) = (parts.next(), parts.next()) {
            let Some(number) = decimal(number) else { continue };
            if let Some(slot) = palette_slot(command == "5", number) {
                self.color(slot, &format!("{command};{number}"), color, bell);
            }
        }
    }

    /// OSC 10, 11, 12. Further parts are for the numbers that follow.
    pub(super) fn dynamic_colors(&mut self, digit: u8, text: &[u8], bell: bool) {
        for (part, digit) in text.split(|&byte| byte == b';').zip(digit..=b'2') {
            self.color(dynamic_slot(digit), &format!("1{}", char::from(digit)), part, bell);
        }
    }

    fn color(&mut self, slot: u16, name: &str, value: &[u8], bell: bool) {
        if value == b"?" {
            let (r, g, b) = self.colors.palette.get(slot);
            let end = if bell { "\x07" } else { "\x1b\\" };
            self.reply(&format!("\x1b]{name};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{end}"));
        } else if let Some(color) = std::str::from_utf8(value).ok().and_then(parse) {
            self.colors.set(slot, color, self.revisions.current);
        }
    }

    /// OSC 104 and 105: resets the given colors, or all of them.
    pub(super) fn reset_palette(&mut self, special: bool, text: &[u8]) {
        if text.is_empty() {
            let all = if special { SPECIAL..u16::MAX } else { 0..256 };
            self.colors.reset(all, self.revisions.current);
        }
        for number in text.split(|&byte| byte == b';').filter_map(decimal) {
            if let Some(slot) = palette_slot(special, number) {
                self.colors.reset(slot..slot + 1, self.revisions.current);
            }
        }
    }

    /// OSC 110, 111, 112.
    pub(super) fn reset_dynamic_color(&mut self, digit: u8) {
        let slot = dynamic_slot(digit);
        self.colors.reset(slot..slot + 1, self.revisions.current);
    }
}

/// The slot of a color of OSC 4 or 5. OSC 4 counts the special colors after its 256.
fn palette_slot(special: bool, number: u16) -> Option<u16> {
    match number {
        n if special => (n < SPECIAL_COUNT).then_some(SPECIAL + n),
        0..256 => Some(number),
        n => (n - 256 < SPECIAL_COUNT).then_some(SPECIAL + n - 256),
    }
}

fn dynamic_slot(digit: u8) -> u16 {
    match digit {
        b'0' => FOREGROUND,
        b'1' => BACKGROUND,
        _ => CURSOR,
    }
}
