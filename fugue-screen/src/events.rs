//! Events that a program causes beside its screen: a bell, a title, a finished command. The daemon collects them.

use serde::Serialize;

/// An event on a screen. Its text comes from the program: it is bounded and free of controls, but must not be trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScreenEvent {
    /// A new window title (OSC 0, 2).
    Title(String),
    /// The bell.
    Bell,
    /// The working directory, as a path (OSC 7, OSC 9;9).
    Cwd(String),
    /// A shell shows its prompt (OSC 133;A).
    PromptStart {
        /// Whether the mark carries the key of the pane's shell.
        own: bool,
    },
    /// A shell runs a command (OSC 133;C).
    CommandStart {
        /// Whether the mark carries the key of the pane's shell.
        own: bool,
    },
    /// The command ended (OSC 133;D).
    CommandEnd {
        /// Whether the mark carries the key of the pane's shell.
        own: bool,
        /// The exit code, if the shell reported it.
        exit: Option<i32>,
    },
    /// A desktop notification (OSC 9, 99, 777).
    Notification {
        /// The title; empty if the program gave none.
        title: String,
        /// The text.
        body: String,
    },
    /// A request to put text on the clipboard (OSC 52). Reading it is refused.
    Clipboard {
        /// The selection: `c` is the clipboard, `p` the primary selection.
        selection: char,
        /// The text.
        text: String,
    },
    /// A progress bar (OSC 9;4).
    Progress(ProgressReport),
    /// A status report (OSC 7501).
    ProgramStatus(ProgramStatus),
}

/// A progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgressReport {
    /// No progress bar.
    None,
    /// The percentage done.
    Percent(u8),
    /// Stopped by an error at this percentage.
    Error(u8),
    /// Busy, without an estimate.
    Busy,
    /// Paused at this percentage.
    Paused(u8),
}

/// A report of the Program Status Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramStatus {
    /// The part of the program that reports; empty for the program itself.
    pub id: String,
    /// Its state.
    pub state: ProgramState,
    /// What it is blocked by.
    pub kind: Option<BlockedBy>,
    /// The percentage done.
    pub progress: Option<u8>,
    /// The program's name.
    pub app: Option<String>,
    /// A short title.
    pub title: Option<String>,
    /// A message.
    pub message: Option<String>,
}

/// The state that a program reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramState {
    /// Waiting for work.
    Idle,
    /// Working.
    Working,
    /// Finished.
    Done,
    /// Cannot continue without someone's help.
    Blocked,
    /// Failed.
    Error,
    /// Withdraws the report of its id and of all ids below it.
    Clear,
}

/// What a blocked program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockedBy {
    /// A permission.
    Permission,
    /// An answer to a question.
    Question,
    /// A login.
    Auth,
}
