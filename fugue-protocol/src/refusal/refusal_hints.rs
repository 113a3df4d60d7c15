//! The hints of each refusal.

use super::{Hint, HintArgument, Refusal};
use crate::FleetHost;
use crate::limits;
use crate::verbs::*;
use crate::views::ExitStatus;

impl Refusal {
    /// Returns the next steps for the caller, the best first. Empty when there is nothing to advise.
    pub fn hints(&self) -> Vec<Hint> {
        if let Self::InvalidArgument { what, why } = self {
            return why.hints(what);
        }
        let found = self.about_targets();
        let found = if found.is_empty() { self.about_panes() } else { found };
        let found = if found.is_empty() { self.about_messages() } else { found };
        if found.is_empty() { self.about_requests() } else { found }
    }

    /// Sessions, windows, panes and clients that were not found, or that the caller may not use.
    fn about_targets(&self) -> Vec<Hint> {
        let one = |hint| vec![hint];
        match self {
            Self::SessionNotFound { nearest, .. } => {
                one(Hint::nearest_or::<ListSessions>(nearest.as_ref(), "lists sessions"))
            }
            Self::WindowNotFound { nearest, .. } => {
                one(Hint::nearest_or::<ListSessions>(nearest.as_ref(), "lists sessions and their windows"))
            }
            // It was closed while its program was running.
            Self::PaneNotFound { exit: Some(ExitStatus::Unknown), .. }
            | Self::OutputNotKept { exit: ExitStatus::Unknown, .. } => one(Hint::text("the pane was closed")),
            Self::PaneNotFound { exit: Some(exit), .. } | Self::OutputNotKept { exit, .. } => {
                one(Hint::text(format!("its program exited ({exit}) and the pane was closed")))
            }
            Self::PaneNotFound { .. } => one(Hint::use_verb::<ListPanes>("lists panes")),
            Self::AmbiguousPane { .. } => one(Hint::text("use the full id")),
            Self::AmbiguousWindow { .. } => one(Hint::text("use the window's index")),
            Self::DifferentSessions { .. } => {
                one(Hint::use_verb::<MoveWindow>("moves a window to another session"))
            }
            Self::NoSession => one(Hint::use_verb::<CreateSession>("creates one")),
            Self::NotInsideFugue { .. } => {
                one(Hint::text("run it in a pane, or name a session or a pane if it takes one"))
            }
            Self::CallerGone { .. } => {
                one(Hint::text("the pane of this process was closed; name a session or a pane"))
            }
            Self::IdentityContradiction { .. } => {
                one(Hint::text("unset FUGUE_PANE_ID, or run the command in the pane it names"))
            }
            Self::NameTaken { name } => {
                vec![Hint::Attach { session: name.clone() }, Hint::text("otherwise, choose another name")]
            }
            Self::CannotMakeWorktree { .. } => {
                one(Hint::text("nothing was created; choose another branch, base, path or working directory"))
            }
            Self::CannotRemoveWorktree { why, .. } => why.hints(),
            Self::WorktreeNotFound { .. } => {
                one(Hint::use_verb::<ListWorktrees>("lists the worktrees that were created for sessions"))
            }
            Self::NoSuchClient { .. } => one(Hint::use_verb::<ListClients>("lists clients")),
            Self::OnlyWatches => one(Hint::text("attach without `--read-only` to type or make changes")),
            Self::OutOfScope { .. } | Self::DaemonOutOfScope { .. } => one(Hint::AskUser(
                "widen the scope under `[scopes]` in config.toml; scopes limit what agents can change".into(),
            )),
            Self::Unattributed { .. } => {
                one(Hint::text("run the command from a program in a pane, or from a terminal outside fugue"))
            }
            Self::PaneUnknown { way_out, .. } => one(Hint::text(way_out.clone())),
            _ => Vec::new(),
        }
    }

