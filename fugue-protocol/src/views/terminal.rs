//! Replies about a pane's terminal: output, input, waits, runs and screenshots.

use std::fmt;

use super::*;
use crate::agents::AgentState;
use crate::verbs::OutputCursor;

/// The output of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneOutput {
    /// The pane.
    pub pane_id: PaneId,
    /// What was read.
    #[serde(default)]
    pub mode: crate::verbs::Mode,
    /// True if a full-screen program is running. Its screen is not part of the history.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full_screen: bool,
    /// The lines, without trailing spaces. With grep, each begins with the cursor of its match.
    pub text: String,
    /// Number of the first line returned, counted from the start of the pane.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub from_line: u64,
    /// Number of the line after the last one returned.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub to_line: u64,
    /// Number of the oldest line still kept.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub oldest_line: u64,
    /// Cursor at the end of this output. Pass it as `since` to read what follows.
    pub cursor: String,
    /// Cursor at the start of this output, if there is more before it. Pass it as `before` to read the earlier output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub start: Option<String>,
    /// With grep, the total number of matching lines, whether or not they were returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub matches: Option<u64>,
    /// With last_command, the command and how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CommandView")]
    pub command: Option<CommandView>,
    /// Number of requested lines that did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
    /// Number of bytes of those lines; `before` with the cursor `start` returns them.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes_missing: u64,
    /// Requested output that is no longer kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DroppedOutput")]
    pub dropped: Option<DroppedOutput>,
    /// A note about this reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
    /// Where the shell's commands and their output are, oldest first, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub commands: Vec<CommandPlace>,
    /// Where the cursor is and how long the history is, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub screen: Option<CursorAndHistory>,
    /// Whether the program is running.
    pub state: Life,
    /// How the program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
}

/// The cursor of a pane and the length of its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorAndHistory {
    /// The cursor's column, counted from 0.
    pub cursor_col: u16,
    /// The cursor's row, counted from 0.
    pub cursor_row: u16,
    /// Whether the cursor is visible.
    pub cursor_visible: bool,
    /// The number of lines above the screen, if it is known.
    pub history_lines: Option<u64>,
    /// The most lines that are kept above the screen, if that is known.
    pub history_limit: Option<usize>,
    /// Whether the program asked for pasted text between brackets; false if that is not known.
    #[serde(default)]
    pub bracketed_paste: bool,
}

/// Where a prompt is in a pane's history, and the output of the command that was run there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPlace {
    /// Where the prompt begins.
    pub prompt: OutputCursor,
    /// Where the output begins and ends, if a command was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<(OutputCursor, OutputCursor)>,
}

/// A command run by a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CommandView {
    /// The command line.
    pub line: String,
    /// Whether the command is still running.
    pub running: bool,
    /// The command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub exit_code: Option<i32>,
    /// Duration so far or in total, in milliseconds; omitted if no daemon was running when the command started or ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub duration_ms: Option<u64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A screenshot of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// The pane.
    pub pane_id: PaneId,
    /// Format of the image.
    pub format: crate::verbs::Format,
    /// The image as text; a PNG in base64.
    pub content: String,
}

/// The result of sending input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputSent {
    /// The pane.
    pub pane_id: PaneId,
    /// Number of bytes written to the terminal.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes: usize,
    /// Cursor at the end of the pane's output before the input was sent. Pass it to get-output as `since` to
    /// read what followed.
    pub cursor: String,
    /// With `submit`, what happened after Enter was pressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Submitted")]
    pub submit: Option<Submitted>,
    /// With `submit`, what this is based on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SubmitEvidence")]
    pub evidence: Option<SubmitEvidence>,
}

impl InputSent {
    /// The sentence that says whether the text was submitted; none if a shell or another program got it as usual.
    pub fn sentence(&self) -> Option<String> {
        let head = match (self.submit?, self.evidence?) {
            (_, SubmitEvidence::Shell | SubmitEvidence::LineLeft) => return None,
            (Submitted::Submitted, _) => "Submitted",
            (_, SubmitEvidence::TextInField | SubmitEvidence::TextAtCursor | SubmitEvidence::Dialog) => {
                "Not submitted"
            }
            (Submitted::Pending | Submitted::Blocked, _) => "Not confirmed",
        };
        Some(format!("{head}: {}", self.evidence?))
    }
}

/// What happened after Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Submitted {
    /// The program accepted the input.
    Submitted,
    /// The input is still in the input field, or it is not known whether the program accepted it: see `evidence`.
    Pending,
    /// The agent is asking a question first.
    Blocked,
}

