//! How a filter finds rows of a list, and which of them come first. Every word of the filter must be found: at the start
//! of a row, at the start of one of its words, anywhere in it, or as letters that abbreviate it, in this order.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::list_row::ListRow;

/// What a pane's row counts for in the order of matches: a person who looks for an agent types its name.
const PANE_SCORE: u32 = 30;

/// How well a word of the filter fits, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchKind {
    /// Its letters are in the text in their order, and abbreviate it.
    Abbreviation,
    Substring,
    WordStart,
    Prefix,
}

/// How well a row fits: the worst fit of the filter's words, whether they are all in its text, and a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    fit: MatchKind,
    is_text: bool,
    score: u32,
}

/// A filter.
pub(super) struct ListFilter {
    words: Vec<(String, Pattern)>,
    matcher: Matcher,
}

impl ListFilter {
    pub(super) fn new(text: &str) -> Self {
        let word = |word: &str| {
            (word.to_lowercase(), Pattern::parse(word, CaseMatching::Smart, Normalization::Smart))
        };
        Self { words: text.split_whitespace().map(word).collect(), matcher: Matcher::new(Config::DEFAULT) }
    }

    /// How well a row fits, and the characters of its text that were found; none if it does not fit.
    pub(super) fn find(&mut self, row: &ListRow) -> Option<(Rank, Vec<u32>)> {
        let bonus = if row.pane.is_some() { PANE_SCORE } else { 0 };
        let mut rank = Rank { fit: MatchKind::Prefix, is_text: true, score: bonus };
        // What stands for an answer says nothing about a command.
        let details = row.detail.replace("{answer}", "");
        let details = format!("{details} {} {}", row.key, row.also).to_lowercase();
        let text = row.text.trim_start().to_lowercase();
        let (mut buffer, mut hits) = (Vec::new(), Vec::new());
        let haystack = Utf32Str::new(&row.text, &mut buffer);
        for (word, pattern) in &self.words {
            let mut letters = Vec::new();
            let score = pattern.indices(haystack, &mut self.matcher, &mut letters);
            let in_text = score.and_then(|score| {
                let fit = fit(&text, word).or_else(|| abbreviates(haystack, word, &mut letters))?;
                Some((fit, score))
            });
            // The letters of any word occur somewhere in a sentence: there the word must begin one.
            let in_details = fit(&details, word).filter(|fit| *fit >= MatchKind::WordStart);
            let (fit, is_text, score) = match (in_text, in_details) {
                (Some((fit, score)), details) if Some(fit) >= details => (fit, true, score),
                (_, Some(fit)) => (fit, false, 0),
                (Some((fit, score)), None) => (fit, true, score),
                (None, None) => return None,
            };
            if is_text {
                hits.append(&mut letters);
            }
            rank.fit = rank.fit.min(fit);
            rank.is_text &= is_text;
            rank.score += score;
        }
        Some((rank, hits))
    }
}

/// How a word occurs in a text as it is, if it does.
fn fit(text: &str, word: &str) -> Option<MatchKind> {
    let mut found = text.match_indices(word).map(|(at, _)| at).peekable();
    let first = *found.peek()?;
    let starts_word = |at: usize| !text[..at].ends_with(is_inside_word);
    Some(match first {
        0 => MatchKind::Prefix,
        _ if found.any(starts_word) => MatchKind::WordStart,
        _ => MatchKind::Substring,
    })
}

/// Whether a character before another one means that both are in the same word.
fn is_inside_word(before: char) -> bool {
    before.is_alphanumeric() || before == '\''
}

/// Whether a word abbreviates a text: it consists of the first letters of its first words, or its letters begin at a word
/// and lie close together. Letters that are scattered over a sentence are in too many of them.
fn abbreviates(text: Utf32Str<'_>, word: &str, letters: &mut Vec<u32>) -> Option<MatchKind> {
    let starts_word = |at: u32| {
        let before = at.checked_sub(1).map(|before| text.get(before));
        text.get(at).is_alphanumeric() && !before.is_some_and(is_inside_word)
    };
    let first_words = (0..text.len() as u32).filter(|at| starts_word(*at)).take(word.chars().count());
    let initials: Vec<u32> = first_words.collect();
    if initials.iter().flat_map(|at| text.get(*at).to_lowercase()).eq(word.chars()) {
        *letters = initials;
        return Some(MatchKind::Abbreviation);
    }
    letters.sort_unstable();
    let (first, last) = (letters.first()?, letters.last()?);
    let is_close = (last - first) as usize <= letters.len() * 2;
    (starts_word(*first) && is_close).then_some(MatchKind::Abbreviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(filter: &str, text: &str, detail: &str) -> Option<(MatchKind, bool)> {
        let row = ListRow { text: text.into(), detail: detail.into(), ..ListRow::default() };
        ListFilter::new(filter).find(&row).map(|(rank, _)| (rank.fit, rank.is_text))
    }

    #[test]
    fn a_word_at_the_start_is_better_than_one_inside_and_that_than_letters() {
        let text = |filter: &str| rank(filter, "Swap with previous pane", "");
        assert_eq!(text("swap"), Some((MatchKind::Prefix, true)));
        assert_eq!(text("prev"), Some((MatchKind::WordStart, true)));
        assert_eq!(text("evious"), Some((MatchKind::Substring, true)));
        assert_eq!(text("prvs"), Some((MatchKind::Abbreviation, true)));
        assert_eq!(text("swpp"), Some((MatchKind::Abbreviation, true)), "its initials");
        assert_eq!(text("swap evi"), Some((MatchKind::Substring, true)), "the worst of the words counts");
        assert_eq!(
            rank("swap-panes", "Swap with previous pane", "swap-panes"),
            Some((MatchKind::Prefix, false))
        );
    }

    #[test]
    fn letters_that_are_scattered_over_a_text_do_not_find_it() {
        for filter in ["swane", "ithne", "spae", "wpe"] {
            assert_eq!(rank(filter, "Swap with previous pane", ""), None, "{filter}");
        }
        assert_eq!(rank("strm", "zoom", "Stream what happens"), None, "letters of a sentence are not a word");
        assert_eq!(
            rank("sw", "Rename", "ask 'rename {answer}'"),
            None,
            "the inside of a word of the command"
        );
        assert_eq!(rank("sw", "Dismiss the daemon's warnings", ""), None);
    }
}
