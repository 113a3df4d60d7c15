//! Callers: where a request comes from, and how that is known.

use fugue_agents::SharedServer;
use fugue_protocol::refusal::{PANE_ID_MALFORMED, PANE_ID_NOT_SET};
use fugue_protocol::{IdempotencyKey, PaneId, Refusal};

use crate::stable_hash;

/// What keeps the idempotency keys of an agent in no pane apart from those of others: a hash of the text that its client
/// chose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeySpace(u64);

impl KeySpace {
    /// The key space of this text.
    pub fn of(text: &str) -> Self {
        Self(stable_hash::of(text))
    }

    /// The number that is stored with a message.
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

/// The location of the caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Caller {
    /// In no pane: a user's shell or a script.
    #[default]
    Outside,
    /// In this pane, according to the process tree.
    Inside(PaneId),
    /// In this pane, started by an agent that the pane's own agent runs as a tool. It has the rights of the pane, but
    /// notifications are not for it, and what it reports is not about the pane's agent.
    Nested(PaneId),
    /// An agent in no pane, according to its MCP server.
    Agent(KeySpace),
    /// In a pane of another host, according to its client there, which reached this host over ssh.
    Elsewhere(KeySpace),
    /// Not in a pane's process tree, but it has the key of this pane: a container, an ssh session. It is believed, and
    /// marked as a claim.
    Claims(PaneId),
    /// The MCP server of an agent in a pane.
    Bridge {
        /// The pane.
        pane: PaneId,
        /// Whether the pane is only claimed.
        claims: bool,
    },
    /// It comes from some pane, but cannot be attributed to one. It may only read.
    Unattributed(Unattributed),
}

/// A caller that cannot be attributed to any pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unattributed {
    /// The reason.
    pub why: NoPane,
    /// The pane that it claims to be in.
    pub claimed: Option<PaneId>,
}

/// The reason why a caller cannot be attributed to a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPane {
    /// It descends from a program of this daemon, but has left the process tree of every pane.
    Orphan,
    /// What it names cannot be a pane.
    Malformed,
    /// It names a pane without that pane's key.
    MissingKey,
    /// It names a pane with a wrong key.
    WrongKey,
    /// Its process is gone, or is not visible to the daemon.
    Unseen,
    /// It is in a pane of another daemon, whose scopes this one does not know.
    OtherServer,
    /// It was started by a server that works for several panes.
    SharedServer {
        /// The server.
        server: SharedServer,
        /// Whether the server itself was started from a pane.
        in_pane: bool,
    },
}

impl NoPane {
    /// The reason, for people to read.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Orphan => {
                "it was started from a pane but has left that pane's process tree, so FUGUE_PANE_ID is ignored"
            }
            Self::Malformed => PANE_ID_MALFORMED,
            Self::MissingKey => "FUGUE_PANE_ID is set, but FUGUE_PANE_KEY is not",
            Self::WrongKey => "FUGUE_PANE_KEY is not the key of the pane in FUGUE_PANE_ID",
            Self::Unseen => "it is not visible to the daemon",
            Self::OtherServer => "it is in a pane of another fugue daemon",
            Self::SharedServer { server, .. } => server.reason,
        }
    }

    /// The refusal of a change, or of a read beyond what such a caller may see.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::SharedServer { server, .. } => {
                Refusal::PaneUnknown { why: server.reason.into(), way_out: server.way_out.into() }
            }
            _ => Refusal::Unattributed { why: self.reason().into() },
        }
    }

    /// The word for it in the audit log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Orphan => "orphan",
            Self::Malformed => "malformed",
            Self::MissingKey => "missing_key",
            Self::WrongKey => "wrong_key",
            Self::Unseen => "unseen",
            Self::OtherServer => "other_server",
            Self::SharedServer { .. } => "shared_server",
        }
    }
}

