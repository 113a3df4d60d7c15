//! The records that agents keep of their conversations: where they are, and where in them an agent's own texts are. They are
//! opened elsewhere.

use serde_json::Value;

/// An agent's record of its conversations.
#[derive(Debug)]
pub enum ConversationRecord {
    /// A file for each conversation.
    Files(RecordFiles),
    /// A database with all of them.
    Database(RecordDatabase),
}

/// Files of JSON lines, each of which has the time in its `timestamp`.
#[derive(Debug)]
pub struct RecordFiles {
    /// The directories from the agent's own down to the files; `*` stands for all that there are.
    pub directories: &'static [&'static str],
    /// Whether a file with this name can be the one of the conversation with this id.
    pub is_named: fn(&str, &str) -> bool,
    /// Whether the name has only a part of the id, so that the first line must contain all of it.
    pub has_short_name: bool,
    /// Reads from the first line where and when a conversation was begun; without it, a conversation whose id is unknown is
    /// not looked for.
    pub begun: Option<fn(&Value) -> Option<Begun<'_>>>,
    /// The text that the agent says in a line, if it does.
    pub text: fn(&Value) -> Option<String>,
}

/// The beginning of a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Begun<'a> {
    /// The directory in which it was begun.
    pub directory: &'a str,
    /// The time.
    pub at: &'a Value,
}

/// A SQLite database.
#[derive(Debug)]
pub struct RecordDatabase {
    /// Its file, in the agent's own directory.
    pub file: &'static str,
    /// The query for the ids of conversations that were begun in a directory, given that and a time in milliseconds.
    pub begun: &'static str,
    /// The query for the id and the data of the last message of a conversation, given its id and the earliest time.
    pub last_message: &'static str,
    /// The query for the data of the parts of a message from the last one on, given its id, the longest part that is read,
    /// and how many are.
    pub parts: &'static str,
    /// Whether the data of a message are those of an answer.
    pub is_answer: fn(&Value) -> bool,
    /// The text in the data of a part, if it has one that the agent says.
    pub text: fn(&Value) -> Option<&str>,
}

/// The texts of content blocks of a type; an empty type for blocks without one.
pub(crate) fn texts(blocks: &Value, kind: &str) -> Option<String> {
    let is_text = |block: &&Value| block["type"].as_str().unwrap_or_default() == kind;
    let blocks = blocks.as_array()?.iter().filter(is_text);
    let texts: Vec<_> = blocks.filter_map(|block| block["text"].as_str()).collect();
    Some(texts.join("\n")).filter(|text| !text.trim().is_empty())
}
