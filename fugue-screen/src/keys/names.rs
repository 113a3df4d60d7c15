//! Names of keys: our own and tmux's. A character names itself.

use std::fmt;
use std::str::FromStr;

use super::{Code, Key, Mods};

/// Names and keys. The first name of a key is the one that is shown.
const NAMES: &[(&str, Code)] = &[
    ("Enter", Code::Enter),
    ("Return", Code::Enter),
    ("CR", Code::Enter),
    ("KPEnter", Code::Enter),
    ("Tab", Code::Tab),
    ("Backspace", Code::Backspace),
    ("BSpace", Code::Backspace),
    ("BS", Code::Backspace),
    ("Escape", Code::Escape),
    ("Esc", Code::Escape),
    ("Space", Code::Char(' ')),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Right", Code::Right),
    ("Left", Code::Left),
    ("Home", Code::Home),
    ("End", Code::End),
    ("Insert", Code::Insert),
    ("Ins", Code::Insert),
    ("IC", Code::Insert),
    ("Delete", Code::Delete),
    ("Del", Code::Delete),
    ("DC", Code::Delete),
    ("PageUp", Code::PageUp),
    ("PgUp", Code::PageUp),
    ("PPage", Code::PageUp),
    ("PageDown", Code::PageDown),
    ("PgDn", Code::PageDown),
    ("NPage", Code::PageDown),
];

/// The error for a name that no key has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The name that was given.
    pub name: String,
    /// The most similar name.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown key `{}`", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
            None => write!(f, "; use names such as `Enter`, `C-c`, `M-x`, `F5`, `PageUp` or `a`"),
        }
    }
}

impl std::error::Error for UnknownKey {}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(name: &str) -> Result<Self, UnknownKey> {
        let (mut mods, rest) = modifiers(name);
        if rest.eq_ignore_ascii_case("BTab") {
            mods.shift = true;
            return Ok(Self { code: Code::Tab, mods });
        }
        let code = match code(rest).ok_or_else(|| unknown(name, rest))? {
            // With Shift, it is `C-S-a`.
            Code::Char(c) if mods.ctrl => Code::Char(c.to_ascii_lowercase()),
            code => code,
        };
        Ok(Self { code, mods })
    }
}

/// Splits off `C-`, `M-`, `S-` and their long forms, in any order. `^c` is `C-c`, and so is `^C`.
fn modifiers(name: &str) -> (Mods, &str) {
    let mut mods = Mods::default();
    let mut rest = name;
    while let Some((prefix, after)) = rest.split_once(['-', '+']).filter(|(_, after)| !after.is_empty()) {
        match prefix.to_ascii_lowercase().as_str() {
            "c" | "ctrl" | "control" => mods.ctrl = true,
            "m" | "a" | "alt" | "meta" | "opt" | "option" => mods.alt = true,
            "s" | "shift" => mods.shift = true,
            "d" | "super" | "cmd" | "logo" => mods.logo = true,
            _ => break,
        }
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('^').filter(|after| !after.is_empty()) {
        mods.ctrl = true;
        rest = after;
    }
    (mods, rest)
}

fn code(name: &str) -> Option<Code> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(Code::Char(c));
    }
    let function = name.strip_prefix(['F', 'f']).and_then(|digits| digits.parse().ok());
    if let Some(n @ 1..=24) = function {
        return Some(Code::F(n));
    }
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, code)| code)
}

/// Longer than any name with two mistakes. A program can send a name of megabytes, which would take minutes to compare.
const LONGEST_MISTYPED: usize = 12;

fn unknown(name: &str, key: &str) -> UnknownKey {
    if key.len() > LONGEST_MISTYPED {
        return UnknownKey { name: name.to_owned(), nearest: None };
    }
    let far =
        |known: &&str| strsim::damerau_levenshtein(&known.to_ascii_lowercase(), &key.to_ascii_lowercase());
    let nearest = NAMES.iter().map(|&(known, _)| known).min_by_key(far);
    // Every short word is near to `CR`.
    let is_near = |known: &&str| far(known) <= 2 && 2 * far(known) <= known.len();
    UnknownKey { name: name.to_owned(), nearest: nearest.filter(is_near) }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mods { shift, alt, ctrl, logo } = self.mods;
        for (on, prefix) in [(ctrl, "C-"), (alt, "M-"), (shift, "S-"), (logo, "D-")] {
            f.write_str(if on { prefix } else { "" })?;
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "F{n}"),
            _ => Ok(()),
        }
    }
}
