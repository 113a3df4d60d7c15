//! The verbs: one struct and one row each. The wire format, the command line, the tool, the typed call and the reference
//! pages all follow from the two; the behavior is in `fugue-core/src/perform/`.

mod agents;
mod answer_count;
mod argument_names;
mod arguments;
mod buffers;
mod capture;
mod channels;
mod clients;
mod custom_arguments;
mod fleet;
mod info;
mod layouts;
mod leases;
mod located_value;
mod messages;
#[cfg(fugue_next)]
mod next;
mod options;
mod output_cursor;
mod panes;
mod parallel;
mod pipes;
mod program_arguments;
mod properties;
mod run;
mod serde_errors;
mod server;
mod sessions;
mod spawn;
mod spec;
mod subscriptions;
mod table;
mod terminal;
#[cfg(test)]
mod tests;
mod wait;
mod wait_purpose;
mod windows;
mod worktrees;

pub use agents::*;
pub use answer_count::AnswerCount;
pub use arguments::Arguments;
pub use buffers::*;
pub use capture::*;
pub use channels::*;
pub use clients::*;
pub use custom_arguments::PaneOperand;
pub use fleet::*;
pub use info::VerbInfo;
pub use layouts::{CreateLayout, LayoutPart};
pub use leases::*;
pub use messages::*;
#[cfg(fugue_next)]
pub use next::MarkSession;
pub use options::*;
pub use output_cursor::OutputCursor;
pub use panes::*;
pub use parallel::*;
pub use pipes::*;
pub use program_arguments::{KeyValue, NextProgram, Program};
pub use properties::{
    Example, HelpGroup, Nature, Properties, Reach, ToolProperties, WaitArgument, WaitPurpose, WithoutDaemon,
    WorkingDirectory,
};
pub use run::Run;
pub use server::*;
pub use sessions::*;
pub use spawn::SpawnAgent;
pub use spec::VerbSpec;
pub use subscriptions::*;
pub use table::{NAMES, VERBS, Verb};
pub use terminal::*;
pub use wait::*;
pub use windows::*;
pub use worktrees::*;
