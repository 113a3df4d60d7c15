//! Commands of the kitty graphics protocol: `key=value` pairs, separated by commas.

/// Longer control data is not a command.
pub(crate) const LONGEST_CONTROL: usize = 512;

/// A command, without its payload. Keys that are absent are 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KittyCommand {
    /// `a`; absent in the later chunks of a transmission.
    pub action: Option<u8>,
    /// `q`: 1 suppresses positive replies, 2 all.
    pub quiet: u32,
    /// `f`: 24, 32 or 100.
    pub format: u32,
    /// `t`: `d` for direct.
    pub medium: u8,
    /// `o`: `z` for zlib.
    pub compression: u8,
    /// `m`: more chunks follow.
    pub more: bool,
    /// `i`.
    pub id: u32,
    /// `I`.
    pub number: u32,
    /// `p`.
    pub placement: u32,
    /// `s`.
    pub width: u32,
    /// `v`.
    pub height: u32,
    /// `x`, `y`, `w`, `h`: the part of the image that is shown. For deletions, `x` and `y` are a cell.
    pub source: [u32; 4],
    /// `X`, `Y`: the offset within the first cell, in pixels.
    pub offset: [u32; 2],
    /// `c`.
    pub cols: u32,
    /// `r`.
    pub rows: u32,
    /// `z`.
    pub z: i32,
    /// `C`: the cursor stays.
    pub keeps_cursor: bool,
    /// `U`: the image is shown where the program writes placeholder characters.
    pub is_virtual: bool,
    /// `d`: what to delete.
    pub deletion: u8,
}

impl KittyCommand {
    /// Parses control data; nothing if a value is invalid.
    pub(crate) fn parse(control: &[u8]) -> Option<Self> {
        let mut command = Self::default();
        if control.len() > LONGEST_CONTROL {
            return None;
        }
        for pair in control.split(|&byte| byte == b',').filter(|pair| !pair.is_empty()) {
            let [key, b'=', value @ ..] = pair else { return None };
            command.set(*key, value)?;
        }
        Some(command)
    }

    fn set(&mut self, key: u8, value: &[u8]) -> Option<()> {
        match key {
            b'a' => self.action = Some(letter(value)?),
            b'q' => self.quiet = number(value)?,
            b'f' => self.format = number(value)?,
            b't' => self.medium = letter(value)?,
            b'o' => self.compression = letter(value)?,
            b'm' => self.more = number(value)? != 0,
            b'i' => self.id = number(value)?,
            b'I' => self.number = number(value)?,
            b'p' => self.placement = number(value)?,
            b's' => self.width = number(value)?,
            b'v' => self.height = number(value)?,
            b'x' => self.source[0] = number(value)?,
            b'y' => self.source[1] = number(value)?,
            b'w' => self.source[2] = number(value)?,
            b'h' => self.source[3] = number(value)?,
            b'X' => self.offset[0] = number(value)?,
            b'Y' => self.offset[1] = number(value)?,
            b'c' => self.cols = number(value)?,
            b'r' => self.rows = number(value)?,
            b'z' => self.z = std::str::from_utf8(value).ok()?.parse().ok()?,
            b'C' => self.keeps_cursor = number(value)? != 0,
            b'U' => self.is_virtual = number(value)? != 0,
            b'd' => self.deletion = letter(value)?,
            _ => {}
        }
        Some(())
    }
}

fn letter(value: &[u8]) -> Option<u8> {
    let [letter] = value else { return None };
    letter.is_ascii_alphabetic().then_some(*letter)
}

fn number(value: &[u8]) -> Option<u32> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_unknown_ones_ignored() {
        let command = KittyCommand::parse(b"a=T,f=100,i=7,p=2,c=10,z=-3,m=1,k=9,,").expect("a command");
        assert_eq!((command.action, command.format, command.id), (Some(b'T'), 100, 7));
        assert_eq!((command.placement, command.cols, command.z, command.more), (2, 10, -3, true));
    }

    #[test]
    fn invalid_values_are_no_command() {
        for control in ["a=TT", "i=x", "i=99999999999", "a", "=", "q=-1", "t=/"] {
            assert_eq!(KittyCommand::parse(control.as_bytes()), None, "{control}");
        }
        assert_eq!(KittyCommand::parse("i=1,".repeat(200).as_bytes()), None, "too long");
    }
}
