//! Lines of tmux's commands, which the client runs step by step between its other events: requests go to the daemon that is
//! shown, what is about this host is carried out on a thread, and the output is shown when the line ends.

use std::time::Instant;

use fugue_client::ThisMachine;
use fugue_protocol::escape::escape_output;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{ListSessions, VerbSpec};
use fugue_protocol::views::SessionList;
use fugue_protocol::wording::without_codes;
use fugue_tmux::command_table::full_name;
use fugue_tmux::steps::{LineOrigin as TmuxOrigin, Step, StepReply};
use fugue_tmux::{Line, LineSetting, OwnClient, Progress};
use serde_json::value::{RawValue, to_raw_value};

use super::state::daemon::Purpose;
use super::state::jobs::JobOutput;
use super::state::{LineOutput, LineRest, LineWait, RunningLine, StepAnswer};
use super::{App, line_origin};
use crate::command::{Command, verb_traits};
use crate::login_environment::login_environment;
use crate::overlays::{self, Overlay};

/// The lines of a command's output that are kept among the past messages, of which there are not many more.
const NOTED: usize = 100;

/// What follows a step.
enum Carried {
    /// It was carried out.
    Out(StepAnswer),
    /// The line waits for this.
    Waits(LineWait),
}

impl App {
    /// Runs tmux's commands as seen from the active pane, and what follows them when they have ended.
    pub(super) fn run_tmux(&mut self, words: Vec<String>, rest: LineRest) {
        let Some(name) = words.first() else { return self.say_error("No command given") };
        let name = full_name(name).unwrap_or("tmux");
        let job = std::iter::once("tmux".to_owned()).chain(words.iter().cloned()).collect();
        if let Some(why) = self.refusal_of(&Command::Own(job)) {
            return self.say_error(why);
        }
        let number = match self.events.lines.next_number() {
            Ok(number) => number,
            Err(why) => return self.say_error(why),
        };
        let line = RunningLine {
            number,
            name,
            line: Line::new(words, self.line_setting()),
            origin: self.line_origin.clone(),
            host: self.daemon.host_name().map(str::to_owned),
            started: Instant::now(),
            output: LineOutput::default(),
            rest: Some(rest),
            awaited: None,
        };
        self.continue_line(line, None);
    }

    fn line_setting(&self) -> LineSetting {
        let paths = self.daemon.paths();
        let is_here = paths.host.is_none();
        let variable = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        LineSetting {
            origin: if self.line_origin.is_program() { TmuxOrigin::Sent } else { TmuxOrigin::Person },
            client: Some(OwnClient {
                number: self.daemon.client().unwrap_or_default(),
                pane: self.tree.pane().map(|pane| pane.pane_id),
                session: self.tree.here,
                synchronized: self.tree.synchronized_panes(),
            }),
            own_pane: None,
            own_target: None,
            settings: self.options.steps.settings(),
            leads_team: false,
            team: None,
            team_variables: Vec::new(),
            environment: std::env::vars_os().filter_map(variable).collect(),
            directory: std::env::current_dir().ok().filter(|_| is_here),
            socket: paths.socket.clone(),
            tmux_link: self.options.steps.tmux_link(paths),
            daemon: self.daemon_label(),
            not_attachable: None,
            is_startup: false,
            login: login_environment(paths),
            window_area: self.window_area(),
            is_silent: false,
            machine: std::rc::Rc::new(ThisMachine),
            now: i64::try_from(crate::clock::now().millis() / 1_000).unwrap_or_default(),
        }
    }

    /// Continues a line until it waits for something, or ends.
    fn continue_line(&mut self, mut line: RunningLine, mut answer: Option<StepAnswer>) {
        loop {
            let step = match line.line.next(answer.take()) {
                Progress::Ended(ended) => return self.line_ended(line, ended),
                Progress::Needs(step) => step,
            };
            match self.carry_out(&mut line, step) {
                Carried::Out(done) => answer = Some(done),
                Carried::Waits(awaited) => {
                    line.awaited = Some(awaited);
                    return self.events.lines.keep(line);
                }
            }
        }
    }

