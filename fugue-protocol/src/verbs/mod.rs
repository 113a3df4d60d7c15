//! The verbs: one struct and one row each. The wire form, the command line, the tool, the typed call and the reference
//! pages all follow from the two; the behavior is in `fugue-core/src/perform/`.

use clap::{Args, FromArgMatches};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::IdempotencyKey;
use crate::refusal::{Refusal, nearest};
use crate::render::{ForModel, ForPeople, model_content, printout};
use crate::views::*;

mod agents;
mod answer_count;
mod argument_names;
mod capture;
mod clap_args;
mod clients;
mod info;
mod layouts;
mod leases;
mod messages;
mod output_cursor;
mod panes;
mod parallel;
mod permissions;
mod program;
mod properties;
mod run;
mod serde_errors;
mod server;
mod sessions;
mod spawn;
mod subscriptions;
mod terminal;
mod wait;
mod windows;
mod worktrees;

pub use agents::*;
pub use answer_count::AnswerCount;
pub use capture::*;
pub use clap_args::KeyValue;
pub use clients::*;
pub use info::{Arguments, VerbInfo};
pub use layouts::{CreateLayout, LayoutPart};
pub use leases::*;
pub use messages::*;
pub use output_cursor::OutputCursor;
pub use panes::*;
pub use parallel::*;
pub use permissions::*;
pub use program::Program;
pub use properties::{
    HelpGroup, Nature, Properties, Reach, ToolProperties, WaitArgument, WithoutDaemon, WorkingDirectory,
};
pub use run::Run;
pub use server::*;
pub use sessions::*;
pub use spawn::SpawnAgent;
pub use subscriptions::*;
pub use terminal::*;
pub use wait::*;
pub use windows::*;
pub use worktrees::*;

use HelpGroup::{Agents, Coordination, Daemon, Internal, Messages, Panes, Running, Sessions};
use WithoutDaemon::{Fail, NotInside};
use WorkingDirectory::{CallersByDefault, Optional};
use properties::of;

/// A verb: the arguments of a request, and the type of the reply. Implemented by the rows of `for_each_verb!`.
pub trait VerbSpec: Serialize + DeserializeOwned + JsonSchema + Args {
    /// Its name on the wire and on a command line.
    const NAME: &'static str;
    /// What it does to the state of the daemon.
    const NATURE: Nature;
    /// Its other properties.
    const PROPERTIES: Properties;
    /// The type of its reply, which knows how to show itself to people and to models.
    type Reply: Serialize + DeserializeOwned + JsonSchema + ForPeople + ForModel;
}

