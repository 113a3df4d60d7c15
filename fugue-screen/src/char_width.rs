//! The width of characters in columns, and which code points join the character before them.
//!
//! Marks without a width join. Among code points with a width only emoji join: skin tones, flags, and what follows a
//! joiner. Marks of Indic scripts that take a column keep a column of their own, as every program counts them.

use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) const JOINER: char = '\u{200d}';

/// The columns of a single code point: 0, 1 or 2.
#[inline]
pub(crate) fn of_char(c: char) -> usize {
    match c as u32 {
        0..=0x2ff => 1,
        // The bulk of CJK text, without a table lookup.
        0x3041..=0x3096 | 0x309b..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7a3 => 2,
        _ => c.width().unwrap_or(0).min(2),
    }
}

/// The columns of code points that stand alone unless the text before them ends in a joiner; 0 for those that may join.
pub(crate) struct LoneWidths(&'static [u8]);

/// One byte per code point up to the emoji, computed on first use and shared by all panes.
static LONE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let width = |code| char::from_u32(code).map_or(0, |c| lone_width(c) as u8);
    (0..0x20000).map(width).collect()
});

fn lone_width(c: char) -> usize {
    match c as u32 {
        0..0x20 | 0x7f..=0x9f => 0,
        _ if is_emoji_part(c) => 0,
        _ => of_char(c),
    }
}

impl LoneWidths {
    pub(crate) fn new() -> Self {
        Self(&LONE)
    }

    #[inline]
    pub(crate) fn of(&self, c: char) -> usize {
        self.of_code(c as u32)
    }

    /// The same by the number of a code point. Invalid numbers have no width.
    #[inline]
    pub(crate) fn of_code(&self, code: u32) -> usize {
        match self.0.get(code as usize) {
            Some(&width) => usize::from(width),
            None => char::from_u32(code).map_or(0, lone_width),
        }
    }
}

/// The columns of a cluster.
pub(crate) fn of_cluster(text: &str) -> usize {
    text.width().clamp(1, 2)
}

/// Whether a code point is a letter of a flag or a skin tone.
#[inline]
pub(crate) fn is_emoji_part(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether `c` belongs to the character `before`.
pub(crate) fn joins(before: &str, c: char) -> bool {
    let emoji = matches!(c as u32, 0x2190..=0x32ff | 0x1f000..) && before.ends_with(JOINER);
    if !(emoji || is_emoji_part(c) || of_char(c) == 0) {
        return false;
    }
    let mut both = String::with_capacity(before.len() + 4);
    both.push_str(before);
    both.push(c);
    both.graphemes(true).next_back().is_some_and(|last| last.len() > c.len_utf8())
}

/// Splits text into what was printed as one character each. Without `by_rules` only marks join.
pub(crate) fn clusters(text: &str, by_rules: bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let mut end = first.len_utf8();
        while let Some(next) = rest[end..].chars().next() {
            let joined = if by_rules { joins(&rest[..end], next) } else { of_char(next) == 0 };
            if !joined {
                break;
            }
            end += next.len_utf8();
        }
        let (cluster, after) = rest.split_at(end);
        rest = after;
        Some(cluster)
    })
}

/// Whether the next code point may belong to this text.
pub(crate) fn ends_in_joiner(text: &str) -> bool {
    text.ends_with(JOINER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_take_the_columns_that_programs_expect() {
        let rows = [
            ("a", 1),
            ("é", 1),
            ("e\u{301}", 1),
            ("漢", 2),
            ("한", 2),
            ("한", 2),
            ("😀", 2),
            ("👍🏽", 2),
            ("👩\u{200d}👩\u{200d}👧", 2),
            ("🇩🇪", 2),
            ("❤", 1),
            ("❤\u{fe0f}", 2),
            ("─", 1),
        ];
        for (text, columns) in rows {
            assert_eq!(clusters(text, true).collect::<Vec<_>>(), [text], "{text}");
            assert_eq!(of_cluster(text), columns, "{text}");
        }
    }

    #[test]
    fn separate_characters_are_not_joined() {
        for (text, parts) in [("🇩🇪🇫🇷", 2), ("हिन्दी", 5), ("ab", 2), ("漢\u{200d}字", 2), ("👍👍🏽", 2)]
        {
            assert_eq!(clusters(text, true).count(), parts, "{text}");
        }
        assert_eq!(clusters("👍🏽", false).count(), 2);
    }
}
