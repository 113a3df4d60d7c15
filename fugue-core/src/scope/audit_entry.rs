//! Entries of the audit log.

use fugue_protocol::Refusal;
use fugue_protocol::verbs::{StartRemote, Verb, VerbSpec};

use super::caller_access::Standing;
use crate::caller::Caller;
use crate::decision::Decision;
use crate::remote_sessions;

/// The characters of a request from another host that are recorded: its program and the beginning of a prompt.
const MAX_DETAIL: usize = 500;

fn shortened(text: &str) -> String {
    text.chars().take(MAX_DETAIL).collect()
}

/// A request that reached beyond the caller's own session, or was refused for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// The verb, or `keys` for typed keys and `greeting` for a connection.
    pub verb: &'static str,
    /// The caller, with how it was identified.
    pub caller: Caller,
    /// The name of the caller's session.
    pub session: Option<String>,
    /// The names of the other sessions that it reaches; `*` is the daemon itself.
    pub touched: Vec<String>,
    /// What was done, where the verb does not say it.
    pub detail: Option<String>,
    /// The reason why it was refused; none if it was allowed.
    pub refusal: Option<String>,
}

impl AuditEntry {
    /// The entry for a checked request; none if it stays within the caller's own session.
    pub(super) fn new(
        verb: &'static str,
        caller: Caller,
        standing: &Standing,
        touched: Vec<String>,
        outcome: &Result<(), Refusal>,
    ) -> Option<Self> {
        let refusal = outcome.as_ref().err().map(ToString::to_string);
        let session = standing.session().map(str::to_owned);
        let entry = Self { verb, caller, session, touched, detail: None, refusal };
        (entry.refusal.is_some() || !entry.touched.is_empty()).then_some(entry)
    }

    /// The entry for a session that is created for a session of another host; none for any other request.
    pub(super) fn of_remote_start<R>(verb: &Verb, caller: Caller, decision: &Decision<R>) -> Option<Self> {
        let Verb::StartRemote(start) = verb else { return None };
        let touched: Vec<_> = decision.children.iter().map(|child| child.session_name.to_string()).collect();
        (!touched.is_empty()).then(|| Self::of_other_host(start, caller, touched, None))
    }

    /// The entry for what a session of another host asks for.
    pub(super) fn of_other_host(
        start: &StartRemote,
        caller: Caller,
        touched: Vec<String>,
        refusal: Option<&Refusal>,
    ) -> Self {
        let message = &start.request.message;
        let session = remote_sessions::sender(&start.host, message).map(|(from, _)| from.name.to_string());
        Self {
            verb: StartRemote::NAME,
            caller,
            session: Some(session.unwrap_or_else(|_| start.host.to_string())),
            touched,
            detail: message.payload.as_ref().map(|payload| shortened(&payload.to_json())),
            refusal: refusal.map(ToString::to_string),
        }
    }
}
