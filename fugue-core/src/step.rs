//! Steps: what follows from an input.

use fugue_protocol::{Event, MessageId, Refusal, SessionName};
use serde_json::value::RawValue;

use crate::decision::PayloadSource;
use crate::effect::{Effect, Ticket};
use crate::scope::AuditEntry;

/// The result of one input.
#[derive(Debug, Default)]
pub struct MachineStep {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The commands for the edge, in order.
    pub effects: Vec<Effect>,
    /// The replies, by ticket.
    pub answers: Vec<(Ticket, Answered)>,
    /// The requests that have begun to wait.
    pub waiting: Vec<Ticket>,
    /// The payloads to store with the events.
    pub payloads: Vec<(MessageId, PayloadSource)>,
    /// The session that was chosen for a caller who is in no pane and named none.
    pub assumed: Option<(Ticket, SessionName)>,
    /// The line for the audit log: an agent reached beyond its own session, or was refused to.
    pub audit: Option<AuditEntry>,
}

impl MachineStep {
    /// Appends the events and effects of a step that belongs to no request.
    pub(crate) fn and(mut self, then: Self) -> Self {
        self.events.extend(then.events);
        self.effects.extend(then.effects);
        self
    }
}

/// A serialized reply, or a refusal.
pub type Answered = Result<Box<RawValue>, Refusal>;