    /// Programs, shells, input and the room that panes need.
    fn about_panes(&self) -> Vec<Hint> {
        let one = |hint| vec![hint];
        let step = |text: &'static str| vec![Hint::text(text)];
        let new_pane = || Hint::omit("pane", "to run it in a new pane");
        match self {
            Self::NoRoom { .. } => step("close or zoom a pane, enlarge the window, or open a new window"),
            Self::BadSize { .. } => {
                one(Hint::text(format!("columns and rows must be between 1 and {}", limits::SIDE)))
            }
            Self::BadDirectory { .. } => step("use an existing directory that you can access"),
            Self::CannotStart { .. } => step("check the program name and PATH"),
            Self::TooManyFiles { .. } => {
                step("close panes, or raise the hard limit (`ulimit -Hn`) before the daemon starts")
            }
            Self::CannotSpawn { why, .. } => why.hints(),
            Self::NotTrusted { .. } => {
                one(Hint::AskUser("review it, then run `fugue allow` in its directory".into()))
            }
            Self::PaneEnded { .. } => one(Hint::use_verb::<RespawnPane>("restarts it")),
            Self::PaneRunning { .. } => {
                one(Hint::use_with::<RespawnPane>([HintArgument::new("kill", true)], "kills it first"))
            }
            Self::BadKey { nearest: Some(name), .. } => one(Hint::DidYouMean(name.clone())),
            Self::BadKey { .. } => step("use names such as Enter, C-c, M-x, Up, F5 and PageUp"),
            Self::InputTooLarge { .. } => step("send it in parts, or write it to a file and send the path"),
            Self::InputFull { .. } => vec![
                Hint::text("wait until the program reads its input"),
                Hint::use_with::<SendInput>([HintArgument::new("keys", vec!["C-c"])], "interrupts it"),
            ],
            Self::NoShell { .. } => vec![new_pane(), Hint::use_verb::<SendInput>("types into the program")],
            Self::ShellBusy { .. } => vec![
                Hint::use_with::<Wait>([HintArgument::new("until", "command_done")], "waits for it"),
                new_pane(),
            ],
            Self::Draft { .. } => one(new_pane()),
            Self::Unsubmitted { .. } => vec![
                Hint::use_with::<SendInput>([HintArgument::new("keys", vec!["Enter"])], "submits it"),
                Hint::use_with::<SendInput>([HintArgument::new("keys", vec!["C-u"])], "clears it"),
            ],
            Self::NoInbox { .. } => step("use the `hook` method, or `type` if fugue may type into the pane"),
            Self::NoHooks { .. } => step("use the `push` method: the agent's plugin delivers messages"),
            Self::NoInputField { .. } => step("use the `count` method"),
            Self::NoConversation { .. } => step(
                "agents report the id through hooks or fugue's MCP server; the agent's own session list also shows it",
            ),
            Self::ResumeByHand { command, .. } | Self::ResumeElsewhere { command, .. } => {
                one(Hint::text(format!("run `{command}` in a shell to continue its conversation")))
            }
            Self::NoAgent { .. } => {
                vec![Hint::text(
                    "wait for match, idle, command_done or exit instead, or start an agent in the pane",
                )]
            }
            Self::NoMarks { .. } => vec![
                Hint::text("wait for idle or for a match instead"),
                Hint::use_verb::<Run>("works in any shell"),
            ],
            Self::MarksGone { .. } => vec![
                Hint::text("PROMPT_COMMAND may have been changed, or another shell may have been started"),
                new_pane(),
                Hint::use_with::<RespawnPane>([HintArgument::new("kill", true)], "restarts the shell"),
            ],
            Self::InputInterrupted { .. } => {
                one(Hint::use_verb::<GetOutput>("shows what was typed; check it before you send more"))
            }
            Self::StartInterrupted => one(Hint::text("check what the command did before you run it again")),
            Self::KeyboardHeld { remaining_ms, .. } => one(Hint::RetryAfter { ms: *remaining_ms }),
            Self::PermissionPrompt { .. } => {
                one(Hint::AskUser("answer it, or set `agents_may_answer` in config.toml".into()))
            }
            Self::WaitsForUser { .. } => one(Hint::AskUser("answer it first".into())),
            Self::OnlyPeopleCommand { .. } => {
                one(Hint::AskUser("run it at the client's command prompt".into()))
            }
            Self::OnlyPeopleAnswer => one(Hint::AskUser("answer it with `fugue permissions`".into())),
            Self::DialogNotFound { .. } | Self::DialogChanged { .. } => {
                one(Hint::use_verb::<ListPermissions>("lists the dialogs that are open now"))
            }
            Self::AnswerNotTaken { .. } | Self::AnswerFieldTaken { .. } => {
                one(Hint::use_verb::<GetOutput>("shows the pane"))
            }
            Self::AnswerNeedsText { .. } => one(Hint::give("text", "…", "to type your own answer")),
            Self::AnswerTakesNoText { field: Some(field), .. } => {
                one(Hint::text(format!("the text goes with the choice `{field}`")))
            }
            Self::AnswerTakesNoText { .. } => one(Hint::omit("text", "to choose it as it stands")),
            Self::AlreadyAnswered { .. } => {
                one(Hint::use_verb::<ListPermissions>("lists the dialogs that are open now"))
            }
            Self::OwnPane { .. } => vec![
                Hint::text("specify another pane"),
                Hint::use_verb::<Run>("runs a command in a new pane"),
                Hint::use_verb::<CreatePane>("opens a pane"),
            ],
            Self::Busy { .. } => step("try again"),
            _ => Vec::new(),
        }
    }

