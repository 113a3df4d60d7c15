//! Cursors: positions in a pane's output. Callers take them from replies and pass them back.

use std::str::FromStr;

use crate::string_type_macros::text_serde;

/// The largest line number and offset of a cursor. A pane has far fewer lines, and no line is as long.
const MAX: u64 = u32::MAX as u64;

/// A position in a pane's output, counted from the start of the pane. It stays valid when the pane is resized and when
/// the daemon is restarted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutputCursor {
    /// The line.
    pub line: u64,
    /// The bytes of that line before the position.
    pub offset: usize,
    /// A checksum of the screen of a full-screen program, which has no lines.
    pub screen: Option<u32>,
}

impl OutputCursor {
    /// A position in the lines.
    pub fn new(line: u64, offset: usize) -> Self {
        Self { line, offset, screen: None }
    }
}

impl std::fmt::Display for OutputCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.offset)?;
        self.screen.map_or(Ok(()), |screen| write!(f, "~{screen:08x}"))
    }
}

impl FromStr for OutputCursor {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| *number <= MAX);
        let parse = || {
            let (place, screen) = text.split_once('~').map_or((text, None), |(a, b)| (a, Some(b)));
            let (line, offset) = place.split_once(':')?;
            let screen = screen.map(|hex| u32::from_str_radix(hex, 16)).transpose().ok()?;
            Some(Self { line: number(line)?, offset: usize::try_from(number(offset)?).ok()?, screen })
        };
        parse()
            .ok_or_else(|| format!("`{text}` is not a cursor: use one from an earlier reply, such as 120:0"))
    }
}

crate::string_type_macros::text_schema!(OutputCursor);
text_serde!(OutputCursor);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_printed() {
        for text in ["0:0", "12:3456", "4:0~00ff12ab"] {
            assert_eq!(text.parse::<OutputCursor>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_number_that_no_pane_reaches_is_not_a_cursor() {
        for text in ["19:18446744073709551615", "4294967296:0", "5", "5:", "-1:0", "1:2~xyz"] {
            assert!(text.parse::<OutputCursor>().is_err(), "{text}");
        }
    }
}
