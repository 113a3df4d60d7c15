//! Sessions, windows, panes and clients.

use super::*;
use crate::ConfinementName;

/// Whether a pane's program is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Life {
    /// It is running.
    Running,
    /// It has exited; the pane is kept.
    Exited,
    /// It was lost together with the keeper, for example in a reboot; `restore-panes` starts it again.
    Lost,
}

/// A pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PaneView {
    /// Id.
    pub pane_id: PaneId,
    /// The pane's number in tmux's notation: `%NUMBER`.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub number: u64,
    /// The pane's index in the window.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: usize,
    /// The pane's window.
    pub window_id: WindowId,
    /// The pane's session.
    pub session_id: SessionId,
    /// The pane's name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    pub name: Option<PaneName>,
    /// The title set by the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The program, as a shell command line.
    pub command: String,
    /// The program and its arguments, if it was started without a shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The name of the program in the foreground, such as an editor that was started from the pane's shell. Absent if
    /// the pane's own program is in the foreground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub foreground: Option<String>,
    /// The pane's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// The program's process id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub pid: Option<u32>,
    /// Whether the program is running.
    pub state: Life,
    /// How the program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The exit code of the last command in the pane's shell, if the shell marks its prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub last_exit: Option<i32>,
    /// The agent running in the pane, and its state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentView")]
    pub agent: Option<AgentView>,
    /// The conversation of the agent, or of the last one that ran in the pane. `resume-agent` continues it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Conversation")]
    pub conversation: Option<Conversation>,
    /// Details of the lost program, if the pane has lost its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LostProgram")]
    pub lost: Option<LostProgram>,
    /// Columns and rows.
    pub dimensions: Size,
    /// The pane's position in the window.
    pub place: Rect,
    /// Whether the pane has the focus in its window.
    pub active: bool,
    /// Whether the pane had the focus before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// True if the pane is muted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub muted: bool,
    /// True if the pane is the marked one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub marked: bool,
    /// True if a pipe gets the pane's output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub piped: bool,
    /// True if the pane was closed because its program ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

/// The program in a pane, as people call it: the agent, or else the program in the foreground.
pub fn program_in_pane<'a>(agent: Option<&'a str>, foreground: Option<&'a str>) -> Option<&'a str> {
    agent.or(foreground)
}

/// A window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WindowView {
    /// Id.
    pub window_id: WindowId,
    /// The window's number in tmux's notation: `@NUMBER`.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub number: u64,
    /// The window's session.
    pub session_id: SessionId,
    /// The window's name.
    pub name: WindowName,
    /// If the name follows the program in the active pane: the name while that is the pane's own program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub own_name: Option<WindowName>,
    /// The window's index in the session.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: usize,
    /// Whether this is the session's current window.
    pub active: bool,
    /// Whether this was the session's current window before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// Whether one of the panes is zoomed.
    pub zoomed: bool,
    /// Columns and rows.
    pub dimensions: Size,
    /// The preset that was applied last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub preset: Option<crate::verbs::Preset>,
    /// The window's panes, in layout order.
    pub panes: Vec<PaneView>,
}

impl PaneView {
    /// The short name of the pane's own program; none for the user's shell.
    fn own_program(&self) -> Option<&str> {
        let ends = |c: char| c.is_whitespace() || ";&|()<>".contains(c);
        let first_word = || self.command.split(ends).find(|word| !word.is_empty());
        let line = || first_word().filter(|_| self.command != crate::Launch::SHELL);
        self.argv.first().map(String::as_str).or_else(line)?.rsplit('/').next()
    }
}

impl WindowView {
    /// Names the window after the program in its active pane, unless its name was chosen.
    pub fn follow_program(&mut self) {
        let Some(own) = &self.own_name else { return };
        let active = self.panes.iter().find(|pane| pane.active && pane.state == Life::Running);
        let program = active.and_then(|pane| {
            let agent = pane.agent.as_ref().map(|agent| agent.name.as_str());
            let program = program_in_pane(agent, pane.foreground.as_deref());
            program.or_else(|| pane.own_program())?.parse().ok()
        });
        self.name = program.unwrap_or_else(|| own.clone());
    }
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SessionView {
    /// Id.
    pub session_id: SessionId,
    /// The session's number in tmux's notation: `$NUMBER`.
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub number: u64,
    /// The session's name.
    pub name: SessionName,
    /// When the session was created.
    pub created_at: Timestamp,
    /// The session that created this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionId")]
    pub parent_id: Option<SessionId>,
    /// The pane whose end closes the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneId")]
    pub closes_with: Option<PaneId>,
    /// The session's tags.
    pub tags: BTreeSet<Tag>,
    /// The session's metadata.
    pub metadata: BTreeMap<String, String>,
    /// The profiles by which the session's programs are confined.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confined_by: BTreeSet<ConfinementName>,
    /// Repository, worktree and branch of the session's directory.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub place: Option<GitLocation>,
    /// The worktree that was created for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionWorktree")]
    pub own_worktree: Option<SessionWorktree>,
    /// Number of unacknowledged messages in the inbox.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub unread: usize,
    /// Number of attached clients.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub clients: usize,
    /// The session's windows, in order.
    pub windows: Vec<WindowView>,
    /// The popups that clients show over its windows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub popups: Vec<WindowView>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A client: a terminal attached to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ClientView {
    /// Client number.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub client: u64,
    /// The session that the client is attached to.
    pub session_id: SessionId,
    /// The session's name.
    pub session_name: SessionName,
    /// Columns and rows of the terminal.
    pub dimensions: Size,
    /// When the client attached.
    pub since: Timestamp,
    /// True if the client is read-only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The terminal's device on the client's host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub tty: Option<String>,
}

/// A list of clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientList {
    /// The clients, in the order in which they attached.
    pub clients: Vec<ClientView>,
}

/// All sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionList {
    /// The sessions, in creation order.
    pub sessions: Vec<SessionView>,
    /// Warnings that the user has not dismissed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// True if one session was asked for, with all details.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub detailed: bool,
}

/// A list of panes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneList {
    /// The panes, ordered by session, window and layout.
    pub panes: Vec<PaneView>,
    /// The names of their sessions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub session_names: BTreeMap<SessionId, SessionName>,
}

/// A new pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneCreated {
    /// The new pane.
    pub pane_id: PaneId,
    /// The pane's session.
    pub session_id: SessionId,
    /// The pane's window.
    pub window_id: WindowId,
    /// The pane's columns and rows.
    pub dimensions: Size,
    /// The worktree that was created for the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionWorktree")]
    pub worktree: Option<SessionWorktree>,
    /// How the result differs from the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// The pane and session of the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The caller's pane.
    pub pane_id: PaneId,
    /// The caller's session.
    pub session_id: SessionId,
    /// The session's name.
    pub session_name: SessionName,
    /// The caller's window.
    pub window_id: WindowId,
    /// The session's tags, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeSet<Tag>")]
    pub tags: Option<BTreeSet<Tag>>,
    /// The pane's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub cwd: Option<String>,
    /// True if the pane was identified only by its key, because the caller's process is not running in the pane.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub claimed: bool,
}
