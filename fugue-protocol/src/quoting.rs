//! What somebody wrote, told back to them: no longer than a reader takes in, and with no sign that a terminal obeys.

use std::borrow::Cow;

/// A sentence that quotes is no longer than this, in characters: a path or a command of some lines is still whole.
pub const QUOTED_CHARS: usize = 600;

/// So many are kept of the end of what is cut: there the sentence says what is wrong.
const TAIL: usize = 200;

/// The text, cut in its middle and with signs that cannot be seen spelled out.
pub fn quoted(text: &str) -> Cow<'_, str> {
    let chars = text.chars().count();
    if chars <= QUOTED_CHARS && !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    if chars <= QUOTED_CHARS {
        return Cow::Owned(spelled(text.chars()));
    }
    let (head, left_out) = (QUOTED_CHARS - TAIL, chars - QUOTED_CHARS);
    let (head, tail) = (spelled(text.chars().take(head)), spelled(text.chars().skip(chars - TAIL)));
    Cow::Owned(format!("{head}… ({left_out} characters left out) …{tail}"))
}

fn spelled(chars: impl Iterator<Item = char>) -> String {
    let mut told = String::new();
    for sign in chars {
        match is_unseen(sign) {
            true => told.extend(sign.escape_default()),
            false => told.push(sign),
        }
    }
    told
}

/// Signs that a terminal obeys instead of showing them, those that turn the direction of writing among them.
fn is_unseen(sign: char) -> bool {
    sign.is_control()
        || matches!(sign, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read_stays_as_it_is() {
        for text in ["", "work", "Größe 漢字 👩‍💻"] {
            assert!(matches!(quoted(text), Cow::Borrowed(same) if same == text));
        }
        let longest = "x".repeat(QUOTED_CHARS);
        assert_eq!(quoted(&longest), longest);
    }

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(quoted("a\u{1b}]0;x\u{7}\nb\u{9b}\u{202e}"), r"a\u{1b}]0;x\u{7}\nb\u{9b}\u{202e}");
    }

    #[test]
    fn a_long_text_keeps_its_ends() {
        let told = quoted(&format!("`{}` is no name", "\u{1b}".repeat(200_000))).into_owned();
        assert!(told.starts_with(r"`\u{1b}") && told.ends_with(r"\u{1b}` is no name"), "{told}");
        assert!(told.contains("(199413 characters left out)") && told.len() < 8 * QUOTED_CHARS, "{told}");
        assert!(quoted(&"x".repeat(QUOTED_CHARS + 1)).contains("(1 characters left out)"));
    }
}
