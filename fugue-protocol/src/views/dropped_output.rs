//! Output that a request would have read or searched, but that the pane no longer keeps.

use std::fmt;

use super::*;

/// Output that is no longer kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DroppedOutput {
    /// Number of lines that the request covers and that are no longer kept.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines: u64,
    /// Cursor of the oldest output that is still kept.
    pub before: String,
    /// The setting that limits the history, with its value, or what else happened, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub reason: Option<String>,
}

impl fmt::Display for DroppedOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (noun, verb) = if self.lines == 1 { ("line", "is") } else { ("lines", "are") };
        write!(f, "{} {noun} before {} {verb} no longer kept", self.lines, self.before)?;
        self.reason.iter().try_for_each(|reason| write!(f, " ({reason})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_output_is_described_with_its_number_of_lines_and_the_reason() {
        let mut dropped = DroppedOutput {
            lines: 2113,
            before: "2114:0".into(),
            reason: Some("history_lines = 10000".into()),
        };
        let described = "2113 lines before 2114:0 are no longer kept (history_lines = 10000)";
        assert_eq!(dropped.to_string(), described);
        (dropped.lines, dropped.reason) = (1, None);
        assert_eq!(dropped.to_string(), "1 line before 2114:0 is no longer kept");
    }
}
