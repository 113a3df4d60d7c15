//! Text from agents, programs and people, made safe to print: a terminal must neither obey it nor be made to show
//! something else than what it says.

use std::borrow::Cow;

/// The longest quotation, in characters: a path or a command of several lines still fits.
pub const QUOTED_CHARS: usize = 600;

/// The characters kept at the end of a text that is cut: an error usually states its cause there.
const TAIL: usize = 200;

/// Whether a terminal would obey the character, or hide it, or change the direction of the text around it.
///
/// Zero-width joiners are not among these, since scripts and emoji need them.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

/// Returns a single line with every unsafe character escaped, newlines and tabs included.
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_if(text, is_unsafe)
}

/// Returns text of several lines with every unsafe character escaped, except newlines and tabs.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_if(text, |c| is_unsafe(c) && !matches!(c, '\n' | '\t'))
}

/// Returns the output of a program with every unsafe character escaped, except newlines, tabs and the escape sequences
/// that the screen made from its parsed cells.
pub fn escape_output(text: &str) -> Cow<'_, str> {
    escape_if(text, |c| is_unsafe(c) && !matches!(c, '\n' | '\t' | '\u{1b}'))
}

/// Returns JSON with every unsafe character written as `\uXXXX`, which means the same to whoever parses it. JSON has
/// these characters only inside strings, and other control characters only as white space.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let unsafe_here = |c: char| is_unsafe(c) && !c.is_ascii_whitespace();
    if !json.contains(unsafe_here) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        match unsafe_here(c) {
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Returns the text escaped on one line, its middle cut out if it is longer than [`QUOTED_CHARS`].
pub fn quoted(text: &str) -> Cow<'_, str> {
    let chars = text.chars().count();
    if chars <= QUOTED_CHARS {
        return escape(text);
    }
    let omitted = chars - QUOTED_CHARS;
    let head: String = text.chars().take(QUOTED_CHARS - TAIL).collect();
    let tail: String = text.chars().skip(chars - TAIL).collect();
    Cow::Owned(format!("{}… ({omitted} characters omitted) …{}", escape(&head), escape(&tail)))
}

fn escape_if(text: &str, unsafe_here: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&unsafe_here) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if unsafe_here(c) {
            escaped.extend(c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_unchanged() {
        for text in ["", "work", "Größe 漢字 👩‍💻"] {
            assert!(matches!(quoted(text), Cow::Borrowed(same) if same == text));
        }
        let longest = "x".repeat(QUOTED_CHARS);
        assert_eq!(quoted(&longest), longest);
    }

    #[test]
    fn control_characters_and_bidi_overrides_are_escaped() {
        let text = "a\u{1b}]0;x\u{7}\nb\u{9b}\u{202e}\u{200b}";
        assert_eq!(escape(text), r"a\u{1b}]0;x\u{7}\nb\u{9b}\u{202e}\u{200b}");
        assert_eq!(escape_lines("a\tb\n\u{202e}c\r"), "a\tb\n\\u{202e}c\\r");
    }

    #[test]
    fn escaped_json_has_no_unsafe_character_and_means_the_same() {
        let value = serde_json::json!({ "na\u{85}me": "a\u{9b}31m\u{7f}\u{202e}\u{2066}b\u{200b}\n\u{1b}[2J Größe 漢字" });
        for json in [value.to_string(), format!("{value:#}")] {
            let escaped = escape_json(&json);
            assert!(!escaped.contains(|c| is_unsafe(c) && c != '\n'), "{escaped}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
            assert!(escaped.contains("Größe 漢字") && escaped.contains(r"\u202e"), "{escaped}");
        }
        assert!(matches!(escape_json("{\"a\":\n1}"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        let text = quoted(&format!("`{}` is not a name", "\u{1b}".repeat(200_000))).into_owned();
        assert!(text.starts_with(r"`\u{1b}") && text.ends_with(r"\u{1b}` is not a name"), "{text}");
        assert!(text.contains("(199416 characters omitted)") && text.len() < 8 * QUOTED_CHARS, "{text}");
        assert!(quoted(&"x".repeat(QUOTED_CHARS + 1)).contains("(1 characters omitted)"));
    }
}
