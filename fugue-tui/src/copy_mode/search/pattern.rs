//! The pattern of a search: a regular expression, in which lowercase letters match capitals as well.

use regex::{Error, Regex, RegexBuilder};

/// The most memory that a compiled pattern takes: enough for dozens of words like `\w+`, and compiled within a moment.
const MOST_BYTES: usize = 4 << 20;

/// Compiles a pattern. The error completes the sentence "Invalid pattern: …".
pub(crate) fn compile(text: &str) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(text);
    builder.case_insensitive(!has_capital(text)).size_limit(MOST_BYTES);
    builder.build().map_err(|why| reason(&why))
}

/// Whether a pattern contains a capital letter that stands for itself, unlike the one in `\W`.
fn has_capital(text: &str) -> bool {
    let mut escaped = false;
    text.chars().any(|c| {
        let literal = !std::mem::take(&mut escaped);
        escaped = literal && c == '\\';
        literal && c.is_uppercase()
    })
}

/// The last line of an error without its marks; the lines before it point into the pattern.
fn reason(why: &Error) -> String {
    match why {
        Error::CompiledTooBig(_) => "it is too large".into(),
        why => {
            let text = why.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_capital_that_stands_for_itself_makes_case_matter() {
        let matches = |pattern: &str, text: &str| compile(pattern).expect(pattern).is_match(text);
        assert!(matches("error", "ERROR") && matches("err\\S+", "ERRORS") && matches("straße", "STRAßE"));
        assert!(!matches("Error", "error") && !matches("\\WError", " error") && matches("\\\\E", "\\E"));
    }

    #[test]
    fn a_pattern_with_many_classes_is_not_too_large() {
        assert!(compile(r"(\w+\s+){8}[^\s]+ \d{3} (error|warning): \S.*").is_ok());
    }

    #[test]
    fn an_invalid_pattern_is_described_in_a_few_words() {
        let why = |pattern: &str| compile(pattern).map(drop).expect_err(pattern);
        assert_eq!(why("foo("), "unclosed group");
        assert_eq!(why("*a"), "repetition operator missing expression");
        assert_eq!(why("(a{900}){900}"), "it is too large");
    }
}
