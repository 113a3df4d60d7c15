//! Parses one key, mouse event or reply at the beginning of some bytes.

use fugue_screen::keys::{Code, Key, Mods};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::input_decoder::TerminalInput;
use super::terminal_replies::{TerminalReply, parse_reply};

/// A longer sequence is not one.
const LONGEST: usize = 4096;

/// What is at the beginning.
pub(super) enum ParsedInput {
    /// An incomplete sequence.
    More,
    /// An input of this many bytes, or bytes without a meaning.
    Input(usize, Option<TerminalInput>),
    /// The start of a paste, of this many bytes.
    Paste(usize),
}

/// The keys of `CSI n ~`.
const TILDE: &[(u32, Code)] = &[
    (1, Code::Home),
    (2, Code::Insert),
    (3, Code::Delete),
    (4, Code::End),
    (5, Code::PageUp),
    (6, Code::PageDown),
    (7, Code::Home),
    (8, Code::End),
    (11, Code::F(1)),
    (12, Code::F(2)),
    (13, Code::F(3)),
    (14, Code::F(4)),
    (15, Code::F(5)),
    (17, Code::F(6)),
    (18, Code::F(7)),
    (19, Code::F(8)),
    (20, Code::F(9)),
    (21, Code::F(10)),
    (23, Code::F(11)),
    (24, Code::F(12)),
];

/// The keys of `CSI letter` and `SS3 letter`.
const LETTERS: &[(u8, Code)] = &[
    (b'A', Code::Up),
    (b'B', Code::Down),
    (b'C', Code::Right),
    (b'D', Code::Left),
    (b'F', Code::End),
    (b'H', Code::Home),
    (b'M', Code::Enter),
    (b'P', Code::F(1)),
    (b'Q', Code::F(2)),
    (b'R', Code::F(3)),
    (b'S', Code::F(4)),
];

/// The keypad keys of the kitty protocol, from its first number on.
const KEYPAD: &[Code] = &[
    Code::Char('0'),
    Code::Char('1'),
    Code::Char('2'),
    Code::Char('3'),
    Code::Char('4'),
    Code::Char('5'),
    Code::Char('6'),
    Code::Char('7'),
    Code::Char('8'),
    Code::Char('9'),
    Code::Char('.'),
    Code::Char('/'),
    Code::Char('*'),
    Code::Char('-'),
    Code::Char('+'),
    Code::Enter,
    Code::Char('='),
    Code::Char(','),
    Code::Left,
    Code::Right,
    Code::Up,
    Code::Down,
    Code::PageUp,
    Code::PageDown,
    Code::Home,
    Code::End,
    Code::Insert,
    Code::Delete,
];
const KEYPAD_FIRST: u32 = 57399;

pub(super) fn parse(bytes: &[u8]) -> ParsedInput {
    match bytes {
        [] | [0x1b] => ParsedInput::More,
        [0x1b, b'[', rest @ ..] => sequence(rest),
        [0x1b, b'O'] => ParsedInput::More,
        [0x1b, b'O', letter, ..] => key(3, lettered(*letter), Mods::default()),
        [0x1b, introducer @ (b']' | b'P' | b'_' | b'^' | b'X'), rest @ ..] => string(*introducer, rest),
        [0x1b, 0x1b, ..] => key(1, Some(Code::Escape), Mods::default()),
        [0x1b, rest @ ..] => with_alt(rest),
        _ => character(bytes),
    }
}

fn key(count: usize, code: Option<Code>, mods: Mods) -> ParsedInput {
    ParsedInput::Input(count, code.map(|code| TerminalInput::Key(Key { code, mods })))
}

fn lettered(letter: u8) -> Option<Code> {
    LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, code)| *code)
}

fn with_alt(rest: &[u8]) -> ParsedInput {
    match character(rest) {
        ParsedInput::Input(count, Some(TerminalInput::Key(mut key))) => {
            key.mods.alt = true;
            ParsedInput::Input(count + 1, Some(TerminalInput::EscapedKey(key)))
        }
        ParsedInput::Input(count, other) => ParsedInput::Input(count + 1, other),
        other => other,
    }
}

