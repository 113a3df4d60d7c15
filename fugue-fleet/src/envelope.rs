//! What travels between hosts, and its subjects. The subject names the sending host, and the server lets a host publish
//! only under its own name; whatever the content says about its origin is ignored.

use fugue_protocol::FleetHost;
use fugue_protocol::agent_messages::{DeliveryState, RemoteTarget};
use fugue_protocol::views::{RefusedDelivery, RemoteMessage, RemoteReceipt};
use serde::{Deserialize, Serialize};

/// The stream of everything that travels between hosts.
pub(crate) const STREAM: &str = "FUGUE";

/// The subjects of the stream: `fugue.to.RECEIVER.SENDER`.
pub(crate) const SUBJECTS: &str = "fugue.to.*.*";

/// The largest content, in bytes: a payload, its header, and room for longer spellings of the same JSON.
pub(crate) const MAX_BYTES: i32 = 1 << 19;

/// One item of the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Envelope {
    /// A message to a session of the receiving host.
    Message(Box<RemoteMessage>),
    /// The outcome of messages that the receiving host sent.
    Receipts(Vec<RemoteReceipt>),
    /// An item of the receiving host itself, with a random id.
    RoundTrip(String),
}

impl Envelope {
    /// Whether it requests a new session.
    pub(crate) fn is_start(&self) -> bool {
        matches!(self, Self::Message(message) if matches!(message.to, RemoteTarget::Start(_)))
    }
}

/// The subject of items from one host to another.
pub(crate) fn subject(to: &FleetHost, from: &FleetHost) -> String {
    format!("fugue.to.{to}.{from}")
}

/// The filter for all items to a host.
pub(crate) fn filter(to: &FleetHost) -> String {
    format!("fugue.to.{to}.*")
}

/// The sending host in a subject.
pub(crate) fn sender(subject: &str, own: &FleetHost) -> Option<FleetHost> {
    let host = subject.strip_prefix("fugue.to.")?.strip_prefix(own.as_str())?.strip_prefix('.')?;
    host.parse().ok()
}

/// The receipt of a message that its host refuses.
pub(crate) fn dead_letter(host: &FleetHost, refused: RefusedDelivery) -> RemoteReceipt {
    RemoteReceipt {
        host: host.clone(),
        message_id: refused.message_id,
        session: None,
        nobody: refused.nobody,
        state: DeliveryState::DeadLettered,
        how: None,
        offered_at: None,
        settled_at: None,
        reply: None,
        reason: Some(refused.reason),
        started: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_is_the_last_part_of_the_subject() {
        let (own, other): (FleetHost, FleetHost) = ("b".parse().unwrap(), "gpu-1".parse().unwrap());
        assert_eq!(sender(&subject(&own, &other), &own), Some(other.clone()));
        for wrong in ["fugue.to.bb.gpu-1", "fugue.to.b", "fugue.to.b.x.y", "fugue.from.b.a"] {
            assert_eq!(sender(wrong, &own), None, "{wrong}");
        }
    }
}
