//! The case of a sentence's first letter, which depends on where the sentence is shown.

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
