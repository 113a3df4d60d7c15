//! A check and its result.

use std::io::{IsTerminal, stdout};

use fugue_protocol::escape::escape;
use serde_json::{Value, json};

use crate::help;

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

/// A line for each check, and its remedy below it, as wide as the terminal. What goes to a file is not wrapped.
pub(crate) fn lines(checks: &[Check]) -> String {
    let width = if stdout().is_terminal() { help::output_width() } else { usize::MAX };
    lines_within(checks, width)
}

fn lines_within(checks: &[Check], width: usize) -> String {
    let subjects = checks.iter().map(|check| check.subject.chars().count()).max().unwrap_or_default();
    let indent = 7 + 2 + subjects + 2;
    let below = format!("\n{:indent$}", "");
    let wrapped = |text: &str| fugue_tui::wrapped(text, width.saturating_sub(indent).max(20)).join(&below);
    let line = |check: &Check| {
        let finding = wrapped(&escape(&check.finding));
        let line = format!("{:7}  {:subjects$}  {finding}", check.result.name(), check.subject);
        let remedy = check.remedy.as_ref().map(|remedy| wrapped(&format!("fix: {}", escape(remedy))));
        line + &remedy.map(|remedy| format!("{below}{remedy}")).unwrap_or_default()
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_findings_are_wrapped_below_their_beginning() {
        let checks = [Check::note("shell", "a finding that is too long for the row", "a remedy")];
        let expected = "note     shell  a finding that is too\n                long for the row\n                fix: a remedy";
        assert_eq!(lines_within(&checks, 40), expected);
        assert!(lines_within(&checks, usize::MAX).lines().count() == 2);
    }
}