/// Parses a control string, up to its terminator.
fn string(introducer: u8, rest: &[u8]) -> ParsedInput {
    let bell = rest.iter().position(|byte| *byte == 7).map(|at| (at, at + 1));
    let st = memchr::memmem::find(rest, b"\x1b\\").map(|at| (at, at + 2));
    match [bell, st].into_iter().flatten().min() {
        Some((end, count)) => {
            ParsedInput::Input(count + 2, parse_reply(introducer, &rest[..end]).map(TerminalInput::Reply))
        }
        None if rest.len() > LONGEST => ParsedInput::Input(rest.len() + 2, None),
        None => ParsedInput::More,
    }
}

/// Parses a character, plain or with Control.
fn character(bytes: &[u8]) -> ParsedInput {
    let ctrl = Mods { ctrl: true, ..Mods::default() };
    match bytes[0] {
        b'\r' => key(1, Some(Code::Enter), Mods::default()),
        b'\t' => key(1, Some(Code::Tab), Mods::default()),
        0x7f => key(1, Some(Code::Backspace), Mods::default()),
        0 => key(1, Some(Code::Char(' ')), ctrl),
        byte @ 1..=26 => key(1, Some(Code::Char(char::from(byte + b'a' - 1))), ctrl),
        byte @ 0x1c..=0x1f => key(1, Some(Code::Char(char::from(byte + b'@'))), ctrl),
        byte @ ..0x80 => key(1, Some(Code::Char(char::from(byte))), Mods::default()),
        first => utf8(bytes, first),
    }
}

fn utf8(bytes: &[u8], first: u8) -> ParsedInput {
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return ParsedInput::Input(1, None),
    };
    let there = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(there) {
        Ok(text) => key(length, text.chars().next().map(Code::Char), Mods::default()),
        Err(why) if why.error_len().is_none() => ParsedInput::More,
        Err(_) => ParsedInput::Input(1, None),
    }
}

/// Parses what follows `CSI`.
fn sequence(rest: &[u8]) -> ParsedInput {
    let Some(end) = rest.iter().position(|byte| (0x40..=0x7e).contains(byte)) else {
        return if rest.len() > LONGEST {
            ParsedInput::Input(rest.len() + 2, None)
        } else {
            ParsedInput::More
        };
    };
    let (count, letter) = (end + 3, rest[end]);
    let text = std::str::from_utf8(&rest[..end]).unwrap_or_default();
    if let Some(mouse) = text.strip_prefix('<') {
        return ParsedInput::Input(count, mouse_event(mouse, letter).map(TerminalInput::Mouse));
    }
    let numbers = CsiParams::of(text);
    match letter {
        b'I' if text.is_empty() => ParsedInput::Input(count, Some(TerminalInput::Focus(true))),
        b'O' if text.is_empty() => ParsedInput::Input(count, Some(TerminalInput::Focus(false))),
        b'~' if numbers.get(0, 0) == 200 => ParsedInput::Paste(count),
        b'~' if numbers.get(0, 0) == 27 => kitty(count, numbers.get(2, 0), None, numbers.mods()),
        b'~' => {
            let code = TILDE.iter().find(|(known, _)| *known == numbers.get(0, 0)).map(|(_, code)| *code);
            key(count, code, numbers.mods())
        }
        b'u' if !text.starts_with('?') => kitty(count, numbers.get(0, 0), numbers.part(0, 1), numbers.mods()),
        b'n' if text.starts_with("?997;") => {
            ParsedInput::Input(count, Some(TerminalInput::Reply(TerminalReply::SchemeChanged)))
        }
        b'c' if text.starts_with('?') => {
            let sixel = text.split(';').skip(1).any(|attribute| attribute == "4");
            ParsedInput::Input(count, Some(TerminalInput::Reply(TerminalReply::Attributes { sixel })))
        }
        b't' => ParsedInput::Input(count, cell_size(&numbers).map(TerminalInput::Reply)),
        b'Z' => key(count, Some(Code::Tab), Mods { shift: true, ..Mods::default() }),
        letter if !text.starts_with(['?', '>', '=']) => key(count, lettered(letter), numbers.mods()),
        _ => ParsedInput::Input(count, None),
    }
}

