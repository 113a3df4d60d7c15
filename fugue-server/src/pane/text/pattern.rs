//! Regular expressions of callers. Matching takes time in proportion to the size of the compiled pattern and of the text,
//! on the thread that everyone shares, so both are limited, and so is the time.

use std::ops::Range;
use std::time::Duration;

use fugue_protocol::Refusal;
use fugue_protocol::refusal::ArgumentProblem;
use regex::{Regex, RegexBuilder};
use rustix::time::{ClockId, clock_gettime};

/// The most memory that a compiled pattern may take. `(?i)\w+@\w+\.\w+|error|warning` takes about 200 KiB, most of it for
/// the letters of all languages.
const MAX_BYTES: usize = 512 << 10;

/// The size that every pattern is at least assumed to have: that of a single word.
const MIN_BYTES: usize = 1 << 10;

/// The product of the sizes of a pattern and of the text that it is matched against at once: a quarter of a second at
/// worst.
const MAX_PRODUCT: usize = 1 << 31;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) regex: Regex,
    /// The longest text that is searched as a whole.
    whole_bytes: usize,
}

impl Pattern {
    /// Compiles a regular expression, or refuses the argument of this name.
    pub(crate) fn compile(what: &'static str, text: &str) -> Result<Self, Refusal> {
        let sizes = std::iter::successors(Some(MIN_BYTES), |size| Some(2 * size));
        let mut sizes = sizes.take_while(|size| *size < MAX_BYTES);
        let build = |size| RegexBuilder::new(text).size_limit(size).build();
        if let Some((size, regex)) = sizes.find_map(|size| Some((size, build(size).ok()?))) {
            return Ok(Self { regex, whole_bytes: MAX_PRODUCT / size });
        }
        let regex = build(MAX_BYTES).map_err(|why| Refusal::argument(what, problem(&why)))?;
        Ok(Self { regex, whole_bytes: MAX_PRODUCT / MAX_BYTES })
    }

    /// Returns the matches in a text, in order.
    pub(crate) fn ranges<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        self.ranges_from(text, 0)
    }

    /// Returns the matches in a text that begin here or later. What is before still counts as context.
    pub(crate) fn ranges_from<'a>(
        &'a self,
        text: &'a str,
        from: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut end = None;
        let in_piece = move |piece: Range<usize>| self.ranges_in(text, piece, from);
        // What is in two pieces is found twice.
        self.pieces(text).filter(move |piece| piece.end >= from).flat_map(in_piece).filter(move |found| {
            let is_new = end.is_none_or(|end| found.start >= end);
            end = if is_new { Some(found.end.max(found.start + 1)) } else { end };
            is_new
        })
    }

    /// Returns the matches in a piece of a text that begin at `from` or later. The text before it is looked at for `^` and `\b`; a match that ends with the
    /// piece, which may be the doing of `$` or `\b`, is left to the next piece.
    fn ranges_in<'a>(
        &'a self,
        text: &'a str,
        piece: Range<usize>,
        from: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let (mut at, mut last) = (Some(piece.start.max(from)), None);
        let next = move || {
            loop {
                let found = self.regex.find_at(&text[..piece.end], at?)?.range();
                let after = || (found.end < piece.end).then(|| text.ceil_char_boundary(found.end + 1));
                at = if found.is_empty() { after() } else { Some(found.end) };
                // After a match there is no empty one, as in any search.
                if !found.is_empty() || last.replace(found.end) != Some(found.start) {
                    last = Some(found.end);
                    return Some(found);
                }
            }
        };
        std::iter::from_fn(next).filter(move |found| found.end < piece.end || piece.end == text.len())
    }

    /// Divides a text that is too long to be searched as a whole. The pieces overlap, so that a match is missed only if it
    /// is longer than half a piece.
    fn pieces<'a>(&self, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let (whole, mut start) = (self.whole_bytes, Some(0));
        std::iter::from_fn(move || {
            let begin = start?;
            let end = text.ceil_char_boundary(begin + whole);
            start = (end < text.len()).then(|| text.floor_char_boundary(end - whole / 2));
            Some(begin..end)
        })
    }
}

fn problem(why: &regex::Error) -> ArgumentProblem {
    match why {
        regex::Error::CompiledTooBig(_) => ArgumentProblem::PatternTooComplex,
        why => ArgumentProblem::InvalidPattern { why: last_line(&why.to_string()) },
    }
}

