//! The commands of the client: its lines are run one after the other, each of their commands in a block of its own.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use fugue_client::Paths;
use fugue_protocol::SessionId;
use fugue_tmux::reader;
use fugue_tmux::steps::{Step, StepReply};
use fugue_tmux::{Line, LineSetting, OwnClient, Progress};

use super::lines::Guard;
use super::requests;
use super::subscriptions::{FormatSubscription, Subscriptions};
use super::task::ControlTask;
use crate::tmux_shim::StepRunner;

/// The most output of a command that is kept: the scrollback of a pane and more.
const MOST_OUTPUT: usize = 64 << 20;

/// The client as its commands see it.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown(Arc<Mutex<Option<(u64, SessionId)>>>);

impl Shown {
    /// Notes the number of the client, and the session that it shows.
    pub(super) fn set(&self, client: u64, session: SessionId) {
        if let Ok(mut shown) = self.0.lock() {
            *shown = Some((client, session));
        }
    }

    /// Notes that the client has ended.
    pub(super) fn clear(&self) {
        if let Ok(mut shown) = self.0.lock() {
            *shown = None;
        }
    }

    pub(super) fn get(&self) -> Option<(u64, SessionId)> {
        self.0.lock().ok().and_then(|shown| *shown)
    }
}

/// What a command led to besides its output.
pub(super) enum Led {
    /// Nothing.
    Nowhere,
    /// The client shows this session.
    To(SessionId),
    /// The client is to end.
    Away,
}

/// Runs commands.
pub(super) struct Commands {
    runner: StepRunner,
    /// The setting of its lines.
    setting: fn(&Paths) -> LineSetting,
    paths: Paths,
    shown: Shown,
    sender: SyncSender<ControlTask>,
    /// The number of the next command.
    next: u64,
    output: Vec<u8>,
    dropped: usize,
    led: Led,
    subscriptions: Subscriptions,
}

impl Commands {
    pub(super) fn new(
        runner: StepRunner,
        setting: fn(&Paths) -> LineSetting,
        paths: Paths,
        shown: Shown,
        sender: SyncSender<ControlTask>,
    ) -> Self {
        Self {
            runner,
            setting,
            paths,
            shown,
            sender,
            next: 1,
            output: Vec::new(),
            dropped: 0,
            led: Led::Nowhere,
            subscriptions: Subscriptions::default(),
        }
    }

    /// Whether the client has not ended.
    pub(super) fn is_attached(&self) -> bool {
        self.shown.get().is_some()
    }

    /// Runs the command that was given on the command line. Returns its block, and where it led.
    pub(super) fn first(&mut self, words: Vec<String>) -> (Vec<u8>, Led) {
        let ended = self.run(words);
        (self.block(ended, false), std::mem::replace(&mut self.led, Led::Nowhere))
    }

    /// Runs a line of the client. Returns whether more may follow.
    pub(super) fn line(&mut self, text: &str) -> bool {
        let commands = match reader::parse(text, &|_| None, &|format| Ok(format.to_owned())) {
            Ok(commands) => commands,
            Err(why) => return self.tell(Err(format!("parse error: {why}"))),
        };
        commands.into_iter().all(|command| {
            let ended = self.command(command.words);
            let is_going_on = ended.is_ok();
            // As in tmux, an error ends the line.
            self.tell(ended) && is_going_on
        });
        !matches!(self.led, Led::Away)
    }

    fn command(&mut self, words: Vec<String>) -> Result<(), String> {
        match requests::read(&words) {
            Some(asked) => {
                let (requests, changes) = asked?;
                for request in requests {
                    self.until_done(|done| ControlTask::Request(request, done));
                }
                if changes.is_empty() { Ok(()) } else { self.subscribe(changes) }
            }
            None => {
                // As for tmux, an unknown command is a mistake of the line. It may be an alias.
                let name = words.first().map_or("", String::as_str);
                let unknown = fugue_tmux::command_table::find(name).err();
                let as_mistake =
                    |why| if Some(&why) == unknown.as_ref() { format!("parse error: {why}") } else { why };
                self.run(words).map_err(as_mistake)
            }
        }
    }

    /// Changes what the client subscribes to. Its formats are read by commands that run beside those of its lines.
    fn subscribe(&mut self, changes: Vec<FormatSubscription>) -> Result<(), String> {
        let (runner, setting, paths) = (&self.runner, self.setting, &self.paths);
        let (shown, sender) = (&self.shown, &self.sender);
        self.subscriptions.change(changes, sender, || {
            let runner = runner.another().map_err(|why| why.message())?;
            let mut commands = Self::new(runner, setting, paths.clone(), shown.clone(), sender.clone());
            Ok(Box::new(move |words| commands.printed(words)))
        })
    }

