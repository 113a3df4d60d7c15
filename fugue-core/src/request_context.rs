//! Who asks, when, and with what at hand: all that a verb's behaviour is told besides the world.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fugue_protocol::events::ProgramRun;
use fugue_protocol::views::OnExit;
use fugue_protocol::{IdGenerator, PaneId, RunId, SessionName, Timestamp};
use uuid::Uuid;

/// Where the caller is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Caller {
    /// In no pane: a person's shell, a script.
    #[default]
    Outside,
    /// In this pane: the process tree says so.
    Inside(PaneId),
    /// In no pane, but an agent: its bridge says so.
    Agent,
    /// In no pane of ours, but it names one: a container, an ssh session. Believed, and marked so.
    Claims(PaneId),
    /// An agent's bridge in a pane, which the process tree says or it claims.
    Bridge {
        /// The pane.
        pane: PaneId,
        /// It only claims so.
        claims: bool,
    },
}

impl Caller {
    /// The caller's pane.
    pub fn pane(self) -> Option<PaneId> {
        match self {
            Self::Outside | Self::Agent => None,
            Self::Inside(pane) | Self::Claims(pane) | Self::Bridge { pane, .. } => Some(pane),
        }
    }

    /// The same, known to be an agent's bridge.
    pub fn of_bridge(self) -> Self {
        match self {
            Self::Outside | Self::Agent => Self::Agent,
            Self::Inside(pane) => Self::Bridge { pane, claims: false },
            Self::Claims(pane) => Self::Bridge { pane, claims: true },
            bridge @ Self::Bridge { .. } => bridge,
        }
    }
}

impl Caller {
    /// Whether it may be an agent: whoever is in a pane may be one, and bridges are.
    pub fn is_agent(self) -> bool {
        self != Self::Outside
    }

    /// Whether it names its pane itself, and nothing else says so.
    pub fn claims(self) -> bool {
        matches!(self, Self::Claims(_) | Self::Bridge { claims: true, .. })
    }

    /// Whether it is the agent that this pane shows: what it types there it types to itself.
    pub fn is_agent_of(self, own: PaneId) -> bool {
        matches!(self, Self::Bridge { pane, .. } if pane == own)
    }
}

/// What a person chose, as far as decisions depend on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// What becomes of a pane when its program ends, unless asked otherwise.
    pub on_exit: OnExit,
    /// Agents may type into panes in which another agent asks a person for leave.
    pub agents_may_answer: bool,
    /// Agents may ask that a line which tells of messages is typed into their pane.
    pub type_notices: bool,
}

/// One request's circumstances.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// The time.
    pub now: Timestamp,
    /// The caller.
    pub caller: Caller,
    /// What a person chose.
    pub settings: Settings,
    /// Makes ids: the same ones each time the request is decided.
    ids: RefCell<IdGenerator>,
    seed: u64,
    /// Children that were started for this request, by pane; empty the first time it is decided.
    started: BTreeMap<PaneId, Started>,
    /// Names of sessions that are being started for others.
    promised: Vec<SessionName>,
    /// The session that was taken for meant, though nobody named it and the caller is in none.
    assumed: RefCell<Option<SessionName>>,
}

/// A child that the edge started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Its pane.
    pub pane: PaneId,
    /// Its process.
    pub pid: u32,
    /// The directory it was started in.
    pub cwd: String,
    /// The program's short name: what a window is called after.
    pub program: String,
}

impl RequestContext {
    /// A request that comes in now; `seed` is chance from the edge.
    pub fn new(now: Timestamp, caller: Caller, seed: u64, settings: Settings) -> Self {
        Self {
            now,
            caller,
            settings,
            ids: RefCell::new(IdGenerator::new(now, seed)),
            seed,
            started: BTreeMap::new(),
            promised: Vec::new(),
            assumed: RefCell::new(None),
        }
    }

    /// The same request among others that wait for sessions of these names.
    pub fn beside(mut self, promised: Vec<SessionName>) -> Self {
        self.promised = promised;
        self
    }

    /// Whether a session of this name is being started for somebody else.
    pub fn is_promised(&self, name: &SessionName) -> bool {
        self.promised.contains(name)
    }

    /// Takes this session for meant.
    pub(crate) fn assume(&self, session: &SessionName) {
        self.assumed.replace(Some(session.clone()));
    }

    /// The session that was taken for meant, which the caller should be told.
    pub fn assumed(&self) -> Option<SessionName> {
        self.assumed.borrow().clone()
    }

    /// A fresh id.
    pub fn fresh<Id: From<Uuid>>(&self) -> Id {
        self.ids.borrow_mut().fresh()
    }

    /// The same request with its children at hand: it makes the same ids again.
    pub fn with_children(mut self, started: Vec<Started>) -> Self {
        self.started = started.into_iter().map(|child| (child.pane, child)).collect();
        self.rewound()
    }

    /// The same request from its beginning.
    pub fn rewound(mut self) -> Self {
        self.ids = RefCell::new(IdGenerator::new(self.now, self.seed));
        self
    }

    /// Whether its children have been started.
    pub fn has_children(&self) -> bool {
        !self.started.is_empty()
    }

    /// The child started for a pane; a stand-in while the decision is only a plan.
    pub fn child(&self, pane: PaneId) -> Started {
        let planned = || Started { pane, pid: 0, cwd: String::new(), program: "shell".into() };
        self.started.get(&pane).cloned().unwrap_or_else(planned)
    }

    /// The run of a pane's child.
    pub fn run(&self, pane: PaneId, id: RunId) -> ProgramRun {
        ProgramRun { id, pid: self.child(pane).pid }
    }
}
