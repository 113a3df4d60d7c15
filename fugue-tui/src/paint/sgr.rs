//! Styles as SGR sequences.

use std::io::Write;

use fugue_screen::{Attrs, Color, Style, Underline};

use super::color_depth::ColorDepth;

/// The attributes that are on or off, with their numbers.
const ATTRS: [(Attrs, u8); 8] = [
    (Attrs::BOLD, 1),
    (Attrs::DIM, 2),
    (Attrs::ITALIC, 3),
    (Attrs::BLINK, 5),
    (Attrs::REVERSE, 7),
    (Attrs::HIDDEN, 8),
    (Attrs::STRIKE, 9),
    (Attrs::OVERLINE, 53),
];

/// Appends the sequence for a style, from a reset on, in the colors that the terminal has.
pub(super) fn write(out: &mut Vec<u8>, style: &Style, depth: ColorDepth) {
    out.extend_from_slice(b"\x1b[0");
    for (_, number) in ATTRS.iter().filter(|(attr, _)| style.attrs.contains(*attr)) {
        let _ = write!(out, ";{number}");
    }
    match style.underline {
        Underline::None => {}
        Underline::Single => out.extend_from_slice(b";4"),
        _ if depth == ColorDepth::Named => out.extend_from_slice(b";4"),
        other => drop(write!(out, ";4:{}", other.number())),
    }
    color(out, depth.nearest(style.fg), 30);
    color(out, depth.nearest(style.bg), 40);
    // With colons, so that a terminal that does not know it does not take a part of it for something else.
    match depth.nearest(style.underline_color) {
        Color::Default => {}
        Color::Indexed(n) => drop(write!(out, ";58:5:{n}")),
        Color::Rgb(r, g, b) => drop(write!(out, ";58:2::{r}:{g}:{b}")),
    }
    out.push(b'm');
}

fn color(out: &mut Vec<u8>, color: Color, base: u8) {
    let _ = match color {
        Color::Default => Ok(()),
        Color::Indexed(n @ 0..8) => write!(out, ";{}", base + n),
        Color::Indexed(n @ 8..16) => write!(out, ";{}", base + 52 + n),
        Color::Indexed(n) => write!(out, ";{};5;{n}", base + 8),
        Color::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
    };
}
