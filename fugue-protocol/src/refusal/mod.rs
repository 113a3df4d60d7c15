//! Why a request was not done: a code for programs, one sentence that names the thing, a hint that moves the reader on.

mod argument;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::escape::quoted;
use crate::names::BadName;
use crate::views::ExitStatus;
use crate::{MessageId, PaneId, Size};

/// A refusal, as the daemon makes it. Its code is the variant's name.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each sentence says what its fields are")]
pub enum Refusal {
    #[error("Session not found: {session}")]
    SessionNotFound { session: String, nearest: Option<String> },
    #[error("Window not found: {window}")]
    WindowNotFound { window: String, nearest: Option<String> },
    #[error("Pane not found: {pane}")]
    PaneNotFound { pane: String, exit: Option<ExitStatus> },
    #[error("`{pane}` could be any of {count} panes")]
    AmbiguousPane { pane: String, count: usize },
    #[error("`{window}` could be any of {count} windows of the session")]
    AmbiguousWindow { window: String, count: usize },
    #[error("there is no session yet")]
    NoSession,
    #[error("Not running inside fugue")]
    NotInsideFugue { detail: String },
    #[error("Pane not found")]
    CallerGone { pane_id: PaneId },
    #[error("this process runs in pane {inside} but FUGUE_PANE_ID names pane {claimed}")]
    IdentityContradiction { inside: PaneId, claimed: PaneId },
    #[error("a session named `{name}` exists already")]
    NameTaken { name: String },
    #[error("{why}")]
    BadName { why: String },
    #[error("{what}: {why}")]
    InvalidArgument { what: &'static str, why: String },
    #[error("{why}")]
    NoRoom { why: String },
    #[error("{what} would exceed the limit of {limit}")]
    TooMany { what: &'static str, limit: usize },
    #[error("a size of {size} cannot be used")]
    BadSize { size: Size },
    #[error("the directory `{cwd}` cannot be used: {why}")]
    BadDirectory { cwd: String, why: String },
    #[error("`{command}` cannot be started: {why}")]
    CannotStart { command: String, why: String },
    #[error("pane {pane} has ended ({exit})")]
    PaneEnded { pane: PaneId, exit: ExitStatus },
    #[error("pane {pane} is still running")]
    PaneRunning { pane: PaneId },
    #[error("this client only watches")]
    OnlyWatches,
    #[error("`{key}` is not a key")]
    BadKey { key: String, nearest: Option<String> },
    #[error("an input of {bytes} bytes is over the limit of {limit}")]
    InputTooLarge { bytes: usize, limit: usize },
    #[error("pane {pane} does not read its input: {waiting} bytes wait already")]
    InputFull { pane: PaneId, waiting: usize },
    #[error("pane {pane} runs {program}, not a shell that waits for a command")]
    NoShell { pane: PaneId, program: String },
    #[error("the shell of pane {pane} is busy{}", with(command))]
    ShellBusy { pane: PaneId, command: String },
    #[error("somebody has begun to type at the prompt of pane {pane}")]
    Draft { pane: PaneId },
    #[error("pane {pane} is the caller's own")]
    OwnPane { pane: PaneId },
    #[error("the shell of pane {pane} does not mark its commands")]
    NoMarks { pane: PaneId },
    #[error("the shell of pane {pane} marks its prompts no more")]
    MarksGone { pane: PaneId },
    #[error("a person types in pane {pane}")]
    KeyboardHeld { pane: PaneId, remaining_ms: u64 },
    #[error("{agent} in pane {pane} asks a person for permission")]
    PermissionPrompt { pane: PaneId, agent: String },
    #[error("session {session} is beyond the scope `{scope}` of {caller}")]
    OutOfScope { session: String, caller: String, scope: &'static str },
    #[error("the request was cancelled")]
    Cancelled,
    #[error("a message of {bytes} bytes is over the limit of {limit}")]
    FrameTooLarge { bytes: usize, limit: usize },
    #[error("there is no verb `{verb}`")]
    UnknownVerb { verb: String, nearest: Option<String> },
    #[error("`{verb}` cannot be read: {why}")]
    BadArguments { verb: String, why: String },
    #[error("a message cannot be read: {why}")]
    BadMessage { why: String },
    #[error("this daemon speaks protocol {ours} (fugue {version}), the client speaks {theirs}")]
    VersionMismatch { ours: u32, theirs: u32, version: String },
    #[error("the connection is not yours: it belongs to user {uid}")]
    WrongUser { uid: u32 },
    #[error("pane {pane} is too busy to answer")]
    Busy { pane: PaneId },
    #[error("the state could not be stored: {why}")]
    StorageFull { why: String },
    #[error("there is no client {client}")]
    NoSuchClient { client: u64 },
    #[error("the daemon is shutting down")]
    ShuttingDown,
    #[error("no recipients: {why}")]
    NoRecipients { why: String },
    #[error("no repository: session `{session}` works in no git repository")]
    NoRepository { session: String },
    #[error("the inbox of session `{session}` is full: {messages} unread messages, {bytes} bytes")]
    InboxFull { session: String, messages: usize, bytes: usize, retry_after_ms: u64 },
    #[error("a payload of {bytes} bytes is over the limit of {limit}")]
    MessageTooLarge { bytes: usize, limit: usize },
    #[error("too many broadcasts: {limit} in {window_ms} ms")]
    RateLimited { limit: usize, window_ms: u64, retry_after_ms: u64 },
    #[error("there is no message {message}")]
    MessageNotFound { message: MessageId },
    #[error("message {message} was not sent to {caller}")]
    NotARecipient { message: MessageId, caller: String },
    #[error("message {message} is neither from nor to {caller}")]
    NotYourMessage { message: MessageId, caller: String },
    #[error("message {message} was sent again already, as {resent_as}")]
    ResentAlready { message: MessageId, resent_as: MessageId },
    #[error("the key `{key}` is that of another message, {message}: {differs} differs")]
    KeyReused { key: String, message: MessageId, differs: &'static str },
    #[error("nothing is typed into the panes of session `{session}` unless the user allows it")]
    TypingNotAllowed { session: String },
    #[error("the tag `{tag}` tells whose child a session is")]
    ReservedTag { tag: String },
    #[error("the inbox of session `{session}` is not the caller's")]
    NotYourInbox { session: String },
    #[error("`{name}` is held by {owner} with number {fence}")]
    LeaseHeld { name: String, owner: String, fence: u64, retry_after_ms: u64 },
    #[error("`{name}` is not the caller's to release: {why}")]
    NotYourLease { name: String, why: String },
    #[error("event {since} is no longer kept; the oldest is {oldest}")]
    EventsGone { since: u64, oldest: u64 },
}

impl From<BadName> for Refusal {
    fn from(why: BadName) -> Self {
        Self::BadName { why: why.to_string() }
    }
}

impl Refusal {
    /// What the reader can do next.
    pub fn hint(&self) -> Option<String> {
        let nearest = |name: &Option<String>, list: &str| match name {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("`{list}` shows what there is"),
        };
        Some(match self {
            Self::SessionNotFound { nearest: name, .. } => nearest(name, "fugue list-sessions"),
            Self::WindowNotFound { nearest: name, .. } => nearest(name, "fugue list-sessions"),
            Self::PaneNotFound { exit: Some(exit), .. } => format!("it has ended ({exit}) and was closed"),
            Self::PaneNotFound { .. } => "`fugue list-panes` shows what there is".into(),
            Self::AmbiguousPane { .. } | Self::AmbiguousWindow { .. } => "give its whole id".into(),
            Self::NoSession => "`fugue new -d -s NAME` makes one".into(),
            Self::NotInsideFugue { .. } => "name a session or a pane instead".into(),
            Self::CallerGone { .. } => {
                "the pane this process was started in is closed; name a session or a pane".into()
            }
            Self::IdentityContradiction { .. } => {
                "unset FUGUE_PANE_ID, or call from the pane it names".into()
            }
            Self::NameTaken { name } => {
                format!("`fugue attach {name}` goes there; choose another name to make a new one")
            }
            Self::NoRoom { .. } => "close or zoom a pane, make the window larger, or open a window".into(),
            Self::TooMany { what, .. } if what.ends_with("unanswered requests") => {
                "wait for the answers that are under way".into()
            }
            Self::TooMany { what, .. } if what.starts_with("bytes") => "make it shorter".into(),
            Self::TooMany { what, limit } if what.starts_with("commands") => {
                format!("run them {limit} at a time, in several calls")
            }
            Self::TooMany { what, limit } if what.ends_with("of a wait") => {
                format!("wait for {limit} at a time, in several calls")
            }
            Self::TooMany { what, limit } if what.starts_with("messages") => {
                format!("acknowledge {limit} at a time, in several calls")
            }
            Self::TooMany { what, .. } if what.starts_with("panes") => {
                "close what is no longer needed".into()
            }
            Self::TooMany { .. } => "remove what is no longer needed".into(),
            Self::BadSize { .. } => {
                format!("columns and rows go from 1 to {}", crate::limits::SIDE)
            }
            Self::BadDirectory { .. } => "name a directory that exists and can be entered".into(),
            Self::CannotStart { .. } => "check the command's name and PATH".into(),
            Self::PaneEnded { .. } => "`fugue respawn-pane` starts it again".into(),
            Self::PaneRunning { .. } => "`--kill` ends it first".into(),
            Self::BadKey { nearest: name, .. } => match name {
                Some(name) => format!("did you mean `{name}`?"),
                None => "keys are named as in Enter, C-c, M-x, Up, F5, PageUp".into(),
            },
            Self::InputTooLarge { .. } => {
                "send it in parts, or put it in a file and send the file's path".into()
            }
            Self::InputFull { .. } => "wait until the program reads, or interrupt it with `--key C-c`".into(),
            Self::NoShell { .. } => "leave the pane out to run it in one of its own, or use `fugue send-input`".into(),
            Self::ShellBusy { .. } => {
                "`fugue wait --until command_done` waits for it; leave the pane out to run beside it".into()
            }
            Self::Draft { .. } => "it is left as it is; leave the pane out to run in one of its own".into(),
            Self::NoMarks { .. } => {
                "commands that `fugue run` runs are marked in any shell; wait until idle or for a match instead".into()
            }
            Self::MarksGone { .. } => {
                "PROMPT_COMMAND was changed, or another shell was started in it: leave the pane out to run in one of its own, or start its shell anew by `fugue respawn-pane` with `--kill`".into()
            }
            Self::KeyboardHeld { remaining_ms, .. } => format!("try again in {remaining_ms} ms"),
            Self::PermissionPrompt { .. } => {
                "leave it to the user, or tell the user; `agents_may_answer` in config.toml allows it".into()
            }
            Self::OutOfScope { .. } => "ask the user: `[scopes]` in config.toml says how far agents reach".into(),
            Self::OwnPane { .. } => {
                "name another pane; `fugue run` without a pane has one of its own, and `fugue create-pane` opens one".into()
            }
            Self::FrameTooLarge { .. } => "send it in parts".into(),
            Self::UnknownVerb { nearest: name, .. } => nearest(name, "fugue --help"),
            Self::BadArguments { verb, .. } => format!("`fugue {verb} --help` shows its arguments"),
            Self::VersionMismatch { .. } => {
                "restart the daemon with `fugue shutdown`, or use the fugue it was started with".into()
            }
            Self::Busy { .. } => "try again".into(),
            Self::NoSuchClient { .. } => "`fugue list-clients` shows what there is".into(),
            Self::StorageFull { .. } => {
                "free some room on the disk that holds the state folder; nothing was changed".into()
            }
            Self::ShuttingDown => "start fugue again when it has ended".into(),
            Self::EventsGone { oldest, .. } => format!("begin with --since {}", oldest.saturating_sub(1)),
            Self::NoRecipients { .. } => {
                "`fugue list-sessions` shows sessions, tags and worktrees; `fugue set-tags` sets a tag".into()
            }
            Self::OnlyWatches => "attach without --read-only to type and change things".into(),
            Self::NoRepository { .. } => {
                "go to a repository first, or send to a tag or a session instead".into()
            }
            Self::InboxFull { retry_after_ms, .. } => format!(
                "it does not read; try again in {retry_after_ms} ms, and `fugue list-messages` shows what waits there"
            ),
            Self::MessageTooLarge { .. } => "put it in a file and send the file's path".into(),
            Self::RateLimited { retry_after_ms, .. } => {
                format!("try again in {retry_after_ms} ms, or send to the one session or tag that must know")
            }
            Self::MessageNotFound { .. } => {
                "it may have been read long ago; `fugue list-messages` shows what is kept".into()
            }
            Self::NotARecipient { .. } => {
                "answer messages of your own inbox; without reply_to it is a message of its own".into()
            }
            Self::NotYourMessage { .. } => "its sender, its recipients and the user can send it again".into(),
            Self::ResentAlready { resent_as, .. } => format!(
                "`fugue message-status {resent_as}` tells what became of that one, which can be sent again if it is lost"
            ),
            Self::KeyReused { .. } => {
                "a key stands for one message: send the same again, or choose another key".into()
            }
            Self::TypingNotAllowed { session } => format!(
                "ask the user: `fugue subscribe-orchestration -s {session} --deliver count hook type`, or `type_notices` in config.toml"
            ),
            Self::ReservedTag { .. } => {
                "it follows from who made the session; choose another tag, or let the user set it".into()
            }
            Self::NotYourInbox { .. } => "`fugue list-messages` shows what was sent to others".into(),
            Self::LeaseHeld { retry_after_ms, .. } => format!(
                "wait with wait_ms, ask its owner, or work on something else; it ends in {retry_after_ms} ms at the latest"
            ),
            Self::NotYourLease { .. } => "`fugue list-leases` shows who holds what".into(),
            Self::InvalidArgument { what, why } => return argument::hint(what, why).map(str::to_owned),
            Self::BadName { .. }
            | Self::BadMessage { .. }
            | Self::Cancelled
            | Self::WrongUser { .. } => {
                return None;
            }
        })
    }
}

/// What it is busy with, as far as that is known.
fn with(command: &str) -> String {
    if command.is_empty() { String::new() } else { format!(" with `{command}`") }
}

/// A refusal as it travels: readable by a client of any version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// For programs: `session_not_found`.
    pub code: String,
    /// One sentence that names the thing.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The facts behind the sentence, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
}

impl From<&Refusal> for Refused {
    fn from(refusal: &Refusal) -> Self {
        let mut detail = match serde_json::to_value(refusal) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let code =
            detail.remove("code").and_then(|code| code.as_str().map(str::to_owned)).unwrap_or_default();
        detail.retain(|_, value| !value.is_null());
        for value in detail.values_mut() {
            if let Value::String(text) = value {
                *text = quoted(text).into_owned();
            }
        }
        let message = quoted(&refusal.to_string()).into_owned();
        Self { code, message, hint: refusal.hint().map(|hint| quoted(&hint).into_owned()), detail }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

/// The name among `names` that `wanted` was probably meant to be.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    /// Below this likeness a suggestion confuses more than it helps.
    const ALIKE: f64 = 0.75;
    names
        .map(|name| (strsim::jaro_winkler(wanted, name), name))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_travels_with_code_sentence_hint_and_facts() {
        let refusal = Refusal::SessionNotFound { session: "wrk".into(), nearest: Some("work".into()) };
        let refused = Refused::from(&refusal);
        assert_eq!(refused.code, "session_not_found");
        assert_eq!(refused.message, "Session not found: wrk");
        assert_eq!(refused.hint.as_deref(), Some("did you mean `work`?"));
        assert_eq!(refused.detail["session"], "wrk");
    }

    #[test]
    fn what_a_refusal_quotes_is_cut_and_can_be_shown() {
        let pane = format!("\u{1b}[2J{}", "x".repeat(200_000));
        let refused = Refused::from(&Refusal::AmbiguousPane { pane, count: 2 });
        assert!(refused.message.starts_with("`\\u{1b}[2Jxxx"), "{}", refused.message);
        assert!(refused.message.ends_with("xxx` could be any of 2 panes"), "{}", refused.message);
        assert!(serde_json::to_string(&refused).unwrap().len() < 4_000);
    }

    #[test]
    fn the_nearest_name_is_offered_only_when_it_is_near() {
        assert_eq!(nearest("wrok", ["work", "play"].into_iter()), Some("work".into()));
        assert_eq!(nearest("zzz", ["work", "play"].into_iter()), None);
    }
}
