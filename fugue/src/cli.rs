//! A command line: a verb, called and its reply printed. Only the verb that is named is built, so that a one-shot
//! command is quick.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Connection, Paths, StartPolicy, connect};
use fugue_protocol::Verb;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::NAMES;
use fugue_protocol::views::PaneCreated;
use serde_json::value::RawValue;

use crate::{attach, events, help, hook, messages, print, project, record, repeats, tmux};

/// Other names of verbs: short ones, and those a tmux user's fingers know.
pub(crate) const ALIASES: [(&str, &str); 22] = [
    ("ls", "list-sessions"),
    ("new", "create-session"),
    ("new-session", "create-session"),
    ("rename", "rename-session"),
    ("new-window", "create-window"),
    ("split-pane", "create-pane"),
    ("split-window", "create-pane"),
    ("select-pane", "focus-pane"),
    ("kill-pane", "close-pane"),
    ("swap-pane", "swap-panes"),
    ("move-pane", "join-pane"),
    ("send", "send-input"),
    ("send-keys", "send-input"),
    ("read", "get-output"),
    ("capture-pane", "get-output"),
    ("status", "server-status"),
    ("kill-server", "shutdown"),
    ("set-env", "set-environment"),
    ("get-env", "get-environment"),
    ("layout", "select-layout"),
    ("zoom", "zoom-pane"),
    ("who", "whoami"),
];

/// What whoever has no terminal can do to have a session.
pub(crate) const WITHOUT_A_TERMINAL: &str = "`fugue new -d` makes a session without showing it";

/// A command that did not come to a good end.
pub(crate) enum Failure {
    /// The daemon said no.
    Trouble(CallError),
    /// The words make no sense.
    Usage(clap::Error),
    /// What was asked for did not come about, and was printed.
    Outcome,
    /// A command that was run ended with this code, not 0.
    Command(u8),
}

impl From<CallError> for Failure {
    fn from(trouble: CallError) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

/// Runs a command line.
pub(crate) fn run(words: Vec<OsString>) -> ExitCode {
    match dispatch(words.clone()).or_else(|failure| tmux::instead(&words, failure)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Outcome) => ExitCode::from(1),
        Err(Failure::Command(code)) => ExitCode::from(code),
        Err(Failure::Usage(error)) => {
            let _ = error.print();
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
        Err(Failure::Trouble(trouble)) => {
            let _ = writeln!(std::io::stderr(), "fugue: {}", print::harmless(&trouble.to_string()));
            ExitCode::from(if matches!(trouble, CallError::Refused(_)) { 1 } else { 2 })
        }
    }
}

pub(crate) fn dispatch(words: Vec<OsString>) -> Result<(), Failure> {
    if attach::is_bare(&words) {
        return attach::last_or_first(words);
    }
    let place = words.iter().skip(1).position(is_command).map(|place| place + 1);
    let name = place.and_then(|place| words[place].to_str());
    match name.map(|name| verb_name(name).unwrap_or(name)) {
        Some("events") => events::run(words),
        Some("hook") => hook::run(words),
        Some("record") => record::run(words),
        Some("messages") => messages::run(words),
        Some(name) if project::NAMES.contains(&name) => project::run(words),
        Some(name) if attach::NAMES.contains(&name) => attach::run(words),
        Some(verb) if NAMES.contains(&verb) => {
            let verb = NAMES.iter().find(|name| **name == verb).copied().unwrap_or_default();
            call(verb, words, place.unwrap_or_default())
        }
        _ => help::run(words),
    }
}

/// The first word that is neither a flag nor a flag's value.
fn is_command(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| {
        verb_name(word).is_some() || help::COMMANDS.contains(&word) || attach::NAMES.contains(&word)
    })
}

/// The verb a word means.
pub(crate) fn verb_name(word: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, verb)| *verb);
    alias.or_else(|| NAMES.iter().find(|name| **name == word).copied())
}

/// Flags that every command has.
pub(crate) fn with_common(command: Command) -> Command {
    command.arg(Arg::new("json").long("json").action(ArgAction::SetTrue).global(true).help("Print JSON")).arg(
        Arg::new("server")
            .long("server")
            .value_name("NAME")
            .global(true)
            .help("The daemon of this name (default: the one of this pane, else `default`)"),
    )
}

