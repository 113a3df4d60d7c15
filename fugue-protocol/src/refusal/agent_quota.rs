//! Limits that apply to agents only, with the setting that changes each.

use std::fmt;

use super::Hint;
use crate::verbs::{ClosePane, KillSession};

/// Something of which an agent and its descendants may have a limited number at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the display text says what each one counts")]
pub enum AgentQuota {
    Sessions,
    Panes,
    EntryBytes,
    Waits,
}

/// Something that an agent may do a limited number of times a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the display text says what each one counts")]
pub enum AgentRate {
    Spawns,
    Messages,
}

impl fmt::Display for AgentQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sessions => "sessions created by an agent and its descendants",
            Self::Panes => "panes for an agent and its descendants",
            Self::EntryBytes => {
                "bytes of tags, metadata and environment variables for an agent and its descendants"
            }
            Self::Waits => "waits in progress",
        })
    }
}

impl fmt::Display for AgentRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spawns => "programs started per minute by an agent and its descendants",
            Self::Messages => "messages sent per minute",
        })
    }
}

impl AgentQuota {
    /// The next steps for an agent that reached the limit.
    pub(super) fn hints(self) -> Vec<Hint> {
        match self {
            Self::Sessions => vec![
                Hint::use_verb::<KillSession>("ends a session that is no longer needed"),
                raise("max_sessions_per_agent"),
            ],
            Self::Panes => vec![
                Hint::use_verb::<ClosePane>("closes a pane that is no longer needed"),
                raise("max_panes_per_agent"),
            ],
            Self::EntryBytes => vec![Hint::text("remove entries that are no longer needed")],
            Self::Waits => vec![Hint::text("try again when one of the other waits has finished")],
        }
    }
}

impl AgentRate {
    /// The next steps for an agent that was too fast.
    pub(super) fn hints(self, retry_after_ms: u64) -> Vec<Hint> {
        let setting = match self {
            Self::Spawns => "spawns_per_minute",
            Self::Messages => "messages_per_minute",
        };
        vec![Hint::RetryAfter { ms: retry_after_ms }, raise(setting)]
    }
}

fn raise(setting: &str) -> Hint {
    Hint::AskUser(format!("raise `{setting}` in config.toml").into())
}