    /// Runs a command, and returns what it printed.
    fn printed(&mut self, words: Vec<String>) -> Result<String, String> {
        let ended = self.run(words);
        let output = std::mem::take(&mut self.output);
        ended.map(|()| String::from_utf8_lossy(&output).into_owned())
    }

    /// Sends a message, and waits until it was handled. Returns whether it was sent.
    fn until_done(&self, message: impl FnOnce(SyncSender<()>) -> ControlTask) -> bool {
        let (done, handled) = sync_channel(0);
        let is_sent = self.sender.send(message(done)).is_ok();
        let _ = handled.recv();
        is_sent
    }

    /// Sends the block of a command, and what it led to. Returns whether more may follow.
    fn tell(&mut self, ended: Result<(), String>) -> bool {
        let block = self.block(ended, true);
        let is_told = self.sender.send(ControlTask::Block(block)).is_ok();
        match self.led {
            Led::Nowhere => is_told,
            Led::To(session) => {
                self.led = Led::Nowhere;
                self.until_done(|done| ControlTask::Show(session, done))
            }
            Led::Away => {
                let _ = self.sender.send(ControlTask::Exit(None));
                false
            }
        }
    }

    fn block(&mut self, ended: Result<(), String>, is_asked: bool) -> Vec<u8> {
        let guard = Guard { time: chrono::Local::now().timestamp(), number: self.next, is_asked };
        self.next += 1;
        let mut output = std::mem::take(&mut self.output);
        if let dropped @ 1.. = std::mem::take(&mut self.dropped) {
            output.extend(format!("\n[{dropped} more bytes of output were dropped]\n").bytes());
        }
        guard.block(&output, ended.err().as_deref())
    }

    fn run(&mut self, words: Vec<String>) -> Result<(), String> {
        let client = self.shown.get().map(|(number, session)| OwnClient {
            number,
            pane: None,
            session,
            synchronized: Vec::new(),
        });
        let setting = LineSetting { client, ..(self.setting)(&self.paths) };
        let mut line = Line::new(words, setting);
        let mut answer = None;
        loop {
            match line.next(answer) {
                Progress::Ended(ended) => return ended.map(drop),
                Progress::Needs(step) => answer = Some(self.carry_out(step)),
            }
        }
    }

    fn carry_out(&mut self, step: Step) -> Result<StepReply, String> {
        match step {
            Step::Print(bytes) => self.print(&bytes),
            Step::Write { path, content, .. } if path == "-" => self.print(&content),
            // What the client sends are commands.
            Step::Read(path) if path == "-" => return Ok(StepReply::Bytes(Vec::new())),
            Step::ReadCommands(path) if path == "-" => return Ok(StepReply::Text(None)),
            Step::Attach { session, .. } => self.led = Led::To(session),
            Step::Client(line) => self.client_line(&line)?,
            step => return self.runner.carry_out(step),
        }
        Ok(StepReply::Done)
    }

    fn print(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(MOST_OUTPUT.saturating_sub(self.output.len()));
        self.output.extend(&bytes[..kept]);
        self.dropped += bytes.len() - kept;
    }

    /// Carries out a line for this client: of those for a terminal, few mean something here.
    fn client_line(&mut self, line: &str) -> Result<(), String> {
        match client_line(line) {
            ClientLine::Show(session) => self.led = Led::To(session),
            ClientLine::Detach => self.led = Led::Away,
            ClientLine::Say(text) => {
                let _ = self.sender.send(ControlTask::Say(text));
            }
            ClientLine::Other(name) => {
                return Err(format!("`{name}` needs a terminal: this is control mode"));
            }
        }
        Ok(())
    }
}

/// A line for an attached client.
pub(super) enum ClientLine {
    /// It shows a session.
    Show(SessionId),
    /// It detaches.
    Detach,
    /// It shows a message.
    Say(String),
    /// Something that only a terminal can show.
    Other(String),
}

/// Reads a line for an attached client.
pub(super) fn client_line(line: &str) -> ClientLine {
    let commands = reader::parse(line, &|_| None, &|format| Ok(format.to_owned())).unwrap_or_default();
    let words: Vec<_> = commands.into_iter().next().map(|command| command.words).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let other = || ClientLine::Other(words.first().copied().unwrap_or_default().to_owned());
    match words.as_slice() {
        ["attach", session, ..] => session.parse().map_or_else(|_| other(), ClientLine::Show),
        ["detach", ..] => ClientLine::Detach,
        ["say", words @ ..] => ClientLine::Say(words.join(" ")),
        _ => other(),
    }
}