/// Hands the table of verbs to a macro. A row is `nature Struct "name" -> Reply, properties;`.
#[macro_export]
macro_rules! for_each_verb {
    ($callback:ident) => {
        $callback! {
            reads   ListSessions "list-sessions" -> SessionList,
                of(Sessions).core(2).aliases(&["ls"]).always_loaded().note(ListSessions::NOTE);
            changes CreateSession "create-session" -> PaneCreated,
                of(Sessions).core(7).unlisted(&["window_name", "size", "argv", "close_with"]).aliases(&["new", "new-session"]).directory(CallersByDefault).attaches()
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
                    .not_a_tool("it is for the user: agents set the environment of their session");
            reads   GetGlobalEnvironment "get-global-environment" -> GlobalEnvironment,
                of(Sessions).daemon_wide()
                    .not_a_tool("it is for the user: agents read the environment of their session");
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
            reads   ListPanes "list-panes" -> PaneList, of(Panes);
            changes CreatePane "create-pane" -> PaneCreated,
                of(Panes).core(8).unlisted(&["argv", "cells", "full"]).aliases(&["split-pane", "split-window"]).directory(Optional).holds_input();
            changes RenamePane "rename-pane" -> PaneView, of(Panes).idempotent();
            changes MutePane "mute-pane" -> PaneView,
                of(Panes).not_a_tool("only the user can decide which panes may alert them");
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
                of(Running).core(5).unlisted(&["session", "ansi", "commands"]).aliases(&["read", "capture-pane"]).tool_requires(&["pane_id"])
                    .note(GetOutput::NOTE);
            changes ClearHistory "clear-history" -> Done,
                of(Running).idempotent().not_a_tool("it deletes what the user may want to read");
            reads   Wait "wait" -> WaitResult,
                of(Running).core(4).lease("lease").waits(Wait::WAIT).always_loaded().note(Wait::NOTE);
            reads   Screenshot "screenshot" -> Picture, of(Running).tool_defaults(&[("format", "\"png\"")]);
            reads   Explain "explain" -> Explanation, of(Agents);
            changes SpawnAgent "spawn-agent" -> SpawnedAgent,
                of(Agents).aliases(&["spawn"]).directory(CallersByDefault).keyed().waits(SpawnAgent::WAIT).tells_outcome();
            changes ResumeAgent "resume-agent" -> RestoredPanes,
                of(Agents).aliases(&["resume"]).holds_input().tool_requires(&["pane_id"]);
            reads   ListPermissions "list-permissions" -> PermissionList,
                of(Agents).aliases(&["permissions"]).watchable();
            changes AnswerPermission "answer-permission" -> PermissionAnswered,
                of(Agents).aliases(&["answer"]).tells_outcome()
                    .not_a_tool("only the user may answer what an agent asks them");
            reads   WatchPane "watch-pane" -> Done,
                of(Internal).streams()
                    .not_a_tool("it streams screens for drawing; subscribe to `fugue://panes/{id}` instead");
            reads   RecordPane "record-pane" -> PaneView,
                of(Internal).streams().not_a_tool("it streams raw output; `fugue record` writes that to a file");
            changes SendOrchestration "send-orchestration" -> Sent,
                of(Messages).core(13).unlisted(&["ttl_ms"]).shared().keyed().waits(WaitArgument::ON_REQUEST)
                    .tool_requires(&["target", "msg_type", "payload"]).note(SendOrchestration::NOTE);
            changes ReportStatus "report-status" -> Reported, of(Agents).core(14).unlisted(&["conversation_id"]).shared().idempotent().keyed();
            changes RequestHelp "request-help" -> Sent, of(Agents).core(15).unlisted(&["wait_for"]).shared().keyed().waits(WaitArgument::ON_REQUEST);
            changes Broadcast "broadcast" -> Sent, of(Messages).core(16).shared().keyed();
            changes SubscribeOrchestration "subscribe-orchestration" -> SubscriptionView,
                of(Messages).core(19).unlisted(&["session"]).idempotent();
            changes AnnounceMessages "announce-messages" -> Announcement,
                of(Internal).shared().not_a_tool("agents' hooks use it by running `fugue hook`");
            changes ReportConversation "report-conversation" -> Done,
                of(Internal).shared().idempotent().repeatable()
                    .not_a_tool("the MCP server reports the conversation by itself");
            changes ReportState "report-state" -> Done,
                of(Internal).shared().idempotent().repeatable()
                    .not_a_tool("an agent's plugin reports the state by itself; agents use `report-status`");
            changes PollMessages "poll-messages" -> InboxPage,
                of(Messages).core(12).unlisted(&["max_bytes"]).shared().idempotent().repeatable().waits(WaitArgument::ON_REQUEST)
                    .tool_defaults(&[("max_bytes", "14336")]).note(PollMessages::NOTE);
            reads   MessageStatus "message-status" -> MessageReport, of(Messages).shared();
            reads   ListMessages "list-messages" -> MessageList, of(Messages).shared();
            changes ResendMessage "resend-message" -> Sent, of(Messages).shared();
            changes Claim "claim" -> Claimed,
                of(Coordination).core(20).shared().idempotent().keyed().lease("name")
                    .waits(WaitArgument::ON_REQUEST).note(Claim::NOTE);
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
            reads   Whoami "whoami" -> Identity,
                of(Agents).core(1).aliases(&["who"]).without_daemon(NotInside).always_loaded();
            reads   SubscribeEvents "subscribe-events" -> Subscribed,
                of(Internal).streams().not_a_tool("it streams events; agents use `fugue_wait` instead");
            reads   GetServerStatus "server-status" -> ServerStatus,
                of(Daemon).aliases(&["status"]).without_daemon(Fail);
            changes DismissWarnings "dismiss-warnings" -> Done,
                of(Daemon).daemon_wide().idempotent().without_daemon(Fail)
                    .not_a_tool("the warnings are for the user, who dismisses them after reading them");
            changes Authorize "authorize" -> Done,
                of(Internal).daemon_wide().idempotent().repeatable().without_daemon(Fail)
                    .not_a_tool("it is meant for commands that change which files the user trusts");
            ends    Shutdown "shutdown" -> Done,
                of(Daemon).daemon_wide().aliases(&["kill-server"]).without_daemon(Fail)
                    .not_a_tool("it kills every agent's programs, and only the user may do that");
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
            schemas: || (schemars::schema_for!($verb), <$reply as ForModel>::schema()),
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
}

fn unknown_verb(name: &str) -> Refusal {
    Refusal::UnknownVerb { verb: name.to_owned(), nearest: nearest(name, NAMES.iter().copied()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Hint;

    #[test]
    fn every_verb_has_a_command_line_and_plain_schemas() {
        for verb in VERBS {
            let name = verb.name;
            let mut command = verb.command();
            command.build();
            assert!(
                command.get_about().is_some() || command.get_long_about().is_some(),
                "{name} has no help"
            );
            let (args, reply) = verb.schemas();
            for schema in [args, reply] {
                let text = serde_json::to_string(&schema).unwrap();
                assert!(!text.contains("$ref") && !text.contains("uint"), "{name}: {text}");
            }
        }
    }

    #[test]
    fn every_argument_that_a_row_names_exists() {
        for verb in VERBS {
            let (name, properties) = (verb.name, &verb.properties);
            let schema = verb.schemas().0.to_value();
            let has = |argument: &str| schema["properties"].get(argument).is_some();
            assert_eq!(has("cwd"), properties.directory != WorkingDirectory::None, "{name}: cwd");
            assert_eq!(has("idempotency_key"), properties.keyed, "{name}: idempotency_key");
            assert_eq!(has("wait_ms") || has("timeout_ms"), properties.wait.is_some(), "{name}: wait");
            assert!(properties.wait.is_none_or(|wait| has(wait.name)), "{name}: wait");
            for argument in properties.tool.required.iter().map(|word| word.trim_end_matches("_id")) {
                assert!(has(argument), "{name}: {argument}");
            }
            for (argument, value) in properties.tool.defaults {
                assert!(has(argument) && serde_json::from_str::<serde_json::Value>(value).is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn every_name_and_alias_means_one_verb() {
        let words = VERBS.iter().flat_map(|verb| verb.properties.aliases.iter().copied().chain([verb.name]));
        let mut words: Vec<_> = words.collect();
        words.sort_unstable();
        assert!(words.windows(2).all(|pair| pair[0] != pair[1]), "{words:?}");
        assert_eq!(VerbInfo::by_name_or_alias("ls").map(|verb| verb.name), Some("list-sessions"));
    }

    #[test]
    fn a_relative_directory_is_the_callers() {
        let resolved = |verb: &str, args: &str| {
            let mut args: Arguments = serde_json::from_str(args).unwrap();
            VerbInfo::find(verb).unwrap().resolve_paths(&mut args, std::path::Path::new("/home"), None);
            args.get("cwd").cloned()
        };
        assert_eq!(resolved("create-session", "{}"), Some("/home".into()));
        assert_eq!(resolved("create-pane", "{}"), None);
        assert_eq!(resolved("run", r#"{"cwd":"a"}"#), Some("/home/a".into()));
        assert_eq!(resolved("run", r#"{"cwd":"/a"}"#), Some("/a".into()));
        assert_eq!(resolved("run", r#"{"cwd":"~/a"}"#), Some("~/a".into()), "for the daemon to complete");
    }

    #[test]
    fn a_lease_on_a_path_is_named_by_the_absolute_path() {
        for verb in ["claim", "release"] {
            let mut args: Arguments = serde_json::from_str(r#"{"name":"src/a.rs"}"#).unwrap();
            VerbInfo::find(verb).unwrap().resolve_paths(&mut args, std::path::Path::new("/app"), None);
            assert_eq!(args["name"], "/app/src/a.rs");
        }
    }

    #[test]
    fn a_path_may_be_relative_or_in_the_home_directory() {
        for (given, expected) in [("../fix", "/fix"), ("~/fix", "/home/me/fix"), ("/fix", "/fix")] {
            let mut args = Arguments::from_iter([("path".to_owned(), given.into())]);
            let (here, home) = (std::path::Path::new("/app"), std::path::Path::new("/home/me"));
            VerbInfo::find("remove-worktree").unwrap().resolve_paths(&mut args, here, Some(home));
            assert_eq!(args["path"], expected);
        }
    }

    #[test]
    fn a_repeated_call_waits_for_the_rest_of_its_time() {
        let shortened = |verb: &str, args: &str, ms| {
            let mut args: Arguments = serde_json::from_str(args).unwrap();
            VerbInfo::find(verb).unwrap().shorten_wait(&mut args, std::time::Duration::from_millis(ms));
            serde_json::to_string(&args).unwrap()
        };
        assert_eq!(shortened("claim", r#"{"wait_ms":500}"#, 200), r#"{"wait_ms":300}"#);
        assert_eq!(shortened("claim", r#"{"wait_ms":500}"#, 900), r#"{"wait_ms":1}"#);
        assert_eq!(shortened("claim", r#"{"wait_ms":0}"#, 900), r#"{"wait_ms":0}"#);
        assert_eq!(shortened("wait", "{}", 10_000), r#"{"timeout_ms":20000}"#);
        assert_eq!(shortened("get-tags", "{}", 10_000), "{}");
    }

    #[test]
    fn unknown_verbs_and_fields_are_refused_by_name() {
        let refusal = Verb::read("list-sesions", "{}").unwrap_err();
        assert_eq!(refusal.to_string(), "Unknown command: list-sesions");
        assert_eq!(refusal.hints(), [Hint::DidYouMean("list-sessions".into())]);
        let refusal = Verb::read("rename-session", r#"{"name":"a","color":1}"#).unwrap_err();
        assert_eq!(refusal.to_string(), "Invalid arguments for `rename-session`: unknown argument `color`");
    }

    #[test]
    fn other_names_of_arguments_are_accepted() {
        let id = "019a0000-0000-7000-8000-000000000001";
        for args in [format!(r#"{{"session_id":"{id}","window_id":"{id}"}}"#), r#"{"session":"work"}"#.into()]
        {
            assert!(matches!(Verb::read("create-pane", &args), Ok(Verb::CreatePane(_))), "{args}");
        }
        let sent = Verb::read("send-input", &format!(r#"{{"pane_id":"{id}","input":"ls\n"}}"#)).unwrap();
        let Verb::SendInput(sent) = sent else { panic!("{sent:?}") };
        assert_eq!(sent.input.as_deref(), Some("ls\n"));
    }
}
