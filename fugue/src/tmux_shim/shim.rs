//! What tmux's commands work on: the daemon, its sessions and clients, who gives the command, and its output.

use std::io::Write;
use std::path::PathBuf;

use fugue_client::{CallError, Connection, DaemonName, Env, Paths, StartPolicy, connect, daemon_socket};
use fugue_protocol::PaneId;
use fugue_protocol::messages::Role;
use fugue_protocol::paths::tmux_state;
use fugue_protocol::verbs::{ListClients, ListSessions, VerbSpec, Whoami};
use fugue_protocol::views::{ClientView, SessionView};

use super::flags::{self, ShimFlags};

/// The version that is reported: the one whose commands are understood.
pub(crate) const VERSION: &str = "tmux 3.5a";

/// Set in the environment of a team's lead to the id of its process: a pane that it splits off becomes a session of its
/// own, and belongs to that lead.
pub(crate) const TEAM: &str = "FUGUE_TEAM";

/// Files whose commands run commands of files … are followed so far.
const DEPTH: usize = 10;

/// The output of a command, or its error message.
pub(super) type Outcome = Result<String, String>;

/// Prints the output of a command.
pub(super) fn print(text: &str) {
    if !text.is_empty() {
        let _ = writeln!(std::io::stdout(), "{}", text.strip_suffix('\n').unwrap_or(text));
    }
}

/// Who gives a command: it decides what becomes of settings, and of commands that fugue does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// A person, at a shell or at the client's prompt.
    Person,
    /// A program that drives tmux: what has no effect succeeds, so that the program goes on.
    Program,
}

/// Who gives a command line, and for which daemon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) speaker: Speaker,
    /// The pane that a client runs the line for.
    pub(super) at: Option<&'a str>,
    /// The daemon that `--server` names.
    pub(super) server: Option<&'a str>,
    /// Whether the program was started by the name `tmux`, so that it prints no more than tmux does.
    pub(super) is_tmux: bool,
}

impl Caller<'_> {
    /// The daemon that `--server` or `-L` names, or else the caller's. A program that names tmux's usual server means the
    /// one it is in.
    fn daemon(&self, socket: Option<&str>) -> Result<DaemonName, String> {
        let server = match (self.server, socket) {
            (Some(server), Some(socket)) if server != socket => {
                return Err(format!("--server {server} and -L {socket} name different daemons"));
            }
            (Some(server), _) => Some(server),
            (None, socket) => socket.filter(|name| *name != "default"),
        };
        Ok(DaemonName { host: None, server: server.map(str::to_owned) })
    }
}

/// Carries out a command.
pub(super) type Run = fn(&mut Shim, &ShimFlags) -> Outcome;

/// A command.
pub(super) struct ShimCommand {
    /// Its name and its abbreviation.
    pub(super) names: &'static [&'static str],
    pub(super) run: Run,
}

impl ShimCommand {
    /// Parses the words after its name.
    pub(super) fn parse(&self, words: &[String]) -> Result<ShimFlags, String> {
        let name = self.names[0];
        let parsed = flags::parse(name, fugue_tui::tmux_flags(name).unwrap_or_default(), words)?;
        fugue_tui::tmux_check_operands(name, parsed.operands.len())?;
        Ok(parsed)
    }
}

/// What the commands work on.
pub(super) struct Shim {
    /// The table of commands, for those that run or list others.
    pub(super) commands: &'static [ShimCommand],
    pub(super) connection: Connection,
    pub(super) paths: Paths,
    /// The name of the daemon, if it is not the usual one.
    pub(super) server: Option<String>,
    pub(super) sessions: Vec<SessionView>,
    pub(super) clients: Vec<ClientView>,
    /// The caller's pane.
    pub(super) own_pane: Option<PaneId>,
    /// The caller's pane as `TMUX_PANE` names it.
    pub(super) own_target: Option<String>,
    /// The pane that a client runs the command for.
    pub(super) at: Option<String>,
    /// The panes that share their input in the client that runs the command.
    pub(super) synchronized: Vec<PaneId>,
    /// Whether the caller leads a team.
    pub(super) team: bool,
    pub(super) speaker: Speaker,
    pub(super) is_tmux: bool,
    /// How many more files within files are read.
    pub(super) depth: usize,
    /// The exit code if no command fails: that of a popup's program.
    pub(super) exit_code: u8,
}

