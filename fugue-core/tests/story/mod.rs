//! Stories: verbs as people type them, an edge that is played, and the world as text.
//!
//! Panes are called a, b, c in the order in which they came to be. In a command line `%a` is a pane's id, `%a~` its
//! last digits, `@logs` a window's id, `$work` a session's.

#![allow(dead_code, reason = "each story needs some of it")]

mod aliases;
mod command_line;
mod event_text;
mod layout_picture;

use std::collections::BTreeMap;

use fugue_core::machine::Answered;
use fugue_core::{
    Caller, ChildSpec, EdgeRequest, Effect, Input, Machine, PayloadSource, Settings, Started, Step, Ticket,
    World,
};
use fugue_protocol::agent_messages::Payload;
use fugue_protocol::views::{ExitStatus, PendingPayloads};
use fugue_protocol::{Event, MessageId, Refusal, RunId, Timestamp, Verb};
use serde_json::value::RawValue;

use aliases::Aliases;

/// A person, in no pane.
pub(crate) const OUTSIDE: Caller = Caller::Outside;

/// Why a line is no verb.
#[track_caller]
pub(crate) fn refusal_of(line: &str) -> String {
    command_line::verb(line).expect_err("it is a verb")
}

/// A machine with its edge.
#[derive(Default)]
pub(crate) struct Story {
    pub machine: Machine,
    pub aliases: Aliases,
    /// Everything that happened, from the beginning.
    pub history: Vec<Event>,
    /// What happened, what is wished and what was answered since the last request.
    pub step: Step,
    /// Children that wait to be started, while the edge is slow.
    pub nursery: Vec<(Ticket, Vec<ChildSpec>)>,
    slow: bool,
    failure: Option<Refusal>,
    clock: u64,
    /// What messages say, as the disk has it.
    pub payloads: BTreeMap<MessageId, String>,
}

impl Story {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(settings: Settings) -> Self {
        Self { machine: Machine::new(World::default(), settings), ..Self::default() }
    }

    /// A story that goes on in a world that events made.
    pub(crate) fn after(events: Vec<Event>) -> Self {
        let machine = Machine::new(World::fold(&events), Settings::default());
        let mut aliases = Aliases::default();
        aliases.learn(&events);
        Self { machine, aliases, history: events, ..Self::default() }
    }

    /// A story that begins with some commands of a person.
    pub(crate) fn of(lines: &[&str]) -> Self {
        let mut story = Self::new();
        lines.iter().for_each(|line| story.run(line));
        story
    }

    pub(crate) fn world(&self) -> &World {
        self.machine.world()
    }

    /// A person's command, which is done.
    #[track_caller]
    pub(crate) fn run(&mut self, line: &str) {
        self.done(OUTSIDE, line);
    }

    /// The same from within a pane.
    #[track_caller]
    pub(crate) fn run_in(&mut self, pane: &str, line: &str) {
        self.done(self.inside(pane), line);
    }

    pub(crate) fn inside(&self, pane: &str) -> Caller {
        Caller::Inside(self.aliases.pane(pane))
    }

    /// The reply to a command, with names for ids.
    #[track_caller]
    pub(crate) fn reply(&mut self, caller: Caller, line: &str) -> serde_json::Value {
        let reply = self.done(caller, line);
        serde_json::from_str(&self.aliases.named(reply.get())).expect("a reply is JSON")
    }

    #[track_caller]
    fn done(&mut self, caller: Caller, line: &str) -> Box<RawValue> {
        let answer = self.answer(caller, line);
        answer.unwrap_or_else(|refusal| panic!("`{line}` is refused: {refusal}"))
    }

    /// What the edge is asked to do by a command.
    #[track_caller]
    pub(crate) fn ask(&mut self, line: &str) -> EdgeRequest {
        self.begin(Caller::Outside, line);
        match std::mem::take(&mut self.step.effects).pop() {
            Some(Effect::Request { request: ask, .. }) => ask,
            other => panic!("`{line}` asks nothing but {other:?}: {:?}", self.step.answers),
        }
    }

    /// The answer to a command, whichever it is.
    #[track_caller]
    pub(crate) fn answer(&mut self, caller: Caller, line: &str) -> Answered {
        let ticket = self.begin(caller, line);
        self.answer_to(ticket)
    }

    /// The one answer a request got.
    #[track_caller]
    pub(crate) fn answer_to(&mut self, ticket: Ticket) -> Answered {
        let at = self.step.answers.iter().position(|(to, _)| *to == ticket).expect("no answer");
        self.step.answers.remove(at).1
    }

    /// A person's command is refused with this sentence and hint, and changes nothing.
    #[track_caller]
    pub(crate) fn refused(&mut self, line: &str, expected: &str) {
        self.refused_to(Caller::Outside, line, expected);
    }

    #[track_caller]
    pub(crate) fn refused_to(&mut self, caller: Caller, line: &str, expected: &str) {
        let before = self.world().clone();
        let refusal = self.answer(caller, line).expect_err("it is done");
        assert_eq!(self.sentence(&refusal), expected, "to `{line}`");
        assert_eq!(self.step.events, [], "a refused request changes nothing");
        assert_eq!(*self.world(), before, "a refused request changes nothing");
    }

