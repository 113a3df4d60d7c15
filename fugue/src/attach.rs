//! `fugue`, `fugue attach` and `fugue new`: a session, shown in this terminal.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Connection, Paths, StartPolicy};
use fugue_protocol::verbs::{CreateSession, DetachClient, GetTags, Program};
use fugue_protocol::{SessionId, SessionRef};
use fugue_tui::AttachOptions;

use crate::cli::{self, ALIASES, Failure};
use crate::print;

/// Names of the command.
pub(crate) const NAMES: [&str; 3] = ["attach", "attach-session", "a"];

/// The command's flags.
pub(crate) fn command() -> Command {
    Command::new("attach")
        .about("Show a session in this terminal; the one used last when none is named")
        .visible_aliases(["attach-session", "a"])
        .arg(Arg::new("session").value_name("SESSION").help("Session name or id"))
        .arg(Arg::new("target").short('t').value_name("SESSION").hide(true).conflicts_with("session"))
        .arg(
            Arg::new("detach-others")
                .long("detach-others")
                .short('d')
                .action(ArgAction::SetTrue)
                .help("Let the session's other clients leave"),
        )
        .arg(
            Arg::new("read-only")
                .long("read-only")
                .short('r')
                .action(ArgAction::SetTrue)
                .help("Only watch: nothing that is typed reaches a pane"),
        )
}

/// Whether the words say nothing but which server: then the person wants to be in.
pub(crate) fn is_bare(words: &[OsString]) -> bool {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    match words.iter().map(AsRef::as_ref).collect::<Vec<&str>>().as_slice() {
        [] | ["--server", _] => true,
        [word] => word.starts_with("--server="),
        _ => false,
    }
}

/// Runs `fugue attach`.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let fugue = cli::with_common(Command::new("fugue").subcommand_required(true));
    let matches = fugue.subcommand(command()).try_get_matches_from(words)?;
    let Some((_, args)) = matches.subcommand() else { return Ok(()) };
    fugue_tui::check_terminal("`fugue get-output -s NAME` reads a session without showing it")?;
    let named = args.get_one::<String>("session").or_else(|| args.get_one::<String>("target"));
    let named: Option<SessionRef> = named.map(|name| name.parse().unwrap_or_else(|never| match never {}));
    let mut connection = cli::open(args, StartPolicy::IfNeeded)?;
    let session = connection.call(&GetTags { session: named })?.session_id;
    if args.get_flag("detach-others") {
        connection.call(&DetachClient { client: None, session: Some(session.into()) })?;
    }
    drop(connection);
    show(args, session, if args.get_flag("read-only") { Visit::Watching } else { Visit::Usual })
}

/// Runs `fugue`: the session used last, or the first one.
pub(crate) fn last_or_first(words: Vec<OsString>) -> Result<(), Failure> {
    let args = cli::with_common(Command::new("fugue")).try_get_matches_from(words)?;
    fugue_tui::check_terminal(cli::WITHOUT_A_TERMINAL)?;
    let mut connection = cli::open(&args, StartPolicy::IfNeeded)?;
    let (session, visit) = match connection.call(&GetTags::default()) {
        Ok(tags) => (tags.session_id, Visit::Usual),
        Err(CallError::Refused(_)) => (first(&mut connection)?, Visit::First),
        Err(trouble) => return Err(trouble.into()),
    };
    drop(connection);
    show(&args, session, visit)
}

fn first(connection: &mut Connection) -> Result<SessionId, CallError> {
    let program = Program { cwd: cli::here(), ..Program::default() };
    let create = CreateSession { size: Some(fugue_tui::window_area()), program, ..CreateSession::default() };
    Ok(connection.call(&create)?.session_id)
}

/// How a person comes to a session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    Usual,
    /// Only to watch.
    Watching,
    /// It is the first one there is.
    First,
}

/// Shows a session until the person leaves.
pub(crate) fn show(args: &ArgMatches, session: SessionId, visit: Visit) -> Result<(), Failure> {
    let places = Paths::of(args.get_one::<String>("server").map(String::as_str))?;
    let (read_only, first) = (visit == Visit::Watching, visit == Visit::First);
    let (aliases, worded) = (&ALIASES, print::worded);
    let last_words = fugue_tui::attach(AttachOptions {
        paths: places,
        session,
        read_only,
        welcome: first,
        aliases,
        render_reply: worded,
    })?;
    if !last_words.is_empty() {
        let _ = writeln!(std::io::stdout(), "{last_words}");
    }
    Ok(())
}
