//! The number of colors of the outer terminal, and the nearest color where it lacks one.

use fugue_screen::{BASIC_COLORS, Color};

/// The number of colors of a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ColorDepth {
    /// The sixteen named colors.
    Named,
    /// The palette of 256 colors.
    Palette,
    /// 24-bit colors.
    #[default]
    True,
}

/// The steps of the color cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl ColorDepth {
    /// What the environment says about a terminal; the terminal may report more later.
    pub(crate) fn of(term: &str, colorterm: &str) -> Self {
        match (term, colorterm) {
            (_, "truecolor" | "24bit") => Self::True,
            (term, _) if term.ends_with("-direct") => Self::True,
            (term, _) if term.contains("256color") => Self::Palette,
            (term, _) if ["xterm-kitty", "xterm-ghostty", "alacritty", "wezterm", "foot"].contains(&term) => {
                Self::True
            }
            _ => Self::Named,
        }
    }

    /// The nearest color that the terminal has.
    pub(crate) fn nearest(self, color: Color) -> Color {
        match (self, color) {
            (Self::Palette, Color::Rgb(r, g, b)) => Color::Indexed(nearest_in_palette((r, g, b))),
            (Self::Named, Color::Rgb(r, g, b)) => Color::Indexed(nearest_named((r, g, b))),
            (Self::Named, Color::Indexed(n @ 16..)) => Color::Indexed(nearest_named(palette_rgb(n))),
            (_, color) => color,
        }
    }
}

/// The RGB value of a color of the palette.
pub(crate) fn palette_rgb(n: u8) -> (u8, u8, u8) {
    match n {
        0..16 => BASIC_COLORS[usize::from(n)],
        232.. => (8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
        n => {
            let step = |by: u8| STEPS[usize::from((n - 16) / by % 6)];
            (step(36), step(6), step(1))
        }
    }
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}

fn nearest_in_palette(wanted: (u8, u8, u8)) -> u8 {
    (16..=255).min_by_key(|n| distance(wanted, palette_rgb(*n))).unwrap_or(7)
}

fn nearest_named(wanted: (u8, u8, u8)) -> u8 {
    (0..16).min_by_key(|n| distance(wanted, palette_rgb(*n))).unwrap_or(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_becomes_the_nearest_available_one() {
        let orange = Color::Rgb(255, 135, 0);
        assert_eq!(ColorDepth::True.nearest(orange), orange);
        assert_eq!(ColorDepth::Palette.nearest(orange), Color::Indexed(208));
        assert_eq!(ColorDepth::Named.nearest(Color::Rgb(250, 5, 5)), Color::Indexed(9));
        assert_eq!(ColorDepth::Named.nearest(Color::Indexed(16)), Color::Indexed(0));
        assert_eq!(ColorDepth::Palette.nearest(Color::Rgb(128, 128, 128)), Color::Indexed(244));
        assert_eq!(ColorDepth::Named.nearest(Color::Default), Color::Default);
    }

    #[test]
    fn the_environment_determines_the_number_of_colors() {
        assert_eq!(ColorDepth::of("xterm-256color", "truecolor"), ColorDepth::True);
        assert_eq!(ColorDepth::of("screen-256color", ""), ColorDepth::Palette);
        assert_eq!(ColorDepth::of("linux", ""), ColorDepth::Named);
        assert_eq!(ColorDepth::of("xterm-kitty", ""), ColorDepth::True);
    }
}
