//! What an agent said last, read in its own record of the conversation. The record is only read. All of this blocks, so
//! it runs on threads of its own.

mod record_database;
mod record_files;

use std::path::PathBuf;
use std::time::Duration;

use fugue_agents::{ConversationRecord, KnownAgent};
use fugue_protocol::Timestamp;
use fugue_protocol::conversation::ConversationId;

pub use record_files::last_text_of;

/// How long an agent may take to write its record after it has finished.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// How often the record is looked at in that time.
const LOOKS: u32 = 10;

/// The most bytes of a text that are passed on; of a longer one, the end.
const MAX_BYTES: usize = 16 << 10;

/// The agent whose last message is wanted.
#[derive(Debug, Clone)]
pub(crate) struct LastMessageRequest {
    pub(crate) agent: &'static KnownAgent,
    /// Its conversation. If it is unknown, the only one that was begun in the directory is meant, if there is one.
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) directory: PathBuf,
    /// What was said before does not count.
    pub(crate) since: Timestamp,
    /// The directory in which the agent keeps its record.
    pub(crate) home: PathBuf,
}

/// Returns what an agent said last; none if its record does not tell for certain.
pub(crate) fn read(request: &LastMessageRequest) -> Option<String> {
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(FLUSH_TIME / LOOKS);
        }
        if let Some(words) = recorded(request) {
            let start = words.ceil_char_boundary(words.len().saturating_sub(MAX_BYTES));
            return Some(words[start..].to_owned());
        }
    }
    None
}

/// Returns what the agent said last, as far as it is recorded now.
fn recorded(request: &LastMessageRequest) -> Option<String> {
    match &request.agent.record {
        ConversationRecord::Files(files) => record_files::last_message(files, request),
        ConversationRecord::Database(record) => record_database::last_message(record, request),
    }
}
