//! `fugue tutor`: a session that teaches fugue by doing. It has a daemon of its own, so that nothing is left behind.
//!
//! The pane at the top runs the guide, which shows one step after the other and sees from the daemon's events that each is
//! done. The agent is played by this program, so that nothing needs to be installed and nothing is spent.

mod guide;
mod lesson;
mod played_agent;
mod progress;

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, Command};
use fugue_client::{CallError, Connection, DaemonName, Env, Paths, StartPolicy, connect, wait_for_end};
use fugue_protocol::messages::Role;
use fugue_protocol::names::PaneName;
use fugue_protocol::verbs::{CreatePane, CreateSession, ListSessions, Program, Shutdown, WindowChoice};
use fugue_protocol::views::{OnExit, SessionView};
use fugue_protocol::{SessionId, SessionName, SessionRef, Side};

use crate::attach::{self, Visit};
use crate::context::{self, CommandFailure};

/// The name of the daemon, of its session and of the guide's pane.
const NAME: &str = "tutor";

/// The rows of the guide: enough for the longest step at 80 columns.
const GUIDE_PERCENT: u8 = 50;

/// The command line.
pub(crate) fn command() -> Command {
    let flag = |name| Arg::new(name).long(name).action(ArgAction::SetTrue);
    Command::new("tutor")
        .about("Learn fugue by doing, in five minutes")
        .after_help(
            "Every step can be skipped. If you quit, the next `fugue tutor` continues where you were. The tutor has a \
             daemon of its own and leaves nothing behind.",
        )
        .arg(flag("restart").help("Begin with the first step"))
        .arg(flag("guide").hide(true))
        .arg(flag("agent").hide(true))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    if args.get_flag("agent") {
        played_agent::run();
        return Ok(());
    }
    if args.get_flag("guide") {
        return Ok(guide::run()?);
    }
    let daemon = DaemonName { host: None, server: Some(NAME.to_owned()) };
    let paths = daemon.paths(&Env::own())?;
    if Env::own().get("FUGUE_PANE_ID").is_some() {
        return Err(CallError::Local(in_a_pane(&paths)).into());
    }
    fugue_tui::check_terminal(&paths, "run `fugue tutor` in a terminal")?;
    if args.get_flag("restart") {
        progress::forget();
        end(&paths)?;
    }
    let session = begin_or_find(&paths)?;
    attach::show(daemon, session, Visit::Tutor, None)?;
    finish(&paths)
}

/// Returns the session of the tutor, which is created unless it is there.
fn begin_or_find(paths: &Paths) -> Result<SessionId, CallError> {
    let mut connection = connect(paths, Role::Command, StartPolicy::IfNeeded)?;
    match session(&mut connection)? {
        Some(session) => Ok(session.session_id),
        None => begin(&mut connection, paths),
    }
}

/// Creates the session: a shell, which has the focus, and above it the guide. The guide starts last, so that whatever
/// changes after that is the person's doing.
fn begin(connection: &mut Connection, paths: &Paths) -> Result<SessionId, CallError> {
    let here = std::env::current_dir().ok().and_then(|here| here.into_os_string().into_string().ok());
    let create = CreateSession {
        name: NAME.parse::<SessionName>().ok(),
        size: Some(fugue_tui::window_area(&paths.config)),
        program: Program { cwd: here, ..Program::default() },
        ..CreateSession::default()
    };
    let created = connection.call(&create)?;
    let guide = CreatePane {
        choice: WindowChoice { session: Some(SessionRef::Id(created.session_id)), window: None },
        pane: Some(created.pane_id.into()),
        name: NAME.parse::<PaneName>().ok(),
        direction: Some(Side::Above),
        percent: Some(GUIDE_PERCENT),
        background: true,
        program: Program {
            argv: vec![this_program()?, "tutor".to_owned(), "--guide".to_owned()],
            on_exit: Some(OnExit::Close),
            ..Program::default()
        },
        ..CreatePane::default()
    };
    connection.call(&guide)?;
    Ok(created.session_id)
}

/// After the terminal has left the session: ends the daemon if the guide has ended, or says how to come back.
fn finish(paths: &Paths) -> Result<(), CommandFailure> {
    let mut connection = connect(paths, Role::Command, StartPolicy::Never)?;
    let is_guided = session(&mut connection)?.is_some_and(|session| has_guide(&session));
    let is_last = progress::step() + 1 == lesson::STEPS.len();
    if is_guided && !is_last {
        say("The tutor's session keeps running: come back with `fugue tutor`");
        return Ok(());
    }
    drop(connection);
    end(paths)?;
    if is_last {
        progress::forget();
    }
    match progress::step() {
        0 => say("`fugue` starts a session of your own"),
        _ => say("Continue with `fugue tutor` whenever you like"),
    }
    Ok(())
}

/// Ends the tutor's daemon, if it runs, and removes its files.
fn end(paths: &Paths) -> Result<(), CallError> {
    if let Ok(mut connection) = connect(paths, Role::Command, StartPolicy::Never) {
        let _ = connection.call(&Shutdown {});
        wait_for_end(paths);
    }
    let beside_socket = paths.socket.with_extension("");
    for directory in [Some(paths.state.as_path()), Some(beside_socket.as_path())].into_iter().flatten() {
        let _ = std::fs::remove_dir_all(directory);
    }
    Ok(())
}

/// The session of the tutor, if there is one.
fn session(connection: &mut Connection) -> Result<Option<SessionView>, CallError> {
    let all = connection.call(&ListSessions::default())?.sessions;
    Ok(all.into_iter().find(|session| session.name.as_str() == NAME))
}

/// Whether the guide's pane is there.
fn has_guide(session: &SessionView) -> bool {
    let mut panes = session.windows.iter().flat_map(|window| &window.panes);
    panes.any(|pane| pane.name.as_ref().is_some_and(|name| name.as_str() == NAME))
}

/// Why the tutor does not run in a pane: the client around it takes the keys that the tutor teaches.
fn in_a_pane(paths: &Paths) -> String {
    let keys = fugue_tui::key_list(&paths.config, context::ALIASES.as_slice());
    let detach = keys.iter().find(|key| key.command == "detach" && key.table == "prefix");
    let prefix = keys.iter().find(|key| key.command == "send-prefix");
    let how = match (prefix, detach) {
        (Some(prefix), Some(detach)) => format!("press {} {} to detach", prefix.key, detach.key),
        _ => "detach".to_owned(),
    };
    format!(
        "The tutor does not run in a pane of fugue\nhint: {how}, then run `fugue tutor`; your programs keep running"
    )
}

/// The path of this program.
fn this_program() -> Result<String, CallError> {
    let this =
        std::env::current_exe().map_err(|why| CallError::Local(format!("Cannot find fugue: {why}")))?;
    let text = this.into_os_string().into_string();
    text.map_err(|path| CallError::Local(format!("Not a UTF-8 path: {}", path.display())))
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
