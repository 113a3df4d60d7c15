//! fugue in the place of tmux, for programs that run `tmux` commands: as `fugue tmux …`, or by a link named `tmux`.
//! Each command is a row of a table that says which flags it takes and which verbs carry it out.

mod command_table;
mod flags;
mod formats;
mod ids;
mod options;
mod panes;
mod places;
mod sessions;
mod variables;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, Command};
use fugue_client::{CallError, Connection, Paths, StartPolicy, connect};
use fugue_protocol::PaneId;
use fugue_protocol::escape::escape_output;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{ListSessions, VerbSpec};
use fugue_protocol::views::SessionView;

use crate::context::CommandFailure;
use flags::ParsedFlags;
use ids::{IdKind, TmuxIds};

/// The version that is reported: the one whose commands are understood.
const VERSION: &str = "tmux 3.5a";

/// The flags before a command.
const GLOBAL_FLAGS: &str = "2CDc:f:L:lNqS:T:uUvV";

/// Set in the environment of a team's lead: a pane that it splits off becomes a session of its own.
pub(crate) const TEAM: &str = "FUGUE_TEAM";

/// Returns the directory of the link named `tmux`, beside the daemon's socket.
pub(crate) fn link_directory(socket: &Path) -> PathBuf {
    socket.with_extension("tmux-bin")
}

/// The output of a command, or its error message.
type Outcome = Result<String, String>;

/// The command line of `fugue tmux`.
pub(crate) fn command() -> Command {
    let words = Arg::new("words").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
    Command::new("tmux")
        .about("Run a tmux command on fugue's panes")
        .after_help("For programs that control tmux. With `fugue teams`, agents run it as `tmux`.")
        .arg(words.value_name("WORDS").help("The tmux command and its arguments"))
}

/// Runs `fugue tmux …`. Its words are tmux's, so they are not parsed by clap, unless only help is wanted.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let own = words.iter().position(|word| word == "tmux").map_or(words.len(), |at| at + 1);
    match words.get(own).and_then(|word| word.to_str()) {
        None | Some("--help" | "-h") => crate::context::parse(command(), words).map(drop),
        Some(_) => match run_words(words.into_iter().skip(own)) {
            0 => Ok(()),
            code => Err(CommandFailure::ExitCode(code)),
        },
    }
}

/// Whether this program was started by the name `tmux`.
pub(crate) fn is_called_tmux(words: &[OsString]) -> bool {
    words.first().is_some_and(|name| Path::new(name).file_name() == Some(OsStr::new("tmux")))
}

/// Runs as `tmux`.
pub(crate) fn run_as_tmux(words: Vec<OsString>) -> ExitCode {
    ExitCode::from(run_words(words.into_iter().skip(1)))
}

/// Runs a command line of tmux, and returns its exit code.
fn run_words(words: impl Iterator<Item = OsString>) -> u8 {
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    match run_line(&words) {
        Ok(()) => 0,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{}", escape_output(&why));
            1
        }
    }
}

fn run_line(words: &[String]) -> Result<(), String> {
    let global = flags::parse("tmux", GLOBAL_FLAGS, words)?;
    if global.has('V') {
        print(VERSION);
        return Ok(());
    }
    let mut shim = Shim::open(&global)?;
    let commands = global.operands.split(|word| word == ";").filter(|words| !words.is_empty());
    for words in commands {
        print(&command_table::run(&mut shim, words)?);
    }
    Ok(())
}

fn print(text: &str) {
    if !text.is_empty() {
        let _ = writeln!(std::io::stdout(), "{text}");
    }
}

/// Returns tmux's names of a pane and of its session.
pub(crate) fn names(
    socket: &Path,
    sessions: &[SessionView],
    pane: PaneId,
) -> Result<(String, String), String> {
    let mut ids = TmuxIds::load(socket)?;
    ids.update(sessions)?;
    let panes = |session: &SessionView| {
        session.windows.iter().flat_map(|window| window.panes.clone()).collect::<Vec<_>>()
    };
    let session = sessions.iter().find(|session| panes(session).iter().any(|of| of.pane_id == pane));
    let session = session.map(|session| session.session_id.to_string()).unwrap_or_default();
    Ok((ids.name(IdKind::Pane, &pane.to_string()), ids.name(IdKind::Session, &session)))
}

/// What the commands work on.
struct Shim {
    connection: Connection,
    socket: PathBuf,
    sessions: Vec<SessionView>,
    ids: TmuxIds,
    /// The caller's pane.
    own_pane: Option<PaneId>,
    /// Whether the caller leads a team.
    team: bool,
}

impl Shim {
    /// Connects to the daemon of the socket that `-S` names, if it is one, or else to the caller's.
    fn open(global: &ParsedFlags) -> Result<Self, String> {
        let paths = Paths::of(None).map_err(|why| why.message())?;
        let named = global.value('S').map(PathBuf::from);
        if let Some(socket) = named.filter(|socket| *socket != paths.socket) {
            return Err(format!("error connecting to {} (No such file or directory)", socket.display()));
        }
        let no_server = |_: CallError| format!("no server running on {}", paths.socket.display());
        let mut connection = connect(&paths, Role::Command, StartPolicy::Never).map_err(no_server)?;
        let sessions = call(&mut connection, &ListSessions::default())?.sessions;
        let ids = TmuxIds::load(&paths.socket)?;
        let own_pane = std::env::var("FUGUE_PANE_ID").ok().and_then(|id| id.parse().ok());
        let team = std::env::var_os(TEAM).is_some();
        Ok(Self { connection, socket: paths.socket, sessions, ids, own_pane, team })
    }

    /// Calls a verb.
    fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, String> {
        call(&mut self.connection, verb)
    }

    /// Reads the sessions again, after a change.
    fn refresh(&mut self) -> Result<(), String> {
        self.sessions = self.call(&ListSessions::default())?.sessions;
        Ok(())
    }
}

fn call<V: VerbSpec>(connection: &mut Connection, verb: &V) -> Result<V::Reply, String> {
    connection.call(verb).map_err(|error| error.message())
}
