//! The bytes of a key. There are three encodings, newest first: the kitty protocol, xterm's modifyOtherKeys, the legacy
//! codes.

use super::{Code, Key, Mods};
use crate::modes::{ModeFlag, Modes};

/// Kitty flags that affect a key press.
const DISAMBIGUATE: u8 = 1;
const ALTERNATES: u8 = 4;
const ALL_KEYS: u8 = 8;
const TEXT: u8 = 16;

impl Key {
    /// Returns the bytes that a program gets for this key in its modes.
    pub fn encode(&self, modes: &Modes) -> Vec<u8> {
        self.text(modes).into_bytes()
    }

    /// Returns the bytes for a key that the terminal sent as an escape and a character. Nobody knows whether that was Meta
    /// or the escape key and then the character, so a program that reads both gets what came.
    pub fn encode_escaped(&self, modes: &Modes) -> Vec<u8> {
        match self.mods.alt && modes.kitty == 0 && self.function().is_none() {
            true => self.legacy(modes).into_bytes(),
            false => self.encode(modes),
        }
    }

    fn text(&self, modes: &Modes) -> String {
        if let Some((number, last)) = self.function() {
            return self.function_key(number, last, modes);
        }
        if self.needs_kitty(modes.kitty) {
            return self.kitty(modes.kitty);
        }
        if self.needs_modify_other_keys(modes.modify_other_keys) {
            return format!("\x1b[27;{};{}~", self.mods.number(), self.code_point() as u32);
        }
        self.legacy(modes)
    }

    /// The number and last byte of the sequence of a function or cursor key.
    fn function(&self) -> Option<(u8, char)> {
        const TILDE: [u8; 20] =
            [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34, 42, 43, 44, 45];
        Some(match self.code {
            Code::Up => (1, 'A'),
            Code::Down => (1, 'B'),
            Code::Right => (1, 'C'),
            Code::Left => (1, 'D'),
            Code::End => (1, 'F'),
            Code::Home => (1, 'H'),
            Code::Insert => (2, '~'),
            Code::Delete => (3, '~'),
            Code::PageUp => (5, '~'),
            Code::PageDown => (6, '~'),
            Code::F(n @ 1..=4) => (1, char::from(b'P' + n - 1)),
            Code::F(n @ 5..=24) => (TILDE[usize::from(n - 5)], '~'),
            _ => return None,
        })
    }

    fn function_key(&self, number: u8, last: char, modes: &Modes) -> String {
        if modes.vt52() && number == 1 {
            return format!("\x1b{last}");
        }
        let kitty = modes.kitty & (DISAMBIGUATE | ALL_KEYS) != 0;
        match (number, last) {
            // The usual sequence would look like a cursor position report.
            (1, 'R') if kitty && self.mods.is_none() => "\x1b[13~".to_owned(),
            (1, 'R') if kitty => format!("\x1b[13;{}~", self.mods.number()),
            _ if !self.mods.is_none() => format!("\x1b[{number};{}{last}", self.mods.number()),
            (1, 'P'..='S') if !kitty => format!("\x1bO{last}"),
            (1, 'A'..='H') if !kitty && modes.application_cursor() => format!("\x1bO{last}"),
            (1, _) => format!("\x1b[{last}"),
            _ => format!("\x1b[{number}{last}"),
        }
    }

    /// The code point that stands for the key.
    fn code_point(&self) -> char {
        match self.code {
            Code::Char(c) => c,
            Code::Enter => '\r',
            Code::Tab => '\t',
            Code::Backspace => '\x7f',
            _ => '\x1b',
        }
    }

    fn needs_kitty(&self, flags: u8) -> bool {
        let Mods { alt, ctrl, logo, .. } = self.mods;
        match self.code {
            _ if flags & ALL_KEYS != 0 => true,
            _ if flags & DISAMBIGUATE == 0 => false,
            Code::Escape => true,
            Code::Char(_) => alt || ctrl || logo,
            _ => !self.mods.is_none(),
        }
    }

    fn kitty(&self, flags: u8) -> String {
        let Mods { alt, ctrl, logo, .. } = self.mods;
        let c = self.code_point();
        let mut mods = self.mods;
        // A capital letter is its small one with shift.
        mods.shift |= c.is_uppercase();
        let small = c.to_lowercase().next().unwrap_or(c);
        let mut out = format!("\x1b[{}", small as u32);
        if flags & ALTERNATES != 0 && c != small {
            out.push_str(&format!(":{}", c as u32));
        }
        let typed = flags & ALL_KEYS != 0 && flags & TEXT != 0 && !(alt || ctrl || logo || c.is_control());
        if typed {
            out.push_str(&format!(";{};{}", mods.number(), c as u32));
        } else if !mods.is_none() {
            out.push_str(&format!(";{}", mods.number()));
        }
        out + "u"
    }

    fn needs_modify_other_keys(&self, level: u8) -> bool {
        let Mods { shift, alt, ctrl, .. } = self.mods;
        let has_code = matches!(self.code, Code::Char(c) if control(c).is_some());
        match (level, self.code) {
            (0, _) => false,
            (1, Code::Char(_)) => ctrl && !has_code,
            (1, _) => false,
            (_, Code::Char(_)) => ctrl || alt,
            _ => ctrl || alt || shift,
        }
    }

    fn legacy(&self, modes: &Modes) -> String {
        let mut out = String::new();
        if self.mods.alt {
            out.push('\x1b');
        }
        match self.code {
            Code::Char(c) if self.mods.shift && !self.mods.ctrl => out.extend(c.to_uppercase()),
            Code::Char(c) if self.mods.ctrl => out.push(control(c).unwrap_or(c)),
            Code::Tab if self.mods.shift => out.push_str("\x1b[Z"),
            Code::Backspace => {
                out.push(backspace(self.mods.ctrl != modes.has(ModeFlag::BackarrowSendsBackspace)));
            }
            Code::Enter if modes.has(ModeFlag::NewLine) => out.push_str("\r\n"),
            _ => out.push(self.code_point()),
        }
        out
    }
}

fn backspace(control: bool) -> char {
    if control { '\x08' } else { '\x7f' }
}

/// Returns the control character for Control and a character, if there is one.
fn control(c: char) -> Option<char> {
    Some(match c {
        'a'..='z' | 'A'..='Z' => char::from(c.to_ascii_uppercase() as u8 - b'@'),
        ' ' | '@' | '2' => '\0',
        '[' | '3' => '\x1b',
        '\\' | '4' => '\x1c',
        ']' | '5' => '\x1d',
        '^' | '6' | '~' => '\x1e',
        '_' | '7' | '/' | '-' => '\x1f',
        '?' | '8' => '\x7f',
        _ => return None,
    })
}
