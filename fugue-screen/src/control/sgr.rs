//! SGR: colours and attributes of the text that follows.

use crate::parser::Params;
use crate::style::{Attrs, Colour, Style, Underline};
use crate::terminal::Terminal;

impl Terminal {
    pub(super) fn graphics(&mut self, p: &Params) {
        self.caret.style = apply(self.caret.style, p, 0);
        self.pen_is_old = true;
    }
}

/// A style after the parameters from `at` on.
pub(super) fn apply(mut style: Style, p: &Params, mut at: usize) -> Style {
    if p.len() <= at {
        return Style { link: style.link, ..Style::default() };
    }
    while at < p.len() {
        at += one(&mut style, p, at);
        // Sub-parameters nobody asked for belong to what came before.
        while p.is_joined(at) {
            at += 1;
        }
    }
    style
}

/// Apply one attribute; says how many parameters it took.
#[inline]
fn one(style: &mut Style, p: &Params, at: usize) -> usize {
    match p.get(at) {
        0 => *style = Style { link: style.link, ..Style::default() },
        n @ 1..=9 => on(style, n, p, at),
        21 => style.underline = Underline::Double,
        n @ 22..=29 => off(style, n),
        n @ 30..=37 => style.fg = Colour::Indexed(n as u8 - 30),
        38 => return extended(&mut style.fg, p, at),
        39 => style.fg = Colour::Default,
        n @ 40..=47 => style.bg = Colour::Indexed(n as u8 - 40),
        48 => return extended(&mut style.bg, p, at),
        49 => style.bg = Colour::Default,
        53 => style.attrs.insert(Attrs::OVERLINE),
        55 => style.attrs.remove(Attrs::OVERLINE),
        58 => return extended(&mut style.underline_colour, p, at),
        59 => style.underline_colour = Colour::Default,
        n @ 90..=97 => style.fg = Colour::Indexed(n as u8 - 90 + 8),
        n @ 100..=107 => style.bg = Colour::Indexed(n as u8 - 100 + 8),
        _ => {}
    }
    1
}

fn on(style: &mut Style, n: u16, p: &Params, at: usize) {
    match n {
        1 => style.attrs.insert(Attrs::BOLD),
        2 => style.attrs.insert(Attrs::DIM),
        3 => style.attrs.insert(Attrs::ITALIC),
        4 if p.is_joined(at + 1) => style.underline = Underline::from_number(p.get(at + 1)),
        4 => style.underline = Underline::Single,
        5 | 6 => style.attrs.insert(Attrs::BLINK),
        7 => style.attrs.insert(Attrs::REVERSE),
        8 => style.attrs.insert(Attrs::HIDDEN),
        _ => style.attrs.insert(Attrs::STRIKE),
    }
}

fn off(style: &mut Style, n: u16) {
    match n {
        22 => style.attrs.remove(Attrs::BOLD | Attrs::DIM),
        23 => style.attrs.remove(Attrs::ITALIC),
        24 => style.underline = Underline::None,
        25 => style.attrs.remove(Attrs::BLINK),
        27 => style.attrs.remove(Attrs::REVERSE),
        28 => style.attrs.remove(Attrs::HIDDEN),
        29 => style.attrs.remove(Attrs::STRIKE),
        _ => {}
    }
}

/// `38;5;n`, `38;2;r;g;b`, and both with colons, with or without the colour space that ISO has between.
fn extended(colour: &mut Colour, p: &Params, at: usize) -> usize {
    if p.is_joined(at + 1) {
        let end = (at + 1..).find(|&next| !p.is_joined(next)).unwrap_or(p.len());
        let space = usize::from(end - at > 5);
        set_extended(colour, p.get(at + 1), [2, 3, 4].map(|n| p.get(at + n + space)), p.get(at + 2));
        return end - at;
    }
    set_extended(colour, p.get(at + 1), [2, 3, 4].map(|n| p.get(at + n)), p.get(at + 2));
    match p.get(at + 1) {
        2 => 5,
        5 => 3,
        _ => 2,
    }
}

fn set_extended(colour: &mut Colour, kind: u16, rgb: [u16; 3], index: u16) {
    match (kind, rgb.map(u8::try_from), u8::try_from(index)) {
        (2, [Ok(r), Ok(g), Ok(b)], _) => *colour = Colour::Rgb(r, g, b),
        (5, _, Ok(index)) => *colour = Colour::Indexed(index),
        _ => {}
    }
}
