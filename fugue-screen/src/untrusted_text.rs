//! Text from programs, made safe to show: bounded, and without controls or characters that change the reading direction.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Programs omit the padding or leave bits in the last character; both are harmless.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Returns at most `most` bytes of the characters that can be shown.
pub(crate) fn clean(bytes: &[u8], most: usize) -> String {
    let mut out = String::new();
    for c in String::from_utf8_lossy(bytes).chars().filter(|&c| is_safe(c)) {
        if out.len() + c.len_utf8() > most {
            break;
        }
        out.push(c);
    }
    out
}

/// Whether a character is neither a control nor one that makes text read as something else, such as a bidi override or
/// a zero-width space.
fn is_safe(c: char) -> bool {
    !(c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'))
}

/// Decodes base64; `None` if it contains any other character.
pub(crate) fn base64_decode(text: &[u8]) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// Decodes `%41` to `A`; incomplete escapes stay as they are.
pub(crate) fn percent_decode(text: &[u8]) -> Vec<u8> {
    percent_encoding::percent_decode(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_with_and_without_padding_and_otherwise_strictly() {
        for text in ["aGk=", "aGk", "aGl"] {
            assert_eq!(base64_decode(text.as_bytes()).as_deref(), Some(&b"hi"[..]), "{text}");
        }
        for text in ["aG k=", "a", "aGk=aGk=", "aGk*"] {
            assert_eq!(base64_decode(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn percent_escapes_are_decoded_and_others_kept() {
        assert_eq!(percent_decode(b"/a%20b%zz%4"), b"/a b%zz%4");
    }

    #[test]
    fn shown_text_is_bounded_and_has_no_controls() {
        assert_eq!(clean("a\x1b[31m\u{202e}é漢".as_bytes(), 8), "a[31mé");
    }
}
