//! What the daemon and its clients limit in number or size.

use std::fmt;

use super::Hint;

/// A limited quantity, and the request that would exceed its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the display text says what each one counts")]
pub enum Quota {
    UnansweredBytes,
    UnfinishedBytes,
    UnsentBytes,
    CommandBytes,
    VariableBytes,
    EntryBytes,
    PatternBytes,
    Variables,
    Entries,
    Tags,
    Patterns,
    PanesPerWindow,
    Panes,
    ParallelCommands,
    AwaitedPanes,
    AcknowledgedMessages,
    Leases,
    SessionLeases,
    Connections,
    UngreetedConnections,
    AgentConnections,
    PaneConnections,
    ProcessConnections,
    UnattributedConnections,
    OpenFiles,
    Recordings,
    WatchedPanes,
    Generations,
    Worktrees,
    OptionBytes,
    HookBytes,
    HookLines,
    Options,
    AllOptionBytes,
    BufferNameCharacters,
    BufferBytes,
    AllBufferBytes,
    NamedBuffers,
    ChannelNameCharacters,
    Channels,
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnansweredBytes => "bytes of unanswered requests",
            Self::UnfinishedBytes => "bytes of incomplete requests",
            Self::UnsentBytes => "bytes not yet sent to the daemon",
            Self::CommandBytes => "bytes in a command",
            Self::VariableBytes => "bytes in a variable",
            Self::EntryBytes => "bytes in a metadata entry",
            Self::PatternBytes => "bytes in a pattern",
            Self::Variables => "environment variables",
            Self::Entries => "metadata entries in a session",
            Self::Tags => "tags on a session",
            Self::Patterns => "patterns",
            Self::PanesPerWindow => "panes in a window",
            Self::Panes => "panes in this daemon",
            Self::ParallelCommands => "parallel commands",
            Self::AwaitedPanes => "panes in one wait",
            Self::AcknowledgedMessages => "messages to acknowledge at once",
            Self::Leases => "leases",
            Self::SessionLeases => "leases held by one session",
            Self::Connections => "connections",
            Self::UngreetedConnections => "connections that have not sent a greeting",
            Self::AgentConnections => "connections from agents",
            Self::PaneConnections => "connections from one pane",
            Self::ProcessConnections => "connections from one process",
            Self::UnattributedConnections => "connections from processes detached from their panes",
            Self::OpenFiles => "files that the daemon has open",
            Self::Recordings => "recordings",
            Self::WatchedPanes => "watched panes",
            Self::Generations => "levels of nested sessions created by agents",
            Self::Worktrees => "worktrees",
            Self::OptionBytes => "bytes in an option",
            Self::HookBytes => "bytes in a hook",
            Self::HookLines => "hooks",
            Self::Options => "options",
            Self::AllOptionBytes => "bytes in all options",
            Self::BufferNameCharacters => "characters in the name of a buffer",
            Self::BufferBytes => "bytes in a buffer",
            Self::AllBufferBytes => "bytes in all named buffers",
            Self::NamedBuffers => "named buffers",
            Self::ChannelNameCharacters => "characters in the name of a channel",
            Self::Channels => "locked or signalled channels",
        })
    }
}

impl Quota {
    /// The next step for a caller that reached the limit.
    pub(super) fn hint(self, limit: usize) -> Hint {
        match self {
            Self::UnansweredBytes | Self::UnsentBytes => Hint::text("wait for pending replies"),
            Self::UnfinishedBytes => Hint::text("send each request all at once"),
            Self::UngreetedConnections => Hint::text("send the greeting when you connect"),
            Self::CommandBytes
            | Self::VariableBytes
            | Self::EntryBytes
            | Self::PatternBytes
            | Self::OptionBytes
            | Self::HookBytes
            | Self::BufferNameCharacters
            | Self::BufferBytes
            | Self::ChannelNameCharacters => Hint::text("make it shorter"),
            Self::ParallelCommands => Hint::text(format!("run at most {limit} commands per call")),
            Self::AwaitedPanes => Hint::text(format!("wait for at most {limit} panes per call")),
            Self::AcknowledgedMessages => {
                Hint::text(format!("acknowledge at most {limit} messages per call"))
            }
            Self::PanesPerWindow | Self::Panes | Self::WatchedPanes => {
                Hint::text("close panes that are no longer needed")
            }
            Self::Connections
            | Self::AgentConnections
            | Self::PaneConnections
            | Self::ProcessConnections
            | Self::UnattributedConnections => Hint::text("close connections that are no longer needed"),
            Self::OpenFiles => Hint::text(
                "close connections or panes, or raise the hard limit (`ulimit -Hn`) before the daemon starts",
            ),
            Self::Recordings => Hint::text("stop recordings that are no longer needed"),
            Self::Leases | Self::SessionLeases => Hint::text("release leases that are no longer needed"),
            Self::Worktrees => Hint::text("remove worktrees that are no longer needed"),
            Self::Generations => Hint::AskUser("create the session".into()),
            Self::Variables
            | Self::Entries
            | Self::Tags
            | Self::Patterns
            | Self::Options
            | Self::AllOptionBytes
            | Self::HookLines
            | Self::AllBufferBytes
            | Self::NamedBuffers => Hint::text("remove any that are no longer needed"),
            Self::Channels => Hint::text("unlock channels, or wait for them"),
        }
    }
}
