//! Mouse events, and the bytes that a program gets for them.

use crate::keys::Mods;
use crate::modes::{Modes, Mouse, MouseEncoding};

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A button went down.
    Press(Button),
    /// A button went up.
    Release(Button),
    /// The mouse moved, with a button held or none.
    Move(Option<Button>),
}

/// A mouse button. The wheel has no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// Left.
    Left,
    /// Middle.
    Middle,
    /// Right.
    Right,
    /// Wheel, away from the user.
    WheelUp,
    /// Wheel, towards the user.
    WheelDown,
    /// Wheel to the left.
    WheelLeft,
    /// Wheel to the right.
    WheelRight,
}

/// A mouse event at a cell. Rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MouseEvent {
    /// What the mouse did.
    pub action: Action,
    /// Column.
    pub col: u16,
    /// Row.
    pub row: u16,
    /// The modifiers held down.
    pub mods: Mods,
}

impl Button {
    fn code(self) -> u16 {
        match self {
            Self::Left => 0,
            Self::Middle => 1,
            Self::Right => 2,
            Self::WheelUp => 64,
            Self::WheelDown => 65,
            Self::WheelLeft => 66,
            Self::WheelRight => 67,
        }
    }
}

impl MouseEvent {
    /// Returns the bytes that the program gets; none if it did not ask for such events.
    pub fn encode(&self, modes: &Modes) -> Vec<u8> {
        if !self.is_wanted(modes.mouse()) {
            return Vec::new();
        }
        let (x, y) = (self.col + 1, self.row + 1);
        match modes.mouse_encoding() {
            MouseEncoding::Sgr => self.sgr(x, y),
            MouseEncoding::SgrPixels => self.sgr(8 * self.col + 4, 16 * self.row + 8),
            MouseEncoding::Urxvt => format!("\x1b[{};{x};{y}M", 32 + self.code(false, modes)).into_bytes(),
            MouseEncoding::Utf8 => self.legacy(x.min(2015), y.min(2015), modes).into_bytes(),
            MouseEncoding::Bytes if x > 223 || y > 223 => Vec::new(),
            MouseEncoding::Bytes => self.legacy(x, y, modes).chars().map(|c| c as u32 as u8).collect(),
        }
    }

    fn is_wanted(&self, mouse: Mouse) -> bool {
        match (mouse, self.action) {
            (Mouse::Off, _) => false,
            (_, Action::Press(_)) => true,
            (Mouse::Press, _) => false,
            (_, Action::Release(button)) => button.code() < 64,
            (Mouse::Motion, Action::Move(_)) => true,
            (Mouse::Drag, Action::Move(held)) => held.is_some(),
            (Mouse::Buttons, Action::Move(_)) => false,
        }
    }

    fn code(&self, keeps_button: bool, modes: &Modes) -> u16 {
        let button = match self.action {
            Action::Press(button) => button.code(),
            Action::Release(button) if keeps_button => button.code(),
            Action::Release(_) => 3,
            Action::Move(held) => 32 + held.map_or(3, Button::code),
        };
        let Mods { shift, alt, ctrl, .. } = self.mods;
        match modes.mouse() {
            Mouse::Press => button,
            _ => button + 4 * u16::from(shift) + 8 * u16::from(alt) + 16 * u16::from(ctrl),
        }
    }

    fn sgr(&self, x: u16, y: u16) -> Vec<u8> {
        let last = if matches!(self.action, Action::Release(_)) { 'm' } else { 'M' };
        format!("\x1b[<{};{x};{y}{last}", self.code(true, &Modes::default())).into_bytes()
    }

    fn legacy(&self, x: u16, y: u16, modes: &Modes) -> String {
        let mut out = String::from("\x1b[M");
        for n in [self.code(false, modes), x, y] {
            out.push(char::from_u32(32 + u32::from(n)).unwrap_or(' '));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Screen, Size};

    fn seen(setup: &str, action: Action) -> String {
        let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
        screen.feed(setup.as_bytes());
        let event = MouseEvent { action, col: 4, row: 1, mods: Mods { ctrl: true, ..Mods::default() } };
        String::from_utf8_lossy(&event.encode(screen.modes())).into_owned()
    }

    #[test]
    fn a_program_gets_only_the_mouse_events_it_asked_for() {
        let (press, drag) = (Action::Press(Button::Left), Action::Move(Some(Button::Left)));
        assert_eq!(seen("", press), "");
        assert_eq!(seen("\x1b[?9h", press), "\x1b[M %\"");
        assert_eq!(seen("\x1b[?1000h", press), "\x1b[M0%\"");
        assert_eq!(seen("\x1b[?1000;1006h", drag), "");
        assert_eq!(seen("\x1b[?1002;1006h", drag), "\x1b[<48;5;2M");
        assert_eq!(seen("\x1b[?1002;1006h", Action::Move(None)), "");
        assert_eq!(seen("\x1b[?1003;1006h", Action::Move(None)), "\x1b[<51;5;2M");
        assert_eq!(seen("\x1b[?1000;1006h", Action::Release(Button::Right)), "\x1b[<18;5;2m");
        assert_eq!(seen("\x1b[?1000;1015h", Action::Press(Button::WheelUp)), "\x1b[112;5;2M");
    }
}
