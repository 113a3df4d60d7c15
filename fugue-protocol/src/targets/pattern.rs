//! Shell patterns, as in fnmatch: `*`, `?`, `[a-z]` and `\` before a character that means itself.

/// Whether a pattern matches a whole text. It takes at most as many steps as the two lengths multiplied.
pub fn matches_pattern(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    // The last star, and where in the text what follows it is tried.
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match single(&pattern[at..], text[from]) {
            Some(length) => {
                at += length;
                from += 1;
            }
            None if pattern.get(at) == Some(&'*') => {
                star = Some((at + 1, from));
                at += 1;
            }
            None => match &mut star {
                Some((after, tried)) => {
                    *tried += 1;
                    (at, from) = (*after, *tried);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// The length of what matches one character at the beginning of a pattern; a star is not such a thing.
fn single(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', literal, ..] => (*literal == c).then_some(2),
        ['[', rest @ ..] => match rest.iter().skip(1).position(|c| *c == ']') {
            Some(end) => in_class(&rest[..=end], c).then_some(end + 3),
            None => (c == '[').then_some(1),
        },
        ['*', ..] | [] => None,
        [literal, ..] => (*literal == c).then_some(1),
    }
}

fn in_class(class: &[char], c: char) -> bool {
    let (negated, class) = match class {
        ['!' | '^', rest @ ..] => (true, rest),
        class => (false, class),
    };
    let ranges = class.windows(3).filter(|range| range[1] == '-');
    let within = ranges.into_iter().any(|range| (range[0]..=range[2]).contains(&c));
    (within || class.contains(&c)) != negated
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, matches) in [
            ("*", "", true),
            ("w*k", "work", true),
            ("w*k", "works", false),
            ("?or[a-k]", "work", true),
            ("[!w]ork", "work", false),
            ("a[b", "a[b", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("a*b*c", "aXbYbZc", true),
            ("", "x", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), matches, "{pattern} {text}");
        }
        assert!(!matches_pattern(&"*a".repeat(200), &"b".repeat(1_000)));
    }
}
