//! Themes. A theme is a list of parts and the styles that draw them, written as in `config.toml`. `terminal` uses the
//! terminal's own sixteen colors; the others name what differs from it.

mod contrast;
mod style_parser;
#[cfg(test)]
mod tests_contrast;

use fugue_screen::{Attrs, Color, Style};

pub(crate) use style_parser::style;

/// The style of each part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Theme {
    parts: [Style; PARTS.len()],
}

/// A part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThemePart {
    /// The border of a pane without the keyboard.
    Border,
    /// The border of the active pane.
    ActiveBorder,
    /// The status line.
    Bar,
    /// The session's name on the status line.
    BarSession,
    /// The current window on the status line, and what must not be forgotten.
    BarStrong,
    /// Another window on the status line in which something needs a person.
    BarAlert,
    /// The count of agents that need a person, on the status line.
    BarWaiting,
    /// The count of agents that failed.
    BarFailed,
    /// A message or a question.
    Message,
    /// The words that complete what is typed at a prompt.
    MessageFaint,
    /// The room outside a window that is smaller than the terminal.
    Outside,
    /// Text over the panes: lists, help, the sidebar.
    Panel,
    /// Less important text.
    Faint,
    /// What is behind a list.
    Behind,
    /// The selected row of a list.
    Chosen,
    /// Text that is selected in copy mode.
    Selection,
    /// A match of a search.
    Match,
    /// The match at the cursor.
    CurrentMatch,
    /// An agent that works.
    Working,
    /// An agent that needs a person.
    Waiting,
    /// An agent that is done.
    Complete,
    /// An agent or a program that failed.
    Failed,
}

/// The parts by name, with their styles in the default theme.
const PARTS: [(ThemePart, &str, &str); 22] = [
    (ThemePart::Border, "border", "bright-black"),
    (ThemePart::ActiveBorder, "active_border", "green"),
    (ThemePart::Bar, "bar", "black on green"),
    // Not bold black: some terminals show that as gray.
    (ThemePart::BarSession, "bar_session", "black on green"),
    (ThemePart::BarStrong, "bar_strong", "green on black bold"),
    (ThemePart::BarAlert, "bar_alert", "black on yellow"),
    (ThemePart::BarWaiting, "bar_waiting", "black on yellow"),
    (ThemePart::BarFailed, "bar_failed", "bright-white on red"),
    (ThemePart::Message, "message", "black on yellow"),
    // The terminal's shade of yellow is unknown, so only italics set these apart.
    (ThemePart::MessageFaint, "message_faint", "black on yellow italic"),
    (ThemePart::Outside, "outside", "bright-black dim"),
    (ThemePart::Panel, "panel", "default"),
    (ThemePart::Faint, "faint", "bright-black"),
    (ThemePart::Behind, "behind", "bright-black dim"),
    (ThemePart::Chosen, "chosen", "reverse"),
    (ThemePart::Selection, "selection", "reverse"),
    (ThemePart::Match, "match", "black on cyan"),
    (ThemePart::CurrentMatch, "current_match", "black on bright-magenta"),
    (ThemePart::Working, "working", "cyan"),
    (ThemePart::Waiting, "waiting", "yellow bold"),
    (ThemePart::Complete, "complete", "green"),
    (ThemePart::Failed, "failed", "bright-red bold"),
];

/// Styles that replace those that are not legible on a light background in the terminal's own colors.
const ON_LIGHT: ThemeRows = &[
    ("active_border", "blue"),
    ("faint", "240"),
    ("waiting", "magenta bold"),
    ("working", "blue"),
    ("complete", "22"),
    ("failed", "red bold"),
];

/// A theme, as its differences from the default one.
type ThemeRows = &'static [(&'static str, &'static str)];