impl Caller {
    /// The caller's pane.
    pub fn pane(self) -> Option<PaneId> {
        match self {
            Self::Outside | Self::Agent(_) | Self::Elsewhere(_) | Self::Unattributed(_) => None,
            Self::Inside(pane) | Self::Nested(pane) | Self::Claims(pane) | Self::Bridge { pane, .. } => {
                Some(pane)
            }
        }
    }

    /// The same caller, known to be the MCP server of an agent.
    pub fn of_bridge(self, keys: KeySpace) -> Self {
        match self {
            Self::Outside => Self::Agent(keys),
            Self::Agent(_) | Self::Elsewhere(_) => self,
            Self::Inside(pane) => Self::Bridge { pane, claims: false },
            Self::Claims(pane) => Self::Bridge { pane, claims: true },
            other @ (Self::Nested(_) | Self::Bridge { .. } | Self::Unattributed(_)) => other,
        }
    }

    /// The same caller, which says that it is in a pane of another host. Only someone who would count as a person has
    /// less rights as that.
    pub fn in_pane_elsewhere(self, keys: KeySpace) -> Self {
        if self == Self::Outside { Self::Elsewhere(keys) } else { self }
    }

    /// How it was identified, in a word for the audit log.
    pub fn known_by(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Inside(_) | Self::Nested(_) | Self::Bridge { claims: false, .. } => "ancestry",
            Self::Claims(_) | Self::Bridge { claims: true, .. } => "key",
            Self::Agent(_) => "mcp_server",
            Self::Elsewhere(_) => "other_host",
            Self::Unattributed(unattributed) => unattributed.why.name(),
        }
    }

    /// The refusal for a request that only a caller in a pane can make.
    pub(crate) fn not_inside(self) -> Refusal {
        let detail = match self {
            Self::Unattributed(Unattributed { why: why @ NoPane::SharedServer { .. }, .. }) => {
                return why.refusal();
            }
            Self::Unattributed(unattributed) => unattributed.why.reason(),
            _ => PANE_ID_NOT_SET,
        };
        Refusal::NotInsideFugue { detail: detail.into() }
    }

    /// Whether it may be an agent: callers in panes may be, MCP servers are.
    pub fn is_agent(self) -> bool {
        self != Self::Outside
    }

    /// Whether it is an agent in no pane of this daemon.
    pub(crate) fn is_agent_outside(self) -> bool {
        matches!(self, Self::Agent(_) | Self::Elsewhere(_))
    }

    /// Whether it may change nothing and read no messages, whatever the scopes are.
    pub(crate) fn has_no_rights(self) -> bool {
        match self {
            // Without any scopes, a daemon can be used from the panes of another, and by an agent outside any pane.
            Self::Unattributed(Unattributed {
                why: NoPane::OtherServer | NoPane::SharedServer { in_pane: false, .. },
                ..
            }) => false,
            Self::Unattributed(_) => true,
            _ => false,
        }
    }

    /// A key as this caller's own: others may choose the same, and must not get its answer.
    pub fn own_key(self, key: &IdempotencyKey) -> String {
        match (self.pane(), self.key_space()) {
            (Some(pane), _) => format!("{pane} {key}"),
            (None, Some(KeySpace(space))) => format!("{} {space:x} {key}", self.known_by()),
            (None, None) => format!("{} {key}", self.known_by()),
        }
    }

    /// Whose idempotency keys it uses, if it is an agent in no pane.
    pub(crate) fn key_space(self) -> Option<KeySpace> {
        match self {
            Self::Agent(keys) | Self::Elsewhere(keys) => Some(keys),
            _ => None,
        }
    }

    /// Whether it works for the agent in its pane instead of being a part of it.
    pub(crate) fn is_nested(self) -> bool {
        matches!(self, Self::Nested(_))
    }

    /// Whether only the caller itself says which pane it is in.
    pub fn claims(self) -> bool {
        matches!(self, Self::Claims(_) | Self::Bridge { claims: true, .. })
    }

    /// Whether it is the agent in this pane, which would be typing to itself.
    pub fn is_agent_of(self, own: PaneId) -> bool {
        matches!(self, Self::Bridge { pane, .. } if pane == own)
    }
}
