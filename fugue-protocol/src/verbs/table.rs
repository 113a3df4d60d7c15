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
                of(Sessions).core(2).aliases(&["ls"]).lists_all().always_loaded().note(ListSessions::NOTE)
                    .examples(&[("List all sessions", "fugue ls"), ("Show one session in full", "fugue ls -s work")]);
            changes CreateSession "create-session" -> PaneCreated,
                of(Sessions).core(7).unlisted(&["window_name", "size", "argv", "close_with", "confine"]).aliases(&["new", "new-session"]).directory(CallersByDefault).creates_session().attaches()
                    .holds_input().note(CreateSession::NOTE)
                    .examples(&[
                        ("Create a session and attach to it", "fugue new -s work"),
                        ("Start a build in the background", "fugue new -d -s build -- make all"),
                    ]);
            changes RenameSession "rename-session" -> SessionView,
                of(Sessions).aliases(&["rename"]).idempotent().holds_input()
                    .examples(&[
                        ("Rename the session you are in", "fugue rename-session api"),
                        ("Rename another session", "fugue rename-session -s work api"),
                    ]);
            changes SelectSession "select-session" -> SessionView,
                of(Sessions).idempotent().holds_input()
                    .examples(&[("Let commands outside any pane use `work`", "fugue select-session work")]);
            ends    KillSession "kill-session" -> Done,
                of(Sessions).idempotent().holds_input()
                    .examples(&[("Kill a session and its programs", "fugue kill-session -s work")]);
            reads   ListWorktrees "list-worktrees" -> WorktreeList,
                of(Sessions).aliases(&["worktrees"])
                    .examples(&[("See which worktrees have uncommitted changes", "fugue worktrees")]);
            ends    RemoveWorktree "remove-worktree" -> WorktreeRemoved,
                of(Sessions).unlisted(&["force"]).path("path")
                    .examples(&[
                        ("Remove the worktree of a session", "fugue remove-worktree -s fix-login"),
                        ("Also delete its branch", "fugue remove-worktree -s fix-login --delete-branch"),
                    ]);
            changes SetTags "set-tags" -> Tags,
                of(Sessions).core(17).idempotent()
                    .examples(&[
                        ("Tag the session you are in", "fugue set-tags --add worker"),
                        ("Replace a tag", "fugue set-tags -s api --add done --remove busy"),
                    ]);
            reads   GetTags "get-tags" -> Tags,
                of(Sessions).core(18)
                    .examples(&[("Print a session's tags", "fugue get-tags -s work")]);
            changes SetMetadata "set-metadata" -> Entries,
                of(Sessions).idempotent()
                    .examples(&[
                        ("Note which issue a session is about", "fugue set-metadata -s work issue 42"),
                        ("Remove the note", "fugue set-metadata -s work issue"),
                    ]);
            reads   GetMetadata "get-metadata" -> Entries,
                of(Sessions)
                    .examples(&[("Print one entry", "fugue get-metadata -s work issue")]);
            changes SetEnvironment "set-environment" -> EnvironmentView,
                of(Sessions).aliases(&["set-env"]).idempotent()
                    .examples(&[
                        ("Set a variable for new panes of a session", "fugue set-env -s work RUST_LOG debug"),
                        ("Remove it", "fugue set-env -s work RUST_LOG"),
                    ]);
            reads   GetEnvironment "get-environment" -> EnvironmentView,
                of(Sessions).aliases(&["get-env"])
                    .examples(&[("Print a session's variables", "fugue get-env -s work")]);
            changes SetGlobalEnvironment "set-global-environment" -> GlobalEnvironment,
                of(Sessions).daemon_wide().idempotent()
                    .not_a_tool("it is for the user; agents use `set-environment`")
                    .examples(&[
                        ("Set a variable for new panes of all sessions", "fugue set-global-environment EDITOR vim"),
                    ]);
            reads   GetGlobalEnvironment "get-global-environment" -> GlobalEnvironment,
                of(Sessions).daemon_wide()
                    .not_a_tool("it is for the user; agents use `get-environment`")
                    .examples(&[("Print the variables of all sessions", "fugue get-global-environment")]);
            changes CreateWindow "create-window" -> PaneCreated,
                of(Sessions).aliases(&["new-window"]).directory(Optional).holds_input()
                    .examples(&[
                        ("Open a window with a shell", "fugue new-window"),
                        ("Open a window that runs tests", "fugue new-window -n tests -- make test"),
                    ]);
            changes CreateLayout "create-layout" -> WindowView,
                of(Sessions).holds_input()
                    .examples(&[
                        ("Open a window with an editor and a shell", "fugue create-layout '{\"direction\":\"right\",\"children\":[\n      {\"command\":\"vim\"},{\"command\":\"bash\"}]}'"),
                    ]);
            changes RenameWindow "rename-window" -> WindowView,
                of(Sessions).idempotent().holds_input()
                    .examples(&[("Rename the window you are in", "fugue rename-window logs")]);
            changes SelectWindow "select-window" -> WindowView,
                of(Sessions).idempotent().navigates().holds_input()
                    .examples(&[("Show window 2", "fugue select-window -w 2")]);
            changes MoveWindow "move-window" -> WindowView,
                of(Sessions).holds_input()
                    .examples(&[("Move window 1 to another session", "fugue move-window -w 1 --to-session api")]);
            changes SwapWindows "swap-windows" -> WindowView,
                of(Sessions).aliases(&["swap-window"]).holds_input()
                    .examples(&[("Swap windows 0 and 1", "fugue swap-windows -w 0 --with 1")]);
            changes ResizeWindow "resize-window" -> WindowView,
                of(Sessions).idempotent()
                    .examples(&[("Give a detached window a size", "fugue resize-window -s build 200x50")]);
            changes SelectLayout "select-layout" -> WindowView,
                of(Sessions).aliases(&["layout"]).idempotent().holds_input()
                    .examples(&[("Arrange the panes side by side", "fugue layout even-horizontal")]);
            changes RotatePanes "rotate-panes" -> WindowView,
                of(Panes).holds_input()
                    .examples(&[("Rotate the panes of the window you are in", "fugue rotate-panes")]);
            ends    KillWindow "kill-window" -> Done,
                of(Sessions).idempotent().holds_input()
                    .examples(&[("Kill window 2 and its programs", "fugue kill-window -w 2")]);
            reads   ListPanes "list-panes" -> PaneList,
                of(Panes).lists_panes()
                    .examples(&[("List the panes of a session", "fugue list-panes -s work")]);
            changes CreatePane "create-pane" -> PaneCreated,
                of(Panes).core(8).unlisted(&["argv", "cells", "full"]).aliases(&["split-pane", "split-window"]).directory(Optional).holds_input()
                    .note(CreatePane::NOTE)
                    .examples(&[
                        ("Open a shell on the right", "fugue split-pane --right"),
                        ("Follow a log in a small pane below", "fugue split-pane --percent 25 -- tail -f app.log"),
                    ]);
            changes RenamePane "rename-pane" -> PaneView,
                of(Panes).idempotent()
                    .examples(&[
                        ("Name the pane you are in", "fugue rename-pane server"),
                        ("Remove its name", "fugue rename-pane"),
                    ]);
            changes MutePane "mute-pane" -> PaneView,
                of(Panes).not_a_tool("only the user can decide which panes may alert them")
                    .examples(&[
                        ("Get no alerts from a pane", "fugue mute-pane -t server"),
                        ("Get them again", "fugue mute-pane -t server --off"),
                    ]);
            changes MarkPane "mark-pane" -> Done,
                of(Panes).idempotent().holds_input()
                    .not_a_tool("the marked pane is the user's choice for their next command")
                    .examples(&[
                        ("Mark a pane, and swap it with this one later", "fugue mark-pane -t server"),
                        ("Clear the mark", "fugue mark-pane --clear"),
                    ]);
            changes FocusPane "focus-pane" -> PaneView,
                of(Panes).aliases(&["select-pane"]).idempotent().navigates().holds_input()
                    .examples(&[
                        ("Focus the pane on the right", "fugue focus-pane --right"),
                        ("Focus a pane by its name", "fugue focus-pane -t server"),
                    ]);
            changes ResizePane "resize-pane" -> WindowView,
                of(Panes)
                    .examples(&[
                        ("Move the right border 10 columns", "fugue resize-pane --right --by 10"),
                        ("Set the width", "fugue resize-pane -t server --cols 80"),
                    ]);
            changes ZoomPane "zoom-pane" -> WindowView,
                of(Panes).aliases(&["zoom"]).holds_input()
                    .examples(&[("Zoom the pane you are in, or unzoom it", "fugue zoom")]);
            changes SwapPanes "swap-panes" -> WindowView,
                of(Panes).aliases(&["swap-pane"]).holds_input()
                    .examples(&[("Swap this pane with another one", "fugue swap-panes --with server")]);
            changes JoinPane "join-pane" -> WindowView,
                of(Panes).aliases(&["move-pane"]).holds_input()
                    .examples(&[
                        ("Move a pane to the right of another one", "fugue join-pane -t server --beside 8d2c --right"),
                    ]);
            changes BreakPane "break-pane" -> WindowView,
                of(Panes).holds_input()
                    .examples(&[("Give a pane a window of its own", "fugue break-pane -t server")]);
            changes RespawnPane "respawn-pane" -> PaneView,
                of(Panes).core(10).unlisted(&["session", "cwd", "env", "on_exit", "argv"]).directory(Optional).destructive().holds_input().tool_requires(&["pane_id"])
                    .examples(&[
                        ("Run the pane's program again", "fugue respawn-pane -t server"),
                        ("Replace a program that is still running", "fugue respawn-pane -t server -k -- make serve"),
                    ]);
            changes RestorePanes "restore-panes" -> RestoredPanes,
                of(Panes).aliases(&["restore"]).holds_input()
                    .examples(&[
                        ("Restart all programs after a reboot", "fugue restore --all"),
                        ("Restart only the shells of a session", "fugue restore -s work --shells"),
                    ]);
            ends    ClosePane "close-pane" -> Done,
                of(Panes).core(9).unlisted(&["session"]).aliases(&["kill-pane"]).idempotent().holds_input().tool_requires(&["pane_id"])
                    .examples(&[("Close a pane", "fugue close-pane -t server")]);
            changes SendInput "send-input" -> InputSent,
                of(Running).core(6).unlisted(&["session"]).aliases(&["send", "send-keys"]).keyed().tool_requires(&["pane_id", "input"])
                    .note(SendInput::NOTE)
                    .examples(&[
                        ("Type a line and press Enter", "fugue send -s work 'make test' --submit"),
                        ("Interrupt a program", "fugue send -t server --key C-c"),
                    ]);
            changes Run "run" -> RunResult,
                of(Running).core(3).directory(Optional).keyed().waits(Run::WAIT).always_loaded().note(Run::NOTE)
                    .examples(&[
                        ("Run a command and print its output", "fugue run 'make test'"),
                        ("Run it in the shell of a pane", "fugue run -t shell 'cd src && ls'"),
                    ]);
            reads   GetOutput "get-output" -> PaneOutput,
                of(Running).core(5).unlisted(&["session", "ansi", "commands", "screen_state"]).aliases(&["read", "capture-pane"]).tool_requires(&["pane_id"])
                    .note(GetOutput::NOTE)
                    .examples(&[
                        ("Print the last 100 lines of a pane", "fugue read -t server"),
                        ("Find errors in the scrollback", "fugue read -t server --grep 'error|panic'"),
                    ]);
            changes ClearHistory "clear-history" -> Done,
                of(Running).idempotent().not_a_tool("it deletes output that the user may want to read")
                    .examples(&[("Delete a pane's scrollback", "fugue clear-history -t server")]);
            reads   Wait "wait" -> WaitResult,
                of(Running).core(4).lease("lease").waits(Wait::WAIT).always_loaded().note(Wait::NOTE)
                    .examples(&[
                        ("Wait until a line matches", "fugue wait -t server --match 'listening on'"),
                        ("Wait until the agent in a pane needs you", "fugue wait -t claude --until agent_state"),
                    ]);
            reads   Screenshot "screenshot" -> Picture,
                of(Running).tool_defaults(&[("format", "\"png\"")])
                    .examples(&[
                        ("Save what a pane shows as a picture", "fugue screenshot server --format png > pane.png"),
                    ]);
            reads   Explain "explain" -> Explanation,
                of(Agents)
                    .examples(&[("See why a pane is said to wait", "fugue explain -t claude")]);
            changes SpawnAgent "spawn-agent" -> SpawnedAgent,
                of(Agents).aliases(&["spawn"]).directory(CallersByDefault).creates_session().keyed().waits(SpawnAgent::WAIT).tells_outcome()
                    .examples(&[
                        ("Start an agent in a session of its own", "fugue spawn claude -p 'fix the failing test'"),
                        ("Give it a branch and a worktree", "fugue spawn codex --worktree fix-login"),
                    ]);
            changes ResumeAgent "resume-agent" -> RestoredPanes,
                of(Agents).aliases(&["resume"]).holds_input().tool_requires(&["pane_id"])
                    .examples(&[("Continue the conversation in a pane", "fugue resume -t claude")]);
            reads   ListPermissions "list-permissions" -> PermissionList,
                of(Agents).aliases(&["permissions"]).watchable()
                    .examples(&[
                        ("List the open dialogs", "fugue permissions"),
                        ("Keep the list up to date", "fugue permissions --watch"),
                    ]);
            changes AnswerPermission "answer-permission" -> PermissionAnswered,
                of(Agents).aliases(&["answer"]).tells_outcome()
                    .not_a_tool("only the user may answer an agent's dialogs")
                    .examples(&[
                        ("Choose the first answer of dialog 8d2c", "fugue answer 8d2c 1"),
                        ("Answer in your own words", "fugue answer 8d2c 3 --text 'use the test database'"),
                    ]);
            reads   WatchPane "watch-pane" -> Done,
                of(Internal).streams()
                    .not_a_tool("it streams screens for drawing; subscribe to `fugue://panes/{id}` instead");
            reads   RecordPane "record-pane" -> PaneView,
                of(Internal).streams().not_a_tool("it streams raw output; `fugue record` writes that to a file");
            changes SendOrchestration "send-orchestration" -> Sent,
                of(Messages).core(13).unlisted(&["ttl_ms"]).shared().keyed().waits(WaitArgument::on_request(WaitPurpose::Answer))
                    .tool_requires(&["target", "msg_type", "payload"]).note(SendOrchestration::NOTE)
                    .examples(&[
                        ("Assign a task to all workers", "fugue send-orchestration --tag worker task.assigned \\\n      '{\"task\":\"run the tests\"}'"),
                        ("Ask one session and wait for its answer", "fugue send-orchestration -s api question \\\n      '{\"text\":\"done?\"}' --wait-ms 60000"),
                    ]);
            changes ReportStatus "report-status" -> Reported,
                of(Agents).core(14).unlisted(&["conversation_id"]).shared().idempotent().keyed()
                    .examples(&[("Report that you are done", "fugue report-status complete 'all tests pass'")]);
            changes RequestHelp "request-help" -> Sent,
                of(Agents).core(15).unlisted(&["wait_for"]).shared().keyed().waits(WaitArgument::on_request(WaitPurpose::Answer))
                    .examples(&[
                        ("Ask your orchestrator, and wait for an answer", "fugue request-help 'which database?' --wait-ms 60000"),
                    ]);
            changes Broadcast "broadcast" -> Sent,
                of(Messages).core(16).shared().keyed()
                    .examples(&[
                        ("Tell all sessions of this repository", "fugue broadcast 'main is frozen until noon'"),
                    ]);
            changes SubscribeOrchestration "subscribe-orchestration" -> SubscriptionView,
                of(Messages).core(19).unlisted(&["session"]).idempotent()
                    .examples(&[("Be notified of tasks only", "fugue subscribe-orchestration --type 'task.*'")]);
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
                    .tool_defaults(&[("max_bytes", "14336")]).note(PollMessages::NOTE)
                    .examples(&[
                        ("Read your unread messages", "fugue poll-messages"),
                        ("Wait up to a minute for one", "fugue poll-messages --wait-ms 60000"),
                    ]);
            reads   MessageStatus "message-status" -> MessageReport,
                of(Messages).shared()
                    .examples(&[("See whether a message was read", "fugue message-status 019a3c8e-7d10-7000-8000-00000000002a")]);
            reads   ListMessages "list-messages" -> MessageList,
                of(Messages).shared()
                    .examples(&[
                        ("List what a session sent and received", "fugue list-messages -s work"),
                        ("List messages that nobody read in time", "fugue list-messages --dead"),
                    ]);
            changes ResendMessage "resend-message" -> Sent,
                of(Messages).shared()
                    .examples(&[
                        ("Send an expired message to another session", "fugue resend-message 019a3c8e-7d10-7000-8000-00000000002a -s api"),
                    ]);
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
                    .waits(WaitArgument::on_request(WaitPurpose::Lease)).note(Claim::NOTE)
                    .examples(&[
                        ("Claim a file, and wait for it if necessary", "fugue claim src/main.rs --wait-ms 60000"),
                    ]);
            changes Release "release" -> Done,
                of(Coordination).core(21).unlisted(&["force"]).shared().idempotent().lease("name")
                    .examples(&[("Give the file back", "fugue release src/main.rs")]);
            reads   ListLeases "list-leases" -> LeaseList,
                of(Coordination)
                    .examples(&[("See who holds what", "fugue list-leases")]);
            reads   ShowWaits "show-waits" -> WaitGraph,
                of(Coordination)
                    .examples(&[("See who waits for whom", "fugue show-waits")]);
            changes RunParallel "run-parallel" -> ParallelRuns,
                of(Running).core(11).directory(Optional).keyed().waits(RunParallel::WAIT)
                    .examples(&[("Run two commands at the same time", "fugue run-parallel 'make test' 'make lint'")]);
            changes AttachClient "attach-client" -> Done,
                of(Internal).not_a_tool("it is for users' terminals");
            reads   ListClients "list-clients" -> ClientList,
                of(Daemon)
                    .examples(&[("See who is attached", "fugue list-clients")]);
            ends    DetachClient "detach-client" -> ClientList,
                of(Daemon)
                    .examples(&[
                        ("Detach client 2", "fugue detach-client 2"),
                        ("Detach everybody from a session", "fugue detach-client -s work"),
                    ]);
            changes RunInClient "run-in-client" -> ClientList,
                of(Daemon).daemon_wide().not_a_tool("it acts for the user, in the user's terminal")
                    .examples(&[("Open a list in the client", "fugue run-in-client 'choose-tree'")]);
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
                of(Agents).core(1).aliases(&["who"]).without_daemon(NotInside).always_loaded()
                    .examples(&[("Print the session and pane you are in", "fugue whoami")]);
            reads   SubscribeEvents "subscribe-events" -> Subscribed,
                of(Internal).streams().not_a_tool("it streams events; agents use `fugue_wait` instead");
            reads   GetServerStatus "server-status" -> ServerStatus,
                of(Daemon).aliases(&["status"]).without_daemon(Fail)
                    .examples(&[("Print the daemon's version, uptime and limits", "fugue status")]);
            reads   GetMetrics "get-metrics" -> DaemonMetrics,
                of(Internal).daemon_wide().without_daemon(Fail)
                    .not_a_tool("`fugue metrics` uses it; agents use `fugue_server_status`");
            changes DismissWarnings "dismiss-warnings" -> Done,
                of(Daemon).daemon_wide().idempotent().without_daemon(Fail)
                    .not_a_tool("the warnings are for the user, who dismisses them after reading them")
                    .examples(&[("Dismiss the warnings after reading them", "fugue dismiss-warnings")]);
            changes Authorize "authorize" -> Done,
                of(Internal).daemon_wide().idempotent().repeatable().without_daemon(Fail)
                    .not_a_tool("it is meant for commands that change which files the user trusts");
            ends    Shutdown "shutdown" -> Done,
                of(Daemon).daemon_wide().aliases(&["kill-server"]).without_daemon(Fail)
                    .not_a_tool("it kills every agent's programs, and only the user may do that")
                    .examples(&[("End the daemon and all programs", "fugue shutdown")]);
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
