//! Failures: one sentence that names what failed, and the next step.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

use fugue_client::CallError;
use fugue_protocol::escape::escape_lines;

/// The reason why something could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self { message: message.into(), hint: hint.map(str::to_owned) }
    }

    /// The sentence without the next step.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// A request to the NATS server that failed.
    pub(crate) fn nats(what: &str, why: &dyn fmt::Display) -> Self {
        Self::new(
            format!("Cannot {what}: {why}"),
            Some("check the host's permissions in the server's configuration; see docs/fleet.md"),
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self { message: error.to_string(), hint: None }
    }
}

/// Prints a failure.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    say(&failure.to_string());
    ExitCode::from(1)
}

/// Prints a line for whoever watches the relay. Text from elsewhere is escaped.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "fugue fleet: {}", escape_lines(text));
}