    /// Messages, inboxes and leases.
    fn about_messages(&self) -> Vec<Hint> {
        let one = |hint| vec![hint];
        let step = |text: &'static str| vec![Hint::text(text)];
        match self {
            Self::NoRecipients { .. } => vec![
                Hint::use_verb::<ListSessions>("lists sessions, tags and worktrees"),
                Hint::use_verb::<SetTags>("sets tags"),
            ],
            Self::NoRepository { .. } => {
                step("change to a directory in a repository, or send to a tag or a session")
            }
            Self::InboxFull { retry_after_ms, .. } => vec![
                Hint::RetryAfter { ms: *retry_after_ms },
                Hint::use_verb::<ListMessages>("lists the unread messages"),
            ],
            Self::OutboxFull { retry_after_ms, .. } => vec![
                Hint::RetryAfter { ms: *retry_after_ms },
                Hint::text("`fugue fleet status` shows why messages are not relayed"),
            ],
            Self::OnlyRelay => {
                one(Hint::use_verb::<SendOrchestration>("sends a message to a session on another host"))
            }
            Self::NoFleet => step("set `host` in the [fleet] section of config.toml; see docs/fleet.md"),
            Self::NoRelay => step("start it with `fugue fleet run`"),
            Self::RelayStopped { pid } => one(Hint::text(format!("`kill -CONT {pid}` resumes it"))),
            Self::NotRelayed { .. } => {
                one(Hint::text("`fugue fleet status` shows why messages are not relayed"))
            }
            Self::StartNotAllowed { host, .. } => one(fleet_run(host)),
            // The other host says so in these words; a host that is away, for example, does not decide anything.
            Self::StartRefused { host, reason } if reason.contains("does not let") => one(fleet_run(host)),
            Self::StartRefused { .. } => one(Hint::text(
                "change the request, or use another of the hosts that `fugue fleet status` lists as online",
            )),
            Self::StartUnanswered { message, .. } => vec![
                Hint::text("`fugue fleet status` shows whether messages are relayed"),
                Hint::use_with::<MessageStatus>(
                    [HintArgument::new("message_id", message.to_string())],
                    "shows the status of the request",
                ),
                Hint::text(format!("it is valid for {} minutes", limits::START_TTL_MS / 60_000)),
            ],
            Self::MessageTooLarge { .. } => step("write it to a file and send the path"),
            Self::RateLimited { retry_after_ms, .. } => vec![
                Hint::RetryAfter { ms: *retry_after_ms },
                Hint::text("send to one session or tag instead"),
            ],
            Self::MessageNotFound { .. } => vec![
                Hint::text("it may have been read and removed"),
                Hint::use_verb::<ListMessages>("lists stored messages"),
            ],
            Self::NotARecipient { .. } => vec![
                Hint::text("reply to messages in your own inbox"),
                Hint::omit("reply_to", "to send a new message"),
            ],
            Self::UnknownResender { .. } => {
                step("such agents cannot be told apart; send the message again as a new one, or ask the user to resend it")
            }
            Self::NotYourMessage { .. } => step("only its sender, its recipients and the user can resend it"),
            Self::ResentAlready { resent_as, .. } => one(Hint::use_with::<MessageStatus>(
                [HintArgument::new("message_id", resent_as.to_string())],
                "shows its delivery status; resend the message if it was not delivered",
            )),
            Self::KeyReused { .. } => step("send the same message, or choose another key"),
            Self::KeyOfAnotherCall { .. } => step("repeat the call as it was, or choose another key"),
            Self::TypingNotAllowed { session } => one(Hint::AskUser(
                format!(
                    "run `fugue subscribe-orchestration -s {session} --deliver count hook type`, or set `type_notices` in config.toml"
                )
                .into(),
            )),
            Self::ReservedTag { .. } => step("choose another tag; only the user may set this one"),
            Self::Confined { .. } => step("open a new pane in that session instead"),
            Self::NotYourInbox { .. } => {
                one(Hint::use_verb::<ListMessages>("lists messages sent to other sessions"))
            }
            Self::LeaseHeld { retry_after_ms, .. } => vec![
                Hint::give("wait_ms", (*retry_after_ms).min(limits::MESSAGE_WAIT_MS), "to wait for it"),
                Hint::text(format!("it expires in {} unless renewed", seconds(*retry_after_ms))),
            ],
            Self::NotYourLease { .. } => one(Hint::use_verb::<ListLeases>("lists leases and their holders")),
            _ => Vec::new(),
        }
    }

