//! Styles in words: `black on green bold`, `#7aa2f7`, `244 on default`.

use fugue_protocol::refusal::nearest;
use fugue_screen::{Attrs, Color, Style, Underline};

/// The terminal's own colors; there are eight bright ones as well.
const COLORS: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const ATTRS: [(&str, Attrs); 5] = [
    ("bold", Attrs::BOLD),
    ("dim", Attrs::DIM),
    ("italic", Attrs::ITALIC),
    ("reverse", Attrs::REVERSE),
    ("strike", Attrs::STRIKE),
];

/// Parses a style.
pub(crate) fn style(words: &str) -> Result<Style, String> {
    let mut style = Style::default();
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "on" => style.bg = color(words.next().ok_or("missing color after `on`")?)?,
            "underline" => style.underline = Underline::Single,
            word => match ATTRS.iter().find(|(name, _)| *name == word) {
                Some((_, attr)) => style.attrs.insert(*attr),
                None => style.fg = color(word)?,
            },
        }
    }
    Ok(style)
}

fn color(word: &str) -> Result<Color, String> {
    let plain = word.strip_prefix("bright-").unwrap_or(word);
    let named = COLORS.iter().position(|name| *name == plain).map(|at| at as u8);
    let bright = if plain.len() == word.len() { 0 } else { 8 };
    let found = named
        .map(|at| Color::Indexed(at + bright))
        .or_else(|| word.parse().ok().map(Color::Indexed))
        .or_else(|| rgb(word))
        .or_else(|| (word == "default").then_some(Color::Default));
    found.ok_or_else(|| unknown(word))
}

fn rgb(word: &str) -> Option<Color> {
    let digits = word.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some(Color::Rgb(r, g, b))
}

fn unknown(word: &str) -> String {
    let bright = COLORS.map(|name| format!("bright-{name}"));
    let attrs = ATTRS.iter().map(|(name, _)| *name);
    let names = COLORS.into_iter().chain(bright.iter().map(String::as_str)).chain(attrs);
    match nearest(word, names.chain(["underline", "default", "on"])) {
        Some(near) => format!("unknown color `{word}`; did you mean `{near}`?"),
        None => format!(
            "unknown color `{word}`; use a name such as `green` or `bright-green`, a number such as `34`, or `#00ff00`"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_names_numbers_or_rgb_values() {
        let read = style("#102030 on bright-blue bold underline").unwrap();
        assert_eq!((read.fg, read.bg), (Color::Rgb(16, 32, 48), Color::Indexed(12)));
        assert!(read.attrs.contains(Attrs::BOLD) && read.underline == Underline::Single);
        assert_eq!(style("244").unwrap().fg, Color::Indexed(244));
        assert_eq!(style("grren").unwrap_err(), "unknown color `grren`; did you mean `green`?");
        assert_eq!(style("red on").unwrap_err(), "missing color after `on`");
    }
}