    fn carry_out(&mut self, line: &mut RunningLine, step: Step) -> Carried {
        let shown = self.daemon.host_name();
        if line.host.as_deref() != shown {
            let now = shown.unwrap_or("this host");
            return Carried::Out(Err(format!("`{}` was ended: {now} is shown now", line.name)));
        }
        if let Some(why) = line_origin::step_refusal(&step, line.name, shown) {
            return Carried::Out(Err(why));
        }
        if self.options.read_only && line_origin::changes_something(&step) {
            return Carried::Out(Err("This client is read-only".to_owned()));
        }
        match step {
            Step::Call { verb, args } => self.call_for_line(line, verb, &args),
            Step::Client(command) => match self.newest_tree() {
                Some(tree) => Carried::Waits(LineWait::Tree(tree, command)),
                None => self.run_for_line(line, &command),
            },
            Step::Attach { session, .. } => self.run_for_line(line, &format!("attach {session}")),
            Step::Print(bytes) => {
                line.output.push(&bytes);
                Carried::Out(Ok(StepReply::Done))
            }
            Step::Write { path, content, .. } if path == "-" => {
                line.output.push(&content);
                Carried::Out(Ok(StepReply::Done))
            }
            // The terminal is the person's.
            Step::Read(path) if path == "-" => Carried::Out(Ok(StepReply::Bytes(Vec::new()))),
            Step::ReadCommands(path) if path == "-" => Carried::Out(Ok(StepReply::Text(None))),
            step => self.carry_out_on_thread(line, step),
        }
    }

    fn call_for_line(&mut self, line: &RunningLine, verb: &'static str, args: &RawValue) -> Carried {
        // A program's line does not hold up what the person types.
        let purpose = Purpose::Line { number: line.number, leads: !line.origin.is_program() };
        match self.daemon.request_named(purpose, verb, args) {
            true => Carried::Waits(LineWait::Reply(verb)),
            false => Carried::Out(Err("The daemon cannot be reached".to_owned())),
        }
    }

    fn carry_out_on_thread(&mut self, line: &RunningLine, step: Step) -> Carried {
        let (steps, paths) = (&self.options.steps, self.daemon.paths());
        match self.events.lines.carry_out(line.number, step, steps, paths) {
            Ok(()) => Carried::Waits(LineWait::Thread),
            Err(why) => Carried::Out(Err(why)),
        }
    }

    /// Runs a command of this client for a line.
    fn run_for_line(&mut self, line: &RunningLine, command: &str) -> Carried {
        self.run_line_of(command, line.origin.clone(), None);
        Carried::Out(Ok(StepReply::Done))
    }

    /// Handles the reply to a request of a line.
    pub(super) fn line_replied(&mut self, number: u64, answer: Result<Box<RawValue>, Refused>) {
        let Some(mut line) = self.events.lines.take(number) else { return };
        let awaited = line.awaited.take();
        let answer = match (awaited, answer) {
            (_, Err(refused)) => Err(self.refused_text(&refused)),
            (Some(LineWait::Reply(verb)), Ok(reply)) => {
                if verb_traits::only_goes(verb) {
                    self.went(&reply);
                }
                Ok(StepReply::Json(self.as_seen_here(verb, reply)))
            }
            (_, Ok(reply)) => Ok(StepReply::Json(reply)),
        };
        self.continue_line(line, Some(answer));
        self.display.redraw();
    }

    /// A list of sessions in which those windows and panes are active that this client looks at.
    fn as_seen_here(&self, verb: &str, reply: Box<RawValue>) -> Box<RawValue> {
        if verb != ListSessions::NAME {
            return reply;
        }
        let Ok(mut list) = serde_json::from_str::<SessionList>(reply.get()) else { return reply };
        self.tree.focus.clone().apply(&mut list.sessions);
        to_raw_value(&list).unwrap_or(reply)
    }

