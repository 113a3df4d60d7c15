//! The table of verbs, one row each, and what is made of the rows.

use clap::{Args, FromArgMatches};

use super::HelpGroup::{Agents, Coordination, Daemon, Internal, Messages, Panes, Running, Sessions};
use super::WithoutDaemon::{Fail, NotInside};
use super::WorkingDirectory::{CallersByDefault, Optional};
use super::argument_names;
use super::properties::of;
use super::*;
use crate::IdempotencyKey;
use crate::refusal::{Refusal, nearest};
use crate::render::{ForModel, model_content, printout};
use crate::views::*;

/// Why verbs about paste buffers are not tools.
const BUFFERS_ARE_PRIVATE: &str = "what the user copied is not for agents";

/// Hands the table of verbs to a macro. A row is `nature Struct "name" -> Reply, properties;`.
#[cfg(not(fugue_next))]
#[macro_export]
macro_rules! for_each_verb {
    ($callback:ident) => {
        $crate::with_table_of_verbs! { $callback }
    };
}

/// The same with the row of the verb that only the next version has.
#[cfg(fugue_next)]
#[macro_export]
macro_rules! for_each_verb {
    ($callback:ident) => {
        $crate::with_table_of_verbs! {
            $callback changes MarkSession "mark-session" -> Entries, of(Sessions).idempotent();
        }
    };
}

