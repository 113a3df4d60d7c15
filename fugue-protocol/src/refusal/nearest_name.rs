//! The name that was probably meant by a mistyped one.

use strsim::{damerau_levenshtein, normalized_damerau_levenshtein};

/// Below this similarity a suggestion confuses more than it helps.
const SIMILAR: f64 = 0.72;

/// What is similar to the beginning of a name counts this much.
const BEGINNING: f64 = 0.92;

/// What has fewer characters is similar to many names.
const MIN_LENGTH: usize = 3;

/// Returns the name among `names` that `wanted` was probably meant to be.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    names
        .map(|name| (similarity(wanted, name), name))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

fn similarity(wanted: &str, name: &str) -> f64 {
    let length = wanted.chars().count();
    let whole = normalized_damerau_levenshtein(wanted, name);
    if length < MIN_LENGTH {
        return whole;
    }
    let beginnings = (length..=length + 1).map(|length| name.chars().take(length).collect::<String>());
    let begun = beginnings.map(|begun| BEGINNING * normalized_damerau_levenshtein(wanted, &begun));
    // A single mistake is always near.
    let one_off = if damerau_levenshtein(wanted, name) == 1 { SIMILAR } else { 0.0 };
    begun.fold(whole.max(one_off), f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_name_is_suggested_and_a_different_one_is_not() {
        assert_eq!(nearest("wrok", ["work", "play"].into_iter()), Some("work".into()));
        assert_eq!(nearest("rum", ["run", "note"].into_iter()), Some("run".into()));
        assert_eq!(nearest("zzz", ["work", "play"].into_iter()), None);
        assert_eq!(nearest("history", ["restore", "list-panes"].into_iter()), None);
        assert_eq!(nearest("version", ["session", "window"].into_iter()), None);
        assert_eq!(nearest("blink", ["black", "on"].into_iter()), None);
        assert_eq!(nearest("clok", ["clock_format", "mouse"].into_iter()), Some("clock_format".into()));
    }
}
