//! The context of a request: caller, time, settings, and the programs that were started for it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use fugue_agents::AgentTable;
use fugue_protocol::events::ProgramRun;
use fugue_protocol::{IdGenerator, PaneId, Refusal, RunId, SessionName, Timestamp};
use uuid::Uuid;

use crate::caller::Caller;
use crate::permission_rules::PermissionRules;
use crate::settings::Settings;

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
    /// The user's rules for what agents ask.
    pub(crate) rules: Arc<PermissionRules>,
    /// Generates ids: the same ones each time the request is decided.
    ids: RefCell<IdGenerator>,
    seed: u64,
    /// The programs that were started for this request, by pane; empty in the first decision.
    started: BTreeMap<PaneId, Started>,
    /// The names of sessions that are being started for other requests.
    promised: Vec<SessionName>,
    /// Why the other host that the request names cannot be asked, if no relay passes requests on.
    relay_refusal: Option<Refusal>,
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
            rules: Arc::default(),
            ids: RefCell::new(IdGenerator::new(now, seed)),
            seed,
            started: BTreeMap::new(),
            promised: Vec::new(),
            relay_refusal: None,
            assumed: RefCell::new(None),
        }
    }

    /// Sets the agents that are known.
    pub fn knowing(mut self, agents: Arc<AgentTable>) -> Self {
        self.agents = agents;
        self
    }

    /// Sets the user's rules for what agents ask.
    pub(crate) fn ruled_by(self, rules: Arc<PermissionRules>) -> Self {
        Self { rules, ..self }
    }

    /// Reserves the names of sessions that other requests are creating.
    pub fn beside(mut self, promised: Vec<SessionName>) -> Self {
        self.promised = promised;
        self
    }

    /// Sets why the other host that the request names cannot be asked.
    pub(crate) fn relayed(self, relay_refusal: Option<Refusal>) -> Self {
        Self { relay_refusal, ..self }
    }

    /// Refuses what another host is to do, if no relay passes it on: it would only be waited for.
    pub(crate) fn check_relay(&self) -> Result<(), Refusal> {
        self.relay_refusal.clone().map_or(Ok(()), Err)
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

    /// Generates an id of a conversation. Gemini CLI names its files by the time and the first eight characters: ids that
    /// begin with a time would make agents that start together write into one file.
    pub(crate) fn fresh_conversation(&self) -> String {
        self.ids.borrow_mut().fresh_random().to_string()
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