/// Hands the table, with more rows at its end, to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! with_table_of_verbs {
    ($callback:ident $($more:tt)*) => {
        $callback! {
            reads   ListSessions "list-sessions" -> SessionList,
                of(Sessions).core(2).aliases(&["ls"]).lists_all().always_loaded().note(ListSessions::NOTE);
            changes CreateSession "create-session" -> PaneCreated,
                of(Sessions).core(7).unlisted(&["window_name", "size", "argv", "close_with", "confine"]).aliases(&["new", "new-session"]).directory(CallersByDefault).creates_session().attaches()
                    .holds_input().note(CreateSession::NOTE);
            changes RenameSession "rename-session" -> SessionView,
                of(Sessions).aliases(&["rename"]).idempotent().holds_input();
            changes SelectSession "select-session" -> SessionView, of(Sessions).idempotent().holds_input();
            ends    KillSession "kill-session" -> Done, of(Sessions).idempotent().holds_input();
            reads   ListWorktrees "list-worktrees" -> WorktreeList,
                of(Sessions).aliases(&["worktrees"]);
            ends    RemoveWorktree "remove-worktree" -> WorktreeRemoved,
                of(Sessions).unlisted(&["force"]).path("path");
            changes SetTags "set-tags" -> Tags, of(Sessions).core(17).idempotent();
            reads   GetTags "get-tags" -> Tags, of(Sessions).core(18);
            changes SetMetadata "set-metadata" -> Entries, of(Sessions).idempotent();
            reads   GetMetadata "get-metadata" -> Entries, of(Sessions);
            changes SetEnvironment "set-environment" -> EnvironmentView,
                of(Sessions).aliases(&["set-env"]).idempotent();
            reads   GetEnvironment "get-environment" -> EnvironmentView, of(Sessions).aliases(&["get-env"]);
            changes SetGlobalEnvironment "set-global-environment" -> GlobalEnvironment,
                of(Sessions).daemon_wide().idempotent()
                    .not_a_tool("it is for the user; agents use `set-environment`");
            reads   GetGlobalEnvironment "get-global-environment" -> GlobalEnvironment,
                of(Sessions).daemon_wide()
                    .not_a_tool("it is for the user; agents use `get-environment`");
            changes CreateWindow "create-window" -> PaneCreated,
                of(Sessions).aliases(&["new-window"]).directory(Optional).holds_input();
            changes CreateLayout "create-layout" -> WindowView, of(Sessions).holds_input();
            changes RenameWindow "rename-window" -> WindowView, of(Sessions).idempotent().holds_input();
            changes SelectWindow "select-window" -> WindowView,
                of(Sessions).idempotent().navigates().holds_input();
            changes MoveWindow "move-window" -> WindowView, of(Sessions).holds_input();
            changes SwapWindows "swap-windows" -> WindowView,
                of(Sessions).aliases(&["swap-window"]).holds_input();
            changes ResizeWindow "resize-window" -> WindowView, of(Sessions).idempotent();
            changes SelectLayout "select-layout" -> WindowView,
                of(Sessions).aliases(&["layout"]).idempotent().holds_input();
            changes RotatePanes "rotate-panes" -> WindowView, of(Panes).holds_input();
            ends    KillWindow "kill-window" -> Done, of(Sessions).idempotent().holds_input();
            reads   ListPanes "list-panes" -> PaneList, of(Panes).lists_panes();
            changes CreatePane "create-pane" -> PaneCreated,
                of(Panes).core(8).unlisted(&["argv", "cells", "full"]).aliases(&["split-pane", "split-window"]).directory(Optional).holds_input()
                    .note(CreatePane::NOTE);
            changes RenamePane "rename-pane" -> PaneView, of(Panes).idempotent();
            changes MutePane "mute-pane" -> PaneView,
                of(Panes).not_a_tool("only the user can decide which panes may alert them");
            changes MarkPane "mark-pane" -> Done,
                of(Panes).idempotent().holds_input()
                    .not_a_tool("the marked pane is the user's choice for their next command");
            changes FocusPane "focus-pane" -> PaneView,
                of(Panes).aliases(&["select-pane"]).idempotent().navigates().holds_input();
            changes ResizePane "resize-pane" -> WindowView, of(Panes);
            changes ZoomPane "zoom-pane" -> WindowView, of(Panes).aliases(&["zoom"]).holds_input();
            changes SwapPanes "swap-panes" -> WindowView, of(Panes).aliases(&["swap-pane"]).holds_input();
            changes JoinPane "join-pane" -> WindowView, of(Panes).aliases(&["move-pane"]).holds_input();
            changes BreakPane "break-pane" -> WindowView, of(Panes).holds_input();
            changes RespawnPane "respawn-pane" -> PaneView,
                of(Panes).core(10).unlisted(&["session", "cwd", "env", "on_exit", "argv"]).directory(Optional).destructive().holds_input().tool_requires(&["pane_id"]);
            changes RestorePanes "restore-panes" -> RestoredPanes,
                of(Panes).aliases(&["restore"]).holds_input();
            ends    ClosePane "close-pane" -> Done,
                of(Panes).core(9).unlisted(&["session"]).aliases(&["kill-pane"]).idempotent().holds_input().tool_requires(&["pane_id"]);
            changes SendInput "send-input" -> InputSent,
                of(Running).core(6).unlisted(&["session"]).aliases(&["send", "send-keys"]).keyed().tool_requires(&["pane_id", "input"])
                    .note(SendInput::NOTE);
            changes Run "run" -> RunResult,
                of(Running).core(3).directory(Optional).keyed().waits(Run::WAIT).always_loaded().note(Run::NOTE);
            reads   GetOutput "get-output" -> PaneOutput,
                of(Running).core(5).unlisted(&["session", "ansi", "commands", "screen_state"]).aliases(&["read", "capture-pane"]).tool_requires(&["pane_id"])
                    .note(GetOutput::NOTE);
            changes ClearHistory "clear-history" -> Done,
                of(Running).idempotent().not_a_tool("it deletes output that the user may want to read");
            reads   Wait "wait" -> WaitResult,
                of(Running).core(4).lease("lease").waits(Wait::WAIT).always_loaded().note(Wait::NOTE);
            reads   Screenshot "screenshot" -> Picture, of(Running).tool_defaults(&[("format", "\"png\"")]);
            reads   Explain "explain" -> Explanation, of(Agents);
            changes SpawnAgent "spawn-agent" -> SpawnedAgent,
                of(Agents).aliases(&["spawn"]).directory(CallersByDefault).creates_session().keyed().waits(SpawnAgent::WAIT).tells_outcome();
            changes ResumeAgent "resume-agent" -> RestoredPanes,
                of(Agents).aliases(&["resume"]).holds_input().tool_requires(&["pane_id"]);
            reads   ListPermissions "list-permissions" -> PermissionList,
                of(Agents).aliases(&["permissions"]).watchable();
            changes AnswerPermission "answer-permission" -> PermissionAnswered,
                of(Agents).aliases(&["answer"]).tells_outcome()
                    .not_a_tool("only the user may answer an agent's dialogs");
            reads   WatchPane "watch-pane" -> Done,
                of(Internal).streams()
                    .not_a_tool("it streams screens for drawing; subscribe to `fugue://panes/{id}` instead");
            reads   RecordPane "record-pane" -> PaneView,
                of(Internal).streams().not_a_tool("it streams raw output; `fugue record` writes that to a file");
            changes SendOrchestration "send-orchestration" -> Sent,
                of(Messages).core(13).unlisted(&["ttl_ms"]).shared().keyed().waits(WaitArgument::on_request(WaitPurpose::Answer))
                    .tool_requires(&["target", "msg_type", "payload"]).note(SendOrchestration::NOTE);
            changes ReportStatus "report-status" -> Reported, of(Agents).core(14).unlisted(&["conversation_id"]).shared().idempotent().keyed();
            changes RequestHelp "request-help" -> Sent, of(Agents).core(15).unlisted(&["wait_for"]).shared().keyed().waits(WaitArgument::on_request(WaitPurpose::Answer));
            changes Broadcast "broadcast" -> Sent, of(Messages).core(16).shared().keyed();
            changes SubscribeOrchestration "subscribe-orchestration" -> SubscriptionView,
                of(Messages).core(19).unlisted(&["session"]).idempotent();
            changes AnnounceMessages "announce-messages" -> Announcement,
                of(Internal).shared().not_a_tool("agents' hooks use it by running `fugue hook`");
            changes ReportConversation "report-conversation" -> Done,
                of(Internal).shared().idempotent().repeatable()
                    .not_a_tool("the MCP server reports the conversation automatically");
            changes ReportState "report-state" -> Done,
                of(Internal).shared().idempotent().repeatable()
                    .not_a_tool("an agent's plugin reports the state automatically; agents use `report-status`");
            changes PollMessages "poll-messages" -> InboxPage,
                of(Messages).core(12).unlisted(&["max_bytes"]).shared().idempotent().repeatable().waits(WaitArgument::on_request(WaitPurpose::Message))
                    .tool_defaults(&[("max_bytes", "14336")]).note(PollMessages::NOTE);
            reads   MessageStatus "message-status" -> MessageReport, of(Messages).shared();
            reads   ListMessages "list-messages" -> MessageList, of(Messages).shared();
            changes ResendMessage "resend-message" -> Sent, of(Messages).shared();
            reads   TakeOutbox "take-outbox" -> OutboxPage,
                of(Internal).daemon_wide().waits(WaitArgument::on_request(WaitPurpose::Message))
                    .not_a_tool("`fugue fleet` uses it to relay messages to other hosts");
            changes ExpandOutbox "expand-outbox" -> Done,
                of(Internal).daemon_wide().idempotent().repeatable()
                    .not_a_tool("`fugue fleet` uses it to relay messages to other hosts");
            changes ConfirmOutbox "confirm-outbox" -> Done,
                of(Internal).daemon_wide().idempotent().repeatable()
                    .not_a_tool("`fugue fleet` uses it to relay messages to other hosts");
            changes DeliverRemote "deliver-remote" -> RemoteDeliveries,
                of(Internal).daemon_wide().idempotent().repeatable()
                    .not_a_tool("`fugue fleet` uses it to deliver messages from other hosts");
            changes StartRemote "start-remote" -> Done,
                of(Internal).daemon_wide().idempotent().repeatable()
                    .not_a_tool("`fugue fleet` uses it to create sessions for other hosts");
            changes Claim "claim" -> Claimed,
                of(Coordination).core(20).shared().idempotent().keyed().lease("name")
                    .waits(WaitArgument::on_request(WaitPurpose::Lease)).note(Claim::NOTE);
            changes Release "release" -> Done,
                of(Coordination).core(21).unlisted(&["force"]).shared().idempotent().lease("name");
            reads   ListLeases "list-leases" -> LeaseList, of(Coordination);
            reads   ShowWaits "show-waits" -> WaitGraph, of(Coordination);
            changes RunParallel "run-parallel" -> ParallelRuns,
                of(Running).core(11).directory(Optional).keyed().waits(RunParallel::WAIT);
            changes AttachClient "attach-client" -> Done,
                of(Internal).not_a_tool("it is for users' terminals");
            reads   ListClients "list-clients" -> ClientList, of(Daemon);
            ends    DetachClient "detach-client" -> ClientList, of(Daemon);
            changes RunInClient "run-in-client" -> ClientList,
                of(Daemon).daemon_wide().not_a_tool("it acts for the user, in the user's terminal");
            changes ChangeOption "change-option" -> OptionOutcome,
                of(Internal).not_a_tool("tmux's `set-option` uses it");
            reads   ListOptions "list-options" -> OptionList,
                of(Internal).not_a_tool("tmux's `show-options` and formats use it");
            changes ChangeHook "change-hook" -> Done,
                of(Internal).daemon_wide().not_a_tool("tmux's `set-hook` uses it; a hook outlives the agent that sets it");
            reads   ListHooks "list-hooks" -> HookList,
                of(Internal).not_a_tool("tmux's `show-hooks` uses it");
            changes StoreBuffer "store-buffer" -> BufferName,
                of(Internal).daemon_wide().not_a_tool(BUFFERS_ARE_PRIVATE);
            reads   GetBuffer "get-buffer" -> PasteBuffer,
                of(Internal).daemon_wide().not_a_tool(BUFFERS_ARE_PRIVATE);
            reads   ListPasteBuffers "list-paste-buffers" -> PasteBufferList,
                of(Internal).daemon_wide().not_a_tool(BUFFERS_ARE_PRIVATE);
            changes RenameBuffer "rename-buffer" -> BufferName,
                of(Internal).daemon_wide().not_a_tool(BUFFERS_ARE_PRIVATE);
            ends    RemoveBuffer "remove-buffer" -> BufferName,
                of(Internal).daemon_wide().not_a_tool(BUFFERS_ARE_PRIVATE);
            changes UseChannel "use-channel" -> ChannelOutcome,
                of(Internal).shared().keyed().waits(UseChannel::WAIT)
                    .not_a_tool("agents wait for messages, leases and panes");
            changes HoldPipe "hold-pipe" -> Done,
                of(Internal).not_a_tool("the process of tmux's `pipe-pane` uses it");
            reads   AwaitPipeEnd "await-pipe-end" -> Done,
                of(Internal).not_a_tool("the process of tmux's `pipe-pane` uses it");
            changes EndPipe "end-pipe" -> PipeOutcome,
                of(Internal).not_a_tool("tmux's `pipe-pane` uses it");
            reads   Whoami "whoami" -> Identity,
                of(Agents).core(1).aliases(&["who"]).without_daemon(NotInside).always_loaded();
            reads   SubscribeEvents "subscribe-events" -> Subscribed,
                of(Internal).streams().not_a_tool("it streams events; agents use `fugue_wait` instead");
            reads   GetServerStatus "server-status" -> ServerStatus,
                of(Daemon).aliases(&["status"]).without_daemon(Fail);
            reads   GetMetrics "get-metrics" -> DaemonMetrics,
                of(Internal).daemon_wide().without_daemon(Fail)
                    .not_a_tool("`fugue metrics` uses it; agents use `fugue_server_status`");
            changes DismissWarnings "dismiss-warnings" -> Done,
                of(Daemon).daemon_wide().idempotent().without_daemon(Fail)
                    .not_a_tool("the warnings are for the user, who dismisses them after reading them");
            changes Authorize "authorize" -> Done,
                of(Internal).daemon_wide().idempotent().repeatable().without_daemon(Fail)
                    .not_a_tool("it is meant for commands that change which files the user trusts");
            ends    Shutdown "shutdown" -> Done,
                of(Daemon).daemon_wide().aliases(&["kill-server"]).without_daemon(Fail)
                    .not_a_tool("it kills every agent's programs, and only the user may do that");
            $($more)*
        }
    };
}

