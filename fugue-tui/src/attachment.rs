//! The attachment of this terminal to a session: what it is given, and how it ends.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use fugue_client::{Paths, PollConnection};
use fugue_protocol::SessionId;
use fugue_protocol::refusal::Refused;
use fugue_tmux::OwnSettings;
use fugue_tmux::steps::{Step, StepReply};
use serde_json::value::RawValue;

/// What to attach to, and how.
#[derive(Debug)]
pub struct AttachOptions {
    /// The daemon's paths.
    pub paths: Paths,
    /// The connection over which the session was found; without one, the client opens its own.
    pub connection: Option<PollConnection>,
    /// The session to show first.
    pub session: SessionId,
    /// Whether nothing that is typed reaches a pane.
    pub read_only: bool,
    /// Other names of verbs.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Whether to name a few keys, because a person sees a new daemon for the first time.
    pub welcome: bool,
    /// Whether the status line has hints for a person who is new to fugue.
    pub hints: bool,
    /// Renders the reply of a verb for a person.
    pub render_reply: fn(&str, &RawValue) -> String,
    /// Carries out the steps of tmux's lines that are about this host.
    pub steps: Arc<dyn LineSteps>,
}

/// What the client leaves to the program that it is part of when it runs a line of tmux's: steps about files, settings and
/// processes of this host.
pub trait LineSteps: std::fmt::Debug + Send + Sync {
    /// Carries out a step, which may take long: it is called on a thread of its own.
    fn carry_out(&self, paths: &Paths, step: Step) -> Result<StepReply, String>;

    /// fugue's own settings, as far as tmux's commands are about them.
    fn settings(&self) -> Rc<dyn OwnSettings>;

    /// The directory in which `tmux` means fugue.
    fn tmux_link(&self, paths: &Paths) -> PathBuf;
}

/// How a visit ended.
#[derive(Debug)]
pub enum AttachEnd {
    /// With this last line to print.
    Line(String),
    /// The daemon was upgraded and speaks another protocol.
    OtherProtocol {
        /// What it said.
        refused: Box<Refused>,
        /// The session that was shown.
        session: SessionId,
    },
}
