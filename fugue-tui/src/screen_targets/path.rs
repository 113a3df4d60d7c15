//! Paths of files in the text of a screen: `src/main.rs:10:5`, `/etc/hosts`, `~/notes`. What is a path is guessed from
//! its look alone; files are not touched.

use std::ops::Range;

use fugue_screen::LinkSchemes;

use super::{ScreenTarget, ShownChar, is_separator, until};

/// The longest ending of a file's name, as in `index.template`.
const LONGEST_ENDING: usize = 8;

/// A path, with the line and column that it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathTarget {
    pub(crate) path: String,
    pub(crate) line: Option<u32>,
    pub(crate) col: Option<u32>,
}

impl std::fmt::Display for PathTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path)?;
        for number in [self.line, self.col].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}

/// Finds the next path.
pub(super) fn next(
    line: &[ShownChar],
    mut from: usize,
    _schemes: &LinkSchemes,
) -> Option<(Range<usize>, ScreenTarget)> {
    let ends = |shown: &ShownChar| shown.used || is_separator(shown.c) || "()[]{},;=*".contains(shown.c);
    while from < line.len() {
        let word = until(line, from, ends);
        let text: String = word.iter().map(|shown| shown.c).collect();
        if let Some(target) = read(&text) {
            let length = target.to_string().chars().count();
            return Some((from..from + length, ScreenTarget::Path(target)));
        }
        // A path may follow a colon, as in `host:/etc/hosts` and `error:src/main.rs`.
        let colon = word.iter().position(|shown| shown.c == ':');
        from += colon.unwrap_or(word.len()) + 1;
    }
    None
}

/// Reads a word as a path with numbers after it. What follows them, as in the output of `grep -n`, is left out.
fn read(word: &str) -> Option<PathTarget> {
    let word = word.trim_end_matches(['.', ':', '!', '?', '$', '%', '#', '…']);
    let mut parts = word.split(':');
    let path = parts.next()?;
    let mut number = || parts.next().and_then(plain_number);
    let line = number();
    let col = line.and_then(|_| number());
    is_path(path, line.is_some()).then(|| PathTarget { path: path.to_owned(), line, col })
}

/// A number as it is printed: without signs and leading zeros, so that it is as long as it was in the text.
fn plain_number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

fn is_path(path: &str, numbered: bool) -> bool {
    let is_word = path.chars().any(char::is_alphabetic) && !path.starts_with('-') && !path.contains("//");
    let rooted =
        ["/", "./", "../", "~/"].iter().any(|start| path.len() > start.len() && path.starts_with(start));
    let slashes = path.matches('/').count();
    let named = has_ending(path.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
    is_word && (rooted || slashes > 0 && (named || slashes > 1 || numbered) || named && numbered)
}

/// Whether a file's name ends like `main.rs`, or is a hidden file's.
fn has_ending(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| {
        ending.len() <= LONGEST_ENDING
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen_targets::tests::targets;

    #[test]
    fn a_path_may_have_a_line_and_a_column() {
        let all = |word: &str| read(word).map(|target| (target.path, target.line, target.col));
        assert_eq!(all("src/main.rs:10:5"), Some(("src/main.rs".into(), Some(10), Some(5))));
        assert_eq!(all("main.rs:10:"), Some(("main.rs".into(), Some(10), None)));
        assert_eq!(all("a/b.c:7:int"), Some(("a/b.c".into(), Some(7), None)), "as grep -n prints it");
        assert_eq!(all("a/b.c:007"), Some(("a/b.c".into(), None, None)));
        assert_eq!(all("a/b.c:99999999999"), Some(("a/b.c".into(), None, None)));
    }

    #[test]
    fn words_with_a_slash_are_not_all_paths() {
        let is = |word: &str| read(word).is_some();
        for path in ["/etc/hosts", "./x", "../x/", "~/src", "docs/a.md", "a/b/c", "src/.env", "b.rs:3"] {
            assert!(is(path), "{path}");
        }
        for word in ["and/or", "1/2", "10/12/2024", "n/a", "//", "/", "b.rs", "12:30:15", "localhost:80"] {
            assert!(!is(word), "{word}");
        }
        for word in ["127.0.0.1:80", "--a/b.c", "https://a/b.c", "...", "a:1", ""] {
            assert!(!is(word), "{word}");
        }
    }

    #[test]
    fn a_path_may_follow_a_colon() {
        assert_eq!(targets("me@host:~/src# x"), ["~/src"]);
        assert_eq!(targets("error:src/a.rs:3: std::io"), ["src/a.rs:3"]);
        assert_eq!(targets("file:///etc/x at 12:30:15"), [] as [&str; 0]);
    }

    #[test]
    fn quotes_and_brackets_around_a_path_are_not_part_of_it() {
        let text = "(a/b.rs:1), \"c/d.py\"\n[x/y.go] --f=e/f.toml\n│g/h.i│";
        assert_eq!(targets(text), ["a/b.rs:1", "c/d.py", "x/y.go", "e/f.toml", "g/h.i"]);
    }
}