/// Returns an error message without the drawing that points at the error.
fn last_line(why: &str) -> String {
    let last = why.lines().last().unwrap_or(why).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// A timer of the CPU time of this thread: a busy machine does not use up anyone's time.
pub(crate) struct CpuTimer(Duration);

impl CpuTimer {
    pub(crate) fn start() -> Self {
        Self(cpu_time())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        cpu_time().saturating_sub(self.0)
    }
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// A pattern that takes microseconds for each character of a text, and such a text.
#[cfg(test)]
pub(crate) mod slow_pattern {
    pub(crate) const SLOW: &str = "(?:[a-h]?[a-p]{1,100}){1,10}[0-9]";

    /// Lines of letters in no order, so that what the matcher learned in one part is of no use in the next.
    pub(crate) fn lines() -> impl Iterator<Item = String> {
        let mut state = 1_u32;
        let mut letter = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'a' + (state >> 28) as u8)
        };
        std::iter::repeat_with(move || (0..75).map(|_| letter()).chain(['\r', '\n']).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Option<String> {
        Pattern::compile("grep", text).err().map(|refusal| refusal.to_string())
    }

    #[test]
    fn ordinary_patterns_are_accepted_and_those_that_explode_are_refused() {
        let ordinary = [
            r"(?i)\w+@\w+\.\w+|error|warning",
            r"^\s*(?:error|warning)(?:\[\w+\])?: .*$",
            r"(?:\d{1,3}\.){3}\d{1,3}",
            r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}",
            r".{0,80}foo.{0,80}",
        ];
        ordinary.iter().for_each(|text| assert_eq!(refusal(text), None, "{text}"));
        for text in [r"(?:[a-h]?[a-p]{1,300}){1,30}[0-9]", r"\w{60}x"] {
            let refusal = refusal(text).expect("a refusal");
            assert!(refusal.contains("pattern too complex"), "{refusal}");
        }
        assert!(refusal("(").expect("a refusal").contains("unclosed group"));
    }

    #[test]
    fn a_long_text_is_searched_in_pieces_that_overlap() {
        let pattern = Pattern { regex: Regex::new("x").expect("a pattern"), whole_bytes: 4 };
        let pieces = |text: &'static str| pattern.pieces(text).map(|piece| &text[piece]).collect::<Vec<_>>();
        assert_eq!(pieces("abcd"), ["abcd"]);
        assert_eq!(pieces("abcdefgh"), ["abcd", "cdef", "efgh"]);
        assert_eq!(pieces(""), [""]);
        assert_eq!(pieces("aäöüb"), ["aäö", "öü", "üb"]);
        assert_eq!(pattern.ranges("x23x5xx8").collect::<Vec<_>>(), [0..1, 3..4, 5..6, 6..7]);
        assert_eq!(pattern.ranges_from("x23x5xx8", 4).collect::<Vec<_>>(), [5..6, 6..7]);
    }

    #[test]
    fn a_search_that_begins_later_still_sees_what_is_before() {
        let pattern = |text| Pattern { regex: Regex::new(text).expect("a pattern"), whole_bytes: 100 };
        let from = |text, at| -> Vec<_> {
            pattern(text).ranges_from("aäb aäb", at).map(|found| (found.start, found.end)).collect()
        };
        assert!(from("^a", 5).is_empty(), "not the beginning of the text");
        assert_eq!(from("a", 1), [(5, 6)]);
        assert_eq!(from("x*", 5), [(5, 5), (6, 6), (8, 8), (9, 9)]);
        assert_eq!(from("$", 5), [(9, 9)]);
    }

    #[test]
    fn the_ends_of_lines_and_words_are_those_of_the_text_and_not_of_its_pieces() {
        let pattern = |text: &str| Pattern { regex: Regex::new(text).expect("a pattern"), whole_bytes: 8 };
        let text = "one two three four five six aa";
        for wanted in ["^.", ".$", r"\b\w", r"\w\b", r"\bt\w+", "e", "a*", r"\B\w\B"] {
            let pattern = pattern(wanted);
            let whole: Vec<_> = pattern.regex.find_iter(text).map(|found| found.range()).collect();
            assert_eq!(pattern.ranges(text).collect::<Vec<_>>(), whole, "{wanted}");
        }
    }
}
