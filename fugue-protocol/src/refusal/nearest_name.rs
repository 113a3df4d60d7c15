//! The name that was probably meant by a mistyped one.

use strsim::normalized_damerau_levenshtein;

/// Returns the name among `names` that `wanted` was probably meant to be.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    /// Below this similarity a suggestion confuses more than it helps.
    const SIMILAR: f64 = 0.65;
    /// What is similar to the beginning of a name counts this much.
    const BEGINNING: f64 = 0.85;
    /// A beginning with fewer characters says little.
    const MIN_BEGINNING: usize = 3;
    let length = wanted.chars().count();
    let similarity = |name: &str| {
        let beginnings = (length..=length + 1).map(|length| name.chars().take(length).collect::<String>());
        let begun = beginnings
            .filter(|_| length >= MIN_BEGINNING)
            .map(|begun| normalized_damerau_levenshtein(wanted, &begun));
        begun.map(|begun| begun * BEGINNING).fold(normalized_damerau_levenshtein(wanted, name), f64::max)
    };
    names
        .map(|name| (similarity(name), name))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_name_is_suggested_and_a_different_one_is_not() {
        assert_eq!(nearest("wrok", ["work", "play"].into_iter()), Some("work".into()));
        assert_eq!(nearest("zzz", ["work", "play"].into_iter()), None);
        assert_eq!(nearest("history", ["restore", "list-panes"].into_iter()), None);
        assert_eq!(nearest("blink", ["black", "on"].into_iter()), None);
        assert_eq!(nearest("clok", ["clock_format", "mouse"].into_iter()), Some("clock_format".into()));
    }
}
