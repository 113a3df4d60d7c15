//! A project's layout, described by a `.fugue.toml` in its directory. `fugue up` creates that session or attaches to it.
//! The file names programs to run, so a person must trust it first, and again after each change.

mod early_failures;
mod export;
mod missing_programs;
mod trust;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Connection, Paths, StartPolicy, connect};
use fugue_config::{PROJECT_FILE, WorktreeCommands, read_regular_text};
use fugue_protocol::escape::escape;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{Authorize, WindowChoice};
use fugue_protocol::verbs::{
    CreateLayout, CreateSession, KeyValue, KillSession, KillWindow, LayoutPart, ListSessions, Program,
    SetEnvironment,
};
use fugue_protocol::views::OnExit;
use fugue_protocol::{SessionId, SessionName, WindowName};
use serde::{Deserialize, Serialize};

use crate::attach;
use crate::context::{self, CommandFailure};

/// The largest file that is read, as by the daemon.
const LARGEST: u64 = 4 << 20;

/// The contents of a project's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    /// The session's name. Defaults to the directory's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionName>,
    /// The commands for its worktrees, which the daemon runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worktree: Option<WorktreeCommands>,
    /// Its windows, in order.
    #[serde(default, rename = "window")]
    windows: Vec<ProjectWindow>,
}

/// A window of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectWindow {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<WindowName>,
    /// Its panes, in the form that `create-layout` takes.
    #[serde(default)]
    layout: LayoutPart,
}

/// The command line of `fugue up`.
pub(crate) fn up_command() -> Command {
    let detached = Arg::new("detached").long("detached").short('d').action(ArgAction::SetTrue);
    Command::new("up")
        .about("Create or attach to the session in .fugue.toml")
        .arg(detached.help("Do not attach"))
}

/// The command line of `fugue allow`.
pub(crate) fn allow_command() -> Command {
    Command::new("allow").about("Trust this project's current .fugue.toml")
}

/// The command line of `fugue export-layout`.
pub(crate) fn export_command() -> Command {
    let session = Arg::new("session").long("session").short('s').short_alias('t').value_name("SESSION");
    Command::new("export-layout")
        .about("Print a session's layout in .fugue.toml format")
        .arg(session.help("Session name or UUID [default: this pane's, or the most recently used]"))
}

/// Finds the project's file in this directory or the nearest one above it.
fn find() -> Result<PathBuf, CallError> {
    let here = std::env::current_dir()
        .map_err(|why| CallError::Local(format!("Cannot determine the current directory: {why}")))?;
    let found = here.ancestors().map(|directory| directory.join(PROJECT_FILE)).find(|path| path.is_file());
    let hint = "hint: `fugue export-layout > .fugue.toml` saves the current layout";
    found.ok_or_else(|| {
        CallError::Local(format!("No {PROJECT_FILE} in this directory or its parents\n{hint}"))
    })
}

fn read(path: &Path) -> Result<(String, Project), CallError> {
    let failed =
        |why: &dyn std::fmt::Display| CallError::Local(format!("Cannot read {}: {why}", path.display()));
    let text = read_regular_text(path, LARGEST).map_err(|why| failed(&why))?;
    let project = toml::from_str(&text).map_err(|why| failed(&why.to_string().trim_end()))?;
    Ok((text, project))
}

/// Runs `fugue allow`.
pub(crate) fn allow(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(allow_command(), words)?;
    let path = find()?;
    let (text, _) = read(&path)?;
    authorize(&args)?;
    trust::remember(&context::paths(&args)?, &path, &text)?;
    let _ = writeln!(std::io::stdout(), "Trusted {}", escape(&path.display().to_string()));
    Ok(())
}

