//! What the commands of a line work on: the daemon's sessions and clients, the place of whoever gives the line, and the
//! way in which steps are asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use fugue_protocol::targets::{TargetKind, TargetOrigin, TargetPlace, TargetTree};
use fugue_protocol::verbs::{
    ChangeOption, GetOutput, GetTags, ListClients, ListOptions, ListSessions, Mode, PaneChoice, VerbSpec,
    Whoami, WindowChoice,
};
use fugue_protocol::views::{ClientView, CursorAndHistory, PaneView, SessionView, WindowView};
use fugue_protocol::{OptionScope, PaneId, SessionId, WindowRef};
use serde_json::value::to_raw_value;

use crate::flags::Flags;
use crate::format::{self, FormatContext, FormatPlace, FormatSource, Machine};
use crate::options;
use crate::steps::{Exchange, LineOrigin, ShellStep, Step, StepReply};

/// The version that is reported: the one whose commands are understood.
pub const VERSION: &str = "tmux 3.5a";

/// How many files whose commands run commands of files are followed.
const DEPTH: usize = 10;

/// How often a format is expanded again with what it asked for: what it learns may lead to another question.
const ROUNDS: usize = 8;

/// The output of a command, or its error message.
pub(crate) type Outcome = Result<String, String>;

/// Who gives a line, and where.
pub struct LineSetting {
    /// Where the line comes from.
    pub origin: LineOrigin,
    /// The client that runs the line.
    pub client: Option<OwnClient>,
    /// The pane of the caller.
    pub own_pane: Option<PaneId>,
    /// The caller's pane as `TMUX_PANE` names it.
    pub own_target: Option<String>,
    /// fugue's own settings, as far as tmux's commands are about them.
    pub settings: Rc<dyn OwnSettings>,
    /// Whether the caller leads a team: each pane that it splits off becomes a session of its own.
    pub leads_team: bool,
    /// The tag of the sessions of that team.
    pub team: Option<fugue_protocol::Tag>,
    /// The variables of the lead's agent that its teammates share.
    pub team_variables: Vec<&'static str>,
    /// The caller's environment.
    pub environment: BTreeMap<String, String>,
    /// The caller's directory.
    pub directory: Option<PathBuf>,
    /// The daemon's socket.
    pub socket: PathBuf,
    /// The directory in which `tmux` means fugue.
    pub tmux_link: PathBuf,
    /// The name of the daemon, for people.
    pub daemon: String,
    /// Why this terminal cannot be attached, if it cannot.
    pub not_attachable: Option<String>,
    /// Whether the line is read from a file before there is a client: a new session is not attached then.
    pub is_startup: bool,
    /// The variables of this login that a new session gets.
    pub login: Vec<(String, String)>,
    /// The size of the area for windows in this terminal.
    pub window_area: fugue_protocol::Size,
    /// Whether the output is for a program that knows tmux's.
    pub is_silent: bool,
    /// The machine that the panes run on.
    pub machine: Rc<dyn Machine>,
    /// The current time, in seconds.
    pub now: i64,
}

/// The attached client that runs a line.
#[derive(Debug, Clone)]
pub struct OwnClient {
    /// The number that the daemon gave it.
    pub number: u64,
    /// The pane with the keyboard.
    pub pane: Option<PaneId>,
    /// The session that it shows.
    pub session: SessionId,
    /// The panes that share their input in it.
    pub synchronized: Vec<PaneId>,
}

/// fugue's own settings, as far as tmux's commands are about them.
pub trait OwnSettings {
    /// The value of an option that is set without one.
    fn toggled(&self, name: &str, current: &str) -> Option<&'static str>;

    /// The section and key of the setting in the place of an option.
    fn place(&self, name: &str) -> Option<String>;

    /// Why fugue has no counterpart of a command, or of one of its flags.
    fn refusal(&self, words: &[String]) -> Option<String>;
}

/// What formats asked about and was found out.
#[derive(Default)]
struct Facts {
    screens: BTreeMap<PaneId, Option<CursorAndHistory>>,
    outputs: BTreeMap<String, String>,
    settings: BTreeMap<String, Option<String>>,
    /// What they asked about and is not known yet.
    missing: BTreeSet<Question>,
}

