//! Failures: one sentence that names what failed, and the next step.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

use fugue_client::CallError;
use fugue_protocol::escape::escape_lines;
use fugue_protocol::relay_state::{RelayTrouble, TroubleKind};

/// The reason why something could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    hint: Option<String>,
    kind: Option<TroubleKind>,
}

/// What servers say that names the reason, the kind of trouble that it is, and the next step. The library gives the number
/// of an error only in its text.
const REASONS: [(&[&str], TroubleKind, &str); 5] = [
    (
        &[
            "error code 10023", // insufficient resources
            "error code 10028", // resource limits exceeded for account
            "error code 10002", // resource limits exceeded for account
            "maximum bytes exceeded",
            "maximum messages exceeded",
            "no space left",
        ],
        TroubleKind::StoreFull,
        "the storage of the NATS servers or of the stream is full: `nats stream report` shows what uses it; \
         see docs/fleet.md#storage",
    ),
    (
        &["error code 10047"], // insufficient storage resources
        TroubleKind::StoreFull,
        "the stream reserves 4 GiB unless `fugue fleet setup --max-bytes` says otherwise, and the NATS servers have less; \
         see docs/fleet.md#storage",
    ),
    (
        &["error code 10076", "error code 10039"],
        TroubleKind::NoJetstream,
        "start the NATS server with `--jetstream`, and enable JetStream for the account of the fleet",
    ),
    (
        &["error code 10059", "no stream found"],
        TroubleKind::NoStream,
        "an administrator of the servers can create it with `fugue fleet setup`",
    ),
    (
        &["Permissions Violation", "permissions violation"],
        TroubleKind::NotPermitted,
        "add the permissions in docs/fleet.md to this host's user in the server's configuration",
    ),
];

impl Failure {
    pub(crate) fn new(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self { message: message.into(), hint: hint.map(str::to_owned), kind: None }
    }

    /// A failure of this kind.
    pub(crate) fn of_kind(kind: TroubleKind, message: impl Into<String>, hint: &str) -> Self {
        Self { kind: Some(kind), ..Self::new(message, Some(hint)) }
    }

    /// The kind of trouble that it is, if the server named one.
    pub(crate) fn kind(&self) -> Option<TroubleKind> {
        self.kind
    }

    /// The failure as trouble of the relay.
    pub(crate) fn trouble(self, kind: TroubleKind) -> RelayTrouble {
        RelayTrouble { kind, message: self.message, hint: self.hint }
    }

    /// Whether no server listens at the address.
    pub(crate) fn is_refused(&self) -> bool {
        self.message.contains("Connection refused")
    }

    /// The same for an administrator, whose servers are named on the command line.
    pub(crate) fn for_setup(self) -> Self {
        let is_about_file =
            self.hint.as_ref().is_some_and(|hint| hint.contains("`servers` in the [fleet] section"));
        let hint = "check the addresses in `--servers`, and whether the servers run";
        if is_about_file { Self { hint: Some(hint.into()), ..self } } else { self }
    }

    /// The sentence without the next step.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// A request to the NATS server that failed.
    pub(crate) fn nats(what: &str, why: &dyn fmt::Display) -> Self {
        let why = why.to_string();
        let message = format!("Cannot {what}: {why}");
        match REASONS.iter().find(|(texts, ..)| texts.iter().any(|text| why.contains(text))) {
            Some((_, kind, hint)) => Self::of_kind(*kind, message, hint),
            None => Self::new(
                message,
                Some("check the host's permissions in the server's configuration; see docs/fleet.md"),
            ),
        }
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
        Self::new(error.to_string(), None)
    }
}

impl From<RelayTrouble> for Failure {
    fn from(trouble: RelayTrouble) -> Self {
        Self { message: trouble.message, hint: trouble.hint, kind: Some(trouble.kind) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_store_is_not_blamed_on_permissions() {
        let full =
            Failure::nats("publish to host `b`", &"insufficient resources (code 503, error code 10023)");
        assert_eq!(full.kind(), Some(TroubleKind::StoreFull));
        assert!(!full.to_string().contains("permissions"), "{full}");
        assert_eq!(Failure::nats("publish to host `b`", &"timed out").kind(), None);
    }
}
