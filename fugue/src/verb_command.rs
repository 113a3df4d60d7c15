//! A verb as a command: its arguments are read, it is called, and its reply is printed.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Connection, StartPolicy, random_key};
use fugue_protocol::escape::escape_lines;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{Arguments, Nature, VerbInfo, WithoutDaemon};
use fugue_protocol::views::PaneCreated;
use serde_json::value::{RawValue, to_raw_value};

use crate::context::{self, CommandFailure, WITHOUT_A_TERMINAL};
use crate::flag_names::with_flags;
use crate::hosts::remote_parent;
use crate::{attach, daemon_end, print, tmux_translation, watch};

/// How often a call is attempted: a daemon that goes away more often during one call will not stay.
const ATTEMPTS: usize = 5;

/// A call that was made this long before its daemon ended is not counted as an attempt.
const UNRELATED: Duration = Duration::from_secs(10);

/// The command line of a verb.
pub(crate) fn command(verb: &VerbInfo) -> Command {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let mut command = verb.command();
    if verb.properties.attaches {
        command = command.arg(flag("detached").short('d').help("Do not attach"));
    }
    if verb.properties.watchable {
        command =
            command.arg(flag("watch").help("Print the list again after every change, until interrupted"));
    }
    let names = std::iter::once(&verb.name).chain(verb.properties.aliases);
    match tmux_translation::help_note(&names.copied().collect::<Vec<_>>()) {
        Some(note) => command.after_help(note),
        None => command,
    }
}

/// Runs the command; the word at `place` names the verb.
pub(crate) fn run(
    verb: &'static VerbInfo,
    mut words: Vec<OsString>,
    place: usize,
) -> Result<(), CommandFailure> {
    words[place] = verb.name.into();
    let args = context::parse(command(verb), words)?;
    let request = verb.from_matches(&args)?.args().map_err(unreadable)?;
    let mut arguments: Arguments = serde_json::from_str(request.get()).map_err(unreadable)?;
    // A path of this host means nothing on another.
    let is_here = context::daemon_name(&args).host.is_none();
    if let Some(here) = std::env::current_dir().ok().filter(|_| is_here) {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        verb.resolve_paths(&mut arguments, &here, home.as_deref());
    }
    if verb.properties.creates_session && !is_here {
        remote_parent::add_tag(&mut arguments);
    }
    let is_elsewhere = arguments.contains_key("host");
    if verb.properties.attaches && !args.get_flag("detached") && !is_elsewhere {
        return create_and_attach(verb, arguments, &args);
    }
    if verb.properties.watchable && args.get_flag("watch") {
        return watch::run(verb, &arguments, &args);
    }
    let json = args.get_flag("json");
    let ends = daemon_end::of_verb(verb, &args).filter(|_| !json);
    let (reply, text) = call(verb, &mut arguments, &args)?;
    print::reply_with_text(verb, &reply, text, &arguments, json)?;
    if let Some(ends) = ends {
        let _ = writeln!(std::io::stdout(), "{}", escape_lines(&ends));
    }
    Ok(())
}

/// Creates a session of this terminal's size, and attaches to it.
fn create_and_attach(
    verb: &'static VerbInfo,
    mut arguments: Arguments,
    args: &ArgMatches,
) -> Result<(), CommandFailure> {
    let paths = context::paths(args)?;
    fugue_tui::check_terminal(&paths, WITHOUT_A_TERMINAL)?;
    if !arguments.contains_key("size") {
        let size = fugue_tui::window_area(&paths.config);
        arguments.insert("size".into(), serde_json::to_value(size).map_err(unreadable)?);
    }
    add_environment(&mut arguments, args)?;
    let (reply, _) = call(verb, &mut arguments, args)?;
    let created: PaneCreated = serde_json::from_str(reply.get()).map_err(unreadable)?;
    attach::show(context::daemon_name(args), created.session_id, attach::Visit::Usual, None)
}

/// Gives the new session the variables of this login, unless others are given.
fn add_environment(arguments: &mut Arguments, args: &ArgMatches) -> Result<(), CallError> {
    let given = arguments.entry("env").or_insert_with(|| serde_json::json!({}));
    if let Some(given) = given.as_object_mut() {
        for (name, value) in fugue_tui::login_environment(&context::paths(args)?) {
            given.entry(name).or_insert_with(|| value.into());
        }
    }
    Ok(())
}

/// Calls the verb. If the daemon goes away and the call may be repeated, it is: a new daemon is there at once.
fn call(
    verb: &'static VerbInfo,
    arguments: &mut Arguments,
    args: &ArgMatches,
) -> Result<(Box<RawValue>, Option<String>), CallError> {
    verb.add_key(arguments, || random_key("cli"));
    let (started, attempts) = (Instant::now(), if verb.may_repeat() { ATTEMPTS } else { 1 });
    let mut attempt = 1;
    let mut may_start_next = verb.properties.without_daemon == WithoutDaemon::Start;
    loop {
        let mut asked = arguments.clone();
        verb.shorten_wait(&mut asked, started.elapsed());
        let asked_at = Instant::now();
        match call_once(verb, &asked, args) {
            // A daemon that ends so much later does not end because of this call.
            Err(CallError::Lost(_)) if attempts > 1 && asked_at.elapsed() > UNRELATED => attempt = 1,
            Err(CallError::Lost(_)) if attempt < attempts => attempt += 1,
            // The next daemon carries it out, once this one has ended.
            Err(error) if error.is_shutdown_before_start() && may_start_next => {
                context::await_end(args);
                may_start_next = false;
            }
            Err(CallError::NoDaemon(why)) => return Err(without_daemon(verb, CallError::NoDaemon(why))),
            result => return result.map_err(|error| with_flags(verb, error)),
        }
    }
}

fn call_once(
    verb: &'static VerbInfo,
    arguments: &Arguments,
    args: &ArgMatches,
) -> Result<(Box<RawValue>, Option<String>), CallError> {
    let start = match verb.properties.without_daemon {
        WithoutDaemon::Start if verb.nature == Nature::Reads => {
            context::reading_policy(&context::daemon_name(args))?
        }
        WithoutDaemon::Start => StartPolicy::IfNeeded,
        WithoutDaemon::Fail | WithoutDaemon::NotInside => StartPolicy::Never,
    };
    let mut connection = context::open(args, start)?;
    let arguments = to_raw_value(arguments).map_err(unreadable)?;
    let reply = match args.get_flag("json") {
        true => connection.call_named(verb.name, &arguments).map(|reply| (reply, None)),
        false => connection.call_with_separate_text(verb.name, &arguments),
    };
    print_assumed_session(&connection);
    reply
}

fn without_daemon(verb: &VerbInfo, error: CallError) -> CallError {
    let pane = std::env::var("FUGUE_PANE_ID").ok();
    let refusal = verb.refusal_without_daemon(pane.as_deref());
    refusal.map_or(error, |refusal| CallError::from(Refused::from(&refusal)))
}

/// Tells a person who named no session which one was used.
fn print_assumed_session(connection: &Connection) {
    if let Some(session) = connection.assumed_session().filter(|_| std::io::stderr().is_terminal()) {
        let _ = writeln!(std::io::stderr(), "(session {session})");
    }
}

fn unreadable(why: serde_json::Error) -> CallError {
    CallError::Malformed(why.to_string())
}