/// What a format asks about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Screen(PaneId),
    Output(String),
    Setting(String),
}

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

    /// Finds a target. One that names only a window or a session means its current pane; without a target, it is the
    /// caller's.
    pub(crate) fn find(&self, target: Option<&str>, kind: TargetKind) -> Result<TargetPlace, String> {
        let place = self.own_place()?;
        let origin = TargetOrigin { place, marked: self.marked(), inexact: true };
        let target = target.unwrap_or_default();
        match TargetTree::of(&self.sessions).find(target, kind, origin) {
            Ok(place) => Ok(place),
            Err(_) if target.is_empty() => Err("no current target".into()),
            Err(why) => Err(why.to_string()),
        }
    }

    /// The pane that `-t` names.
    pub(crate) fn pane(&self, given: &Flags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Pane)
    }

    /// The window that `-t` names.
    pub(crate) fn window(&self, given: &Flags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Window)
    }

    /// The session that `-t` names.
    pub(crate) fn session(&self, given: &Flags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Session)
    }

    /// The place that the client shows, that the environment names, or that the caller runs in. A client whose pane has just
    /// closed means the one that it shows next.
    fn named_place(&self) -> Option<TargetPlace> {
        let tree = TargetTree::of(&self.sessions);
        let find = |name: &str, kind| tree.find(name, kind, TargetOrigin::default()).ok();
        if let Some(client) = &self.setting.client {
            let shown = || find(&client.session.to_string(), TargetKind::Session);
            return client.pane.and_then(|pane| tree.place_of_pane(pane)).or_else(shown);
        }
        let named = self.setting.own_target.as_deref().and_then(|name| find(name, TargetKind::Pane));
        named.or_else(|| tree.place_of_pane(self.setting.own_pane?))
    }

    /// Whether a program was in a pane that is closed: it has no place, because it must not act on another.
    fn has_lost_its_pane(&self) -> bool {
        !self.is_person() && self.setting.own_target.is_some() && self.named_place().is_none()
    }

    /// The caller's place; for a caller outside any pane, the current one of the session that was used last.
    fn own_place(&self) -> Result<Option<TargetPlace>, String> {
        if let Some(place) = self.named_place() {
            return Ok(Some(place));
        }
        if let Some(name) = self.setting.own_target.as_ref().filter(|_| !self.is_person()) {
            return Err(format!("can't find pane: {name}"));
        }
        let Some(recent) = self.recent else { return Ok(None) };
        let tree = TargetTree::of(&self.sessions);
        Ok(tree.find(&recent.to_string(), TargetKind::Session, TargetOrigin::default()).ok())
    }

    /// The marked pane.
    fn marked(&self) -> Option<PaneId> {
        let windows = self.sessions.iter().flat_map(|session| session.windows.iter().chain(&session.popups));
        windows.flat_map(|window| &window.panes).find(|pane| pane.marked).map(|pane| pane.pane_id)
    }

    /// Notes the session that was used last, for a caller outside any pane.
    pub(crate) fn used(&mut self, session: SessionId) {
        self.recent = Some(session);
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

    /// Expands a format for a place. A percent sign stays: in a command, it is not a time.
    pub(crate) async fn expand(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand, format, at).await
    }

    /// Expands a format in a command for a shell or for tmux, which the values in it cannot change.
    pub(crate) async fn expand_in_command(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand_in_command, format, at).await
    }

    /// The same, and the time specifiers in it.
    pub(crate) async fn expand_in_command_with_time(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand_in_command_with_time, format, at).await
    }

    /// Expands a format and the time specifiers in it.
    pub(crate) async fn expand_with_time(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand_with_time, format, at).await
    }

    /// Expands a format for the caller's place.
    pub(crate) async fn expand_here(&mut self, format: &str) -> Outcome {
        let at = self.find(None, TargetKind::Pane)?;
        self.expand(format, at).await
    }

    async fn expand_by(
        &mut self,
        expand: fn(&str, &dyn FormatSource) -> String,
        format: &str,
        at: TargetPlace,
    ) -> Outcome {
        self.with_formats(|context| {
            let place = context.places().find(|place| place.pane.pane_id == at.pane);
            // As in tmux, a session that no client shows has the last client.
            let last = context.clients.last();
            let place = place.map(|place| FormatPlace { client: place.client.or(last), ..place });
            place.map(|place| expand(format, &place)).unwrap_or_default()
        })
        .await
    }

    /// Does something with what formats are about: once with what is known, and again with what it asked for.
    pub(crate) async fn with_formats<T>(
        &mut self,
        act: impl Fn(&FormatContext<'_>) -> T,
    ) -> Result<T, String> {
        self.read_options().await?;
        self.facts.borrow_mut().outputs.clear();
        for _ in 0..ROUNDS {
            let done = self.with_known_formats(&act);
            let missing = std::mem::take(&mut self.facts.borrow_mut().missing);
            if missing.is_empty() {
                return Ok(done);
            }
            for question in missing {
                self.find_out(question).await?;
            }
        }
        Ok(self.with_known_formats(&act))
    }

    fn with_known_formats<T>(&self, act: impl Fn(&FormatContext<'_>) -> T) -> T {
        act(&FormatContext {
            sessions: &self.sessions,
            clients: &self.clients,
            socket: &self.setting.socket,
            version: VERSION.trim_start_matches("tmux "),
            machine: &*self.setting.machine,
            now: self.setting.now,
            synchronized: &|pane| {
                self.setting.client.as_ref().is_some_and(|client| client.synchronized.contains(&pane))
            },
            other: &|place, name| match name {
                "pid" => None,
                name => self.option_value(place, name),
            },
            screen: &|pane| self.known(Question::Screen(pane), |facts| facts.screens.get(&pane).copied())?,
            output: &|command| {
                let question = Question::Output(command.to_owned());
                self.known(question, |facts| facts.outputs.get(command).cloned()).unwrap_or_default()
            },
        })
    }

    /// What was found out about a question, which is asked if nothing was.
    fn known<T>(&self, question: Question, find: impl Fn(&Facts) -> Option<T>) -> Option<T> {
        let mut facts = self.facts.borrow_mut();
        let found = find(&facts);
        if found.is_none() {
            facts.missing.insert(question);
        }
        found
    }

    async fn find_out(&mut self, question: Question) -> Result<(), String> {
        match question {
            Question::Screen(pane) => {
                let choice = PaneChoice::of(pane);
                let (lines, mode) = (1, Some(Mode::Screen));
                let get = GetOutput { choice, lines, mode, screen_state: true, ..GetOutput::default() };
                let screen = self.call(&get).await.ok().and_then(|output| output.screen);
                self.facts.get_mut().screens.insert(pane, screen);
            }
            Question::Output(command) => {
                let step =
                    ShellStep { command: command.clone(), about: None, directory: None, background: false };
                let text = match self.ask(Step::Shell(step)).await? {
                    StepReply::Ended { output, .. } => String::from_utf8_lossy(&output).into_owned(),
                    _ => String::new(),
                };
                let last = text.trim_end().lines().last().unwrap_or_default().to_owned();
                self.facts.get_mut().outputs.insert(command, last);
            }
            Question::Setting(name) => {
                let value = self.setting_of(&name).await?;
                self.facts.get_mut().settings.insert(name, value);
            }
        }
        Ok(())
    }

    /// The value of the setting in the place of an option.
    async fn setting_of(&self, name: &str) -> Result<Option<String>, String> {
        match self.ask(Step::Setting(name.to_owned())).await? {
            StepReply::Text(value) => Ok(value),
            other => Err(unexpected(&other)),
        }
    }

    /// Reads the options that were set.
    pub(crate) async fn read_options(&mut self) -> Result<(), String> {
        self.options = self.call(&ListOptions::default()).await?.options;
        Ok(())
    }

    /// Changes an option. Returns whether it was set in this scope before.
    pub(crate) async fn change_option(&self, change: &ChangeOption) -> Result<bool, String> {
        Ok(self.call(change).await?.was_set)
    }

    /// The value that an option was given in a scope.
    pub(crate) fn option(&self, scope: OptionScope, name: &str) -> Option<String> {
        self.options.get(&scope)?.get(name).cloned()
    }

    /// The options that were set in a scope.
    pub(crate) fn options_of(&self, scope: OptionScope) -> BTreeMap<String, String> {
        self.options.get(&scope).cloned().unwrap_or_default()
    }

    /// The value of an option at a place, for a format: that of the pane, of its window, of its session, or of all.
    fn option_value(&self, place: &FormatPlace<'_>, name: &str) -> Option<String> {
        let scopes = [
            OptionScope::Pane(place.pane.pane_id),
            OptionScope::Window(place.window.window_id),
            OptionScope::Session(place.session.session_id),
            OptionScope::Global,
        ];
        let set = scopes.into_iter().find_map(|scope| self.option(scope, name));
        set.or_else(|| self.known_inherited(name))
    }

    /// The value of an option that was not set, as far as it is known.
    fn known_inherited(&self, name: &str) -> Option<String> {
        if name.starts_with('@') {
            return None;
        }
        let question = Question::Setting(name.to_owned());
        let setting = self.known(question, |facts| facts.settings.get(name).cloned()).flatten();
        self.inherited_over(name, setting)
    }

    /// The value of an option that was not set: that of the setting in its place, or a default.
    pub(crate) async fn inherited(&self, name: &str) -> Result<Option<String>, String> {
        let setting = self.setting_of(name).await?;
        Ok(self.inherited_over(name, setting))
    }

    fn inherited_over(&self, name: &str, setting: Option<String>) -> Option<String> {
        let is_fixed = !self.is_person() && name == "status";
        setting.filter(|_| !is_fixed).or_else(|| options::default(name, !self.is_person()))
    }

    /// Prints a format for each place that is wanted and passes the filter (`-f`).
    pub(crate) async fn lines(
        &mut self,
        given: &Flags,
        usual: &str,
        wanted: impl Fn(&FormatPlace<'_>) -> bool,
    ) -> Outcome {
        let format = given.value('F').unwrap_or(usual);
        self.with_formats(|context| {
            let passes = |place: &FormatPlace<'_>| {
                let filter = given.value('f').map(|filter| format::expand(filter, place));
                filter.is_none_or(|filter| format::is_true(&filter))
            };
            let places = context.places().filter(|place| wanted(place) && passes(place));
            places.map(|place| format::expand(format, &place) + "\n").collect()
        })
        .await
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
