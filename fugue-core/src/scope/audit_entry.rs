//! Entries of the audit log.

use fugue_protocol::Refusal;

use crate::caller::Caller;

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
        session: Option<&str>,
        touched: Vec<String>,
        outcome: &Result<(), Refusal>,
    ) -> Option<Self> {
        let refusal = outcome.as_ref().err().map(ToString::to_string);
        let session = session.map(str::to_owned);
        let entry = Self { verb, caller, session, touched, detail: None, refusal };
        (entry.refusal.is_some() || !entry.touched.is_empty()).then_some(entry)
    }
}
