//! What an agent said last, read in its own record of the conversation. The record is only read. All of this blocks, so
//! it runs on threads of its own.

mod opencode;
mod record_files;

use std::path::PathBuf;
use std::time::Duration;

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
    pub(crate) agent: String,
    /// Its conversation. If it is unknown, the only one that was begun in the directory is meant, if there is one.
    pub(crate) conversation: Option<ConversationId>,
    pub(crate) directory: PathBuf,
    /// What was said before does not count.
    pub(crate) since: Timestamp,
    pub(crate) homes: AgentHomes,
}

/// The directories in which agents keep their records, according to the environment of the pane.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentHomes {
    pub(crate) claude: PathBuf,
    pub(crate) codex: PathBuf,
    pub(crate) gemini: PathBuf,
    pub(crate) opencode: PathBuf,
}

impl AgentHomes {
    /// The directories that an environment names.
    pub(crate) fn new(variable: impl Fn(&str) -> Option<PathBuf>) -> Self {
        let home = variable("HOME").unwrap_or_default();
        let data = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
        Self {
            claude: variable("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")),
            codex: variable("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            gemini: variable("GEMINI_CLI_HOME").unwrap_or_else(|| home.clone()).join(".gemini"),
            opencode: data.join("opencode"),
        }
    }
}

/// Returns what an agent said last; none if its record does not tell for certain.
pub(crate) fn read(request: &LastMessageRequest) -> Option<String> {
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(FLUSH_TIME / LOOKS);
        }
        let words = match request.agent.as_str() {
            "opencode" => opencode::last_message(request),
            _ => record_files::last_message(request)?,
        };
        if let Some(words) = words {
            let start = words.ceil_char_boundary(words.len().saturating_sub(MAX_BYTES));
            return Some(words[start..].to_owned());
        }
    }
    None
}
