//! `fugue setup`: registers fugue with the agents that are installed, and undoes it. It shows every change before it is
//! made, and leaves the rest of each file as it is, byte for byte.

mod additions;
mod change;
mod check;
mod diff;
mod document;
mod entry;
#[cfg(test)]
mod generated_files;
mod home;
mod off_switches;
mod plan;
mod plugin;
mod record;
mod summary;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_agents::KnownAgent;
use fugue_client::CallError;
use fugue_protocol::escape::{escape, escape_json, escape_lines};
use serde_json::Value;

use crate::context::{self, CommandFailure};
use crate::doctor::check::{self as doctor_check, Check, CheckResult};
use crate::project;
use home::Home;
use plan::PlannedChange;
use record::Records;

/// The word that names every agent that is installed.
const ALL: &str = "all";

/// The command line.
pub(crate) fn command() -> Command {
    let names: Vec<_> = KnownAgent::names().chain([ALL]).collect();
    let flag = |name, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("setup")
        .about("Register fugue's MCP server and hooks with agents")
        .after_help(
            "Says what it will change and asks before it does. `--undo` restores each file, or removes only the entries \
             that setup added if the file has been edited since.",
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
        .arg(flag("diff", "Show each change as a diff").conflicts_with_all(["check", "plugin"]))
        .arg(flag("yes", "Do not ask for confirmation").short('y').conflicts_with("check"))
        .arg(
            flag("plugin", "")
                .help(format!("Install the {} instead", plugin::nouns().join(" or ")))
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
    let installed = KnownAgent::all().iter().filter(|agent| home.has(agent));
    installed.flat_map(|agent| check::checks(agent, &home, &current_directory())).collect()
}

/// The agents that are installed and lack something of fugue's.
pub(crate) fn unconnected() -> Vec<&'static str> {
    let Some(home) = Home::of_this_process() else { return Vec::new() };
    let is_unconnected = |agent: &&KnownAgent| {
        home.has(agent) && plugin::installed(agent, &home).is_none() && !check::is_complete(agent, &home)
    };
    KnownAgent::all().iter().filter(is_unconnected).map(|agent| agent.name).collect()
}

/// Runs `fugue setup` on behalf of another command, which goes on if it fails.
pub(crate) fn run_at_once() {
    let words = ["fugue", "setup"].map(OsString::from).to_vec();
    if let Err(CommandFailure::Call(error)) = run(words) {
        let _ = writeln!(std::io::stderr(), "fugue: {}", escape_lines(&error.to_string()));
    }
}

/// Agents that are run here also read the settings of the project.
fn current_directory() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// Returns the agents that the command line names: by default, those that are installed.
fn chosen(args: &ArgMatches, home: &Home) -> Result<Vec<&'static KnownAgent>, CallError> {
    let names: Vec<_> = args.get_many::<String>("agent").into_iter().flatten().collect();
    let undo = args.get_flag("undo");
    if names.is_empty() || names.iter().any(|name| *name == ALL) {
        let installed: Vec<_> = KnownAgent::all().iter().filter(|agent| undo || home.has(agent)).collect();
        let known = KnownAgent::names().collect::<Vec<_>>().join(", ");
        let none = format!(
            "No supported agent is installed\nhint: fugue can set up {known}; none of them is on PATH"
        );
        return if installed.is_empty() { Err(CallError::Local(none)) } else { Ok(installed) };
    }
    let agents: Vec<_> =
        KnownAgent::all().iter().filter(|agent| names.iter().any(|name| *name == agent.name)).collect();
    match agents.iter().find(|agent| !undo && !home.has(agent)) {
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

fn print_checks(agents: &[&KnownAgent], home: &Home, json: bool) -> Result<(), CommandFailure> {
    let checks = agents.iter().flat_map(|agent| check::checks(agent, home, &current_directory()));
    let checks: Vec<_> = checks.collect();
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
fn edit_files(
    agents: &[&KnownAgent],
    home: &Home,
    records: &Records,
    args: &ArgMatches,
) -> Result<(), String> {
    let undo = args.get_flag("undo");
    let command = home.fugue_command();
    let mut plans = Vec::new();
    // A plugin brings everything itself; a second server of the same name would only confuse.
    let with_files = |agent: &&&KnownAgent| undo || plugin::installed(agent, home).is_none();
    for agent in agents.iter().filter(with_files) {
        for file in home.files(agent, &command) {
            let plan = if undo { plan::undo(&file, records)? } else { plan::add(&file, records)? };
            plans.push((*agent, plan));
        }
    }
    let is_changed = |plan: &PlannedChange| !plan.change.is_empty();
    let changes: Vec<_> =
        plans.iter().map(|(_, plan)| plan).filter(|plan| is_changed(plan)).cloned().collect();
    let diff = || changes.iter().map(|plan| diff::unified(&plan.change)).collect::<String>();
    if args.get_flag("json") {
        let values = plans.iter().flat_map(|(agent, plan)| summary::json(agent, plan));
        print(&format!("{}\n", escape_json(&Value::from(values.collect::<Vec<_>>()).to_string())));
    } else if !changes.is_empty() {
        print(&if args.get_flag("diff") { diff() } else { summary::lines(&plans, home) });
        print(if undo { "" } else { "`fugue setup --undo` undoes this.\n" });
    }
    if args.get_flag("dry-run") {
        return Ok(());
    }
    if !changes.is_empty() && !confirm(args, "Make these changes?", Some(&diff))? {
        let _ = writeln!(std::io::stderr(), "Nothing was changed");
        return Ok(());
    }
    plan::make(&changes, records)?;
    if !args.get_flag("json") {
        agents.iter().for_each(|agent| print_outcome(agent, &plans, undo));
    }
    Ok(())
}

fn print(text: &str) {
    let _ = write!(std::io::stdout(), "{text}");
}

fn print_outcome(agent: &KnownAgent, plans: &[(&KnownAgent, PlannedChange)], undo: bool) {
    let plans = || plans.iter().filter(|(of, _)| of.name == agent.name).map(|(_, plan)| plan);
    let changed = plans().any(|plan| !plan.change.is_empty());
    let left: Vec<_> = plans().flat_map(|plan| plan.left.iter().map(move |left| (plan, left))).collect();
    let outcome = match (changed, undo) {
        (true, false) => "fugue is set up; restart running agents to load it",
        (true, true) => "removed the entries that setup added",
        (false, false) => "fugue is already set up",
        (false, true) if left.is_empty() => "nothing to undo",
        (false, true) => "nothing to undo that setup added",
    };
    print(&format!("{}: {outcome}\n", agent.name));
    for (plan, left) in left {
        let (entry, path) = (summary::entry_name(&left.entry), plan.change.path.display().to_string());
        let line =
            format!("{}: left {entry} in {path}: {}; remove it yourself if you want", agent.name, left.why);
        print(&format!("{}\n", escape(&line)));
    }
    for step in agent.setup.next_steps.iter().filter(|_| changed && !undo) {
        print(&format!("{}: {step}\n", agent.name));
    }
}

/// Asks the person at the terminal; elsewhere, `--yes` is needed. The answer `d` shows the diff and asks again.
fn confirm(args: &ArgMatches, what: &str, diff: Option<&dyn Fn() -> String>) -> Result<bool, String> {
    if args.get_flag("yes") {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(
            "Cannot ask for confirmation: not running in a terminal\nhint: add --yes to make the changes"
                .into(),
        );
    }
    let choices = if diff.is_some() { "y/N, d for the diff" } else { "y/N" };
    loop {
        let _ = write!(std::io::stderr(), "{what} [{choices}] ");
        let mut answer = String::new();
        let _ = std::io::stdin().read_line(&mut answer);
        match (answer.trim(), diff) {
            ("d" | "D" | "diff", Some(diff)) => print(&diff()),
            (answer, _) => return Ok(matches!(answer, "y" | "Y" | "yes")),
        }
    }
}
