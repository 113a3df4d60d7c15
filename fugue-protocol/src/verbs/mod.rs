//! The verbs: one struct each, one row each. From a row come the wire form, the command line, the tool, the typed
//! call and the reference page; the behaviour is the struct's twin in `fugue-core/src/perform/`.

use clap::{Args, FromArgMatches};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::refusal::{Refusal, nearest};
use crate::views::*;

mod agents;
mod clients;
mod flags;

mod leases;
mod messages;

mod layouts;

mod panes;
mod parallel;
mod pictures;
mod program;
mod running;
mod server;
mod sessions;
mod spelling;
mod telling;
mod terminal;
mod waiting;
mod windows;
mod wording;

pub use agents::*;
pub use clients::*;
pub use flags::KeyValue;

pub use leases::*;
pub use messages::*;

pub use layouts::{CreateLayout, LayoutPart};

pub use panes::*;
pub use parallel::*;
pub use pictures::*;
pub use program::Program;
pub use running::Run;
pub use server::*;
pub use sessions::*;
pub use telling::*;
pub use terminal::*;
pub use waiting::*;
pub use windows::*;

/// What a verb does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// It looks.
    Reads,
    /// It makes or changes.
    Changes,
    /// It ends something that cannot be had back.
    Ends,
}

/// What every verb has.
pub trait VerbSpec: Serialize + DeserializeOwned + JsonSchema + Args {
    /// Its name on the wire and on the command line.
    const NAME: &'static str;
    /// What it does to the world.
    const NATURE: Nature;
    /// What it answers.
    type Reply: Serialize + DeserializeOwned + JsonSchema;
}