impl Shim {
    /// Connects to the daemon that `--server`, `-L` or `-S` names, or else to the caller's.
    pub(super) fn open(
        commands: &'static [ShimCommand],
        global: &ShimFlags,
        caller: &Caller<'_>,
        starts: bool,
    ) -> Result<Self, String> {
        let daemon = caller.daemon(global.value('L'))?;
        let paths = daemon.paths(&Env::own()).map_err(|why| why.message())?;
        let named = global.value('S').map(PathBuf::from);
        if let Some(socket) = named.filter(|socket| *socket != paths.socket) {
            return Err(format!("error connecting to {} (No such file or directory)", socket.display()));
        }
        let no_server = |why: CallError| match why {
            CallError::NoDaemon(_) => format!("no server running on {}", paths.socket.display()),
            other => other.message(),
        };
        let start = if starts { StartPolicy::IfNeeded } else { StartPolicy::Never };
        let connection = connect(&paths, Role::Command, start).map_err(no_server)?;
        let own = OwnPane::of(&paths);
        let mut shim = Self {
            commands,
            connection,
            paths,
            server: daemon.server,
            sessions: Vec::new(),
            clients: Vec::new(),
            own_pane: own.pane,
            own_target: own.target,
            at: caller.at.map(str::to_owned),
            synchronized: synchronized(),
            team: caller.speaker == Speaker::Program && std::env::var_os(TEAM).is_some(),
            speaker: caller.speaker,
            is_tmux: caller.is_tmux,
            depth: DEPTH,
            exit_code: 0,
        };
        shim.refresh()?;
        if shim.own_pane.is_none() {
            // A caller whose environment was cleared is known by its process.
            shim.own_pane = shim.call(&Whoami { include_tags: false }).ok().map(|caller| caller.pane_id);
        }
        Ok(shim)
    }

    /// Calls a verb.
    pub(super) fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, String> {
        self.connection.call(verb).map_err(|error| error.message())
    }

    /// Reads the sessions and clients again, after a change.
    pub(super) fn refresh(&mut self) -> Result<(), String> {
        self.sessions = self.call(&ListSessions::default())?.sessions;
        self.clients = self.call(&ListClients::default())?.clients;
        Ok(())
    }

    /// A file or directory of tmux's state, beside the daemon's socket.
    pub(super) fn state_path(&self, name: &str) -> PathBuf {
        tmux_state(&self.paths.socket, name)
    }
}

/// The pane that the caller is in, according to its environment.
struct OwnPane {
    pane: Option<PaneId>,
    target: Option<String>,
}

impl OwnPane {
    /// The caller's pane of the daemon at these paths. In a pane of another daemon the variables mean nothing here: the
    /// pane with that number is some other one.
    fn of(paths: &Paths) -> Self {
        if !is_daemon_of_environment(paths) {
            return Self { pane: None, target: None };
        }
        let pane = std::env::var("FUGUE_PANE_ID").ok().and_then(|id| id.parse().ok());
        Self { pane, target: std::env::var("TMUX_PANE").ok() }
    }
}

/// Whether the variables of a pane in this process's environment are about the daemon at these paths.
pub(super) fn is_daemon_of_environment(paths: &Paths) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let of_tmux =
        || set("TMUX").map(|tmux| tmux.to_string_lossy().split(',').next().unwrap_or_default().into());
    let named = set("FUGUE_SOCKET").or_else(of_tmux).map(PathBuf::from);
    named.is_none_or(|socket| socket == paths.socket || socket == daemon_socket(paths))
}

/// The panes that the client named when it started this command.
fn synchronized() -> Vec<PaneId> {
    let named = std::env::var(fugue_tui::SYNCHRONIZED_PANES).unwrap_or_default();
    named.split(' ').filter_map(|id| id.parse().ok()).collect()
}
