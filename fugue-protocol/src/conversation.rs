//! Conversations of agents, which an agent can resume by their id after its program was lost.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::string_type_macros::{text_schema, text_serde};

/// Length of a conversation's id. Those in use have some forty characters.
const ID_CHARS: usize = 128;

/// The id that an agent gave its conversation. It is safe as a single word of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConversationId(String);

impl ConversationId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ConversationId {
    type Err = BadConversationId;
    fn from_str(text: &str) -> Result<Self, BadConversationId> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        let begins_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        match begins_well && text.len() <= ID_CHARS && text.chars().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(BadConversationId),
        }
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

text_schema!(ConversationId);
text_serde!(ConversationId);

/// The error for text that is not the id of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a conversation id has 1 to 128 letters, digits, `-`, `_`, `.` and `:`, and begins with a letter or digit"
)]
pub struct BadConversationId;

/// A conversation, and the agent that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Conversation {
    /// Name of the agent: claude, codex, gemini, opencode.
    pub agent: String,
    /// The agent's id of the conversation.
    pub id: ConversationId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_plain_word_that_is_not_a_flag() {
        let longest = "x".repeat(ID_CHARS);
        for good in ["019a0000-0000-7000-8000-000000000001", "ses_4f2a", "a", &longest] {
            assert_eq!(good.parse::<ConversationId>().map(|id| id.to_string()), Ok(good.to_owned()));
        }
        let too_long = "x".repeat(ID_CHARS + 1);
        for bad in ["", "-x", "--yolo", "a b", "a;b", "$(a)", "a/b", "é", "a\nb", &too_long] {
            assert_eq!(bad.parse::<ConversationId>(), Err(BadConversationId), "{bad}");
        }
    }
}
