//! tmux's command lines at a shell: typed as `fugue COMMAND`, as `fugue tmux …`, or by programs that run a link named
//! `tmux`. `fugue-tmux` says which steps a line takes; they are carried out here.

mod client_steps;
mod local_steps;
mod pipes;
mod shell_environment;
mod step_runner;

pub(crate) use client_steps::ClientSteps;
pub(crate) use pipes::{command as pipe_command, run as run_pipe};

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as Process, ExitCode};
use std::rc::Rc;

use clap::{Arg, Command};
use fugue_client::{
    CallError, DaemonName, Env, HostName, Paths, StartPolicy, ThisMachine, connect, daemon_socket,
    is_daemon_of_environment,
};
use fugue_protocol::escape::escape_output;
use fugue_protocol::messages::Role;
use fugue_protocol::wording::without_codes;
use fugue_protocol::{PaneId, Tag};
use fugue_server::tmux_link;
use fugue_tmux::flags::{self, Flags};
use fugue_tmux::steps::LineOrigin;
use fugue_tmux::{Line, LineSetting, VERSION, command_table, commands};

use crate::context::{self, CommandFailure};
use crate::control_mode;
use crate::daemon_end;
use client_steps::FugueSettings;
use shell_environment::PANE_VARIABLES;
pub(crate) use shell_environment::names;
pub(crate) use step_runner::StepRunner;

/// The flags before a command.
const GLOBAL_FLAGS: &str = "2CDc:f:L:lNqS:T:uUvV";

/// The flag before the line of a hook.
const HOOK: &str = "--hook";

/// Set in the environment of a team's lead to the id of its process: a pane that it splits off becomes a session of its
/// own, and belongs to that lead.
pub(crate) const TEAM: &str = "FUGUE_TEAM";

/// Who gives a command line, and for which daemon.
#[derive(Debug, Clone, Copy)]
struct LineCaller<'a> {
    origin: LineOrigin,
    /// The daemon that `--server` names.
    server: Option<&'a str>,
    /// The host that `--host` names.
    host: Option<&'a HostName>,
    /// Whether the program was started by the name `tmux`, so that it prints no more than tmux does.
    is_tmux: bool,
}

impl LineCaller<'_> {
    /// The daemon that `--server` or `-L` names, or else the caller's. A program that names tmux's usual server means the
    /// one it is in.
    fn daemon(&self, socket: Option<&str>) -> Result<DaemonName, String> {
        let server = match (self.server, socket) {
            (Some(server), Some(socket)) if server != socket => {
                return Err(format!("--server {server} and -L {socket} name different daemons"));
            }
            (Some(server), _) => Some(server),
            (None, socket) => socket.filter(|name| *name != "default"),
        };
        Ok(DaemonName { host: self.host.cloned(), server: server.map(str::to_owned) })
    }
}

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

/// Runs `fugue tmux …`. Its words are tmux's, so they are not parsed by clap, unless only help is wanted.
pub(crate) fn run(mut words: Vec<OsString>) -> Result<(), CommandFailure> {
    let name = context::place_of("tmux", &words);
    let own = end_of_global_flags(&words, name + 1);
    let text = |at: usize| words.get(at).and_then(|word| word.to_str());
    if matches!(text(own), None | Some("--help" | "-h")) {
        return context::parse(command(), words).map(drop);
    }
    let line = words.split_off(own);
    words.remove(name);
    let global = context::with_global_flags(Command::new("fugue")).try_get_matches_from(words)?;
    let DaemonName { host, server } = context::daemon_name(&global);
    let (host, server) = (host.as_ref(), server.as_deref());
    let caller = LineCaller { origin: LineOrigin::Program, server, host, is_tmux: false };
    let code = match line.as_slice() {
        // The daemon runs the line of a hook so.
        [flag, line] if flag == HOOK => run_hook(&line.to_string_lossy(), &caller),
        _ => run_words(line.into_iter(), &caller),
    };
    if code == 0 { Ok(()) } else { Err(CommandFailure::ExitCode(code)) }
}

/// Whether this program was started by the name `tmux`.
pub(crate) fn is_called_tmux(words: &[OsString]) -> bool {
    words.first().is_some_and(|name| Path::new(name).file_name() == Some(OsStr::new("tmux")))
}

/// Runs as `tmux`.
pub(crate) fn run_as_tmux(words: Vec<OsString>) -> ExitCode {
    let caller = LineCaller { origin: LineOrigin::Program, server: None, host: None, is_tmux: true };
    ExitCode::from(run_words(words.into_iter().skip(1), &caller))
}

