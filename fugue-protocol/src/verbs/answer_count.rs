//! How many answers a message waits for.

use std::num::NonZeroU16;
use std::str::FromStr;

use crate::string_type_macros::{text_schema, text_serde};

/// The number of recipients whose answers are waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerCount {
    /// The first answer.
    #[default]
    Any,
    /// An answer from every recipient.
    All,
    /// Answers from this many recipients.
    AtLeast(NonZeroU16),
}

impl AnswerCount {
    /// How many of this many recipients must have answered.
    pub fn needed(self, recipients: usize) -> usize {
        match self {
            Self::Any => 1,
            Self::All => recipients,
            Self::AtLeast(count) => usize::from(count.get()).min(recipients),
        }
    }

    /// Whether this is the default.
    pub fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

impl std::fmt::Display for AnswerCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::All => f.write_str("all"),
            Self::AtLeast(count) => count.fmt(f),
        }
    }
}

impl FromStr for AnswerCount {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "any" => Ok(Self::Any),
            "all" => Ok(Self::All),
            count => count
                .parse()
                .map(Self::AtLeast)
                .map_err(|_| format!("`{text}` is not any, all or a number of answers")),
        }
    }
}

text_schema!(AnswerCount);
text_serde!(AnswerCount);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_recipients_must_answer_as_are_asked_for_and_there_are() {
        let needed = |text: &str| text.parse::<AnswerCount>().map(|count| count.needed(3));
        assert_eq!([needed("any"), needed("all"), needed("2"), needed("9")], [Ok(1), Ok(3), Ok(2), Ok(3)]);
        assert!(needed("0").is_err() && needed("some").is_err());
    }
}
