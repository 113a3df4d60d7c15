//! What a program says beside its screen: a bell, a title, a finished command. The daemon collects these.

use serde::Serialize;

/// Something a program said. All text in it is the program's word: bounded and free of controls, otherwise not to be trusted.
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
        /// It is the shell that has the key.
        own: bool,
    },
    /// A shell runs a command (OSC 133;C).
    CommandStart {
        /// It is the shell that has the key.
        own: bool,
    },
    /// The command ended (OSC 133;D).
    CommandEnd {
        /// The shell that has the key says so.
        own: bool,
        /// Its exit code, when the shell told it.
        exit: Option<i32>,
    },
    /// A desktop notification (OSC 9, 99, 777).
    Notification {
        /// Headline; empty when the program gave none.
        title: String,
        /// Text.
        body: String,
    },
    /// The program wants text on the clipboard (OSC 52). Reading it is refused.
    Clipboard {
        /// Which one: `c` is the clipboard, `p` the primary selection.
        selection: char,
        /// The text.
        text: String,
    },
    /// A progress bar (OSC 9;4).
    Progress(ProgressReport),
    /// How the program is doing (OSC 7501).
    ProgramStatus(ProgramStatus),
}

/// A progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgressReport {
    /// No bar.
    None,
    /// So many per cent.
    Percent(u8),
    /// Stopped by an error at so many per cent.
    Error(u8),
    /// At work, with no telling how long.
    Busy,
    /// Paused at so many per cent.
    Paused(u8),
}

/// A report of the Program Status Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramStatus {
    /// Which part of the program speaks; empty is the program itself.
    pub id: String,
    /// How it is doing.
    pub state: ProgramState,
    /// What blocks it.
    pub kind: Option<BlockedBy>,
    /// Per cent done.
    pub progress: Option<u8>,
    /// The program's name.
    pub app: Option<String>,
    /// A headline.
    pub title: Option<String>,
    /// A message.
    pub message: Option<String>,
}

/// How a program is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramState {
    /// Waiting for work.
    Idle,
    /// At work.
    Working,
    /// Finished.
    Done,
    /// Cannot go on without someone.
    Blocked,
    /// Failed.
    Error,
    /// Nothing to report any more; also forgets everything below its id.
    Clear,
}

/// What a blocked program waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockedBy {
    /// Leave to do something.
    Permission,
    /// An answer.
    Question,
    /// A login.
    Auth,
}
