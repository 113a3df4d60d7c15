//! What the commands of a line work on: the daemon's sessions and clients, and the way in which steps are asked for. Whose
//! line it is and where is in `setting.rs`, its targets in `places.rs`, and what formats and options are in
//! `expansion.rs` and `option_values.rs`.

mod expansion;
mod option_values;
mod places;
mod setting;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::{GetTags, ListClients, ListSessions, PaneChoice, VerbSpec, Whoami, WindowChoice};
use fugue_protocol::views::{ClientView, PaneView, SessionView, WindowView};
use fugue_protocol::{OptionScope, SessionId, WindowRef};
use serde_json::value::to_raw_value;

use crate::steps::{Exchange, LineOrigin, Step, StepReply};
use expansion::Facts;
pub use setting::{HookName, LineSetting, OwnClient, OwnSettings};

/// The version that is reported: the one whose commands are understood.
pub const VERSION: &str = "tmux 3.5a";

/// How many files whose commands run commands of files are followed.
const DEPTH: usize = 10;

/// The output of a command, or its error message.
pub(crate) type Outcome = Result<String, String>;

/// What the commands work on.
pub(crate) struct LineContext {
    exchange: Rc<Exchange>,
    pub(crate) setting: LineSetting,
    pub(crate) sessions: Vec<SessionView>,
    pub(crate) clients: Vec<ClientView>,
    /// The session that was used last, for a caller outside any pane.
    recent: Option<SessionId>,
    /// The options that were set, by scope and name.
    options: BTreeMap<OptionScope, BTreeMap<String, String>>,
    facts: RefCell<Facts>,
    /// How many settings and key bindings of the file that a person has run were skipped; none outside a file.
    pub(crate) skipped: Option<usize>,
    /// How many more files within files are read.
    pub(crate) depth: usize,
    /// The hook whose lines run now because a command asked for it, and the place that it is about.
    pub(crate) hook_run: Option<(String, TargetPlace)>,
    /// The exit code if no command fails: that of a popup's program.
    pub(crate) exit_code: u8,
}

impl LineContext {
    pub(crate) fn new(exchange: Rc<Exchange>, setting: LineSetting) -> Self {
        Self {
            exchange,
            setting,
            sessions: Vec::new(),
            clients: Vec::new(),
            recent: None,
            options: BTreeMap::new(),
            facts: RefCell::default(),
            skipped: None,
            depth: DEPTH,
            hook_run: None,
            exit_code: 0,
        }
    }

    /// Reads what the commands work on, before the first one.
    pub(crate) async fn open(&mut self) -> Result<(), String> {
        self.refresh().await?;
        self.read_options().await?;
        if self.setting.client.is_some() {
            return Ok(());
        }
        if self.setting.own_pane.is_none() {
            // A caller whose environment was cleared is known by its process.
            let caller = self.call(&Whoami { include_tags: false }).await.ok();
            self.setting.own_pane = caller.map(|caller| caller.pane_id);
        }
        if self.named_place().is_none() && !self.has_lost_its_pane() {
            self.recent = self.call(&GetTags::default()).await.ok().map(|tags| tags.session_id);
        }
        Ok(())
    }

    /// Reads the sessions and clients again, after a change.
    pub(crate) async fn refresh(&mut self) -> Result<(), String> {
        self.sessions = self.call(&ListSessions::default()).await?.sessions;
        self.clients = self.call(&ListClients::default()).await?.clients;
        self.facts.borrow_mut().screens.clear();
        self.facts.borrow_mut().characters.clear();
        Ok(())
    }

    /// Whether the line is given by a person.
    pub(crate) fn is_person(&self) -> bool {
        self.setting.origin == LineOrigin::Person
    }

    /// Calls a verb.
    pub(crate) async fn call<V: VerbSpec>(&self, verb: &V) -> Result<V::Reply, String> {
        let args = to_raw_value(verb).map_err(|why| why.to_string())?;
        match self.exchange.ask(Step::Call { verb: V::NAME, args }).await? {
            StepReply::Json(reply) => serde_json::from_str(reply.get()).map_err(|why| why.to_string()),
            other => Err(unexpected(&other)),
        }
    }

    /// Asks for a step whose answer says nothing more than that it was carried out.
    pub(crate) async fn act(&self, step: Step) -> Result<(), String> {
        self.exchange.ask(step).await.map(drop)
    }

    /// Asks for a step.
    pub(crate) async fn ask(&self, step: Step) -> Result<StepReply, String> {
        self.exchange.ask(step).await
    }

    /// Asks for content.
    pub(crate) async fn bytes(&self, step: Step) -> Result<Vec<u8>, String> {
        match self.exchange.ask(step).await? {
            StepReply::Bytes(bytes) => Ok(bytes),
            other => Err(unexpected(&other)),
        }
    }

    /// Prints the output of a command.
    pub(crate) async fn print(&self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        let line = format!("{}\n", text.strip_suffix('\n').unwrap_or(text));
        self.act(Step::Print(line.into_bytes())).await
    }

    /// What is known about a place.
    pub(crate) fn views(&self, at: TargetPlace) -> (&SessionView, &WindowView, &PaneView) {
        let views = self.sessions.iter().flat_map(|session| {
            let windows = session.windows.iter();
            windows.flat_map(move |window| window.panes.iter().map(move |pane| (session, window, pane)))
        });
        let mut views = views.filter(|(.., pane)| pane.pane_id == at.pane);
        views.next().unwrap_or_else(|| unreachable!("a place is found in these sessions"))
    }
}

fn unexpected(answer: &StepReply) -> String {
    format!("the wrong kind of answer: {answer:?}")
}

/// The pane of a place, as verbs choose it.
pub(crate) fn pane_choice(at: TargetPlace) -> PaneChoice {
    PaneChoice::of(at.pane)
}

/// The window of a place, as verbs choose it.
pub(crate) fn window_choice(at: TargetPlace) -> WindowChoice {
    WindowChoice { session: None, window: Some(WindowRef::from(at.window)) }
}