/// The command line of one verb.
pub(crate) fn verb_command(verb: &'static str) -> Command {
    let command = Verb::command(verb).unwrap_or_else(|| Command::new(verb));
    match verb {
        "create-session" => command.arg(
            Arg::new("detached")
                .long("detached")
                .short('d')
                .action(ArgAction::SetTrue)
                .help("Do not attach to it"),
        ),
        _ => command,
    }
}

fn call(verb: &'static str, mut words: Vec<OsString>, place: usize) -> Result<(), Failure> {
    words[place] = verb.into();
    let command = with_common(Command::new("fugue").subcommand_required(true));
    let matches = command.subcommand(verb_command(verb)).try_get_matches_from(words)?;
    let Some((_, args)) = matches.subcommand() else { return Ok(()) };
    let mut called = with_surroundings(Verb::from_matches(verb, args)?);
    if let Verb::CreateSession(create) = &mut called
        && !args.get_flag("detached")
    {
        fugue_tui::check_terminal(WITHOUT_A_TERMINAL)?;
        create.size = create.size.or(Some(fugue_tui::window_area()));
        let reply = ask(&called, args)?;
        let made: PaneCreated =
            serde_json::from_str(reply.get()).map_err(|why| CallError::Strange(why.to_string()))?;
        return attach::show(args, made.session_id, attach::Visit::Usual);
    }
    let reply = ask(&called, args)?;
    print::reply(&called, &reply, args.get_flag("json"))
}

/// A person who named no session is told which one was taken for meant.
fn tell_assumed(connection: &Connection) {
    if let Some(session) = connection.assumed().filter(|_| std::io::stderr().is_terminal()) {
        let _ = writeln!(std::io::stderr(), "(session {session})");
    }
}

/// Calls a verb, and again when the daemon went away under it, where that does no harm: a new one is there at once.
fn ask(verb: &Verb, args: &ArgMatches) -> Result<Box<RawValue>, CallError> {
    let (begun, verb) = (Instant::now(), repeats::with_key(verb.clone()));
    let mut answer = Err(CallError::Strange("nobody asked".into()));
    for _ in 0..repeats::tries(&verb) {
        let asked = repeats::after(verb.clone(), begun.elapsed());
        let words = asked.args().map_err(|why| CallError::Strange(why.to_string()))?;
        answer = open(args, starting(&verb)).and_then(|mut connection| {
            let reply = connection.call_named(verb.name(), &words);
            tell_assumed(&connection);
            reply
        });
        if !matches!(answer, Err(CallError::Lost(_))) {
            break;
        }
    }
    answer
}

/// A connection for these flags.
pub(crate) fn open(args: &ArgMatches, starting: StartPolicy) -> Result<Connection, CallError> {
    let places = Paths::of(args.get_one::<String>("server").map(String::as_str))?;
    connect(&places, Role::Command, starting)
}

/// Asking how a daemon is, or for its end, starts none.
fn starting(verb: &Verb) -> StartPolicy {
    match verb {
        Verb::Shutdown(_) | Verb::GetServerStatus(_) => StartPolicy::Never,
        _ => StartPolicy::IfNeeded,
    }
}

/// Where the person stands.
pub(crate) fn here() -> Option<String> {
    std::env::current_dir().ok().and_then(|here| here.into_os_string().into_string().ok())
}

/// What a person means by a directory is seen from where they stand.
fn with_surroundings(mut verb: Verb) -> Verb {
    let program = match &mut verb {
        Verb::Run(run) => {
            run.cwd = seen_from_here(run.cwd.take());
            return verb;
        }
        Verb::CreateSession(create) => {
            create.program.cwd = create.program.cwd.take().or_else(here);
            &mut create.program
        }
        Verb::CreateWindow(create) => &mut create.program,
        Verb::CreatePane(create) => &mut create.program,
        Verb::RespawnPane(respawn) => &mut respawn.program,
        Verb::RunParallel(run) => {
            run.cwd = seen_from_here(run.cwd.take());
            return verb;
        }
        _ => return verb,
    };
    program.cwd = seen_from_here(program.cwd.take());
    verb
}

fn seen_from_here(cwd: Option<String>) -> Option<String> {
    let cwd = cwd?;
    let Some(here) = here() else { return Some(cwd) };
    std::path::Path::new(&here).join(cwd).into_os_string().into_string().ok().or(Some(here))
}
