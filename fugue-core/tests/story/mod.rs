//! A test harness: commands as people type them, a simulated edge, and the world as text.
//!
//! Panes are called a, b, c in the order of their creation. In a command line `%a` is a pane's id, `%a~` its
//! last digits, `@logs` a window's id, `$work` a session's.

#![allow(dead_code, reason = "each story needs some of it")]

mod aliases;
mod command_line;
mod event_text;
mod layout_picture;

use std::collections::BTreeMap;

use fugue_core::Answered;
use fugue_core::request_context::StartedWorktree;
use fugue_core::{
    Caller, ChildSpec, EdgeRequest, Effect, Input, Machine, MachineStep, PayloadSource, Settings, Started,
    Ticket, World,
};
use fugue_protocol::agent_messages::Payload;
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::{ExitStatus, PendingPayloads};
use fugue_protocol::{Event, MessageId, Refusal, RunId, Timestamp, Verb};
use serde_json::value::RawValue;

use aliases::Aliases;

/// A user outside every pane.
pub(crate) const OUTSIDE: Caller = Caller::Outside;

/// When every story begins.
const START: u64 = 1_800_000_000_000;

/// Returns why a line is not a valid verb.
#[track_caller]
pub(crate) fn refusal_of(line: &str) -> String {
    command_line::verb(line).expect_err("it is a verb")
}

/// A machine with a simulated edge.
#[derive(Default)]
pub(crate) struct Story {
    pub machine: Machine,
    pub aliases: Aliases,
    /// Every event from the beginning.
    pub history: Vec<Event>,
    /// The events, effects and answers since the last request.
    pub step: MachineStep,
    /// Programs that are not started yet, while starts are slow.
    pub pending_starts: Vec<(Ticket, Vec<ChildSpec>)>,
    slow: bool,
    failure: Option<Refusal>,
    clock: u64,
    /// The stored payloads of messages.
    pub payloads: BTreeMap<MessageId, String>,
}