    /// Handles what a thread has found out for a line.
    pub(super) fn line_answered(&mut self, number: u64, answer: StepAnswer) {
        let Some(mut line) = self.events.lines.take(number) else { return };
        line.awaited = None;
        self.continue_line(line, Some(answer));
        self.display.redraw();
    }

    /// Continues the lines that need not wait for the tree any more.
    pub(super) fn continue_led_lines(&mut self) {
        let daemon = &self.daemon;
        let is_led = |line: &RunningLine| matches!(line.awaited, Some(LineWait::Tree(tree, _)) if !daemon.is_pending(tree));
        let Some(mut line) = self.events.lines.take_if(is_led) else { return };
        if let Some(LineWait::Tree(_, command)) = line.awaited.take() {
            let Carried::Out(answer) = self.run_for_line(&line, &command) else { return };
            self.continue_line(line, Some(answer));
        }
        self.continue_led_lines();
    }

    /// Ends the lines that wait for a daemon to which this client is not connected any more.
    pub(super) fn end_waiting_lines(&mut self) {
        let waits =
            |line: &RunningLine| matches!(line.awaited, Some(LineWait::Reply(_) | LineWait::Tree(..)));
        while let Some(line) = self.events.lines.take_if(waits) {
            if line.origin.is_program() {
                continue;
            }
            match self.daemon.is_away() {
                true => self.report_unanswered(line.name),
                false => self.say_error(format!("`{}` was ended: another host is shown", line.name)),
            }
        }
    }

    /// Shows what a line printed, and runs what follows it.
    fn line_ended(&mut self, line: RunningLine, ended: Result<u8, String>) {
        let RunningLine { name, origin, started, output, rest, .. } = line;
        let mut text = output.into_text();
        let succeeded = ended.is_ok();
        if let Err(why) = ended {
            text.push_str(&self.error_text(&why));
        }
        self.job_ended(&JobOutput { name, started, succeeded, text });
        if let Some(rest) = rest.filter(|rest| succeeded && !rest.text.is_empty()) {
            let from = rest.from.filter(|_| rest.place == self.tree.place());
            let outer = std::mem::replace(&mut self.line_origin, origin);
            self.run_line_later(&rest.text, from);
            self.line_origin = outer;
        }
    }

    /// An error of tmux's for a person who pressed a key.
    fn error_text(&self, why: &str) -> String {
        let why = escape_output(&without_codes(why)).into_owned();
        self.config.keys.name_keys(&why)
    }

    /// Shows what a command said: one line on the status line, more as a list. A person who has done something since the
    /// command was started is not interrupted by a list.
    pub(super) fn job_ended(&mut self, job: &JobOutput) {
        match job.text.trim_end().lines().collect::<Vec<_>>().as_slice() {
            [] if job.succeeded => {}
            [] => self.say_error(format!("{} failed", job.name)),
            [line] if job.succeeded => self.say(*line),
            [line] => self.say_error(*line),
            lines if self.keyboard.typed_at > job.started || self.overlays.current.is_some() => {
                self.note_output(job, lines);
            }
            lines => {
                let list = overlays::reply(job.name, lines, self.display.size.cols);
                self.open_overlay(Overlay::List(list));
                self.watch_visible();
            }
        }
        self.display.redraw();
    }

    /// Adds what a command said to the past messages, in which the newest come first, and says so.
    fn note_output(&mut self, job: &JobOutput, lines: &[&str]) {
        for line in lines.iter().take(NOTED).rev() {
            self.messages.note(line);
        }
        let dropped = lines.len().saturating_sub(NOTED);
        let dropped = if dropped > 0 { format!("; {dropped} were dropped") } else { String::new() };
        let (name, key) = (job.name, self.key_for("show-messages"));
        let result = if job.succeeded { "printed" } else { "failed and printed" };
        self.say(format!("{name} {result} {} lines{dropped} ({key})", lines.len()));
    }
}