    /// Requests that the daemon could not read or carry out, and limits.
    fn about_requests(&self) -> Vec<Hint> {
        let one = |hint| vec![hint];
        let step = |text: &'static str| vec![Hint::text(text)];
        match self {
            Self::TooMany { what, limit } => one(what.hint(*limit)),
            Self::QuotaReached { what, .. } => what.hints(),
            Self::QuotaRate { what, retry_after_ms, .. } => what.hints(*retry_after_ms),
            Self::FrameTooLarge { .. } => step("send it in parts"),
            Self::ReplyTooLarge { .. } => step("request less at once"),
            Self::RequestIncomplete { .. } => step("send each request all at once"),
            Self::UnknownVerb { nearest: Some(name), .. } => one(Hint::DidYouMean(name.clone())),
            Self::UnknownVerb { .. } => one(Hint::Help { verb: None }),
            Self::BadArguments { verb, .. } => one(Hint::Help { verb: Some(verb.clone()) }),
            Self::VersionMismatch { ours, theirs, .. } if theirs > ours => {
                step("`fugue upgrade` replaces the daemon with this version; programs keep running")
            }
            Self::VersionMismatch { executable, .. } => {
                one(Hint::text(format!("use the daemon's own binary: {executable}")))
            }
            Self::CannotUpgrade { .. } => step("the daemon keeps running as before"),
            Self::DaemonCannotStart { log, has_programs, .. } => {
                let programs = if *has_programs { "programs keep running; " } else { "" };
                one(Hint::text(format!("{programs}see the log at {log}")))
            }
            Self::StorageFull { .. } => {
                step("free up disk space for the state directory; nothing was changed")
            }
            Self::ShuttingDown => step("try again once it has stopped"),
            Self::Unfinished => step("check before you try again"),
            Self::EventsGone { oldest, .. } => {
                one(Hint::give("since", oldest.saturating_sub(1), "to start with the oldest event"))
            }
            Self::EventsAhead { .. } => one(Hint::omit("since", "to start with the next event")),
            _ => Vec::new(),
        }
    }
}

fn fleet_run(host: &FleetHost) -> Hint {
    Hint::text(format!(
        "[fleet.run] in config.toml on host `{host}` determines who may start what there; see docs/fleet.md"
    ))
}

/// A duration in whole seconds, rounded up.
fn seconds(ms: u64) -> String {
    format!("{} s", ms.div_ceil(1000))
}
