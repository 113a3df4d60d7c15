//! `fugue setup`: registers fugue with the agents that are installed, and undoes it. It shows every change before it is
//! made, and leaves the rest of each file as it is, byte for byte.

mod agents;
mod change;
mod check;
mod codex_feature;
mod codex_table;
mod config_file;
mod conflicting_settings;
mod diff;
mod jsonc;
mod plan;
mod plugin;
mod record;
mod toml_text;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::CallError;
use fugue_protocol::escape::escape_json;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};
use crate::doctor::check::{self as doctor_check, Check, CheckResult};
use crate::project;
use agents::{AGENTS, Agent, Home, runs_fugue};
use plan::PlannedChange;
use record::Records;

/// The word that names every agent that is installed.
const ALL: &str = "all";

/// The command line.
pub(crate) fn command() -> Command {
    let names: Vec<_> = AGENTS.iter().map(|agent| agent.name).chain([ALL]).collect();
    let flag = |name, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("setup")
        .about("Register fugue's MCP server and hooks with agents")
        .after_help(
            "Shows the changes and asks before making them. `--undo` restores each file,\n\
             or removes only fugue's entries if the file has been edited since.",
        )
        .arg(
            Arg::new("agent")
                .num_args(0..)
                .value_parser(names)
                .help("Agents to set up [default: all installed]"),
        )
        .arg(flag("undo", "Undo the setup"))
        .arg(flag("check", "Only report what is missing (exit code 1 if incomplete)").conflicts_with("undo"))
        .arg(flag("dry-run", "Show the changes without making them").conflicts_with("check"))
        .arg(flag("yes", "Do not ask for confirmation").short('y').conflicts_with("check"))
        .arg(
            flag("plugin", "Install the plugin (claude) or extension (gemini) instead")
                .conflicts_with("check"),
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let home = Home::of_this_process().ok_or_else(|| CallError::Local("HOME is not set".into()))?;
    let agents = chosen(&args, &home)?;
    if args.get_flag("check") {
        return print_checks(&agents, &home, args.get_flag("json"));
    }
    project::authorize(&args)?;
    let state = context::paths(&args)?.state;
    let records = Records::in_directory(state.parent().unwrap_or(&state).join("setup"));
    let run = || {
        let _lock = (!args.get_flag("dry-run")).then(|| records.lock()).transpose()?;
        match args.get_flag("plugin") {
            true => plugin::run(&agents, &home, &records, &args),
            false => edit_files(&agents, &home, &records, &args),
        }
    };
    run().map_err(|why| CallError::Local(why).into())
}

/// The checks of all agents that are installed.
pub(crate) fn checks() -> Vec<Check> {
    let Some(home) = Home::of_this_process() else { return Vec::new() };
    let installed = AGENTS.iter().filter(|agent| agent.is_installed(&home));
    installed.map(|agent| check::check(agent, &home)).collect()
}

/// Returns the agents that the command line names: by default, those that are installed.
fn chosen(args: &ArgMatches, home: &Home) -> Result<Vec<&'static Agent>, CallError> {
    let names: Vec<_> = args.get_many::<String>("agent").into_iter().flatten().collect();
    let undo = args.get_flag("undo");
    if names.is_empty() || names.iter().any(|name| *name == ALL) {
        let installed: Vec<_> = AGENTS.iter().filter(|agent| undo || agent.is_installed(home)).collect();
        let known = AGENTS.map(|agent| agent.name).join(", ");
        let none = format!(
            "No supported agent is installed\nhint: fugue can set up {known}; none of them is on PATH"
        );
        return if installed.is_empty() { Err(CallError::Local(none)) } else { Ok(installed) };
    }
    let agents: Vec<_> = AGENTS.iter().filter(|agent| names.iter().any(|name| *name == agent.name)).collect();
    match agents.iter().find(|agent| !undo && !agent.is_installed(home)) {
        Some(agent) => {
            let why = format!(
                "{} was not found on PATH\nhint: install it, or add its directory to PATH",
                agent.name
            );
            Err(CallError::Local(why))
        }
        None => Ok(agents),
    }
}