/// Runs a line of tmux that a person typed at a shell, for this server.
pub(crate) fn run_for_person(words: Vec<String>, server: Option<&str>) -> u8 {
    let caller = LineCaller { origin: LineOrigin::Person, server, host: None, is_tmux: false };
    run_words(words.into_iter().map(OsString::from), &caller)
}

/// Runs the line of a hook, and returns its exit code.
fn run_hook(line: &str, caller: &LineCaller<'_>) -> u8 {
    let caller = LineCaller { origin: LineOrigin::Hook, ..*caller };
    let run = || {
        let daemon = caller.daemon(None)?;
        let paths = daemon.paths(&Env::own()).map_err(|why| why.message())?;
        let connection = connect(&paths, Role::Command, StartPolicy::Never).map_err(|why| why.message())?;
        let line = Line::of_text(line.to_owned(), setting(&paths, &caller));
        StepRunner::new(connection, paths, daemon.server).run(line)
    };
    exit_code(run())
}

/// Runs a command line of tmux, and returns its exit code.
fn run_words(words: impl Iterator<Item = OsString>, caller: &LineCaller<'_>) -> u8 {
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    exit_code(run_line(&words, caller))
}

/// The exit code of a line; an error is told.
fn exit_code(ended: Result<u8, String>) -> u8 {
    match ended {
        Ok(code) => code,
        Err(why) => {
            if !why.is_empty() {
                let _ = writeln!(std::io::stderr(), "{}", escape_output(&without_codes(&why)));
            }
            1
        }
    }
}

fn run_line(words: &[String], caller: &LineCaller<'_>) -> Result<u8, String> {
    let global = flags::parse("tmux", GLOBAL_FLAGS, words)?;
    if global.has('V') {
        let _ = writeln!(std::io::stdout(), "{VERSION}");
        return Ok(0);
    }
    // A person would miss the settings.
    if let Some(file) =
        global.value('f').filter(|file| caller.origin == LineOrigin::Person && *file != "/dev/null")
    {
        return Err(format!("fugue does not read {file}: `fugue import-tmux {file}` adds it to config.toml"));
    }
    if let Some(line) = global.value('c') {
        let shell = std::env::var("SHELL").unwrap_or_else(|_| "/bin/sh".into());
        return Err(format!("cannot run {shell}: {}", Process::new(&shell).args(["-c", line]).exec()));
    }
    carry_out(&global, caller)
}

/// Connects to the daemon that `--server`, `-L` or `-S` names, or else to the caller's, and carries out the steps of a line.
fn carry_out(global: &Flags, caller: &LineCaller<'_>) -> Result<u8, String> {
    // As in tmux, a path takes precedence over a name.
    let daemon = caller.daemon(global.value('L').filter(|_| !global.has('S')))?;
    let paths = daemon.paths(&Env::own()).map_err(|why| why.message())?;
    let socket =
        global.value('S').map(|socket| std::path::absolute(socket).unwrap_or_else(|_| socket.into()));
    if let Some(socket) = socket.as_ref().filter(|socket| **socket != paths.socket) {
        return Err(match (caller.server, caller.host) {
            (None, None) => run_at(socket),
            _ => format!("error connecting to {} (No such file or directory)", socket.display()),
        });
    }
    let no_server = |why: CallError| match why {
        CallError::NoDaemon(_) if socket.is_some() => {
            format!("error connecting to {} (No such file or directory)", paths.socket.display())
        }
        CallError::NoDaemon(_) => format!("no server running on {}", paths.socket.display()),
        other => other.message(),
    };
    let is_starting =
        |words: &Vec<String>| command_table::find(&words[0]).is_ok_and(|command| command.starts_daemon);
    let starts = commands::of_words(&global.operands).iter().any(is_starting);
    let (connection, is_new) = match connect(&paths, Role::Command, StartPolicy::Never) {
        Err(CallError::NoDaemon(_)) if starts => {
            (connect(&paths, Role::Command, StartPolicy::IfNeeded).map_err(no_server)?, true)
        }
        connection => (connection.map_err(no_server)?, false),
    };
    let line = Line::new(global.operands.clone(), setting(&paths, caller));
    let startup = startup_files(global, caller).filter(|_| is_new);
    let startup =
        startup.map(|words| Line::new(words, LineSetting { is_startup: true, ..setting(&paths, caller) }));
    let runner_host = paths.host.as_ref().map(|host| host.host.address.clone());
    let mut runner = StepRunner::new(connection, paths.clone(), daemon.server);
    if let Some(startup) = startup {
        // As in tmux, what is wrong in these files does not keep the line from running.
        let _ = runner.run(startup);
    }
    match (global.values('C').count(), &runner_host) {
        (0, _) => runner.run(line),
        (_, Some(address)) => Err(format!(
            "`fugue --host` cannot run control mode\nhint: use `ssh -t {address} fugue tmux -CC …`"
        )),
        (flags, None) => {
            control_mode::run(runner, control_setting, &paths, global.operands.clone(), flags > 1)
        }
    }
}