macro_rules! nature {
    (reads) => {
        Nature::Reads
    };
    (changes) => {
        Nature::Changes
    };
    (ends) => {
        Nature::Ends
    };
}

macro_rules! define_verbs {
    ($($nature:ident $verb:ident $name:literal -> $reply:ty, $properties:expr;)*) => {
        $(impl VerbSpec for $verb {
            const NAME: &'static str = $name;
            const NATURE: Nature = nature!($nature);
            const PROPERTIES: Properties = $properties;
            type Reply = $reply;
        })*

        /// A request: any verb with its arguments.
        #[derive(Debug, Clone)]
        #[allow(missing_docs, reason = "each struct has its own documentation")]
        pub enum Verb { $($verb($verb),)* }

        /// The names of all verbs, in the order of the table.
        pub const NAMES: &[&str] = &[$($name),*];

        /// All verbs, in the order of the table.
        pub static VERBS: &[VerbInfo] = &[$(VerbInfo {
            name: $name,
            nature: nature!($nature),
            properties: <$verb as VerbSpec>::PROPERTIES,
            reply_is_text: <$reply as ForModel>::AS_TEXT,
            reply_payload_bytes: <$reply as ForModel>::PAYLOAD_BYTES,
            command: <$verb as Args>::augment_args,
            from_matches: |matches| <$verb as FromArgMatches>::from_arg_matches(matches).map(Verb::$verb),
            arguments_schema: || schemars::schema_for!($verb),
            reply_schema: <$reply as ForModel>::schema,
            for_people: printout::<$reply>,
            for_model: model_content::<$reply>,
        }),*];

        impl Verb {
            /// Reads a request; an unknown name or a wrong argument is a refusal.
            pub fn read(name: &str, args: &str) -> Result<Self, Refusal> {
                match name {
                    $($name => argument_names::read::<$verb>(args).map(Self::$verb),)*
                    _ => Err(unknown_verb(name)),
                }
            }
            /// The verb's name.
            pub fn name(&self) -> &'static str { match self { $(Self::$verb(_) => $name,)* } }
            /// What it does to the state of the daemon.
            pub fn nature(&self) -> Nature { match self { $(Self::$verb(_) => nature!($nature),)* } }
            /// Whether it reads something that the daemon has at hand: it neither waits nor starts a stream.
            pub fn is_plain_read(&self) -> bool {
                match self { $(Self::$verb(_) => {
                    let Properties { wait, streams, .. } = <$verb as VerbSpec>::PROPERTIES;
                    matches!(nature!($nature), Nature::Reads) && wait.is_none() && !streams
                })* }
            }
            /// What it may change.
            pub fn reach(&self) -> Reach {
                match self { $(Self::$verb(_) => <$verb as VerbSpec>::PROPERTIES.reach,)* }
            }
            /// The arguments as JSON.
            pub fn args(&self) -> serde_json::Result<Box<serde_json::value::RawValue>> {
                match self { $(Self::$verb(verb) => serde_json::value::to_raw_value(verb),)* }
            }
        }
        $(impl From<$verb> for Verb { fn from(verb: $verb) -> Self { Self::$verb(verb) } })*
    };
}

