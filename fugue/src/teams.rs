//! `fugue teams -- AGENT …`: starts an agent to which `tmux` means fugue, so that the teammates it starts get panes of
//! their own: each in a session that is a child of the agent's, has an inbox, and is closed with it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fugue_agents::{KnownAgent, TeamMode};
use fugue_client::{CallError, Connection, Paths, StartPolicy};
use fugue_protocol::verbs::{GetServerStatus, KillSession, ListSessions, Whoami};
use fugue_protocol::views::SessionView;
use fugue_protocol::{PaneId, Tag};
use fugue_server::tmux_link;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::context::{self, CommandFailure};
use crate::tmux_shim;

/// The command line.
pub(crate) fn command() -> Command {
    Command::new("teams")
        .about("Start Claude Code with its teammates in fugue panes")
        .after_help(
            "Each teammate gets its own session, which is closed when the lead agent exits. Other programs that control \
             tmux can be started in the same way.",
        )
        .arg(
            Arg::new("panes")
                .long("panes")
                .action(ArgAction::SetTrue)
                .help("Put teammates in panes beside the agent; they share its inbox"),
        )
        .arg(
            Arg::new("close-after")
                .long("close-after")
                .value_name("PID")
                .hide(true)
                .value_parser(value_parser!(i32)),
        )
        .arg(
            Arg::new("program")
                .num_args(0..)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help(format!("The program and its arguments [default: {}]", lead().0)),
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    if let Some(pid) = args.get_one::<i32>("close-after") {
        close_after(*pid, &args);
        return Ok(());
    }
    let mut program: Vec<OsString> = args.get_many("program").into_iter().flatten().cloned().collect();
    if program.is_empty() {
        program.push(lead().0.into());
    }
    let paths = context::paths(&args)?;
    let mut connection = context::open(&args, StartPolicy::Never)?;
    let own = connection.call(&Whoami::default())?.pane_id;
    let environment = environment(&mut connection, &paths, own, args.get_flag("panes"))?;
    start_closer(&args)
        .map_err(|why| CallError::Local(format!("Cannot watch for the program's exit: {why}")))?;
    let mut command = std::process::Command::new(&program[0]);
    command.args(&program[1..]).args(teammate_mode(&program)).envs(environment);
    let why = command.exec();
    Err(CallError::Local(format!("Cannot run {}: {why}", program[0].display())).into())
}

/// The variables that make programs use the link named `tmux`.
fn environment(
    connection: &mut Connection,
    paths: &Paths,
    own: PaneId,
    panes: bool,
) -> Result<Vec<(&'static str, OsString)>, CallError> {
    let directory = tmux_link::install(&paths.socket)
        .map_err(|why| CallError::Local(format!("Cannot create the `tmux` symlink: {why}")))?;
    let path = tmux_link::search_path(&directory, &std::env::var_os("PATH").unwrap_or_default());
    let sessions = connection.call(&ListSessions::default())?.sessions;
    let (pane, session) = tmux_shim::names(&sessions, own);
    let daemon = connection.call(&GetServerStatus {})?.pid;
    let session = session.trim_start_matches('$').parse().unwrap_or_default();
    let tmux = tmux_link::tmux_variable(&paths.socket, daemon, session);
    let mut variables: Vec<(&str, OsString)> = vec![
        ("FUGUE_SOCKET", paths.socket.clone().into()),
        ("PATH", path),
        ("TMUX", tmux),
        ("TMUX_PANE", pane.into()),
    ];
    variables.extend(lead().1.map(|mode| (mode.variable.0, mode.variable.1.into())));
    if !panes {
        variables.push((tmux_shim::TEAM, std::process::id().to_string().into()));
    }
    Ok(variables)
}

/// Returns the name of the agent that can lead a team, and how it shows its teammates in tmux.
fn lead() -> (&'static str, Option<&'static TeamMode>) {
    let mut agents = KnownAgent::all().iter().map(|agent| (agent.name, agent.team_mode.as_ref()));
    agents.find(|(_, mode)| mode.is_some()).unwrap_or_default()
}

/// Returns the arguments with which an agent shows its teammates in tmux, unless it is told where to show them.
fn teammate_mode(program: &[OsString]) -> Vec<&'static str> {
    let (lead, mode) = lead();
    let is_lead = Path::new(&program[0]).file_name().is_some_and(|name| name == lead);
    let is_chosen =
        |mode: &TeamMode| program.iter().any(|word| word.to_string_lossy().starts_with(mode.flag));
    let mode = mode.filter(|mode| is_lead && !is_chosen(mode));
    mode.map(|mode| vec![mode.flag, mode.value]).unwrap_or_default()
}

/// Starts the process that closes the teammates' sessions after the program: the program takes the place of this one.
fn start_closer(args: &ArgMatches) -> std::io::Result<()> {
    let mut closer = std::process::Command::new(std::env::current_exe()?);
    let server = context::daemon_name(args).server.map(|server| format!("--server={server}"));
    closer.args(server).args(["teams", "--close-after", &std::process::id().to_string()]);
    closer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().map(drop)
}

/// Waits for a process to end, then closes the sessions of its teammates. Nobody is there to be told of an error.
fn close_after(pid: i32, args: &ArgMatches) {
    let Some(pid) = Pid::from_raw(pid) else { return };
    if let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) {
        let _ = poll(&mut [PollFd::new(&process, PollFlags::IN)], None);
    }
    let tag = tmux_shim::team_tag(&pid.as_raw_nonzero().to_string());
    let connection = context::open(args, StartPolicy::Never);
    let _ = connection.and_then(|mut connection| close_team(&mut connection, tag.as_ref()));
}

/// Closes the sessions of one lead's teammates. Another lead may run in the same pane, and has teammates of its own.
fn close_team(connection: &mut Connection, tag: Option<&Tag>) -> Result<(), CallError> {
    let lead = connection.call(&Whoami::default())?.pane_id;
    let sessions = connection.call(&ListSessions::default())?.sessions;
    let is_of_team = |session: &&SessionView| {
        session.closes_with == Some(lead) && tag.is_some_and(|tag| session.tags.contains(tag))
    };
    for session in sessions.iter().filter(is_of_team) {
        connection.call(&KillSession { session: session.session_id.into() })?;
    }
    Ok(())
}
