//! The same text in another place: the case of its first letter, and errors of the operating system without their numbers.

use std::borrow::Cow;

/// What precedes the number in the text of an error.
const CODE: &str = " (os error ";

/// A text without the numbers of errors, such as `(os error 2)`.
pub fn without_codes(text: &str) -> Cow<'_, str> {
    if !text.contains(CODE) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(CODE);
    let first = parts.next().unwrap_or_default().to_owned();
    Cow::Owned(parts.fold(first, |text, part| match part.split_once(')') {
        Some((code, rest)) if code.bytes().all(|byte| byte.is_ascii_digit()) => text + rest,
        _ => text + CODE + part,
    }))
}

/// Text with its first letter as a capital.
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Text with its first letter in lower case, for example to follow a colon.
#[must_use]
pub fn uncapitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_error_is_removed() {
        let missing = std::io::Error::from_raw_os_error(2);
        let text = format!("Cannot read /x: {missing}\nhint: create it");
        assert_eq!(without_codes(&text), "Cannot read /x: No such file or directory\nhint: create it");
        for same in ["nothing", "a (os error x) b", "a (os error 2"] {
            assert_eq!(without_codes(same), same);
        }
    }
}
