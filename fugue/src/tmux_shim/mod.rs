//! tmux's commands, carried out by fugue: typed as `fugue COMMAND`, at the client's prompt, in bindings, and by programs
//! that run `tmux` (as `fugue tmux …`, or by a link named `tmux`). Each command is a row of a table that says which flags
//! it takes and which function carries it out.

mod buffers;
mod channels;
mod clients;
mod command_table;
mod environment;
mod flags;
mod input;
mod interpreter;
mod keys;
mod listings;
mod option_store;
mod panes;
mod pipes;
mod places;
mod popups;
mod program;
mod screen_reader;
pub(crate) mod script;
mod sessions;
mod set_options;
mod shell;
mod shell_environment;
mod shim;
mod show_options;
mod team;
mod windows;

pub(crate) use shim::VERSION;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as Process, ExitCode};

use clap::{Arg, Command};
use fugue_protocol::PaneId;
use fugue_protocol::error_text::without_codes;
use fugue_protocol::escape::escape_output;
use fugue_protocol::views::SessionView;

use crate::context::{self, CommandFailure};
use crate::dispatch::place_of_command;
pub(crate) use command_table::{is_command, understands};
pub(crate) use pipes::{command as pipe_command, run as run_pipe};
use shim::{Caller, Shim, print};
pub(crate) use shim::{Speaker, TEAM};
pub(crate) use team::team_tag;

/// The flags before a command.
const GLOBAL_FLAGS: &str = "2CDc:f:L:lNqS:T:uUvV";

/// The command line of `fugue tmux`.
pub(crate) fn command() -> Command {
    let words = Arg::new("words").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
    Command::new("tmux")
        .about("Run a tmux command on fugue's panes")
        .after_help("For programs that control tmux. Under `fugue teams`, `tmux` runs this command.")
        .arg(words.value_name("WORDS").help("The tmux command and its arguments"))
}

/// The end of fugue's flags that begin at a place: `--server NAME`, `--host NAME` and `--json`. tmux has no long flags.
pub(crate) fn end_of_global_flags(words: &[OsString], mut at: usize) -> usize {
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "--server" | "--host" => 2,
            "--json" => 1,
            word if word.starts_with("--server=") || word.starts_with("--host=") => 1,
            _ => break,
        };
    }
    at.min(words.len())
}

/// Runs `fugue tmux …`. Its words are tmux's, so they are not parsed by clap, unless only help is wanted. With `--at
/// PANE`, the client runs a line that was typed at its prompt.
pub(crate) fn run(mut words: Vec<OsString>) -> Result<(), CommandFailure> {
    let name = place_of_command(&words);
    let own = end_of_global_flags(&words, name + 1);
    let text = |at: usize| words.get(at).and_then(|word| word.to_str());
    if matches!(text(own), None | Some("--help" | "-h")) {
        return context::parse(command(), words).map(drop);
    }
    let at = text(own + 1).filter(|_| text(own) == Some("--at")).map(str::to_owned);
    let line = words.split_off(if at.is_some() { own + 2 } else { own });
    words.truncate(own);
    words.remove(name);
    let global = context::with_global_flags(Command::new("fugue")).try_get_matches_from(words)?;
    let server = global.get_one::<String>("server").map(String::as_str);
    let speaker = if at.is_some() { Speaker::Person } else { Speaker::Program };
    let caller = Caller { speaker, at: at.as_deref(), server, is_tmux: false };
    let code = run_words(line.into_iter(), &caller);
    if code == 0 { Ok(()) } else { Err(CommandFailure::ExitCode(code)) }
}

/// Whether this program was started by the name `tmux`.
pub(crate) fn is_called_tmux(words: &[OsString]) -> bool {
    words.first().is_some_and(|name| Path::new(name).file_name() == Some(OsStr::new("tmux")))
}

/// Runs as `tmux`.
pub(crate) fn run_as_tmux(words: Vec<OsString>) -> ExitCode {
    let caller = Caller { speaker: Speaker::Program, at: None, server: None, is_tmux: true };
    ExitCode::from(run_words(words.into_iter().skip(1), &caller))
}

/// Runs a line of tmux that a person typed at a shell, for this server.
pub(crate) fn run_for_person(words: Vec<String>, server: Option<&str>) -> u8 {
    let caller = Caller { speaker: Speaker::Person, at: None, server, is_tmux: false };
    run_words(words.into_iter().map(OsString::from), &caller)
}

/// Runs a command line of tmux, and returns its exit code.
fn run_words(words: impl Iterator<Item = OsString>, caller: &Caller<'_>) -> u8 {
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    match run_line(&words, caller) {
        Ok(code) => code,
        Err(why) => {
            if !why.is_empty() {
                let _ = writeln!(std::io::stderr(), "{}", escape_output(&without_codes(&why)));
            }
            1
        }
    }
}

fn run_line(words: &[String], caller: &Caller<'_>) -> Result<u8, String> {
    let global = flags::parse("tmux", GLOBAL_FLAGS, words)?;
    if global.has('V') {
        print(VERSION);
        return Ok(0);
    }
    if global.has('C') {
        return Err("fugue has no control mode: `fugue events --follow` streams events".into());
    }
    // Programs that pass their own file need nothing of it; a person would miss the settings.
    if let Some(file) =
        global.value('f').filter(|file| caller.speaker == Speaker::Person && *file != "/dev/null")
    {
        return Err(format!("fugue does not read {file}: `fugue import-tmux {file}` adds it to config.toml"));
    }
    if let Some(line) = global.value('c') {
        let shell = std::env::var("SHELL").unwrap_or_else(|_| "/bin/sh".into());
        return Err(format!("cannot run {shell}: {}", Process::new(&shell).args(["-c", line]).exec()));
    }
    let commands = script::split(&global.operands);
    // tmux without a command creates a session.
    let commands = if commands.is_empty() { vec![vec!["new-session".to_owned()]] } else { commands };
    let starts = commands.iter().any(|words| command_table::starts_daemon(&words[0]));
    let mut shim = Shim::open(command_table::COMMANDS, &global, caller, starts)?;
    for (at, words) in commands.iter().enumerate() {
        if at > 0 {
            shim.refresh()?;
        }
        print(&interpreter::run(&mut shim, words)?);
    }
    Ok(shim.exit_code)
}

/// Returns tmux's names of a pane and of its session.
pub(crate) fn names(sessions: &[SessionView], pane: PaneId) -> (String, String) {
    let found = sessions.iter().flat_map(|session| {
        let panes = session.windows.iter().flat_map(|window| &window.panes);
        panes.map(move |pane| (session, pane))
    });
    let found = found.into_iter().find(|(_, of)| of.pane_id == pane);
    let names = found.map(|(session, pane)| (format!("%{}", pane.number), format!("${}", session.number)));
    names.unwrap_or_default()
}
