//! Sentences that are longer than a row: wrapping them, and shortening them.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Wraps a sentence at blanks into rows of at most this many columns. A word that is longer is cut.
pub fn wrapped(words: &str, cols: usize) -> Vec<String> {
    let (mut rows, mut rest) = (Vec::new(), words);
    while rest.width() > cols.max(1) {
        let most = fitting_bytes(rest, cols.max(1));
        // A blank right after the row is a place to wrap, too.
        let blank = rest.match_indices(' ').map(|(at, _)| at).take_while(|at| *at <= most).last();
        let indent = rest.len() - rest.trim_start().len();
        let end = blank.filter(|at| *at > indent).unwrap_or(most);
        rows.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    if !rest.is_empty() || rows.is_empty() {
        rows.push(rest.to_owned());
    }
    rows
}

/// Shortens text to this many columns, with an ellipsis at the end.
pub(crate) fn shortened(text: &str, cols: usize) -> String {
    match text.width() <= cols.max(1) {
        true => text.to_owned(),
        false if cols < 2 => "…".to_owned(),
        false => format!("{}…", text[..fitting_bytes(text, cols - 1)].trim_end()),
    }
}

/// The number of bytes that fit into this many columns, and at least one character.
fn fitting_bytes(text: &str, cols: usize) -> usize {
    let mut width = 0;
    for (at, piece) in text.grapheme_indices(true) {
        width += piece.width();
        if width > cols && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_too_long_ends_in_an_ellipsis() {
        let shortened = [13, 12, 5, 1].map(|cols| shortened("one two three", cols));
        assert_eq!(shortened, ["one two three", "one two thr…", "one…", "…"]);
    }

    #[test]
    fn a_long_sentence_is_wrapped_at_blanks() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("", 3), [""]);
        assert_eq!(wrapped("漢字漢", 4), ["漢字", "漢"], "wide characters take two columns");
        assert_eq!(wrapped("漢字", 1), ["漢", "字"]);
        assert_eq!(wrapped("1\u{fe0f}\u{20e3}1\u{fe0f}\u{20e3}", 3).len(), 2, "a keycap takes two columns");
        assert_eq!(wrapped("    abcdefgh", 6), ["    ab", "cdefgh"], "an indent is no place to wrap");
    }
}
