//! SGR: colors and attributes of the text that follows.

use crate::packed_style::PackedStyle;
use crate::parser::Params;
use crate::style::{Attrs, Color, Underline};
use crate::terminal::Terminal;

impl Terminal {
    #[inline]
    pub(super) fn select_graphics(&mut self, p: &Params) {
        let style = &mut self.caret.style;
        match p.values() {
            [] | [0] => *style = style.plain(),
            &[n] => simple(style, n),
            _ => several(style, p),
        }
        self.pen.stale = true;
    }
}

fn several(style: &mut PackedStyle, p: &Params) {
    let mut at = 0;
    while at < p.len() {
        at += match p.get(at) {
            4 if p.is_joined(at + 1) => underline(style, p, at),
            38 => extended(&mut style.fg, p, at),
            48 => extended(&mut style.bg, p, at),
            58 => extended(&mut style.underline_color, p, at),
            n => {
                simple(style, n);
                1
            }
        };
        // Unexpected sub-parameters belong to the parameter before them.
        while p.is_joined(at) {
            at += 1;
        }
    }
}

/// Applies an attribute that is a single number.
#[inline]
fn simple(style: &mut PackedStyle, n: u16) {
    match n {
        0 => *style = style.plain(),
        1..=9 => on(style, n),
        21 => style.set_underline(Underline::Double),
        22..=29 => off(style, n),
        30..=37 => style.fg = indexed(n - 30),
        39 => style.fg = 0,
        40..=47 => style.bg = indexed(n - 40),
        49 => style.bg = 0,
        53 => style.on(Attrs::OVERLINE),
        55 => style.off(Attrs::OVERLINE),
        59 => style.underline_color = 0,
        90..=97 => style.fg = indexed(n - 90 + 8),
        100..=107 => style.bg = indexed(n - 100 + 8),
        _ => {}
    }
}

fn indexed(n: u16) -> u32 {
    Color::Indexed(n as u8).bits()
}

fn on(style: &mut PackedStyle, n: u16) {
    match n {
        1 => style.on(Attrs::BOLD),
        2 => style.on(Attrs::DIM),
        3 => style.on(Attrs::ITALIC),
        4 => style.set_underline(Underline::Single),
        5 | 6 => style.on(Attrs::BLINK),
        7 => style.on(Attrs::REVERSE),
        8 => style.on(Attrs::HIDDEN),
        _ => style.on(Attrs::STRIKE),
    }
}

fn off(style: &mut PackedStyle, n: u16) {
    match n {
        22 => style.off(Attrs::BOLD | Attrs::DIM),
        23 => style.off(Attrs::ITALIC),
        24 => style.set_underline(Underline::None),
        25 => style.off(Attrs::BLINK),
        27 => style.off(Attrs::REVERSE),
        28 => style.off(Attrs::HIDDEN),
        29 => style.off(Attrs::STRIKE),
        _ => {}
    }
}

/// `4:3` and the like.
fn underline(style: &mut PackedStyle, p: &Params, at: usize) -> usize {
    style.set_underline(Underline::from_number(p.get(at + 1)));
    2
}

/// `38;5;n`, `38;2;r;g;b`, and both with colons, with or without ISO's color space between.
fn extended(color: &mut u32, p: &Params, at: usize) -> usize {
    if p.is_joined(at + 1) {
        let end = (at + 1..).find(|&next| !p.is_joined(next)).unwrap_or(p.len());
        let space = usize::from(end - at > 5);
        set_extended(color, p.get(at + 1), [2, 3, 4].map(|n| p.get(at + n + space)), p.get(at + 2));
        return end - at;
    }
    set_extended(color, p.get(at + 1), [2, 3, 4].map(|n| p.get(at + n)), p.get(at + 2));
    match p.get(at + 1) {
        2 => 5,
        5 => 3,
        _ => 2,
    }
}

fn set_extended(color: &mut u32, kind: u16, rgb: [u16; 3], index: u16) {
    match (kind, rgb.map(u8::try_from), u8::try_from(index)) {
        (2, [Ok(r), Ok(g), Ok(b)], _) => *color = Color::Rgb(r, g, b).bits(),
        (5, _, Ok(index)) => *color = Color::Indexed(index).bits(),
        _ => {}
    }
}
