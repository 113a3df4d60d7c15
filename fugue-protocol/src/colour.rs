//! A colour, as people write it.

use std::fmt;
use std::str::FromStr;

use crate::text_schema::{text_schema, text_serde};

/// Red, green and blue, written `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl FromStr for Colour {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let part = |at: usize| u8::from_str_radix(digits?.get(at..at + 2)?, 16).ok();
        match (part(0), part(2), part(4)) {
            (Some(red), Some(green), Some(blue)) => Ok(Self(red, green, blue)),
            _ => Err(format!("`{text}` is no colour: write it as `#rrggbb`")),
        }
    }
}

text_schema!(Colour);
text_serde!(Colour);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_read_as_it_is_written() {
        assert_eq!("#fa04ed".parse(), Ok(Colour(0xfa, 4, 0xed)));
        assert_eq!(Colour(0xfa, 4, 0xed).to_string(), "#fa04ed");
        for wrong in ["fa04ed", "#fa04e", "#gg04ed", "#é04ed", "#+a04ed"] {
            assert!(wrong.parse::<Colour>().is_err(), "{wrong}");
        }
    }
}