/// Hands the list of verbs to a macro: `nature Struct "name" -> Reply,` a row.
#[macro_export]
macro_rules! for_each_verb {
    ($callback:ident) => {
        $callback! {
            reads   ListSessions "list-sessions" -> SessionList,
            changes CreateSession "create-session" -> PaneCreated,
            changes RenameSession "rename-session" -> SessionView,
            changes SelectSession "select-session" -> SessionView,
            ends    KillSession "kill-session" -> Done,
            changes SetTags "set-tags" -> Tags,
            reads   GetTags "get-tags" -> Tags,
            changes SetMetadata "set-metadata" -> Entries,
            reads   GetMetadata "get-metadata" -> Entries,
            changes SetEnvironment "set-environment" -> Entries,
            reads   GetEnvironment "get-environment" -> Entries,
            changes CreateWindow "create-window" -> PaneCreated,
            changes CreateLayout "create-layout" -> WindowView,
            changes RenameWindow "rename-window" -> WindowView,
            changes SelectWindow "select-window" -> WindowView,
            changes MoveWindow "move-window" -> WindowView,
            changes ResizeWindow "resize-window" -> WindowView,
            changes SelectLayout "select-layout" -> WindowView,
            changes RotatePanes "rotate-panes" -> WindowView,
            ends    KillWindow "kill-window" -> Done,
            reads   ListPanes "list-panes" -> PaneList,
            changes CreatePane "create-pane" -> PaneCreated,
            changes RenamePane "rename-pane" -> PaneView,
            changes MutePane "mute-pane" -> PaneView,
            changes FocusPane "focus-pane" -> PaneView,
            changes ResizePane "resize-pane" -> WindowView,
            changes ZoomPane "zoom-pane" -> WindowView,
            changes SwapPanes "swap-panes" -> WindowView,
            changes JoinPane "join-pane" -> WindowView,
            changes BreakPane "break-pane" -> WindowView,
            changes RespawnPane "respawn-pane" -> PaneView,
            ends    ClosePane "close-pane" -> Done,
            changes SendInput "send-input" -> InputSent,
            changes Run "run" -> RunResult,
            reads   GetOutput "get-output" -> PaneOutput,
            reads   Wait "wait" -> WaitResult,
            reads   Screenshot "screenshot" -> Picture,
            reads   Explain "explain" -> Explanation,
            reads   WatchPane "watch-pane" -> Done,
            reads   RecordPane "record-pane" -> PaneView,
            changes SendOrchestration "send-orchestration" -> Sent,
            changes ReportStatus "report-status" -> Reported,
            changes RequestHelp "request-help" -> Sent,
            changes Broadcast "broadcast" -> Sent,
            changes SubscribeOrchestration "subscribe-orchestration" -> SubscriptionView,
            changes AnnounceMessages "announce-messages" -> Announcement,
            changes PollMessages "poll-messages" -> InboxPage,
            reads   MessageStatus "message-status" -> MessageReport,
            reads   ListMessages "list-messages" -> MessageList,
            changes ResendMessage "resend-message" -> Sent,
            changes Claim "claim" -> Claimed,
            changes Release "release" -> Done,
            reads   ListLeases "list-leases" -> LeaseList,
            reads   ShowWaits "show-waits" -> WaitGraph,
            changes RunParallel "run-parallel" -> ParallelRuns,
            changes AttachClient "attach-client" -> Done,
            reads   ListClients "list-clients" -> ClientList,
            ends    DetachClient "detach-client" -> ClientList,
            reads   Whoami "whoami" -> Identity,
            reads   SubscribeEvents "subscribe-events" -> Subscribed,
            reads   GetServerStatus "server-status" -> ServerStatus,
            ends    Shutdown "shutdown" -> Done,
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

macro_rules! list {
    ($($nature:ident $verb:ident $name:literal -> $reply:ty,)*) => {
        $(impl VerbSpec for $verb {
            const NAME: &'static str = $name;
            const NATURE: Nature = nature!($nature);
            type Reply = $reply;
        })*

        /// Any verb.
        #[derive(Debug, Clone)]
        #[allow(missing_docs, reason = "each struct says what it does")]
        pub enum Verb { $($verb($verb),)* }

        /// Every verb's name, in the order of the list.
        pub const NAMES: &[&str] = &[$($name),*];

        impl Verb {
            /// The verb of this name with these arguments; a wrong name or argument is a refusal.
            pub fn read(name: &str, args: &str) -> Result<Self, Refusal> {
                match name {
                    $($name => spelling::read::<$verb>(args).map(Self::$verb),)*
                    _ => Err(unknown_verb(name)),
                }
            }
            /// Its name.
            pub fn name(&self) -> &'static str { match self { $(Self::$verb(_) => $name,)* } }
            /// What it does to the world.
            pub fn nature(&self) -> Nature { match self { $(Self::$verb(_) => nature!($nature),)* } }
            /// What the verb of this name does to the world.
            pub fn nature_of(name: &str) -> Option<Nature> {
                match name { $($name => Some(nature!($nature)),)* _ => None }
            }
            /// Its arguments as JSON.
            pub fn args(&self) -> serde_json::Result<Box<serde_json::value::RawValue>> {
                match self { $(Self::$verb(verb) => serde_json::value::to_raw_value(verb),)* }
            }
            /// The command-line form of the verb of this name.
            pub fn command(name: &'static str) -> Option<clap::Command> {
                match name { $($name => Some(<$verb as Args>::augment_args(clap::Command::new($name))),)* _ => None }
            }
            /// The verb that a command line of this name says.
            pub fn from_matches(name: &str, matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                match name {
                    $($name => <$verb as FromArgMatches>::from_arg_matches(matches).map(Self::$verb),)*
                    _ => Err(clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, name)),
                }
            }
            /// Schemas of the arguments and the reply of the verb of this name.
            pub fn schemas(name: &str) -> Option<(schemars::Schema, schemars::Schema)> {
                match name { $($name => Some((schemars::schema_for!($verb), schemars::schema_for!($reply))),)* _ => None }
            }
        }
        $(impl From<$verb> for Verb { fn from(verb: $verb) -> Self { Self::$verb(verb) } })*
    };
}

for_each_verb!(list);

fn unknown_verb(name: &str) -> Refusal {
    Refusal::UnknownVerb { verb: name.to_owned(), nearest: nearest(name, NAMES.iter().copied()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Hint;

    #[test]
    fn every_verb_has_a_command_line_and_plain_schemas() {
        for name in NAMES {
            let mut command = Verb::command(name).unwrap();
            command.build();
            assert!(
                command.get_about().is_some() || command.get_long_about().is_some(),
                "{name} has no help"
            );
            let (args, reply) = Verb::schemas(name).unwrap();
            for schema in [args, reply] {
                let text = serde_json::to_string(&schema).unwrap();
                assert!(!text.contains("$ref") && !text.contains("uint"), "{name}: {text}");
            }
        }
    }

    #[test]
    fn unknown_verbs_and_fields_are_refused_by_name() {
        let refusal = Verb::read("list-sesions", "{}").unwrap_err();
        assert_eq!(refusal.to_string(), "Unknown command: list-sesions");
        assert_eq!(refusal.hints(), [Hint::DidYouMean("list-sessions".into())]);
        let refusal = Verb::read("rename-session", r#"{"name":"a","color":1}"#).unwrap_err();
        assert_eq!(refusal.to_string(), "Invalid arguments for `rename-session`: it has no argument `color`");
    }

    #[test]
    fn the_other_spellings_of_the_first_documents_are_read() {
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
