//! RGB colors, written as `#rrggbb`.

use std::fmt;
use std::str::FromStr;

use crate::string_type_macros::{text_schema, text_serde};

/// Red, green and blue, written `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RgbColor(pub u8, pub u8, pub u8);

impl fmt::Display for RgbColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl FromStr for RgbColor {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let part = |at: usize| u8::from_str_radix(digits?.get(at..at + 2)?, 16).ok();
        match (part(0), part(2), part(4)) {
            (Some(red), Some(green), Some(blue)) => Ok(Self(red, green, blue)),
            _ => Err(format!("`{text}` is not a color: use `#rrggbb`")),
        }
    }
}

text_schema!(RgbColor);
text_serde!(RgbColor);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_round_trips() {
        assert_eq!("#fa04ed".parse(), Ok(RgbColor(0xfa, 4, 0xed)));
        assert_eq!(RgbColor(0xfa, 4, 0xed).to_string(), "#fa04ed");
        for wrong in ["fa04ed", "#fa04e", "#gg04ed", "#é04ed", "#+a04ed"] {
            assert!(wrong.parse::<RgbColor>().is_err(), "{wrong}");
        }
    }
}
