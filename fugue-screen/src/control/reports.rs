//! Replies to queries. Each has a fixed form; nothing that a program wrote is ever sent back to it.

use super::mode_changes::mode_state;
use crate::cursor::{CursorShape, Protection};
use crate::modes::ModeFlag;
use crate::parser::Params;
use crate::style::{Attrs, Color, Style};
use crate::terminal::{Terminal, VT420};

impl Terminal {
    /// DA1: a VT420 with 132 columns, selective erase, windowing, horizontal scrolling, color, rectangles, clipboard; and
    /// sixel (4), if the viewer's terminal has it.
    pub(super) fn report_device(&mut self) {
        let sixel = if self.images.support.sixel { "4;" } else { "" };
        self.reply(&format!("\x1b[?64;1;{sixel}6;15;18;21;22;28;52c"));
    }

    pub(super) fn report_secondary(&mut self, n: u16) {
        if n == 0 {
            self.reply("\x1b[>41;400;0c");
        }
    }

    pub(super) fn report_tertiary(&mut self, n: u16) {
        if n == 0 {
            self.reply("\x1bP!|00000000\x1b\\");
        }
    }

    pub(super) fn report_version(&mut self, n: u16) {
        if n == 0 {
            self.reply(concat!("\x1bP>|fugue ", env!("CARGO_PKG_VERSION"), "\x1b\\"));
        }
    }

    /// DECREQTPARM.
    pub(super) fn report_parameters(&mut self, n: u16) {
        if n <= 1 {
            self.reply(&format!("\x1b[{};1;1;128;128;1;0x", n + 2));
        }
    }

    pub(super) fn report_status(&mut self, n: u16) {
        match n {
            5 => self.reply("\x1b[0n"),
            6 => self.reply(&format!("\x1b[{};{}R", self.row_number(), self.col_number())),
            _ => {}
        }
    }

    pub(super) fn report_private_status(&mut self, p: &Params) {
        match p.get(0) {
            6 => self.reply(&format!("\x1b[?{};{};1R", self.row_number(), self.col_number())),
            15 => self.reply("\x1b[?13n"),
            25 => self.reply("\x1b[?20n"),
            26 => self.reply("\x1b[?27;1;0;0n"),
            53 | 55 => self.reply("\x1b[?53n"),
            56 => self.reply("\x1b[?57;0n"),
            62 => self.reply("\x1b[0*{"),
            63 => self.reply(&format!("\x1bP{}!~0000\x1b\\", p.get(1))),
            75 => self.reply("\x1b[?70n"),
            85 => self.reply("\x1b[?83n"),
            996 => self.report_color_scheme(),
            _ => {}
        }
    }

    pub(crate) fn report_color_scheme(&mut self) {
        self.reply(if self.colors.palette.is_dark() { "\x1b[?997;1n" } else { "\x1b[?997;2n" });
    }

    pub(super) fn report_mode(&mut self, number: u16, private: bool) {
        if self.settings.conformance_level < 63 {
            return;
        }
        let state = mode_state(&self.modes, self.buffers.alternate, number, private);
        let mark = if private { "?" } else { "" };
        self.reply(&format!("\x1b[{mark}{number};{state}$y"));
    }

    pub(super) fn report_kitty(&mut self) {
        self.reply(&format!("\x1b[?{}u", self.modes.kitty));
    }

    pub(super) fn report_modify_keys(&mut self) {
        self.reply(&format!("\x1b[>4;{}m", self.modes.modify_other_keys));
    }

    /// DECSCL.
    pub(super) fn set_level(&mut self, p: &Params) {
        if (61..=65).contains(&p.get(0)) {
            self.soft_reset();
            self.settings.conformance_level = p.get(0).min(VT420);
        }
    }

    /// DECRQSS. The query is compared with known ones and never repeated.
    pub(super) fn report_setting(&mut self, question: &[u8]) {
        let m = self.buffers.margins;
        let answer = match question {
            b"m" => format!("{}m", sgr_parameters(&self.caret.style.into())),
            b"r" => format!("{};{}r", m.top + 1, m.bottom),
            b"s" => format!("{};{}s", m.left + 1, m.right),
            b"\"p" => format!("{};1\"p", self.settings.conformance_level),
            b"\"q" => format!("{}\"q", u8::from(self.caret.protection == Protection::Dec)),
            b" q" => format!("{} q", self.shape_number()),
            b"t" => format!("{}t", self.rows().max(24)),
            b"$|" => format!("{}$|", self.cols()),
            b"*|" => format!("{}*|", self.rows()),
            b"*x" => format!("{}*x", self.settings.attribute_extent),
            b"$}" | b"$~" => format!("0{}", if question == b"$}" { "$}" } else { "$~" }),
            _ => return self.reply("\x1bP0$r\x1b\\"),
        };
        self.reply(&format!("\x1bP1$r{answer}\x1b\\"));
    }

    fn shape_number(&self) -> u8 {
        let steady = u8::from(!self.has(ModeFlag::CursorBlink));
        match self.settings.cursor_shape {
            CursorShape::Block => 1 + steady,
            CursorShape::Underline => 3 + steady,
            CursorShape::Bar => 5 + steady,
        }
    }
}

/// A style as SGR parameters.
pub(crate) fn sgr_parameters(style: &Style) -> String {
    const ATTRS: [(Attrs, &str); 8] = [
        (Attrs::BOLD, ";1"),
        (Attrs::DIM, ";2"),
        (Attrs::ITALIC, ";3"),
        (Attrs::BLINK, ";5"),
        (Attrs::REVERSE, ";7"),
        (Attrs::HIDDEN, ";8"),
        (Attrs::STRIKE, ";9"),
        (Attrs::OVERLINE, ";53"),
    ];
    let mut out = String::from("0");
    for (_, code) in ATTRS.iter().filter(|(attr, _)| style.attrs.contains(*attr)) {
        out.push_str(code);
    }
    match style.underline.number() {
        0 => {}
        1 => out.push_str(";4"),
        n => out.push_str(&format!(";4:{n}")),
    }
    color(&mut out, style.fg, 30);
    color(&mut out, style.bg, 40);
    color(&mut out, style.underline_color, 50);
    out
}

fn color(out: &mut String, color: Color, base: u16) {
    let code = match color {
        Color::Default => return,
        Color::Indexed(n @ 0..8) if base < 50 => format!(";{}", base + u16::from(n)),
        Color::Indexed(n @ 8..16) if base < 50 => format!(";{}", base + 52 + u16::from(n)),
        Color::Indexed(n) => format!(";{}:5:{n}", base + 8),
        Color::Rgb(r, g, b) => format!(";{}:2::{r}:{g}:{b}", base + 8),
    };
    out.push_str(&code);
}
