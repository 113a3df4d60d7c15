//! A check and its result.

use fugue_protocol::escape::escape;
use serde_json::{Value, json};

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
