//! `fugue doctor`: checks what fugue needs, a line each, with the command that mends what is wrong.

pub(crate) mod check;
mod daemon;
mod files;
mod kernel;
mod shell;
mod terminal;

use std::ffi::OsString;
use std::io::Write;

use clap::Command;
use fugue_protocol::escape::escape_json;
use serde_json::Value;

use crate::context::{self, CommandFailure};
use check::{Check, CheckResult, lines};

/// What helps if a remedy does not.
const BUNDLE: &str = "If a fix does not help, `fugue debug-bundle` writes a file for a bug report.";

/// The command line.
pub(crate) fn command() -> Command {
    Command::new("doctor")
        .about("Check for setup problems (exit code 1 if any exist)")
        .after_help("This command starts nothing and changes nothing.")
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let checks = checks(args.get_one::<String>("server").map(String::as_str));
    let text = if args.get_flag("json") {
        let checks = Value::from(checks.iter().map(Check::json).collect::<Vec<_>>());
        escape_json(&checks.to_string()).into_owned()
    } else {
        report(&checks)
    };
    let _ = writeln!(std::io::stdout(), "{text}");
    let sound = checks.iter().all(|check| check.result != CheckResult::Problem);
    if sound { Ok(()) } else { Err(CommandFailure::ExitCode(1)) }
}

/// All checks for the daemon of this name.
pub(crate) fn checks(server: Option<&str>) -> Vec<Check> {
    let daemon = fugue_client::DaemonName { host: None, server: server.map(str::to_owned) };
    let paths = daemon.paths(&fugue_client::Env::own());
    let mut checks = vec![Check::good("fugue", version())];
    match &paths {
        Ok(paths) => {
            checks.extend(files::checks(paths));
            let fleet = daemon::fleet(paths);
            // The daemon warns of the same trouble, in a line of its own.
            let is_told = |check: &Check| {
                fleet.as_ref().is_some_and(|fleet| {
                    check.subject == "warning" && check.finding.starts_with(&fleet.finding)
                })
            };
            checks.extend(daemon::checks(paths).into_iter().filter(|check| !is_told(check)));
            checks.extend(fleet);
        }
        Err(why) => checks.push(Check::problem("paths", why.message(), "see the hint above")),
    }
    checks.extend(kernel::checks());
    checks.push(shell::check(paths.as_ref().ok().map(|paths| paths.config.as_path())));
    checks.extend(terminal::checks());
    checks.extend(crate::setup::checks());
    checks
}

/// The version of this binary, and where it is.
pub(crate) fn version() -> String {
    let binary = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    format!("{} (protocol {}), {binary}", env!("CARGO_PKG_VERSION"), fugue_protocol::PROTOCOL)
}

/// The report for people.
fn report(checks: &[Check]) -> String {
    format!("{}\n{}", lines(checks), summary(checks))
}

fn summary(checks: &[Check]) -> String {
    match checks.iter().filter(|check| check.result == CheckResult::Problem).count() {
        0 => "\nNo problems found.".into(),
        1 => format!("\n1 problem found. {BUNDLE}"),
        count => format!("\n{count} problems found. {BUNDLE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_its_subject_and_a_problem_its_remedy() {
        let checks = [
            Check::good("kernel", "Linux 6.18"),
            Check::problem("state", "accessible to other users", "chmod 700 /state"),
        ];
        assert_eq!(
            report(&checks),
            "ok       kernel  Linux 6.18\n\
             problem  state   accessible to other users\n                 fix: chmod 700 /state\n\n\
             1 problem found. If a fix does not help, `fugue debug-bundle` writes a file for a bug report."
        );
    }
}
