//! How many columns a character takes, and whether it joins the one before.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) const JOINER: char = '\u{200d}';

/// Columns of a single code point: 0, 1 or 2.
#[inline]
pub(crate) fn of_char(c: char) -> usize {
    match c as u32 {
        0..=0x2ff => 1,
        // The bulk of CJK text, without a table.
        0x3041..=0x3096 | 0x309b..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7a3 => 2,
        _ => c.width().unwrap_or(0).min(2),
    }
}

/// Columns of a code point that stands for itself whatever comes before; 0 if it may not.
#[inline]
pub(crate) fn of_lone(c: char) -> usize {
    match c as u32 {
        0x4e00..=0x9fff | 0x20..=0x7e => 1 + usize::from(c as u32 > 0x7e),
        0xa0..=0x2ff | 0x370..=0x482 | 0x2500..=0x25fc => 1,
        0x3041..=0x3096 | 0x309b..=0x30ff | 0x3400..=0x4dbf | 0xac00..=0xd7a3 => 2,
        0..=0x9f => 0,
        _ if may_join(c) => 0,
        _ => c.width().unwrap_or(0).min(2),
    }
}

/// Columns of a cluster.
pub(crate) fn of_cluster(text: &str) -> usize {
    text.width().clamp(1, 2)
}

/// Whether a code point of non-zero width can belong to the cluster before it. Most cannot, and are told apart quickly.
#[inline]
pub(crate) fn may_join(c: char) -> bool {
    match c as u32 {
        0..=0x8ff | 0xe80..=0xeaf | 0x1e00..=0x1fff | 0x2010..=0x20ff => false,
        0x2100..=0xa7ff | 0xac00..=0xfaff => false,
        0xff00..=0xffff | 0x20000..=0x3ffff => false,
        // Emoji join after a joiner, which the caller looks for; skin tones and the letters of flags by themselves.
        0x1f000..=0x1faff => matches!(c, '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}'),
        _ => true,
    }
}

/// Whether `c` continues the cluster that `before` is.
pub(crate) fn joins(before: &str, c: char) -> bool {
    let mut both = String::with_capacity(before.len() + 4);
    both.push_str(before);
    both.push(c);
    let mut clusters = both.graphemes(true);
    clusters.next_back().is_some_and(|last| last.len() > c.len_utf8())
}
