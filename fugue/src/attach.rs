//! `fugue` and `fugue attach`: shows a session in this terminal.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, DaemonName, Env, Paths, PollConnection, StartPolicy};
use fugue_protocol::escape::escape_lines;
use fugue_protocol::messages::Role;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{CreateSession, DetachClient, GetTags, KeyValue, Program};
use fugue_protocol::{SessionId, SessionRef};
use fugue_tui::{AttachEnd, AttachOptions};

use crate::context::{self, ALIASES, CommandFailure, WITHOUT_A_TERMINAL};
use crate::first_use;
use crate::hosts::configured;
use crate::print;
use crate::tmux_shim::ClientSteps;

/// The command line of `fugue attach`.
pub(crate) fn command() -> Command {
    Command::new("attach")
        .about("Attach this terminal to a session")
        .visible_aliases(["attach-session", "a"])
        .arg(
            Arg::new("session")
                .value_name("SESSION")
                .help("Session name or UUID, or HOST:SESSION [default: the most recently used]"),
        )
        .arg(
            Arg::new("target")
                .short('s')
                .long("session")
                .short_alias('t')
                .value_name("SESSION")
                .hide(true)
                .conflicts_with("session"),
        )
        .arg(
            Arg::new("detach-others")
                .long("detach-others")
                .short('d')
                .action(ArgAction::SetTrue)
                .help("Detach the session's other clients"),
        )
        .arg(
            Arg::new("read-only")
                .long("read-only")
                .short('r')
                .action(ArgAction::SetTrue)
                .help("Attach read-only: keys are not sent to panes"),
        )
}

/// Whether the command line names no command: then the person wants to attach.
pub(crate) fn is_bare(words: &[OsString]) -> bool {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    names_only_daemon(&words.iter().map(AsRef::as_ref).collect::<Vec<&str>>())
}

fn names_only_daemon(words: &[&str]) -> bool {
    match words {
        [] => true,
        ["--server" | "--host", _, rest @ ..] => names_only_daemon(rest),
        [word, rest @ ..] => {
            (word.starts_with("--server=") || word.starts_with("--host=")) && names_only_daemon(rest)
        }
    }
}

/// Runs `fugue attach`.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(command(), words)?;
    let (daemon, named) = target(args);
    let named: Option<SessionRef> = named.map(|name| name.parse().unwrap_or_else(|never| match never {}));
    let paths = daemon.paths(&Env::own())?;
    let alternative = "`fugue get-output -s NAME` prints a session's output without attaching";
    fugue_tui::check_terminal(&paths, alternative)?;
    let mut connection = PollConnection::open(&paths, Role::Terminal, context::attach_policy(&daemon)?)?;
    let session = connection.call(&paths, &GetTags { session: named })?.session_id;
    if args.get_flag("detach-others") {
        connection.call(&paths, &DetachClient { client: None, session: Some(session.into()) })?;
    }
    let visit = if args.get_flag("read-only") { Visit::ReadOnly } else { Visit::Usual };
    show(daemon, session, visit, Some(connection))
}

/// The daemon and the session to attach to. `HOST:SESSION` names both; `HOST:` is the session used last on that host.
/// `HOST/SESSION`, as lists show it, works for the hosts of the configuration.
fn target(args: &ArgMatches) -> (DaemonName, Option<String>) {
    let daemon = context::daemon_name(args);
    let Some(named) = args.get_one::<String>("session").or(args.get_one::<String>("target")) else {
        return (daemon, None);
    };
    let is_configured = |(host, _): &(&str, &str)| configured::all().iter().any(|known| known.name == *host);
    let split = named.split_once(':').or_else(|| named.split_once('/').filter(is_configured));
    match split {
        Some((host, session)) if daemon.host.is_none() && !host.is_empty() => {
            let session = Some(session.to_owned()).filter(|session| !session.is_empty());
            (DaemonName { host: Some(configured::named(host)), ..daemon }, session)
        }
        _ => (daemon, Some(named.clone())),
    }
}

