//! Sessions, windows and panes as replies show them.

use super::*;

/// OfferedVia a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ExitStatus {
    /// With an exit code.
    Code(#[schemars(schema_with = "crate::time::plain_integer")] i32),
    /// By a signal.
    Signal(#[schemars(schema_with = "crate::time::plain_integer")] i32),
    /// Nobody was there to see it.
    Unknown,
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Unknown => f.write_str("exit status unknown"),
        }
    }
}

/// What becomes of a pane when its program ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OnExit {
    /// It is closed, as tmux does.
    #[default]
    Close,
    /// It stays, with its last screen and its exit status.
    Keep,
    /// It stays when the program failed.
    KeepFailed,
}

impl OnExit {
    /// Whether a pane that ended so is closed.
    pub fn closes(self, exit: ExitStatus) -> bool {
        match self {
            Self::Close => true,
            Self::Keep => false,
            Self::KeepFailed => exit == ExitStatus::Code(0),
        }
    }
}

impl std::str::FromStr for OnExit {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "close" => Ok(Self::Close),
            "keep" => Ok(Self::Keep),
            "keep-failed" | "keep_failed" => Ok(Self::KeepFailed),
            other => Err(format!("`{other}` is none of close, keep, keep-failed")),
        }
    }
}

/// Whether a pane's program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Life {
    /// It runs.
    Running,
    /// It has ended; the pane is kept.
    Exited,
    /// Keeper and daemon were both gone, and the program with them; `respawn-pane` starts it again.
    Lost,
}

/// A pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PaneView {
    /// Its id.
    pub pane_id: PaneId,
    /// Its window.
    pub window_id: WindowId,
    /// Its session.
    pub session_id: SessionId,
    /// The name it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    pub name: Option<PaneName>,
    /// The title its program set.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What runs in it, as a line for a shell.
    pub command: String,
    /// The same as words, where it was started so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// Its working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// The program's process id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub pid: Option<u32>,
    /// Whether the program runs.
    pub state: Life,
    /// OfferedVia it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The agent in it, and how it is doing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentView")]
    pub agent: Option<AgentView>,
    /// Columns and rows.
    pub dimensions: Size,
    /// Where it stands in its window.
    pub place: Rect,
    /// Whether its window's keyboard is its own.
    pub active: bool,
    /// Present and true when it may not call people.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
}

/// A window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WindowView {
    /// Its id.
    pub window_id: WindowId,
    /// Its session.
    pub session_id: SessionId,
    /// Its name.
    pub name: WindowName,
    /// Its number in the session.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: usize,
    /// Whether it is the session's current window.
    pub active: bool,
    /// Whether one pane fills it.
    pub zoomed: bool,
    /// Columns and rows.
    pub dimensions: Size,
    /// Its panes, as the layout lists them.
    pub panes: Vec<PaneView>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SessionView {
    /// Its id.
    pub session_id: SessionId,
    /// Its name.
    pub name: SessionName,
    /// When it was made.
    pub created_at: Timestamp,
    /// The session from which it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionId")]
    pub parent_id: Option<SessionId>,
    /// Its tags.
    pub tags: BTreeSet<Tag>,
    /// What agents keep with it.
    pub metadata: BTreeMap<String, String>,
    /// Repository, worktree and branch of the directory it works in.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub place: Option<GitLocation>,
    /// Messages in its inbox that nobody has acknowledged.
    #[serde(default, skip_serializing_if = "none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub unread: usize,
    /// Terminals in which it is shown.
    #[serde(default, skip_serializing_if = "none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub clients: usize,
    /// Its windows, in order.
    pub windows: Vec<WindowView>,
}

fn none(count: &usize) -> bool {
    *count == 0
}

/// A terminal in which a session is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ClientView {
    /// Its number, which is the connection's.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub client: u64,
    /// The session.
    pub session_id: SessionId,
    /// That session's name.
    pub session_name: SessionName,
    /// Columns and rows of the terminal.
    pub dimensions: Size,
    /// Since when it shows it.
    pub since: Timestamp,
    /// Present and true when it only watches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// All clients asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientList {
    /// In the order in which they came.
    pub clients: Vec<ClientView>,
}

/// All sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionList {
    /// In the order in which they were made.
    pub sessions: Vec<SessionView>,
}

/// All panes asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneList {
    /// In the order of their sessions, windows and layouts.
    pub panes: Vec<PaneView>,
}

/// Where a new pane came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneCreated {
    /// The pane.
    pub pane_id: PaneId,
    /// Its session.
    pub session_id: SessionId,
    /// Its window.
    pub window_id: WindowId,
    /// Its columns and rows.
    pub dimensions: Size,
}

/// Who the caller is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The caller's pane.
    pub pane_id: PaneId,
    /// Its session.
    pub session_id: SessionId,
    /// That session's name.
    pub session_name: SessionName,
    /// Its window.
    pub window_id: WindowId,
    /// The session's tags, unless they were not wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeSet<Tag>")]
    pub tags: Option<BTreeSet<Tag>>,
    /// The pane's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// Present and true when the pane is only what the caller says, since its process is in no pane.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}

/// A session's tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tags {
    /// The session.
    pub session_id: SessionId,
    /// Its name.
    pub session_name: SessionName,
    /// Its tags.
    pub tags: BTreeSet<Tag>,
}

/// Names and values kept with a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entries {
    /// The session.
    pub session_id: SessionId,
    /// What is kept.
    pub entries: BTreeMap<String, String>,
}
