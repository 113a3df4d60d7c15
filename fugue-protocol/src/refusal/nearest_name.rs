//! The name that was probably meant by a mistyped one.

use crate::limits::NAME_CHARS;
use strsim::{damerau_levenshtein, normalized_damerau_levenshtein};

/// Below this similarity a suggestion confuses more than it helps.
const SIMILAR: f64 = 0.72;

/// What is similar to the beginning of a name counts this much.
const BEGINNING: f64 = 0.92;

/// What has fewer characters is similar to many names.
const MIN_LENGTH: usize = 3;

/// What has more characters is no mistyped name. A comparison takes time in proportion to the product of both lengths, and
/// a request may contain a name of megabytes.
const MAX_LENGTH: usize = 2 * NAME_CHARS;

/// The most pairs of characters that are compared, some milliseconds' work: thousands of usual names, or dozens of the
/// longest. The names after those are not considered.
const MAX_COMPARED: usize = 1 << 18;

/// Returns the name among `names` that `wanted` was probably meant to be.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let length = length_within_limit(wanted)?;
    // A single mistake may be all that is missing.
    let shortest = ((SIMILAR * length as f64).ceil() as usize).min(length.saturating_sub(1));
    let mut compared = 0;
    names
        .filter_map(|name| Some((name, length_within_limit(name)?)))
        .filter(|(_, known)| *known >= shortest)
        .take_while(|(_, known)| {
            compared += length * known;
            compared <= MAX_COMPARED
        })
        .map(|(name, known)| (similarity((wanted, length), (name, known)), name))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

/// The number of characters, unless there are too many.
fn length_within_limit(name: &str) -> Option<usize> {
    Some(name.chars().take(MAX_LENGTH + 1).count()).filter(|length| *length <= MAX_LENGTH)
}

/// How similar two names are. Each comes with its length.
fn similarity((wanted, length): (&str, usize), (name, known): (&str, usize)) -> f64 {
    let distance = damerau_levenshtein(wanted, name);
    let whole = 1.0 - distance as f64 / length.max(known).max(1) as f64;
    // A single mistake is always near.
    let whole = if length >= MIN_LENGTH && distance == 1 { whole.max(SIMILAR) } else { whole };
    if length < MIN_LENGTH || known <= length {
        return whole;
    }
    let beginnings = (length..=length + 1).map(|length| name.chars().take(length).collect::<String>());
    let begun = beginnings.map(|begun| BEGINNING * normalized_damerau_levenshtein(wanted, &begun));
    begun.fold(whole, f64::max)
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

    #[test]
    fn a_name_of_megabytes_is_refused_at_once() {
        let (long, longer) = ("x".repeat(MAX_LENGTH + 1), "x".repeat(4 << 20));
        let names = || ["work", &long, &longer].into_iter();
        assert_eq!(nearest(&longer, names()), None);
        assert_eq!(nearest(&long[1..], names()), None);
        assert_eq!(nearest(&long[..4], ["xxxy"].into_iter().chain(names())), Some("xxxy".into()));
        assert_eq!(nearest("work", [longer.as_str(), "wrok"].into_iter()), Some("wrok".into()));
    }

    /// Each of these pairs would take a millisecond.
    #[test]
    fn a_long_name_is_compared_with_few_of_many_long_names() {
        let (wanted, other) = ("x".repeat(MAX_LENGTH), "y".repeat(MAX_LENGTH));
        let mut looked_at = 0;
        let names = std::iter::repeat_n(other.as_str(), 10_000).inspect(|_| looked_at += 1);
        assert_eq!(nearest(&wanted, names), None);
        assert!(looked_at < 10, "{looked_at}");
    }
}
