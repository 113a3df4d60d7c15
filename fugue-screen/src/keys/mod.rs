//! Keys by name, and the bytes that a program gets for them.

mod names;
mod sequences;

pub use names::UnknownKey;

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: Code,
    /// The modifiers held down with it.
    pub mods: Mods,
}

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow right.
    Right,
    /// Arrow left.
    Left,
    /// Home.
    Home,
    /// End.
    End,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key, 1 to 24.
    F(u8),
}

/// The modifiers that are held down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mods {
    /// Shift.
    pub shift: bool,
    /// Alt, also called Meta.
    pub alt: bool,
    /// Control.
    pub ctrl: bool,
    /// The logo key.
    pub logo: bool,
}

impl Mods {
    /// The number that protocols use: 1 plus the bits.
    pub(crate) fn number(self) -> u8 {
        1 + u8::from(self.shift) + 2 * u8::from(self.alt) + 4 * u8::from(self.ctrl) + 8 * u8::from(self.logo)
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl Key {
    /// A key without modifiers.
    pub fn plain(code: Code) -> Self {
        Self { code, mods: Mods::default() }
    }
}

#[cfg(test)]
mod tests;