for_each_verb!(define_verbs);

impl Verb {
    /// The key under which the answer to the request is kept, so that the request is carried out once, however often it
    /// is made. Messages and leases have keys of their own, which outlive the daemon with them.
    pub fn answer_key(&self) -> Option<&IdempotencyKey> {
        match self {
            Self::SendInput(verb) => verb.idempotency_key.as_ref(),
            Self::Run(verb) => verb.idempotency_key.as_ref(),
            Self::RunParallel(verb) => verb.idempotency_key.as_ref(),
            Self::SpawnAgent(verb) => verb.idempotency_key.as_ref(),
            _ => None,
        }
    }

    /// A digest of what a request does, to tell whether another one with its key is the same. How long its caller
    /// waits, and how much of the output it wants, is no part of that: a caller that repeats a call has less time.
    pub fn answer_digest(&self) -> String {
        let args = self.args().ok().and_then(|args| serde_json::from_str(args.get()).ok());
        let mut args: serde_json::Value = args.unwrap_or_default();
        if let Some(fields) = args.as_object_mut() {
            fields.retain(|name, _| {
                !["timeout_ms", "wait_ms", "lines", "idempotency_key"].contains(&name.as_str())
            });
        }
        args.sort_all_objects();
        // FNV-1a: it tells apart what one caller may confuse, and is the same in every version.
        let digest =
            format!("{} {args}", self.name()).bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        format!("{digest:016x}")
    }
}

fn unknown_verb(name: &str) -> Refusal {
    Refusal::UnknownVerb { verb: name.to_owned(), nearest: nearest(name, NAMES.iter().copied()) }
}