/// Refuses to let an agent with a limited scope change what the user trusts, the configuration, or how agents are set up.
/// The daemon of the agent's own pane decides, and the one that the flags name. Outside panes, a daemon that is not
/// running has no agents.
pub(crate) fn authorize(args: &ArgMatches) -> Result<(), CallError> {
    let own = fugue_client::pane_daemons()?;
    for daemon in &own {
        match connect(daemon, Role::Command, StartPolicy::Never) {
            Ok(mut connection) => connection.call(&Authorize {})?,
            Err(CallError::NoDaemon(_)) => return Err(unauthorized(daemon)),
            Err(error) => return Err(error),
        };
    }
    match context::open(args, StartPolicy::Never) {
        Ok(mut connection) => connection.call(&Authorize {}).map(drop),
        Err(CallError::NoDaemon(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The error if nobody knows what this process may do: its pane's daemon has ended.
fn unauthorized(daemon: &Paths) -> CallError {
    let socket = daemon.socket.display();
    CallError::Local(format!(
        "This process was started in a pane of the daemon at {socket}, which is not running\n\
         hint: run the command in a terminal outside fugue, or in a pane of a running daemon"
    ))
}

/// Runs `fugue export-layout`.
pub(crate) fn export(words: Vec<OsString>) -> Result<(), CommandFailure> {
    export::run(&context::parse(export_command(), words)?)
}

/// Runs `fugue up`.
pub(crate) fn up(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(up_command(), words)?;
    let detached = args.get_flag("detached");
    if !detached {
        let alternative = "`fugue up -d` creates the project's session without attaching";
        fugue_tui::check_terminal(&context::paths(args)?, alternative)?;
    }
    let path = find()?;
    let (text, project) = read(&path)?;
    if !trust::is_trusted(&context::paths(args)?, &path, &text) {
        let hint = "hint: it can start programs; review it, then run `fugue allow`";
        return Err(CallError::Local(format!("{} is not trusted\n{hint}", path.display())).into());
    }
    let mut connection = context::open(args, StartPolicy::IfNeeded)?;
    let session = session(&mut connection, &project, (&path, &context::paths(args)?))?;
    if detached {
        Ok(early_failures::check(&mut connection, session)?)
    } else {
        drop(connection);
        attach::show(context::daemon_name(args), session, attach::Visit::Usual, None)
    }
}

/// Returns the project's session, which is created if it does not exist.
fn session(
    connection: &mut Connection,
    project: &Project,
    (path, paths): (&Path, &Paths),
) -> Result<SessionId, CallError> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    // A session's name has no colon.
    let by_directory = || directory.file_name()?.to_str()?.replace(':', "-").parse().ok();
    let name = project.session.clone().or_else(by_directory);
    let sessions = connection.call(&ListSessions::default())?.sessions;
    let there = sessions.iter().find(|session| Some(&session.name) == name.as_ref());
    match there {
        Some(session) => Ok(session.session_id),
        None => create(connection, project, name, (directory, paths)),
    }
}

/// Creates the session. If one of its windows fails, the whole session is removed again.
fn create(
    connection: &mut Connection,
    project: &Project,
    name: Option<SessionName>,
    (directory, paths): (&Path, &Paths),
) -> Result<SessionId, CallError> {
    let login = fugue_tui::login_environment(paths);
    let env = login.iter().map(|(name, value)| KeyValue(name.clone(), value.clone())).collect();
    let program = Program { cwd: directory.to_str().map(str::to_owned), env, ..Program::default() };
    let size = Some(fugue_tui::window_area(&paths.config));
    let created = connection.call(&CreateSession { name, size, program, ..CreateSession::default() })?;
    let session = created.session_id;
    // The programs of the project's windows get those of their session.
    for (name, value) in login {
        let session = Some(session.into());
        // A value that the daemon does not take is not worth the session.
        let _ = connection.call(&SetEnvironment { session, name, value: Some(value) });
    }
    for (number, window) in project.windows.iter().enumerate() {
        let layout = relative_to(window.layout.clone(), directory);
        let mut create = CreateLayout {
            layout,
            session: Some(session.into()),
            name: window.name.clone(),
            background: number > 0,
        };
        // At most once for each pane: a program that a shell starts is not given to a shell again.
        while let Err(error) = connection.call(&create) {
            if !missing_programs::start_by_shell(&mut create.layout, &error) {
                let _ = connection.call(&KillSession { session: session.into() });
                return Err(error);
            }
        }
    }
    if !project.windows.is_empty() {
        let choice = WindowChoice { session: None, window: Some(created.window_id.into()) };
        connection.call(&KillWindow { choice })?;
    }
    Ok(session)
}

/// Makes the directories of a layout absolute, seen from the project's directory.
fn relative_to(mut part: LayoutPart, directory: &Path) -> LayoutPart {
    if part.children.is_empty() {
        let cwd = directory.join(part.cwd.as_deref().unwrap_or_default());
        part.cwd = cwd.to_str().map(|cwd| cwd.trim_end_matches('/').to_owned());
        // A program that is missing or fails at once would otherwise take its pane with it, and nobody would know why.
        if part.command.is_some() || !part.argv.is_empty() {
            part.on_exit.get_or_insert(OnExit::KeepFailed);
        }
    }
    part.children = part.children.into_iter().map(|child| relative_to(child, directory)).collect();
    part
}