/// What shows whether a text was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SubmitEvidence {
    /// The agent began a turn.
    TurnBegan,
    /// The text was in the agent's input field and has left it.
    FieldCleared,
    /// The text is not in the cursor's line anymore.
    LineLeft,
    /// The program is a shell, which reads a line when it is ready.
    Shell,
    /// The text is still in the agent's input field, although Enter was pressed more than once.
    TextInField,
    /// The text is still in the cursor's line.
    TextAtCursor,
    /// The agent asks something, so Enter was not pressed.
    Dialog,
    /// The agent asked something after Enter was pressed.
    DialogOpened,
    /// The program has not reacted.
    NoReaction,
    /// A person typed in the pane before it was clear.
    PersonTyped,
    /// The program has ended.
    ProgramEnded,
}

impl fmt::Display for SubmitEvidence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::TurnBegan => "the agent began a turn",
            Self::FieldCleared => "the text has left the input field",
            Self::LineLeft => "the text has left the cursor's line",
            Self::Shell => "the program is a shell",
            Self::TextInField => "the text is still in the input field",
            Self::TextAtCursor => "the text is still in the cursor's line",
            Self::Dialog => "the agent asks something",
            Self::DialogOpened => "the agent asked something after Enter was pressed",
            Self::NoReaction => "the program has not reacted",
            Self::PersonTyped => "a person typed in the pane",
            Self::ProgramEnded => "the program has ended",
        })
    }
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum WaitOutcome {
    /// The program exited.
    Exited,
    /// The pane was silent for long enough.
    Idle,
    /// A line matched.
    Matched,
    /// The shell command finished.
    CommandDone,
    /// The agent is in one of the states waited for.
    AgentState,
    /// There is an unread message; `poll-messages` reads it.
    Message,
    /// The lease is free.
    Lease,
    /// The terminal bell rang.
    Bell,
    /// An event ended the wait before anything happened in the pane.
    Waiting,
    /// The wait timed out. This is not an error.
    Timeout,
    /// The pane was closed first.
    Closed,
}

/// The result of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitResult {
    /// The pane.
    pub pane_id: PaneId,
    /// How the wait ended.
    pub outcome: WaitOutcome,
    /// How the program or the shell command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The matching line. For a very long line, only the text around the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub matched: Option<String>,
    /// The agent's state, if the call waited for a state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentState")]
    pub agent: Option<AgentState>,
    /// True if the condition was already met when the wait began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub already: bool,
    /// Duration in milliseconds.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
    /// Cursor right after the match, or else at the end of the pane's output. Pass it as `since` to wait for what
    /// follows.
    pub cursor: String,
    /// The last lines of the pane's output, unless a line matched.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// Output that would have been searched, but is no longer kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DroppedOutput")]
    pub dropped: Option<DroppedOutput>,
    /// A note about this result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
    /// With several panes, the result for each pane whose wait has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panes: Vec<WaitedPane>,
}

/// The result of a wait for one of several panes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WaitedPane {
    /// The pane.
    pub pane_id: PaneId,
    /// How the wait for the pane ended.
    pub outcome: WaitOutcome,
    /// How the program or the shell command ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    pub exit: Option<ExitStatus>,
    /// The matching line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub matched: Option<String>,
    /// The agent's state, if the call waited for a state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentState")]
    pub agent: Option<AgentState>,
    /// Cursor right after the match, or else at the end of the pane's output at that time.
    pub cursor: String,
    /// Output that would have been searched, but is no longer kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DroppedOutput")]
    pub dropped: Option<DroppedOutput>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RunOutcome {
    /// The command finished.
    Finished,
    /// The command is waiting for input from the terminal. It keeps running.
    WaitingForInput,
    /// The wait timed out. The command keeps running.
    Timeout,
    /// The shell did not run the command and is back at its prompt.
    NotRun,
    /// The pane's program exited.
    Exited,
    /// The pane was closed first.
    Closed,
}

/// The result of running a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// The pane that the command ran in.
    pub pane_id: PaneId,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// The command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub exit_code: Option<i32>,
    /// The signal that killed the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub signal: Option<i32>,
    /// The last lines of the output.
    pub output: String,
    /// Number of earlier lines that were not requested.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub lines_missing: u64,
    /// Number of bytes of those lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes_missing: u64,
    /// Output of the command that is no longer kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DroppedOutput")]
    pub dropped: Option<DroppedOutput>,
    /// Cursor at the start of the returned output. Pass it to get-output as `before` to read the earlier output.
    #[serde(default)]
    pub start: String,
    /// Duration in milliseconds.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub elapsed_ms: u64,
    /// Cursor at the end of the pane's output. Pass it as `since` to read what follows.
    pub cursor: String,
    /// True if the pane has been closed: it was opened for the command, or its shell exited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pane_closed: bool,
    /// True if the pane was opened for the command, which is its program: it exits when the command ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_pane: bool,
}