/// The themes.
pub(crate) const THEMES: [(&str, ThemeRows); 5] = [
    ("terminal", &[]),
    (
        "plain",
        &[
            ("border", "default"),
            ("active_border", "bold"),
            ("bar", "reverse"),
            ("bar_session", "reverse bold"),
            ("bar_strong", "bold"),
            ("bar_alert", "reverse bold underline"),
            ("bar_waiting", "bold"),
            ("bar_failed", "bold underline"),
            ("message", "reverse bold"),
            ("message_faint", "reverse"),
            ("outside", "dim"),
            ("faint", "dim"),
            ("behind", "dim"),
            ("match", "underline"),
            ("current_match", "reverse"),
            ("working", "default"),
            ("waiting", "bold reverse"),
            ("complete", "default"),
            ("failed", "bold underline"),
        ],
    ),
    (
        "dusk",
        &[
            ("border", "#70748c"),
            ("active_border", "#7aa2f7"),
            ("bar", "#a9b1d6 on #2f354d"),
            ("bar_session", "#7aa2f7 on #2f354d bold"),
            ("bar_strong", "#1a1b26 on #7aa2f7 bold"),
            ("bar_alert", "#e0af68 on #2f354d bold"),
            ("bar_waiting", "#1a1b26 on #e0af68 bold"),
            ("bar_failed", "#1a1b26 on #f7768e bold"),
            ("message", "#e9edff on #454f78"),
            ("message_faint", "#bac2e4 on #454f78"),
            ("outside", "#3b4261"),
            ("faint", "#8f98c4"),
            ("behind", "#545a78"),
            ("chosen", "#c0caf5 on #33467c"),
            ("selection", "#c0caf5 on #33467c"),
            ("match", "#e8b872 on #4a3c20"),
            ("current_match", "#1a1b26 on #ff9e64"),
            ("working", "#7aa2f7"),
            ("waiting", "#e0af68 bold"),
            ("complete", "#9ece6a"),
            ("failed", "#f7768e bold"),
        ],
    ),
    (
        "dawn",
        &[
            ("border", "#8f8a7c"),
            ("active_border", "#286983"),
            ("bar", "#575279 on #eae4d9"),
            ("bar_session", "#286983 on #eae4d9 bold"),
            ("bar_strong", "#faf4ed on #286983 bold"),
            ("bar_alert", "#96540f on #eae4d9 bold"),
            ("bar_waiting", "#faf4ed on #96540f bold"),
            ("bar_failed", "#faf4ed on #b4254a bold"),
            ("message", "#faf4ed on #575279"),
            ("message_faint", "#d0cbe1 on #575279"),
            ("outside", "#dcd6c8"),
            ("faint", "#69658a"),
            ("behind", "#b5b1c4"),
            ("chosen", "#faf4ed on #286983"),
            ("selection", "#faf4ed on #286983"),
            ("match", "#575279 on #f2d8a7"),
            ("current_match", "#faf4ed on #b4254a"),
            ("working", "#286983"),
            ("waiting", "#96540f bold"),
            ("complete", "#37722f"),
            ("failed", "#b4254a bold"),
        ],
    ),
    (
        "contrast",
        &[
            ("border", "default"),
            // Keys in lists have this style too. No color is legible on every background, so it brings its own.
            ("active_border", "bright-yellow on blue bold"),
            ("bar", "bright-white on blue"),
            ("bar_session", "bright-white on blue bold"),
            ("bar_strong", "black on bright-yellow"),
            ("bar_alert", "bright-yellow on blue bold"),
            ("bar_waiting", "black on bright-yellow bold"),
            ("bar_failed", "bright-white on red bold"),
            ("message", "bright-white on red bold"),
            ("message_faint", "bright-white on red"),
            ("outside", "default"),
            ("faint", "default"),
            ("behind", "bright-black dim"),
            ("chosen", "black on bright-yellow"),
            ("selection", "black on bright-yellow"),
            ("working", "default bold"),
            ("waiting", "black on bright-yellow"),
            ("complete", "default"),
            ("failed", "bright-white on red bold"),
        ],
    ),
];

impl Theme {
    /// The theme of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (_, rows) = THEMES.iter().find(|(known, _)| *known == name)?;
        let mut theme = Self { parts: PARTS.map(|(_, _, words)| style(words).unwrap_or_default()) };
        for (part, words) in *rows {
            theme.set(part, style(words).unwrap_or_default());
        }
        Some(theme)
    }

    /// The default theme on a light background.
    pub(crate) fn on_light() -> Self {
        let mut theme = Self::default();
        for (part, words) in ON_LIGHT {
            theme.set(part, style(words).unwrap_or_default());
        }
        theme
    }

    /// Changes the style of a part, and returns whether there is one of that name.
    pub(crate) fn set(&mut self, name: &str, style: Style) -> bool {
        let at = PARTS.iter().position(|(_, known, _)| *known == name);
        at.map(|at| self.parts[at] = style).is_some()
    }

    pub(crate) fn of(&self, part: ThemePart) -> Style {
        self.parts[part as usize]
    }

    /// The style of a part in the selected row of a list: the part's own color, as far as it can be read there. Where the
    /// terminal decides how the row or the part looks, that is unknown, and the part looks as the rest of the row.
    pub(crate) fn on_chosen(&self, part: ThemePart) -> Style {
        let (chosen, own) = (self.of(ThemePart::Chosen), self.of(part));
        match (own.fg, chosen.bg) {
            (Color::Rgb(r, g, b), Color::Rgb(red, green, blue)) if !chosen.attrs.contains(Attrs::REVERSE) => {
                let (r, g, b) = contrast::legible((r, g, b), (red, green, blue));
                Style { fg: Color::Rgb(r, g, b), bg: chosen.bg, ..own }
            }
            _ => chosen,
        }
    }
}

impl Default for Theme {
    fn default() -> Self {
        Self { parts: PARTS.map(|(_, _, words)| style(words).unwrap_or_default()) }
    }
}

/// The names of all parts.
pub(crate) fn part_names() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(_, name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_has_valid_styles() {
        for (part, name, words) in PARTS {
            assert_eq!(PARTS[part as usize].1, name, "parts stand in their order");
            style(words).unwrap();
        }
        for (theme, rows) in THEMES.into_iter().chain([("on light", ON_LIGHT)]) {
            for (part, words) in rows {
                style(words).unwrap_or_else(|why| panic!("{theme}, {part}: {why}"));
                assert!(part_names().any(|name| name == *part), "{theme}: {part}");
            }
        }
    }
}