impl Story {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self { machine: Machine::new(World::default(), settings), ..Self::default() }
    }

    /// A story in the world that these events restore.
    pub(crate) fn after(events: Vec<Event>) -> Self {
        let machine = Machine::new(World::fold(&events), Settings::default());
        let mut aliases = Aliases::default();
        aliases.learn(&events);
        Self { machine, aliases, history: events, ..Self::default() }
    }

    /// A story that begins with these commands of a user.
    pub(crate) fn of(lines: &[&str]) -> Self {
        let mut story = Self::new();
        lines.iter().for_each(|line| story.run(line));
        story
    }

    pub(crate) fn world(&self) -> &World {
        self.machine.world()
    }

    /// Runs a command of the user, which must succeed.
    #[track_caller]
    pub(crate) fn run(&mut self, line: &str) {
        self.succeed(OUTSIDE, line);
    }

    /// Runs a command from inside a pane, which must succeed.
    #[track_caller]
    pub(crate) fn run_in(&mut self, pane: &str, line: &str) {
        self.succeed(self.inside(pane), line);
    }

    pub(crate) fn inside(&self, pane: &str) -> Caller {
        Caller::Inside(self.aliases.pane(pane))
    }

    /// The reply to a command, with aliases for ids.
    #[track_caller]
    pub(crate) fn reply(&mut self, caller: Caller, line: &str) -> serde_json::Value {
        let reply = self.succeed(caller, line);
        serde_json::from_str(&self.aliases.with_names(reply.get())).expect("a reply is JSON")
    }

    #[track_caller]
    fn succeed(&mut self, caller: Caller, line: &str) -> Box<RawValue> {
        let answer = self.answer(caller, line);
        answer.unwrap_or_else(|refusal| panic!("`{line}` is refused: {refusal}"))
    }

    /// The request that a command makes to the edge.
    #[track_caller]
    pub(crate) fn ask(&mut self, line: &str) -> EdgeRequest {
        self.begin(Caller::Outside, line);
        match std::mem::take(&mut self.step.effects).pop() {
            Some(Effect::Request { request: ask, .. }) => ask,
            other => panic!("`{line}` makes no request to the edge but {other:?}: {:?}", self.step.answers),
        }
    }

    /// The answer to a command, be it a reply or a refusal.
    #[track_caller]
    pub(crate) fn answer(&mut self, caller: Caller, line: &str) -> Answered {
        let ticket = self.begin(caller, line);
        self.answer_to(ticket)
    }

    /// Takes the answer to a request.
    #[track_caller]
    pub(crate) fn answer_to(&mut self, ticket: Ticket) -> Answered {
        let at = self.step.answers.iter().position(|(to, _)| *to == ticket).expect("no answer");
        self.step.answers.remove(at).1
    }

    /// Asserts that a command of the user is refused with this sentence and hint, and changes nothing.
    #[track_caller]
    pub(crate) fn refused(&mut self, line: &str, expected: &str) {
        self.refused_to(Caller::Outside, line, expected);
    }

    #[track_caller]
    pub(crate) fn refused_to(&mut self, caller: Caller, line: &str, expected: &str) {
        let before = self.world().clone();
        let refusal = self.answer(caller, line).expect_err("the operation should fail");
        assert_eq!(self.sentence(&refusal), expected, "to `{line}`");
        assert_eq!(self.step.events, [], "a refused request changes nothing");
        assert_eq!(*self.world(), before, "a refused request changes nothing");
    }

    /// A refusal's sentence and hint.
    pub(crate) fn sentence(&self, refusal: &Refusal) -> String {
        let refused = fugue_protocol::refusal::Refused::from(refusal);
        self.aliases.with_names(&refused.to_string())
    }

    /// Makes a request. Its programs are started at once unless starts are slow.
    #[track_caller]
    pub(crate) fn begin(&mut self, caller: Caller, line: &str) -> Ticket {
        let verb =
            command_line::verb(&self.aliases.with_ids(line)).unwrap_or_else(|why| panic!("`{line}`: {why}"));
        self.request(caller, verb)
    }

    /// Makes a request with a parsed verb.
    pub(crate) fn request(&mut self, caller: Caller, verb: Verb) -> Ticket {
        self.step = MachineStep::default();
        self.clock += 1;
        let ticket = self.clock;
        self.take(Input::Request { ticket, verb: Box::new(verb), caller, seed: ticket });
        if !self.slow {
            self.start_all();
        }
        ticket
    }

    /// From now on, programs start only in `start_next` or `start_all`.
    pub(crate) fn starts_are_slow(&mut self) {
        self.slow = true;
    }

    /// Makes the next start fail.
    pub(crate) fn next_start_fails(&mut self) {
        self.failure = Some(Refusal::CannotStart { command: "nope".into(), why: "no such file".into() });
    }

    /// Starts all pending programs as a new step, so that only its outcome is asserted.
    pub(crate) fn finish_starts(&mut self) {
        self.step = MachineStep::default();
        self.start_all();
    }

    /// Starts all pending programs.
    pub(crate) fn start_all(&mut self) {
        while !self.pending_starts.is_empty() {
            self.start_next();
        }
    }

    /// Starts the oldest pending program, or fails to.
    pub(crate) fn start_next(&mut self) {
        if self.pending_starts.is_empty() {
            return;
        }
        let (ticket, children) = self.pending_starts.remove(0);
        let outcome = match self.failure.take() {
            Some(refusal) => Err(refusal),
            None => Ok(children.iter().map(|child| self.started(child)).collect()),
        };
        self.take(Input::Started { ticket, outcome });
    }

    fn started(&self, child: &ChildSpec) -> Started {
        let program = child.launch.argv.first().cloned().unwrap_or_else(|| "bash".into());
        let cwd = child.launch.cwd.clone().unwrap_or_else(|| "/home".into());
        // The process id is derived from the run, so that runs are never confused.
        let pid = u32::from_be_bytes(std::array::from_fn(|at| child.run.as_bytes()[12 + at]));
        let worktree = child.worktree.as_ref().map(|new| StartedWorktree {
            path: new.path.clone().unwrap_or_else(|| format!("/app.worktrees/{}", new.branch)),
            branch: new.branch.clone(),
            repository: "/app".into(),
            copied: 0,
            reused: false,
        });
        Started { pane: child.pane, pid, cwd, program, run: Some(child.run), worktree, failure: None }
    }

    /// A pane's program exits.
    pub(crate) fn exit(&mut self, pane: &str, exit: ExitStatus) {
        let run = self.run_of(pane);
        self.exit_run(run, exit);
    }

    pub(crate) fn exit_run(&mut self, run: RunId, exit: ExitStatus) {
        self.input(Input::Exited { run, exit });
    }

    pub(crate) fn run_of(&self, pane: &str) -> RunId {
        self.world().panes[&self.aliases.pane(pane)].run().expect("a running program").id
    }

    /// The daemon is replaced by one that continues with the stored state.
    pub(crate) fn restart(&mut self) {
        let text = serde_json::to_string(self.world()).expect("a world is serializable");
        let mut world: World = serde_json::from_str(&text).expect("a world is deserializable");
        // Messages are stored separately.
        world.messages = self.world().messages.clone();
        self.machine = Machine::new(world, Settings::default());
        self.pending_starts.clear();
    }

    /// The daemon is killed, and the next one continues with what the journal holds.
    pub(crate) fn crash(&mut self) {
        self.history.retain(|event| !event.is_fleeting());
        self.machine = Machine::new(World::fold(&self.history), Settings::default());
        self.pending_starts.clear();
    }

    /// The time of the last input.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(START + self.clock)
    }

    /// Lets time pass until then, and fires the timer.
    pub(crate) fn advance_to(&mut self, then: Timestamp) {
        // Each input takes a millisecond.
        self.clock = (then.millis() - START - 1).max(self.clock);
        self.input(Input::TimerFired);
    }

    /// Gives another input to the machine, as a new step.
    pub(crate) fn input(&mut self, input: Input) {
        self.step = MachineStep::default();
        self.take(input);
    }

    /// Checks that the list of sessions, which the machine keeps, shows the world as it is.
    fn check_list(&mut self, events: &[Event]) {
        let now = self.now();
        let verb = Box::new(Verb::ListSessions(ListSessions::default()));
        let list = Input::Request { ticket: Ticket::MAX, verb, caller: OUTSIDE, seed: 0 };
        let (_, listed) = self.machine.handle(now, list).answers.pop().expect("an answer");
        let made = serde_json::value::to_raw_value(&self.world().session_list(None)).expect("JSON");
        assert_eq!(listed.expect("a list").get(), made.get(), "after {events:?}");
    }

    fn take(&mut self, input: Input) {
        self.clock += 1;
        let now = self.now();
        let step = self.machine.handle(now, input);
        assert_eq!(self.world().check(), Ok(()), "after {:?}", step.events);
        self.check_list(&step.events);
        self.aliases.learn(&step.events);
        self.store(&step.payloads);
        self.history.extend(step.events.iter().cloned());
        for effect in step.effects {
            match effect {
                Effect::Start { ticket, children } => self.pending_starts.push((ticket, children)),
                Effect::Request { ticket, request: EdgeRequest::Payloads(reply) } => {
                    let answer = self.with_payloads(*reply);
                    self.step.answers.push((ticket, Ok(answer)));
                }
                effect => self.step.effects.push(effect),
            }
        }
        self.step.events.extend(step.events);
        self.step.answers.extend(step.answers);
        self.step.audit = step.audit.or(self.step.audit.take());
    }

    /// Stores payloads as the disk does.
    fn store(&mut self, payloads: &[(MessageId, PayloadSource)]) {
        for (message, payload) in payloads {
            let text = match payload {
                PayloadSource::Text(text) => text.clone(),
                PayloadSource::CopyOf(other) => self.payloads[other].clone(),
            };
            self.payloads.insert(*message, text);
        }
    }

    /// A reply with the payloads of its messages.
    fn with_payloads(&self, mut reply: PendingPayloads) -> Box<RawValue> {
        for message in reply.messages() {
            let payload = self.payloads.get(&message.message_id).expect("a payload was stored");
            message.payload = Some(Payload::stored(serde_json::from_str(payload).expect("JSON")));
        }
        serde_json::value::to_raw_value(&reply).expect("a reply is serializable")
    }

    /// Lets this many milliseconds pass, then fires the timer.
    pub(crate) fn advance(&mut self, millis: u64) {
        self.clock += millis;
        self.input(Input::TimerFired);
    }
}
