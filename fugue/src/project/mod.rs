//! A project's own layout: `.fugue.toml` in its folder. `fugue up` makes the session that it describes, or goes to it;
//! since it names programs to run, a person must have read and trusted it once, and again when it changed.

mod export;
mod trust;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Connection, Paths, StartPolicy};
use fugue_protocol::verbs::WindowChoice;
use fugue_protocol::verbs::{
    CreateLayout, CreateSession, KillSession, KillWindow, LayoutPart, ListSessions, Program,
};
use fugue_protocol::{SessionId, SessionName, WindowName};
use serde::{Deserialize, Serialize};

use crate::attach;
use crate::cli::{self, Failure};

/// The file's name.
const FILE: &str = ".fugue.toml";

/// Names of the commands.
pub(crate) const NAMES: [&str; 3] = ["up", "allow", "export-layout"];

/// What a project wants to have open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    /// The session's name; the folder's when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<SessionName>,
    /// Its windows, in order.
    #[serde(default, rename = "window")]
    windows: Vec<Plan>,
}

/// A window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<WindowName>,
    /// Its panes, as `create-layout` takes them.
    #[serde(default)]
    layout: LayoutPart,
}

/// The commands' flags.
pub(crate) fn commands() -> [Command; 3] {
    let session = Arg::new("session").long("session").short('s').short_alias('t').value_name("SESSION");
    [
        Command::new("up").about("Make the session that .fugue.toml describes, or go to it").arg(
            Arg::new("detached").long("detached").short('d').action(ArgAction::SetTrue).help("Do not attach"),
        ),
        Command::new("allow").about("Trust the .fugue.toml of this folder as it is now"),
        Command::new("export-layout")
            .about("Print a session's windows and panes as a .fugue.toml")
            .arg(session.help("Session name or id; the one used last when left out")),
    ]
}

/// Runs one of the commands.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let fugue = cli::with_common(Command::new("fugue").subcommand_required(true));
    let matches = fugue.subcommands(commands()).try_get_matches_from(words)?;
    match matches.subcommand() {
        Some(("up", args)) => up(args),
        Some(("allow", args)) => allow(args),
        Some((_, args)) => export::run(args),
        None => Ok(()),
    }
}

/// The file of this folder, or of the nearest one above it that has one.
fn find() -> Result<PathBuf, CallError> {
    let here = std::env::current_dir().map_err(|why| CallError::Place(format!("this folder: {why}")))?;
    let found = here.ancestors().map(|folder| folder.join(FILE)).find(|path| path.is_file());
    let hint = "hint: `fugue export-layout > .fugue.toml` writes what is open now";
    found.ok_or_else(|| CallError::Place(format!("there is no {FILE} here or above\n{hint}")))
}

fn read(path: &Path) -> Result<(String, Project), CallError> {
    let wrong = |why: &dyn std::fmt::Display| CallError::Place(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|why| wrong(&why))?;
    let project = toml::from_str(&text).map_err(|why| wrong(&why.to_string().trim_end()))?;
    Ok((text, project))
}

fn allow(args: &ArgMatches) -> Result<(), Failure> {
    let path = find()?;
    let (text, _) = read(&path)?;
    trust::remember(&places(args)?, &path, &text)?;
    let _ = writeln!(std::io::stdout(), "{} is trusted as it is now", path.display());
    Ok(())
}

fn places(args: &ArgMatches) -> Result<Paths, CallError> {
    Paths::of(args.get_one::<String>("server").map(String::as_str))
}

fn up(args: &ArgMatches) -> Result<(), Failure> {
    let detached = args.get_flag("detached");
    if !detached {
        fugue_tui::check_terminal("`fugue up -d` makes the project's session without showing it")?;
    }
    let path = find()?;
    let (text, project) = read(&path)?;
    if !trust::is_trusted(&places(args)?, &path, &text) {
        let hint = "hint: it names programs to run: read it, then trust it with `fugue allow`";
        return Err(
            CallError::Place(format!("{} is not trusted as it is now\n{hint}", path.display())).into()
        );
    }
    let mut connection = cli::open(args, StartPolicy::IfNeeded)?;
    let session = session(&mut connection, &project, &path)?;
    drop(connection);
    if detached { Ok(()) } else { attach::show(args, session, attach::Visit::Usual) }
}

/// The project's session: the one that is there, or a new one.
fn session(connection: &mut Connection, project: &Project, path: &Path) -> Result<SessionId, CallError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = project.session.clone().or_else(|| folder.file_name()?.to_str()?.parse().ok());
    let sessions = connection.call(&ListSessions {})?.sessions;
    let there = sessions.iter().find(|session| Some(&session.name) == name.as_ref());
    match there {
        Some(session) => Ok(session.session_id),
        None => make(connection, project, name, folder),
    }
}

/// Makes it; when one of its windows cannot be, nothing stays.
fn make(
    connection: &mut Connection,
    project: &Project,
    name: Option<SessionName>,
    folder: &Path,
) -> Result<SessionId, CallError> {
    let program = Program { cwd: folder.to_str().map(str::to_owned), ..Program::default() };
    let size = Some(fugue_tui::window_area());
    let made = connection.call(&CreateSession { name, size, program, ..CreateSession::default() })?;
    let session = made.session_id;
    for (number, plan) in project.windows.iter().enumerate() {
        let layout = from_folder(plan.layout.clone(), folder);
        let window = CreateLayout {
            layout,
            session: Some(session.into()),
            name: plan.name.clone(),
            background: number > 0,
        };
        if let Err(trouble) = connection.call(&window) {
            let _ = connection.call(&KillSession { session: session.into() });
            return Err(trouble);
        }
    }
    if !project.windows.is_empty() {
        let choice = WindowChoice { session: None, window: Some(made.window_id.into()) };
        connection.call(&KillWindow { choice })?;
    }
    Ok(session)
}

/// A pane's folder counts from the project's.
fn from_folder(mut part: LayoutPart, folder: &Path) -> LayoutPart {
    if part.children.is_empty() {
        let cwd = folder.join(part.cwd.as_deref().unwrap_or_default());
        part.cwd = cwd.to_str().map(|cwd| cwd.trim_end_matches('/').to_owned());
    }
    part.children = part.children.into_iter().map(|child| from_folder(child, folder)).collect();
    part
}
