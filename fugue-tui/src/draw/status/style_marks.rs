//! Styles within a text, as tmux writes them: `#[fg=red,bold]text#[default]`.

use fugue_screen::{Attrs, Color, Style, Underline};

use super::content::{BarStyle, Piece};
use crate::theme;

/// What differs from the style of the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StyleChange {
    fg: Option<Color>,
    bg: Option<Color>,
    attrs: Attrs,
    underline: bool,
}

/// tmux's words for attributes.
const ATTRS: [(&str, Attrs); 6] = [
    ("bold", Attrs::BOLD),
    ("bright", Attrs::BOLD),
    ("dim", Attrs::DIM),
    ("italics", Attrs::ITALIC),
    ("reverse", Attrs::REVERSE),
    ("strikethrough", Attrs::STRIKE),
];

impl StyleChange {
    pub(super) fn apply(self, mut style: Style) -> Style {
        style.fg = self.fg.unwrap_or(style.fg);
        style.bg = self.bg.unwrap_or(style.bg);
        style.attrs.insert(self.attrs);
        if self.underline {
            style.underline = Underline::Single;
        }
        style
    }

    /// Changes it as one word says. Words that are not about colors have no effect.
    fn read(&mut self, word: &str) {
        match word.split_once('=') {
            Some(("fg", value)) => self.fg = color(value).unwrap_or(self.fg),
            Some(("bg", value)) => self.bg = color(value).unwrap_or(self.bg),
            Some(_) => {}
            None => match word {
                "default" | "none" => *self = Self::default(),
                "underscore" => self.underline = true,
                word => {
                    if let Some((_, attr)) = ATTRS.iter().find(|(name, _)| *name == word) {
                        self.attrs.insert(*attr);
                    }
                }
            },
        }
    }
}

/// A color in tmux's words: nothing if it is unknown, none inside if it is the line's own.
fn color(word: &str) -> Option<Option<Color>> {
    if word == "default" {
        return Some(None);
    }
    let number = word.strip_prefix("colour").or_else(|| word.strip_prefix("color"));
    let bright = word.strip_prefix("bright").map(|name| format!("bright-{name}"));
    let word = number.map(str::to_owned).or(bright).unwrap_or_else(|| word.to_owned());
    theme::style(&word).ok().map(|style| Some(style.fg))
}

/// Splits a text at its styles.
pub(crate) fn styled(text: &str) -> Vec<Piece> {
    let (mut pieces, mut change, mut rest) = (Vec::new(), StyleChange::default(), text);
    loop {
        let mark = rest.find("#[").and_then(|at| Some((at, at + rest[at..].find(']')?)));
        let (plain, after) = match mark {
            Some((at, end)) => (&rest[..at], Some((&rest[at + 2..end], &rest[end + 1..]))),
            None => (rest, None),
        };
        if !plain.is_empty() {
            pieces.push((plain.to_owned(), BarStyle::Changed(change)));
        }
        let Some((words, next)) = after else { return pieces };
        words.split([',', ' ']).filter(|word| !word.is_empty()).for_each(|word| change.read(word));
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_apply_to_what_follows_them() {
        let text = "a#[fg=brightred,bg=colour235 bold]b#[fg=default,frobnicate]c#[default]d#[open";
        let pieces: Vec<_> = styled(text)
            .into_iter()
            .map(|(text, style)| match style {
                BarStyle::Changed(change) => (text, change),
                BarStyle::Part(part) => panic!("{part:?}"),
            })
            .collect();
        let grey = Some(Color::Indexed(235));
        let (fg, attrs) = (Some(Color::Indexed(9)), Attrs::BOLD);
        let bold = StyleChange { fg, bg: grey, attrs, underline: false };
        assert_eq!(
            pieces,
            [
                ("a".to_owned(), StyleChange::default()),
                ("b".to_owned(), bold),
                ("c".to_owned(), StyleChange { fg: None, ..bold }),
                ("d#[open".to_owned(), StyleChange::default()),
            ]
        );
    }
}
