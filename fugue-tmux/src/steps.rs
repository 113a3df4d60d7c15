//! The steps of a line: what it asks of the program that runs it, one at a time, and where the line comes from, which
//! decides whether a step may be asked for at all.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use fugue_protocol::verbs::{Nature, VerbInfo};
use fugue_protocol::{PaneId, SessionId};
use serde_json::value::RawValue;

/// Where a line comes from. The line carries it to its last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOrigin {
    /// A person, at a shell, at the client's prompt, or by a key.
    Person,
    /// A program that drives tmux, in a process of its own and with its own rights. What has no effect in fugue succeeds, so
    /// that the program continues.
    Program,
    /// A hook: the daemon started a process for the line, whose rights are those of whoever has set the hook. It changes no
    /// settings.
    Hook,
    /// A program that had the daemon send the line to a client, where it would act with a person's rights.
    Sent,
}

impl LineOrigin {
    /// Why a line may not ask for this step. A program can ask the daemon itself for what it may change, so that a line that it
    /// sent only changes what is shown; the settings are the person's, and a hook has no terminal.
    fn refusal(self, step: &Step) -> Option<String> {
        let what = match step {
            _ if self == Self::Person => return None,
            Step::Configure(_) => "change your settings".to_owned(),
            Step::Attach { .. } if self != Self::Program => "attach a terminal".to_owned(),
            _ if self != Self::Sent => return None,
            Step::Call { verb, .. } if !only_reads(verb) => format!("run `{verb}`"),
            Step::Shell(ShellStep { command, .. }) => format!("start `{command}`"),
            Step::Read(path) | Step::ReadCommands(path) => format!("read {path}"),
            Step::Write { path, .. } => format!("write {path}"),
            Step::Pipe { .. } => "start a pipe".to_owned(),
            _ => return None,
        };
        Some(match self {
            Self::Hook => format!("A hook cannot {what}"),
            Self::Program => format!("A program cannot {what}"),
            Self::Person | Self::Sent => format!("A program tried to {what} in your name; ignored"),
        })
    }
}

fn only_reads(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.nature == Nature::Reads)
}

/// What a line asks for.
#[derive(Debug)]
pub enum Step {
    /// A request to the daemon, answered by [`StepReply::Json`].
    Call {
        /// The verb.
        verb: &'static str,
        /// Its arguments.
        args: Box<RawValue>,
    },
    /// A line for the client that runs this one.
    Client(String),
    /// Output.
    Print(Vec<u8>),
    /// A shell command, answered by [`StepReply::Ended`] unless it runs in the background.
    Shell(ShellStep),
    /// The content of a file, answered by [`StepReply::Bytes`]; `-` is standard input.
    Read(String),
    /// The commands of a file, answered by [`StepReply::Text`]; `-` is standard input.
    ReadCommands(String),
    /// New content for a file; `-` is standard output.
    Write {
        /// The file.
        path: String,
        /// What is written.
        content: Vec<u8>,
        /// Whether to append to the file instead of replacing what is in it.
        append: bool,
    },
    /// A pause.
    Pause(Duration),
    /// Attaching this terminal to a session, after which nothing follows.
    Attach {
        /// The session.
        session: SessionId,
        /// Further flags of `fugue attach`.
        flags: Vec<&'static str>,
    },
    /// A change of the person's settings.
    Configure(SettingChange),
    /// The keys of the client, answered by [`StepReply::Keys`].
    Keys,
    /// The settings in the place of tmux's options, answered by [`StepReply::Text`] if there is one.
    Setting(String),
    /// A pipe for a pane, which takes the place of one that is there.
    Pipe {
        /// The pane.
        pane: PaneId,
        /// The command that gets the output.
        command: String,
    },
}

/// A shell command that a line runs.
#[derive(Debug)]
pub struct ShellStep {
    /// The command.
    pub command: String,
    /// The pane that it is about, which its environment names.
    pub about: Option<PaneId>,
    /// Its directory.
    pub directory: Option<String>,
    /// Whether nobody waits for it.
    pub background: bool,
}

/// A change of the person's settings.
#[derive(Debug)]
pub enum SettingChange {
    /// `bind-key` with these words.
    Bind(Vec<String>),
    /// `unbind-key` with these words.
    Unbind(Vec<String>),
    /// An option gets a value.
    Set {
        /// The option.
        name: String,
        /// Its value.
        value: String,
        /// Whether the value is added to the one before.
        append: bool,
        /// Whether nothing is said about an option that fugue lacks.
        quiet: bool,
    },
    /// An option has its default again.
    Unset(String),
}

/// A key of the client, for a list.
#[derive(Debug, Clone)]
pub struct KeyRow {
    /// Its table.
    pub table: String,
    /// Its name.
    pub key: String,
    /// Its command.
    pub command: String,
    /// What it does.
    pub about: String,
    /// Whether it may be repeated without the prefix.
    pub repeats: bool,
}

/// The answer to a step.
#[derive(Debug)]
pub enum StepReply {
    /// It was done.
    Done,
    /// The reply of the daemon.
    Json(Box<RawValue>),
    /// Some content.
    Bytes(Vec<u8>),
    /// A text, if there is one.
    Text(Option<String>),
    /// How a shell command ended, and what it printed.
    Ended {
        /// Its exit code; none if a signal ended it.
        code: Option<i32>,
        /// What it printed.
        output: Vec<u8>,
        /// What it printed as errors.
        errors: Vec<u8>,
    },
    /// The keys of the client.
    Keys(Vec<KeyRow>),
}

/// Where a line leaves the step that it waits for, and finds the answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    origin: LineOrigin,
    step: RefCell<Option<Step>>,
    answer: RefCell<Option<Result<StepReply, String>>>,
}

impl Exchange {
    pub(crate) fn new(origin: LineOrigin) -> Self {
        Self { origin, step: RefCell::default(), answer: RefCell::default() }
    }

    /// Asks for a step, and waits until it was carried out. This is the only way out of a line, so here is decided what a
    /// line may do.
    pub(crate) async fn ask(&self, step: Step) -> Result<StepReply, String> {
        if let Some(why) = self.origin.refusal(&step) {
            return Err(why);
        }
        self.step.replace(Some(step));
        poll_fn(|_| self.answer.take().map_or(Poll::Pending, Poll::Ready)).await
    }

    pub(crate) fn answer(&self, answer: Result<StepReply, String>) {
        self.answer.replace(Some(answer));
    }

    pub(crate) fn take_step(&self) -> Option<Step> {
        self.step.take()
    }
}