    /// A refusal's sentence and hint.
    pub(crate) fn sentence(&self, refusal: &Refusal) -> String {
        let refused = fugue_protocol::refusal::Refused::from(refusal);
        self.aliases.named(&refused.to_string())
    }

    /// A request comes in; what it starts is started at once, unless the edge is slow.
    #[track_caller]
    pub(crate) fn begin(&mut self, caller: Caller, line: &str) -> Ticket {
        let verb =
            command_line::verb(&self.aliases.with_ids(line)).unwrap_or_else(|why| panic!("`{line}`: {why}"));
        self.request(caller, verb)
    }

    /// The same with a verb that was read already.
    pub(crate) fn request(&mut self, caller: Caller, verb: Verb) -> Ticket {
        self.step = Step::default();
        self.clock += 1;
        let ticket = self.clock;
        self.take(Input::Request { ticket, verb, caller, seed: ticket });
        if !self.slow {
            self.start_all();
        }
        ticket
    }

    /// From now on programs take their time to start.
    pub(crate) fn starts_are_slow(&mut self) {
        self.slow = true;
    }

    /// The next program cannot be started.
    pub(crate) fn next_start_fails(&mut self) {
        self.failure = Some(Refusal::CannotStart { command: "nope".into(), why: "no such file".into() });
    }

    /// The same, and only what follows from it is looked at.
    pub(crate) fn tell_started(&mut self) {
        self.step = Step::default();
        self.start_all();
    }

    /// Everything that waits to be started is.
    pub(crate) fn start_all(&mut self) {
        while !self.nursery.is_empty() {
            self.start_next();
        }
    }

    /// The oldest that waits is started, or fails to.
    pub(crate) fn start_next(&mut self) {
        if self.nursery.is_empty() {
            return;
        }
        let (ticket, children) = self.nursery.remove(0);
        let outcome = match self.failure.take() {
            Some(refusal) => Err(refusal),
            None => Ok(children.iter().map(|child| self.born(child)).collect()),
        };
        self.take(Input::Started { ticket, outcome });
    }

    fn born(&self, child: &ChildSpec) -> Started {
        let program = child.launch.argv.first().cloned().unwrap_or_else(|| "bash".into());
        let cwd = child.launch.cwd.clone().unwrap_or_else(|| "/home".into());
        // A process id that tells which run it is, so that one run is never taken for another.
        let pid = u32::from_be_bytes(std::array::from_fn(|at| child.run.as_bytes()[12 + at]));
        Started { pane: child.pane, pid, cwd, program }
    }

    /// A pane's program ends.
    pub(crate) fn exit(&mut self, pane: &str, exit: ExitStatus) {
        let run = self.run_of(pane);
        self.exit_run(run, exit);
    }

    pub(crate) fn exit_run(&mut self, run: RunId, exit: ExitStatus) {
        self.tell(Input::Exited { run, exit });
    }

    pub(crate) fn run_of(&self, pane: &str) -> RunId {
        self.world().panes[&self.aliases.pane(pane)].run().expect("it runs").id
    }

    /// The daemon ends, and the next one goes on with what was written down.
    pub(crate) fn restart(&mut self) {
        let text = serde_json::to_string(self.world()).expect("a world can be written");
        let mut world: World = serde_json::from_str(&text).expect("a world can be read");
        // The mail comes from a place of its own.
        world.messages = self.world().messages.clone();
        self.machine = Machine::new(world, Settings::default());
        self.nursery.clear();
    }

    /// Something else happens.
    pub(crate) fn tell(&mut self, input: Input) {
        self.step = Step::default();
        self.take(input);
    }

    fn take(&mut self, input: Input) {
        self.clock += 1;
        let step = self.machine.handle(Timestamp::from_millis(1_800_000_000_000 + self.clock), input);
        assert_eq!(self.world().check(), Ok(()), "after {:?}", step.events);
        self.aliases.learn(&step.events);
        self.store(&step.payloads);
        self.history.extend(step.events.iter().cloned());
        for effect in step.effects {
            match effect {
                Effect::Start { ticket, children } => self.nursery.push((ticket, children)),
                Effect::Request { ticket, request: EdgeRequest::Payloads(reply) } => {
                    let answer = self.filled(*reply);
                    self.step.answers.push((ticket, Ok(answer)));
                }
                effect => self.step.effects.push(effect),
            }
        }
        self.step.events.extend(step.events);
        self.step.answers.extend(step.answers);
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
    fn filled(&self, mut reply: PendingPayloads) -> Box<RawValue> {
        for message in reply.messages() {
            let payload = self.payloads.get(&message.message_id).expect("a payload was stored");
            message.payload = Some(Payload(serde_json::from_str(payload).expect("JSON")));
        }
        serde_json::value::to_raw_value(&reply).expect("a reply can be written")
    }

    /// So many milliseconds pass, and what is due comes.
    pub(crate) fn pass(&mut self, millis: u64) {
        self.clock += millis;
        self.tell(Input::TimerFired);
    }
}