/// The size of a cell: `6;HEIGHT;WIDTH`.
fn cell_size(numbers: &CsiParams<'_>) -> Option<TerminalReply> {
    let side = |at| u16::try_from(numbers.get(at, 0)).ok().filter(|side| *side > 0);
    (numbers.get(0, 0) == 6).then_some(TerminalReply::CellSize(side(2)?, side(1)?))
}

/// A key by its code point; `shifted` is its character with Shift, where the terminal reports it.
fn kitty(count: usize, point: u32, shifted: Option<u32>, mut mods: Mods) -> ParsedInput {
    let code = match point {
        13 => Some(Code::Enter),
        9 => Some(Code::Tab),
        8 | 127 => Some(Code::Backspace),
        27 => Some(Code::Escape),
        KEYPAD_FIRST.. if point < 63744 => {
            point.checked_sub(KEYPAD_FIRST).and_then(|at| KEYPAD.get(at as usize).copied())
        }
        57344..KEYPAD_FIRST => None,
        _ => {
            let shown = shifted.filter(|_| mods.shift).or(upper(point).filter(|_| mods.shift));
            mods.shift &= shown.is_none();
            char::from_u32(shown.unwrap_or(point)).map(Code::Char)
        }
    };
    key(count, code, mods)
}

/// A letter with Shift is its capital; for other keys that depends on the keyboard.
fn upper(point: u32) -> Option<u32> {
    let letter = char::from_u32(point).filter(char::is_ascii_lowercase)?;
    Some(u32::from(letter.to_ascii_uppercase()))
}

fn mouse_event(text: &str, letter: u8) -> Option<MouseEvent> {
    let numbers = CsiParams::of(text);
    let bits = numbers.get(0, 0);
    let button = match bits & 0b1100_0011 {
        0 => Some(Button::Left),
        1 => Some(Button::Middle),
        2 => Some(Button::Right),
        64 => Some(Button::WheelUp),
        65 => Some(Button::WheelDown),
        66 => Some(Button::WheelLeft),
        67 => Some(Button::WheelRight),
        _ => None,
    };
    let action = match (bits & 32 != 0, letter, button) {
        (true, _, button) => Action::Move(button),
        (false, b'M', Some(button)) => Action::Press(button),
        (false, b'm', Some(button)) => Action::Release(button),
        _ => return None,
    };
    let place = |at| u16::try_from(numbers.get(at, 1).saturating_sub(1)).ok();
    let mods = Mods { shift: bits & 4 != 0, alt: bits & 8 != 0, ctrl: bits & 16 != 0, ..Mods::default() };
    Some(MouseEvent { action, col: place(1)?, row: place(2)?, mods })
}

/// The parameters of a sequence: numbers separated by `;`, each with parts separated by `:`.
struct CsiParams<'a>(Vec<&'a str>);

impl<'a> CsiParams<'a> {
    fn of(text: &'a str) -> Self {
        Self(text.split(';').collect())
    }

    fn part(&self, at: usize, part: usize) -> Option<u32> {
        self.0.get(at)?.split(':').nth(part)?.parse().ok()
    }

    fn get(&self, at: usize, otherwise: u32) -> u32 {
        self.part(at, 0).unwrap_or(otherwise)
    }

    /// The second number is one more than the bits of the modifiers.
    fn mods(&self) -> Mods {
        let bits = self.get(1, 1).saturating_sub(1);
        Mods { shift: bits & 1 != 0, alt: bits & 2 != 0, ctrl: bits & 4 != 0, logo: bits & 8 != 0 }
    }
}
