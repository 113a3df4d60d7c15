//! Character sets from before Unicode: four slots, of which one is in use. A set is a row in the table.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    /// DEC line drawing.
    Drawing,
    British,
    /// The upper half of Latin-1, a set of 96 characters.
    Latin1,
    /// DEC's supplemental set, from which Latin-1 was made.
    Supplemental,
    Dutch,
    Finnish,
    French,
    FrenchCanadian,
    German,
    Italian,
    Norwegian,
    Portuguese,
    Spanish,
    Swedish,
    Swiss,
}

use Charset::*;

/// The characters that `_` to `~` stand for in the line drawing set.
const DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

/// The characters in which national sets differ from ASCII.
const NATIONAL: &str = "#@[\\]^_`{|}~";

/// Each set: the names that programs use for it, the usual one first, and its characters at the national positions.
const SETS: [(Charset, &[&str], &str); 16] = [
    (Ascii, &["B"], NATIONAL),
    (Drawing, &["0", "2"], NATIONAL),
    (British, &["A"], "£@[\\]^_`{|}~"),
    (Latin1, &["A"], NATIONAL),
    (Supplemental, &["%5", "<"], NATIONAL),
    (Dutch, &["4"], "£¾ĳ½|^_`¨ƒ¼´"),
    (Finnish, &["C", "5"], "#@ÄÖÅÜ_éäöåü"),
    (French, &["R", "f"], "£à°ç§^_`éùè¨"),
    (FrenchCanadian, &["Q", "9"], "#àâçêî_ôéùèû"),
    (German, &["K"], "#§ÄÖÜ^_`äöüß"),
    (Italian, &["Y"], "£§°çé^_ùàòèì"),
    (Norwegian, &["E", "6", "`"], "#ÄÆØÅÜ_äæøåü"),
    (Portuguese, &["%6"], "#@ÃÇÕ^_`ãçõ~"),
    (Spanish, &["Z"], "£§¡Ñ¿^_`°ñç~"),
    (Swedish, &["H", "7"], "#ÉÄÖÅÜ_éäöåü"),
    (Swiss, &["="], "ùàéçêîèôäöüû"),
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charsets {
    pub sets: [Charset; 4],
    pub current: usize,
    /// The slot for the next character only (SS2, SS3).
    pub single: Option<usize>,
}

impl Charset {
    /// Returns the set that a designation of 94 or 96 characters names, or ASCII if it is unknown.
    pub(crate) fn named(name: &str, of_96: bool) -> Self {
        let found = SETS.iter().find(|(set, names, _)| (*set == Latin1) == of_96 && names.contains(&name));
        found.map_or(Ascii, |(set, ..)| *set)
    }

    pub(crate) fn name(self) -> &'static str {
        SETS[self as usize].1[0]
    }

    pub(crate) fn is_of_96(self) -> bool {
        self == Latin1
    }

    /// Whether the set is available only in the mode for national sets (DECNRCM).
    pub(crate) fn is_national(self) -> bool {
        self as usize >= Dutch as usize
    }

    pub(crate) fn from_number(number: usize) -> Self {
        SETS.get(number).map_or(Ascii, |(set, ..)| *set)
    }

    pub(crate) fn map(self, byte: u8) -> char {
        match (self, byte) {
            (Drawing, 0x5f..=0x7e) => DRAWING[usize::from(byte - 0x5f)],
            (Supplemental, b'(') => '¤',
            (Supplemental, b'W') => 'Œ',
            (Supplemental, b']') => 'Ÿ',
            (Supplemental, b'w') => 'œ',
            (Supplemental, b'}') => 'ÿ',
            (Latin1, _) | (Supplemental, 0x21..) => char::from(byte | 0x80),
            _ => self.national(byte),
        }
    }

    fn national(self, byte: u8) -> char {
        let place = NATIONAL.bytes().position(|place| place == byte);
        place.and_then(|at| SETS[self as usize].2.chars().nth(at)).unwrap_or(char::from(byte))
    }
}

impl Charsets {
    /// Whether ASCII stands for itself.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.single.is_none() && self.sets[self.current] == Ascii
    }

    pub(crate) fn map(&mut self, byte: u8) -> char {
        let set = self.single.take().unwrap_or(self.current);
        self.sets[set].map(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_in_the_row_of_its_number_and_found_by_its_names() {
        for (number, (set, names, letters)) in SETS.iter().enumerate() {
            assert_eq!((*set as usize, letters.chars().count()), (number, NATIONAL.len()), "{set:?}");
            names.iter().for_each(|name| assert_eq!(Charset::named(name, set.is_of_96()), *set));
        }
    }
}
