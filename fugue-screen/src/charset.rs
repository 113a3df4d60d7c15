//! The old way to letters beyond ASCII: four sets, of which one is in use.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    /// Line drawing.
    Drawing,
    British,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Charsets {
    pub sets: [Charset; 4],
    pub current: usize,
    /// For one character only (SS2, SS3).
    pub single: Option<usize>,
}

/// What `_` to `~` are in the line drawing set.
const DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

impl Charset {
    pub fn from_final(byte: u8) -> Charset {
        match byte {
            b'0' | b'2' => Charset::Drawing,
            b'A' => Charset::British,
            _ => Charset::Ascii,
        }
    }

    pub fn map(self, byte: u8) -> char {
        match (self, byte) {
            (Charset::Drawing, 0x5f..=0x7e) => DRAWING[usize::from(byte - 0x5f)],
            (Charset::British, b'#') => '£',
            _ => char::from(byte),
        }
    }
}

impl Charsets {
    /// ASCII means itself.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.single.is_none() && self.sets[self.current] == Charset::Ascii
    }

    pub fn map(&mut self, byte: u8) -> char {
        let set = self.single.take().unwrap_or(self.current);
        self.sets[set].map(byte)
    }
}
