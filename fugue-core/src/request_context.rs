//! The context of a request: caller, time, settings, and the programs that were started for it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use fugue_protocol::events::ProgramRun;
use fugue_protocol::refusal::{PANE_ID_MALFORMED, PANE_ID_NOT_SET};
use fugue_protocol::views::OnExit;
use fugue_protocol::{IdGenerator, IdempotencyKey, PaneId, Refusal, RunId, SessionName, Timestamp};
use uuid::Uuid;

use crate::agents::AgentTable;
use crate::quota::Quotas;
use crate::shared_server::SharedServer;

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
    Agent,
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
            Self::MissingKey => "FUGUE_PANE_ID names a pane, but FUGUE_PANE_KEY is not set",
            Self::WrongKey => "FUGUE_PANE_KEY does not match the pane that FUGUE_PANE_ID names",
            Self::Unseen => "it is not visible to the daemon",
            Self::OtherServer => "it is in a pane of another fugue daemon",
            Self::SharedServer { server, .. } => server.reason(),
        }
    }

    /// The refusal of a change, or of a read beyond what such a caller may see.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::SharedServer { server, .. } => {
                Refusal::PaneUnknown { why: server.reason().into(), way_out: server.way_out().into() }
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
            Self::Outside | Self::Agent | Self::Unattributed(_) => None,
            Self::Inside(pane) | Self::Nested(pane) | Self::Claims(pane) | Self::Bridge { pane, .. } => {
                Some(pane)
            }
        }
    }

    /// The same caller, known to be the MCP server of an agent.
    pub fn of_bridge(self) -> Self {
        match self {
            Self::Outside | Self::Agent => Self::Agent,
            Self::Inside(pane) => Self::Bridge { pane, claims: false },
            Self::Claims(pane) => Self::Bridge { pane, claims: true },
            other @ (Self::Nested(_) | Self::Bridge { .. } | Self::Unattributed(_)) => other,
        }
    }
}

impl Caller {
    /// How it was identified, in a word for the audit log.
    pub fn known_by(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::Inside(_) | Self::Nested(_) | Self::Bridge { claims: false, .. } => "ancestry",
            Self::Claims(_) | Self::Bridge { claims: true, .. } => "key",
            Self::Agent => "mcp_server",
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

    /// A key as this caller's own: others may choose the same, and must not get its answer.
    pub fn own_key(self, key: &IdempotencyKey) -> String {
        match self.pane() {
            Some(pane) => format!("{pane} {key}"),
            None => format!("{} {key}", self.known_by()),
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

/// The settings that decisions depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// What happens to a pane when its program ends, by default.
    pub on_exit: OnExit,
    /// Whether a window without a chosen name is named after the program in it.
    pub automatic_names: bool,
    /// Whether agents may type into panes in which another agent asks for permission.
    pub agents_may_answer: bool,
    /// Whether agents may have notifications typed into their pane.
    pub type_notices: bool,
    /// Whether agents that have an inbox of their own are notified through it by default.
    pub push_notices: bool,
    /// What agents may hold and do.
    pub quotas: Quotas,
}

/// The context of one request.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// The time.
    pub now: Timestamp,
    /// The caller.
    pub caller: Caller,
    /// The user's settings.
    pub settings: Settings,
    /// The agents that are known.
    pub agents: Arc<AgentTable>,
    /// Generates ids: the same ones each time the request is decided.
    ids: RefCell<IdGenerator>,
    seed: u64,
    /// The programs that were started for this request, by pane; empty in the first decision.
    started: BTreeMap<PaneId, Started>,
    /// The names of sessions that are being started for other requests.
    promised: Vec<SessionName>,
    /// The session that was chosen because the request named none and the caller is in none.
    assumed: RefCell<Option<SessionName>>,
}

/// A program that the edge started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its pane.
    pub pane: PaneId,
    /// Its process.
    pub pid: u32,
    /// The directory it was started in.
    pub cwd: String,
    /// The short name of the program, which names the window.
    pub program: String,
    /// Its run; none in the first decision, before it is started.
    pub run: Option<RunId>,
    /// The worktree that was made for it.
    pub worktree: Option<StartedWorktree>,
    /// Why it could not be started, if the request allows that.
    pub failure: Option<String>,
}

/// A worktree that the edge made for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct StartedWorktree {
    pub path: String,
    pub branch: String,
    pub repository: String,
    /// Files that were copied because `.worktreeinclude` names them.
    pub copied: usize,
    /// Whether it existed before.
    pub reused: bool,
}

impl RequestContext {
    /// Creates the context of a new request; `seed` is random.
    pub fn new(now: Timestamp, caller: Caller, seed: u64, settings: Settings) -> Self {
        Self {
            now,
            caller,
            settings,
            agents: AgentTable::shared(),
            ids: RefCell::new(IdGenerator::new(now, seed)),
            seed,
            started: BTreeMap::new(),
            promised: Vec::new(),
            assumed: RefCell::new(None),
        }
    }

    /// Sets the agents that are known.
    pub fn knowing(mut self, agents: Arc<AgentTable>) -> Self {
        self.agents = agents;
        self
    }

    /// Reserves the names of sessions that other requests are creating.
    pub fn beside(mut self, promised: Vec<SessionName>) -> Self {
        self.promised = promised;
        self
    }

    /// Whether another request is creating a session of this name.
    pub fn is_promised(&self, name: &SessionName) -> bool {
        self.promised.contains(name)
    }

    /// Records the session that was chosen by default.
    pub(crate) fn assume(&self, session: &SessionName) {
        self.assumed.replace(Some(session.clone()));
    }

    /// The session that was chosen by default, which the caller should know.
    pub fn assumed(&self) -> Option<SessionName> {
        self.assumed.borrow().clone()
    }

    /// Generates an id.
    pub fn fresh<Id: From<Uuid>>(&self) -> Id {
        self.ids.borrow_mut().fresh()
    }

    /// The same request once its programs run; it generates the same ids again.
    pub fn with_children(mut self, started: Vec<Started>) -> Self {
        self.started = started.into_iter().map(|child| (child.pane, child)).collect();
        self.rewound()
    }

    /// The same request from the start.
    pub fn rewound(mut self) -> Self {
        self.ids = RefCell::new(IdGenerator::new(self.now, self.seed));
        self
    }

    /// The panes for which programs were started, or could not be.
    pub(crate) fn started_panes(&self) -> impl Iterator<Item = PaneId> {
        self.started.keys().copied()
    }

    /// Whether its programs have been started.
    pub fn has_children(&self) -> bool {
        !self.started.is_empty()
    }

    /// The program started for a pane; a placeholder in the first decision.
    pub fn child(&self, pane: PaneId) -> Started {
        let planned = || Started {
            pane,
            pid: 0,
            cwd: String::new(),
            program: "shell".into(),
            run: None,
            worktree: None,
            failure: None,
        };
        self.started.get(&pane).cloned().unwrap_or_else(planned)
    }

    /// The run of a pane's program.
    pub fn run(&self, pane: PaneId, id: RunId) -> ProgramRun {
        ProgramRun { id, pid: self.child(pane).pid }
    }
}
