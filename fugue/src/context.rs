//! What every command needs: the global flags, the connection to the daemon, and the ways to fail.

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{
    CallError, Connection, DaemonName, Env, Paths, StartPolicy, connect, may_have_left_sessions, wait_for_end,
};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{VERBS, VerbInfo};

use crate::help;
use crate::hosts::configured;

/// The hint for a caller without a terminal who wants a session.
pub(crate) const WITHOUT_A_TERMINAL: &str = "`fugue new -d` creates a session without attaching";

/// The heading of the flags that every command has.
const COMMON: &str = "Common options";

/// The verbs' aliases, for the client's command prompt and its key bindings.
pub(crate) static ALIASES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let of = |verb: &'static VerbInfo| verb.properties.aliases.iter().map(|alias| (*alias, verb.name));
    VERBS.iter().flat_map(of).collect()
});

/// A command that failed.
pub(crate) enum CommandFailure {
    /// The daemon refused it, or could not be reached.
    Call(CallError),
    /// The command line is wrong.
    Usage(clap::Error),
    /// It ended with this exit code; everything there is to say has been printed.
    ExitCode(u8),
}

impl From<CallError> for CommandFailure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<clap::Error> for CommandFailure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

/// Adds the flags that every command has.
pub(crate) fn with_global_flags(command: Command) -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).global(true).help("Print JSON");
    let help =
        Arg::new("help").long("help").short('h').action(ArgAction::Help).global(true).help("Print help");
    let server = Arg::new("server")
        .long("server")
        .value_name("NAME")
        .global(true)
        .help("Daemon to use [default: that of the pane you are in, or `default`]");
    let host = Arg::new("host")
        .long("host")
        .value_name("HOST")
        .global(true)
        .help("Configured host or ssh destination [default: local]");
    let common = [json, server, host, help].map(|flag| flag.help_heading(COMMON).display_order(1000));
    command.disable_help_flag(true).args(common)
}

/// The place of the word that names this command. A daemon or a host may have the name of a command, too.
pub(crate) fn place_of(command: &str, words: &[OsString]) -> usize {
    let is_value = |at: usize| matches!(words[at - 1].to_str(), Some("--server" | "--host"));
    let place = (1..words.len()).find(|at| words[*at] == command && !is_value(*at));
    place.unwrap_or(words.len())
}

/// Whether a command line names another host.
pub(crate) fn names_host(words: &[OsString]) -> bool {
    let is_flag = |word: &str| word == "--host" || word.starts_with("--host=");
    let own = words.iter().take_while(|word| *word != "--");
    own.filter_map(|word| word.to_str()).any(is_flag)
}

/// Parses the words of a command line as one command; returns that command's arguments.
pub(crate) fn parse(command: Command, words: Vec<OsString>) -> Result<ArgMatches, CommandFailure> {
    let mut matches = with_one_command(help::described(command)).try_get_matches_from(words)?;
    Ok(matches.remove_subcommand().map_or(matches, |(_, args)| args))
}

/// The command line of fugue with only one of its commands.
pub(crate) fn with_one_command(command: Command) -> Command {
    let takes_host = help::takes_host(&command);
    let fugue =
        with_global_flags(Command::new("fugue").subcommand_required(true)).disable_help_subcommand(true);
    fugue.mut_arg("host", |host| host.hide(!takes_host)).subcommand(command)
}

/// The paths of the daemon that the flags name.
pub(crate) fn paths(args: &ArgMatches) -> Result<Paths, CallError> {
    daemon_name(args).paths(&Env::own())
}

/// The daemon that the flags name.
pub(crate) fn daemon_name(args: &ArgMatches) -> DaemonName {
    let value = |flag: &str| args.get_one::<String>(flag).cloned();
    DaemonName { host: value("host").map(|name| configured::named(&name)), server: value("server") }
}

/// Connects to the daemon that the flags name, for a command that only reads.
pub(crate) fn open_to_read(args: &ArgMatches) -> Result<Connection, CallError> {
    open(args, reading_policy(&daemon_name(args))?)
}

/// Whether a command that only reads starts this daemon: only to show the sessions that one left behind when the machine
/// restarted. Otherwise there is nothing to read, and a mistyped name starts nothing. On another host nobody knows, and
/// nobody may want a daemon there.
pub(crate) fn reading_policy(daemon: &DaemonName) -> Result<StartPolicy, CallError> {
    let starts = daemon.host.is_none() && may_have_left_sessions(&daemon.paths(&Env::own())?);
    Ok(if starts { StartPolicy::IfNeeded } else { StartPolicy::Never })
}

/// Whether `fugue attach` starts this daemon: not if none ever ran here. On another host nobody knows.
pub(crate) fn attach_policy(daemon: &DaemonName) -> Result<StartPolicy, CallError> {
    let is_new = daemon.host.is_none() && !daemon.paths(&Env::own())?.state.exists();
    Ok(if is_new { StartPolicy::Never } else { StartPolicy::IfNeeded })
}

/// Waits, for a while, until the daemon that the flags name has ended; returns whether it has.
pub(crate) fn await_end(args: &ArgMatches) -> bool {
    paths(args).is_ok_and(|paths| wait_for_end(&paths))
}

/// Connects to the daemon that the flags name.
pub(crate) fn open(args: &ArgMatches, start: StartPolicy) -> Result<Connection, CallError> {
    open_daemon(&daemon_name(args), start)
}

/// Connects to a daemon.
pub(crate) fn open_daemon(daemon: &DaemonName, start: StartPolicy) -> Result<Connection, CallError> {
    connect(&daemon.paths(&Env::own())?, Role::Command, start)
}