/// Restores this terminal if a client was killed in it, so that what a command prints can be read.
pub(crate) fn restore_terminal() {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return;
    }
    let paths = DaemonName::default().paths(&Env::own());
    if let Some(runtime) = paths.as_ref().ok().and_then(|paths| paths.socket.parent()) {
        fugue_tui::restore_terminal(runtime);
    }
}

/// Runs `fugue`: attaches to the session used last, or creates the first one.
pub(crate) fn last_or_first(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::with_global_flags(Command::new("fugue")).try_get_matches_from(words)?;
    let paths = context::paths(&args)?;
    fugue_tui::check_terminal(&paths, WITHOUT_A_TERMINAL)?;
    if paths.host.is_none() {
        first_use::offer_setup();
    }
    let mut connection = PollConnection::open(&paths, Role::Terminal, StartPolicy::IfNeeded)?;
    let (session, visit) = match connection.call(&paths, &GetTags::default()) {
        Ok(tags) => (tags.session_id, Visit::Usual),
        Err(CallError::Refused(_)) => (create_first(&mut connection, &paths)?, Visit::First),
        Err(error) => return Err(error.into()),
    };
    show(context::daemon_name(&args), session, visit, Some(connection))
}

fn create_first(connection: &mut PollConnection, paths: &Paths) -> Result<SessionId, CallError> {
    // A directory of this host means nothing on another.
    let here = std::env::current_dir().ok().filter(|_| paths.host.is_none());
    let here = here.and_then(|here| here.into_os_string().into_string().ok());
    let env = fugue_tui::login_environment(paths);
    let env = env.into_iter().map(|(name, value)| KeyValue(name, value)).collect();
    let program = Program { cwd: here, env, ..Program::default() };
    let create = CreateSession {
        size: Some(fugue_tui::window_area(&paths.config)),
        program,
        ..CreateSession::default()
    };
    Ok(connection.call(paths, &create)?.session_id)
}

/// How a person attaches to a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    Usual,
    ReadOnly,
    /// To the first session, which was just created.
    First,
    /// To the session of the tutor, which says itself what to do.
    Tutor,
}

/// Shows a session until the person detaches, over the connection that there is already or a new one.
pub(crate) fn show(
    daemon: DaemonName,
    session: SessionId,
    visit: Visit,
    connection: Option<PollConnection>,
) -> Result<(), CommandFailure> {
    let options = AttachOptions {
        paths: daemon.paths(&Env::own())?,
        connection,
        session,
        read_only: visit == Visit::ReadOnly,
        welcome: visit == Visit::First,
        hints: visit != Visit::Tutor && first_use::begin_visit(),
        aliases: ALIASES.as_slice(),
        render_reply: print::text,
        steps: Arc::new(ClientSteps::new(daemon.server.clone())),
    };
    match fugue_tui::attach(options)? {
        AttachEnd::Line(line) if line.is_empty() => {}
        AttachEnd::Line(line) => drop(writeln!(std::io::stdout(), "{}", escape_lines(&line))),
        AttachEnd::OtherProtocol { refused, session } => {
            return Err(attach_with_daemons_binary(&daemon, *refused, session, visit).into());
        }
    }
    Ok(())
}

/// Has the executable of an upgraded daemon attach this terminal again, in this process. Returns only if it cannot.
fn attach_with_daemons_binary(
    daemon: &DaemonName,
    refused: Refused,
    session: SessionId,
    visit: Visit,
) -> CallError {
    // The executable of another host is not here.
    let executable = refused.detail.get("executable").filter(|_| daemon.host.is_none());
    let executable = executable.and_then(|path| path.as_str());
    let Some(executable) = executable.filter(|path| Path::new(path).is_absolute()) else {
        return CallError::from(refused);
    };
    let server = daemon.server.iter().flat_map(|name| ["--server", name.as_str()]);
    let read_only = (visit == Visit::ReadOnly).then_some("--read-only");
    let mut attach = std::process::Command::new(executable);
    attach.args(["attach", &session.to_string()]).args(read_only).args(server);
    let why = attach.exec();
    CallError::Local(format!("{}\nhint: cannot execute {executable}: {why}", refused.message))
}
