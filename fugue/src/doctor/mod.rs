//! `fugue doctor`: checks what fugue needs, a line each, with the command that mends what is wrong.

mod daemon;
mod files;
mod kernel;
mod terminal;

use std::ffi::OsString;
use std::io::Write;

use clap::Command;
use fugue_protocol::escape::escape;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckResult {
    /// Nothing to do.
    Good,
    /// It works; something could be better.
    Note,
    /// Something does not work.
    Problem,
}

impl CheckResult {
    fn name(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    /// What was checked.
    pub(crate) subject: String,
    pub(crate) result: CheckResult,
    /// What was found.
    pub(crate) finding: String,
    /// The command or step that mends it.
    pub(crate) remedy: Option<String>,
}

impl Check {
    pub(crate) fn good(subject: impl Into<String>, finding: impl Into<String>) -> Self {
        Self { subject: subject.into(), result: CheckResult::Good, finding: finding.into(), remedy: None }
    }

    pub(crate) fn note(
        subject: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { result: CheckResult::Note, remedy: Some(remedy.into()), ..Self::good(subject, finding) }
    }

    pub(crate) fn problem(
        subject: impl Into<String>,
        finding: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { result: CheckResult::Problem, remedy: Some(remedy.into()), ..Self::good(subject, finding) }
    }

    /// The check as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "subject": self.subject,
            "result": self.result.name(),
            "finding": self.finding,
            "remedy": self.remedy,
        })
    }
}

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
        Value::from(checks.iter().map(Check::json).collect::<Vec<_>>()).to_string()
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
            checks.extend(daemon::checks(paths));
        }
        Err(why) => checks.push(Check::problem("paths", why.message(), "see the hint above")),
    }
    checks.extend(kernel::checks());
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

/// A line for each check, and its remedy below it.
pub(crate) fn lines(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.subject.chars().count()).max().unwrap_or_default();
    let line = |check: &Check| {
        let mut line =
            format!("{:7}  {:width$}  {}", check.result.name(), check.subject, escape(&check.finding));
        if let Some(remedy) = &check.remedy {
            line += &format!("\n{:7}  {:width$}  fix: {}", "", "", escape(remedy));
        }
        line
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn summary(checks: &[Check]) -> String {
    match checks.iter().filter(|check| check.result == CheckResult::Problem).count() {
        0 => "\nNo problems found.".into(),
        1 => "\n1 problem found.".into(),
        count => format!("\n{count} problems found."),
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
             1 problem found."
        );
    }
}