fn print_checks(agents: &[&Agent], home: &Home, json: bool) -> Result<(), CommandFailure> {
    let checks: Vec<_> = agents.iter().map(|agent| check::check(agent, home)).collect();
    let text = match json {
        true => {
            let checks = Value::from(checks.iter().map(Check::json).collect::<Vec<_>>());
            escape_json(&checks.to_string()).into_owned()
        }
        false => doctor_check::lines(&checks),
    };
    let _ = writeln!(std::io::stdout(), "{text}");
    let complete = checks.iter().all(|check| check.result == CheckResult::Good);
    if complete { Ok(()) } else { Err(CommandFailure::ExitCode(1)) }
}

/// Adds to the files of agents what they lack, or undoes that.
fn edit_files(agents: &[&Agent], home: &Home, records: &Records, args: &ArgMatches) -> Result<(), String> {
    let undo = args.get_flag("undo");
    let command = home.fugue_command();
    let mut plans = Vec::new();
    // A plugin brings everything itself; a second server of the same name would only confuse.
    let with_files = |agent: &&&Agent| undo || plugin::installed(agent, home).is_none();
    for agent in agents.iter().filter(with_files) {
        for file in agent.files(home, &command) {
            let plan = if undo { plan::undo(&file, records)? } else { plan::add(&file, records)? };
            plans.extend(plan.map(|plan| (*agent, plan)));
        }
    }
    let changes: Vec<_> = plans.iter().map(|(_, plan)| plan.clone()).collect();
    if args.get_flag("json") {
        print_json(&plans);
    } else if !plans.is_empty() {
        let _ = write!(
            std::io::stdout(),
            "{}",
            changes.iter().map(|plan| diff::unified(&plan.change)).collect::<String>()
        );
    }
    if args.get_flag("dry-run") || (!plans.is_empty() && !confirm(args, "Make these changes?")?) {
        return Ok(());
    }
    plan::make(&changes, records)?;
    if !args.get_flag("json") {
        agents.iter().for_each(|agent| print_outcome(agent, &plans, undo));
    }
    Ok(())
}

fn print_json(plans: &[(&Agent, PlannedChange)]) {
    let changes = plans.iter().map(|(agent, PlannedChange { change, .. })| {
        let action = match (&change.before, &change.after) {
            (None, _) => "create",
            (_, None) => "remove",
            _ => "edit",
        };
        json!({ "agent": agent.name, "path": change.path, "action": action })
    });
    let text = Value::from(changes.collect::<Vec<_>>()).to_string();
    let _ = writeln!(std::io::stdout(), "{}", escape_json(&text));
}

fn print_outcome(agent: &Agent, plans: &[(&Agent, PlannedChange)], undo: bool) {
    let changed = plans.iter().any(|(of, _)| of.name == agent.name);
    let outcome = match (changed, undo) {
        (true, false) => "fugue is set up; restart running agents to load it",
        (true, true) => "removed fugue's entries",
        (false, false) => "fugue is already set up",
        (false, true) => "nothing to undo",
    };
    let _ = writeln!(std::io::stdout(), "{}: {outcome}", agent.name);
    for step in agent.next_steps.iter().filter(|_| changed && !undo) {
        let _ = writeln!(std::io::stdout(), "{}: {step}", agent.name);
    }
}

/// Asks the person at the terminal; elsewhere, `--yes` is needed.
fn confirm(args: &ArgMatches, what: &str) -> Result<bool, String> {
    if args.get_flag("yes") {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(
            "Cannot ask for confirmation: not running in a terminal\nhint: add --yes to make the changes"
                .into(),
        );
    }
    let _ = write!(std::io::stderr(), "{what} [y/N] ");
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
