//! Modes that a program can set. Tables give each its number; a new mode is a new row.

use serde::Serialize;

/// A mode that is on or off, as its bit in [`Modes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModeFlag {
    ApplicationCursor,
    Columns132,
    ReverseVideo,
    Origin,
    Autowrap,
    CursorBlink,
    CursorVisible,
    AllowColumns132,
    ReverseWrap,
    ExtendedReverseWrap,
    MoreFix,
    ApplicationKeypad,
    BackarrowSendsBackspace,
    LeftRightMargins,
    SmoothScroll,
    PrintFormFeed,
    PrintExtent,
    FocusEvents,
    AlternateScroll,
    BracketedPaste,
    Synchronized,
    Graphemes,
    ColorSchemeReports,
    Insert,
    NewLine,
    KeyboardLocked,
    NoEcho,
    ResizeReports,
    NationalCharsets,
    /// DECANM, inverted.
    Vt52,
}

/// Private modes (`CSI ? n h`).
pub(crate) const PRIVATE: &[(u16, ModeFlag)] = &[
    (1, ModeFlag::ApplicationCursor),
    (3, ModeFlag::Columns132),
    (4, ModeFlag::SmoothScroll),
    (5, ModeFlag::ReverseVideo),
    (6, ModeFlag::Origin),
    (7, ModeFlag::Autowrap),
    (12, ModeFlag::CursorBlink),
    (18, ModeFlag::PrintFormFeed),
    (19, ModeFlag::PrintExtent),
    (25, ModeFlag::CursorVisible),
    (40, ModeFlag::AllowColumns132),
    (41, ModeFlag::MoreFix),
    (42, ModeFlag::NationalCharsets),
    (45, ModeFlag::ReverseWrap),
    (66, ModeFlag::ApplicationKeypad),
    (67, ModeFlag::BackarrowSendsBackspace),
    (69, ModeFlag::LeftRightMargins),
    (1004, ModeFlag::FocusEvents),
    (1007, ModeFlag::AlternateScroll),
    (1045, ModeFlag::ExtendedReverseWrap),
    (2004, ModeFlag::BracketedPaste),
    (2026, ModeFlag::Synchronized),
    (2027, ModeFlag::Graphemes),
    (2031, ModeFlag::ColorSchemeReports),
    (2048, ModeFlag::ResizeReports),
];

/// ANSI modes (`CSI n h`).
pub(crate) const ANSI: &[(u16, ModeFlag)] =
    &[(2, ModeFlag::KeyboardLocked), (4, ModeFlag::Insert), (12, ModeFlag::NoEcho), (20, ModeFlag::NewLine)];

/// Which mouse events a program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mouse {
    /// None.
    #[default]
    Off,
    /// Presses only (mode 9).
    Press,
    /// Presses and releases (mode 1000).
    Buttons,
    /// Also movement with a button held (mode 1002).
    Drag,
    /// All movement (mode 1003).
    Motion,
}

/// The encoding of mouse events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MouseEncoding {
    /// One byte for each number, up to column 223.
    #[default]
    Bytes,
    /// The same in UTF-8 (mode 1005).
    Utf8,
    /// Decimal numbers (mode 1006), which nearly all programs ask for.
    Sgr,
    /// Decimal numbers in the rxvt form (mode 1015).
    Urxvt,
    /// Like SGR with pixels as positions (mode 1016); cells count as 8 by 16.
    SgrPixels,
}

/// The modes of a screen that matter to those that show it or type into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modes {
    pub(crate) flags: u64,
    pub(crate) mouse: Mouse,
    pub(crate) encoding: MouseEncoding,
    pub(crate) kitty: u8,
    pub(crate) modify_other_keys: u8,
}

impl Default for Modes {
    fn default() -> Self {
        let mut modes = Self {
            flags: 0,
            mouse: Mouse::Off,
            encoding: MouseEncoding::Bytes,
            kitty: 0,
            modify_other_keys: 0,
        };
        for on in
            [ModeFlag::Autowrap, ModeFlag::CursorVisible, ModeFlag::AlternateScroll, ModeFlag::Graphemes]
        {
            modes.set(on, true);
        }
        modes
    }
}

impl Modes {
    #[inline]
    pub(crate) fn has(&self, flag: ModeFlag) -> bool {
        self.flags & 1 << flag as u64 != 0
    }

    pub(crate) fn set(&mut self, flag: ModeFlag, on: bool) {
        match on {
            true => self.flags |= 1 << flag as u64,
            false => self.flags &= !(1 << flag as u64),
        }
    }

    /// Whether arrow keys are sent as `ESC O A` rather than `ESC [ A`.
    pub fn application_cursor(&self) -> bool {
        self.has(ModeFlag::ApplicationCursor)
    }

    /// Whether the keypad sends sequences rather than digits.
    pub fn application_keypad(&self) -> bool {
        self.has(ModeFlag::ApplicationKeypad)
    }

    /// Whether pasted text is put between brackets.
    pub fn bracketed_paste(&self) -> bool {
        self.has(ModeFlag::BracketedPaste)
    }

    /// Whether the program wants to know when its pane gains or loses the focus.
    pub fn focus_events(&self) -> bool {
        self.has(ModeFlag::FocusEvents)
    }

    /// Whether the mouse wheel sends arrow keys on the alternate screen.
    pub fn alternate_scroll(&self) -> bool {
        self.has(ModeFlag::AlternateScroll)
    }

    /// Whether the cursor is shown.
    pub fn cursor_visible(&self) -> bool {
        self.has(ModeFlag::CursorVisible)
    }

    /// Whether keys are sent as a VT52 sends them.
    pub fn vt52(&self) -> bool {
        self.has(ModeFlag::Vt52)
    }

    /// Whether foreground and background are exchanged on the whole screen.
    pub fn reverse_video(&self) -> bool {
        self.has(ModeFlag::ReverseVideo)
    }

    /// Whether a synchronized update is open, so that the screen may be half drawn.
    pub fn synchronized(&self) -> bool {
        self.has(ModeFlag::Synchronized)
    }

    /// Which mouse events the program asked for.
    pub fn mouse(&self) -> Mouse {
        self.mouse
    }

    /// The encoding the program wants for them.
    pub fn mouse_encoding(&self) -> MouseEncoding {
        self.encoding
    }

    /// The kitty keyboard flags in effect; 0 is the legacy encoding.
    pub fn kitty_keyboard(&self) -> u8 {
        self.kitty
    }

    /// xterm's `modifyOtherKeys` level.
    pub fn modify_other_keys(&self) -> u8 {
        self.modify_other_keys
    }
}
