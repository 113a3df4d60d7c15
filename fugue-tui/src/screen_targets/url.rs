//! Addresses in the text of a screen.

use std::ops::Range;

use fugue_screen::{LINK_SCHEMES, LinkSchemes};
use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::{ScreenTarget, ShownChar, is_separator, until};

/// Finds the next address with an allowed scheme. What is not ASCII in it is percent-encoded, as a browser copies it: a
/// program that opens an address gets ASCII only.
pub(super) fn next(
    line: &[ShownChar],
    from: usize,
    schemes: &LinkSchemes,
) -> Option<(Range<usize>, ScreenTarget)> {
    let mut begins = (from..line.len()).filter(|at| *at == 0 || !line[at - 1].c.is_alphanumeric());
    begins.find_map(|at| {
        let address: String = until(line, at, ends_address).iter().map(|shown| shown.c).collect();
        let address = trimmed(&address);
        let named = LINK_SCHEMES.into_iter().chain(schemes.added().iter().map(String::as_str));
        let is_address = named.into_iter().any(|scheme| begins_with(address, scheme));
        let encoded = is_address.then(|| utf8_percent_encode(address, CONTROLS).to_string());
        let encoded = encoded.filter(|encoded| schemes.allows(encoded))?;
        Some((at..at + address.chars().count(), ScreenTarget::Link(encoded)))
    })
}

/// Whether an address ends before a character. Of those that are not ASCII, letters and digits belong to it.
fn ends_address(shown: &ShownChar) -> bool {
    shown.used || is_separator(shown.c) || !shown.c.is_ascii() && !shown.c.is_alphanumeric()
}

/// Whether a text is an address of this scheme, with something after it.
fn begins_with(text: &str, scheme: &str) -> bool {
    let rest = text.get(..scheme.len()).filter(|begin| begin.eq_ignore_ascii_case(scheme));
    let rest = rest.and_then(|_| text[scheme.len()..].strip_prefix(':'));
    match rest {
        Some(rest) if scheme == "mailto" => rest.contains('@'),
        Some(rest) => rest.strip_prefix("//").is_some_and(|host| !host.is_empty()),
        None => false,
    }
}

/// An address without the punctuation of the sentence around it. A closing bracket belongs to it if the opening one does.
fn trimmed(mut text: &str) -> &str {
    while let Some(last) = text.chars().last() {
        let opening = match last {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '…' => ' ',
            _ => break,
        };
        if text.matches(opening).count() >= text.matches(last).count() {
            break;
        }
        text = &text[..text.len() - last.len_utf8()];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_after_an_address_is_not_part_of_it() {
        assert_eq!(trimmed("https://a.b/c."), "https://a.b/c");
        assert_eq!(trimmed("https://a.b/c),"), "https://a.b/c");
        assert_eq!(trimmed("https://a.b/c_(d)"), "https://a.b/c_(d)");
        assert_eq!(trimmed("https://a.b/c_(d))."), "https://a.b/c_(d)");
    }

    #[test]
    fn only_a_whole_scheme_with_something_after_it_is_an_address() {
        let is = |text: &str| ["http", "https", "mailto"].iter().any(|scheme| begins_with(text, scheme));
        assert!(is("http://a") && is("HTTPS://a") && is("mailto:a@b.c"));
        assert!(!is("http://") && !is("https:a") && !is("httpx://a") && !is("mailto:") && !is("http"));
    }
}