/// Runs this line in this process once more for the daemon at a socket (`-S`), of which all that the line starts then knows.
fn run_at(socket: &Path) -> String {
    let this = match std::env::current_exe() {
        Ok(this) => this,
        Err(why) => return why.to_string(),
    };
    let mut words = std::env::args_os();
    let mut again = Process::new(this);
    again.arg0(words.next().unwrap_or_default()).args(words).env("FUGUE_SOCKET", socket);
    for name in PANE_VARIABLES {
        again.env_remove(name);
    }
    again.exec().to_string()
}

/// The setting of the lines of a client in control mode.
fn control_setting(paths: &Paths) -> LineSetting {
    let caller = LineCaller { origin: LineOrigin::Program, server: None, host: None, is_tmux: true };
    LineSetting { own_pane: None, own_target: None, not_attachable: None, ..setting(paths, &caller) }
}

/// The command that reads the files of `-f`, which a program gives for a daemon that it starts. A person has config.toml.
fn startup_files(global: &Flags, caller: &LineCaller<'_>) -> Option<Vec<String>> {
    let files = global.values('f').filter(|file| *file != "/dev/null");
    let words: Vec<_> = std::iter::once("source-file").chain(files).map(str::to_owned).collect();
    (words.len() > 1 && caller.origin == LineOrigin::Program).then_some(words)
}

fn setting(paths: &Paths, caller: &LineCaller<'_>) -> LineSetting {
    let own = OwnPane::of(paths, caller);
    let socket = daemon_socket(paths);
    LineSetting {
        origin: caller.origin,
        client: None,
        settings: Rc::new(FugueSettings),
        own_pane: own.pane,
        own_target: own.target,
        leads_team: caller.origin == LineOrigin::Program && std::env::var_os(TEAM).is_some(),
        team: std::env::var(TEAM).ok().and_then(|lead| team_tag(&lead)),
        team_variables: fugue_agents::team_variables().collect(),
        environment: std::env::vars().collect(),
        directory: std::env::current_dir().ok().filter(|_| paths.host.is_none()),
        socket: paths.socket.clone(),
        tmux_link: tmux_link::directory(&socket),
        daemon: daemon_end::name(paths),
        not_attachable: not_attachable(paths),
        is_startup: false,
        login: fugue_tui::login_environment(paths),
        window_area: fugue_tui::window_area(&paths.config),
        is_silent: caller.is_tmux && !std::io::stdout().is_terminal(),
        machine: Rc::new(ThisMachine),
        now: chrono::Local::now().timestamp(),
    }
}

/// Why this terminal cannot be attached, if it cannot.
fn not_attachable(paths: &Paths) -> Option<String> {
    let why = fugue_tui::check_terminal(paths, "-d creates a session without attaching").err()?;
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    Some(if is_terminal { why.message() } else { "not a terminal".to_owned() })
}

/// The tag of the sessions that belong to a lead; `lead` is the id of its process, as the variable of a team has it.
pub(crate) fn team_tag(lead: &str) -> Option<Tag> {
    lead.parse::<u32>().ok().filter(|lead| *lead > 1).and_then(|lead| format!("team-{lead}").parse().ok())
}

/// The pane that the caller is in, according to its environment.
struct OwnPane {
    pane: Option<PaneId>,
    target: Option<String>,
}

impl OwnPane {
    /// The caller's pane of the daemon at these paths. In a pane of another daemon the variables mean nothing here: the
    /// pane with that number is some other one.
    fn of(paths: &Paths, caller: &LineCaller<'_>) -> Self {
        // The variables of a hook are those of the terminal in which the daemon was started.
        if caller.origin == LineOrigin::Hook || paths.host.is_some() || !is_daemon_of_environment(paths) {
            return Self { pane: None, target: None };
        }
        let pane = std::env::var("FUGUE_PANE_ID").ok().and_then(|id| id.parse().ok());
        Self { pane, target: std::env::var("TMUX_PANE").ok() }
    }
}
