//! Who gives a line, and where: what the program that runs it hands in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use fugue_protocol::{PaneId, SessionId};

use crate::format::{HostFacts, plain};
use crate::steps::LineOrigin;

/// Who gives a line, and where.
pub struct LineSetting {
    /// Where the line comes from.
    pub origin: LineOrigin,
    /// The client that runs the line.
    pub client: Option<OwnClient>,
    /// The pane of the caller.
    pub own_pane: Option<PaneId>,
    /// The caller's pane as `TMUX_PANE` names it.
    pub own_target: Option<String>,
    /// fugue's own settings, as far as tmux's commands are about them.
    pub settings: Rc<dyn OwnSettings>,
    /// Whether the caller leads a team: each pane that it splits off becomes a session of its own.
    pub leads_team: bool,
    /// The tag of the sessions of that team.
    pub team: Option<fugue_protocol::Tag>,
    /// The variables of the lead's agent that its teammates share.
    pub team_variables: Vec<&'static str>,
    /// The caller's environment.
    pub environment: BTreeMap<String, String>,
    /// The caller's directory.
    pub directory: Option<PathBuf>,
    /// The daemon's socket.
    pub socket: PathBuf,
    /// The directory in which `tmux` means fugue.
    pub tmux_link: PathBuf,
    /// The name of the daemon, for people.
    pub daemon: String,
    /// Why this terminal cannot be attached, if it cannot.
    pub not_attachable: Option<String>,
    /// Whether the line is read from a file before there is a client: a new session is not attached then.
    pub is_startup: bool,
    /// The variables of this login that a new session gets.
    pub login: Vec<(String, String)>,
    /// The size of the area for windows in this terminal.
    pub window_area: fugue_protocol::Size,
    /// Whether the output is for a program that knows tmux's.
    pub is_silent: bool,
    /// The machine that the panes run on.
    pub machine: Rc<dyn HostFacts>,
    /// The current time, in seconds.
    pub now: i64,
}

impl LineSetting {
    /// The values of `$NAME` in commands. In the line of a hook, those that tell of the event are plain: a program may have
    /// chosen them, and they become part of formats and shell commands.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = self.environment.clone();
        if self.origin == LineOrigin::Hook {
            let told = variables.iter_mut().filter(|(name, _)| name.starts_with("FUGUE_HOOK"));
            told.for_each(|(_, value)| *value = plain(value));
        }
        variables
    }
}

/// The attached client that runs a line.
#[derive(Debug, Clone)]
pub struct OwnClient {
    /// The number that the daemon gave it.
    pub number: u64,
    /// The pane with the keyboard.
    pub pane: Option<PaneId>,
    /// The session that it shows.
    pub session: SessionId,
    /// The panes that share their input in it.
    pub synchronized: Vec<PaneId>,
}

/// The names of an event that can have hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookName {
    /// fugue's name.
    pub event: &'static str,
    /// tmux's name, which may be the same.
    pub tmux: &'static str,
}

/// fugue's own settings, as far as tmux's commands are about them.
pub trait OwnSettings {
    /// The value of an option that is set without one.
    fn toggled(&self, name: &str, current: &str) -> Option<&'static str>;

    /// The section and key of the setting in the place of an option.
    fn place(&self, name: &str) -> Option<String>;

    /// Why fugue has no counterpart of a command, or of one of its flags.
    fn refusal(&self, words: &[String]) -> Option<String>;

    /// fugue's name of an event that can have hooks, and tmux's name of the hook.
    fn hook(&self, name: &str) -> Option<HookName>;

    /// The names of all events that can have hooks.
    fn hooks(&self) -> Vec<HookName>;
}
