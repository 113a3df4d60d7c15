//! Events as they are stored and sent: which ones the journal keeps, and what subscribers see.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Event;
use crate::Timestamp;
use crate::agents::{Confidence, EvidenceSource};

/// The text in place of a value that is not shown.
pub const HIDDEN: &str = "(hidden)";

impl Event {
    /// The event as subscribers may see it: without the values of environment variables and what was copied, which are
    /// often secrets.
    pub fn without_secrets(&self) -> Cow<'_, Self> {
        let mut hidden = match self {
            Self::EnvironmentChanged { .. }
            | Self::GlobalEnvironmentChanged { .. }
            | Self::BufferStored { .. }
            | Self::SessionCreated(_)
            | Self::PaneOpened(_)
            | Self::PaneRespawned(_) => self.clone(),
            _ => return Cow::Borrowed(self),
        };
        match &mut hidden {
            Self::EnvironmentChanged { value, .. } | Self::GlobalEnvironmentChanged { value, .. } => {
                *value = value.as_ref().map(|_| HIDDEN.into());
            }
            Self::BufferStored { content, .. } => *content = HIDDEN.into(),
            Self::SessionCreated(e) => hide(&mut e.environment),
            Self::PaneOpened(e) => hide(&mut e.launch.environment),
            Self::PaneRespawned(e) => hide(&mut e.launch.environment),
            _ => {}
        }
        Cow::Owned(hidden)
    }

    /// Whether the event is only sent to subscribers and not stored in the journal: it will be observed again.
    pub fn is_fleeting(&self) -> bool {
        match self {
            Self::PaneTitled { .. }
            | Self::PaneWentTo { .. }
            | Self::PipeHeld { .. }
            | Self::PipeEndRequested { .. }
            | Self::PipeEnded { .. }
            | Self::ForegroundChanged { .. }
            | Self::CommandEnded { .. }
            | Self::PaneActivity { .. }
            | Self::ClientAttached(_)
            | Self::ClientLeft { .. }
            | Self::ClientDetached { .. }
            | Self::ClientCommanded { .. }
            | Self::PopupShown { .. }
            | Self::PaneRang { .. }
            | Self::PaneNotified { .. }
            | Self::AgentSeen { .. }
            | Self::DialogChanged { .. }
            | Self::SurvivorsFound { .. }
            | Self::WaitedInCircle { .. } => true,
            // A hook reports a moment. Whatever nobody saw answered is for a person to answer.
            Self::AgentReported { sign, .. } => sign.source == EvidenceSource::Hook,
            // A report of the agent itself is stored with its time; a guess is made again.
            Self::AgentStateChanged { agent: Some(agent), .. } => agent.sure != Confidence::Certain,
            _ => false,
        }
    }
}

fn hide(environment: &mut BTreeMap<String, String>) {
    environment.values_mut().for_each(|value| *value = HIDDEN.into());
}

/// An event with its id and time, as subscribers receive it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Its id in the journal; `None` if it is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// When it happened.
    pub at: Timestamp,
    /// The client that caused it, if that is a terminal. Not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PaneId, SessionId};

    #[test]
    fn an_event_with_a_time_of_its_own_round_trips() {
        let pane = PaneId::from_bytes([1; 16]);
        let at = Timestamp::from_millis(1);
        for event in [
            Event::AgentSeen { pane, at, program: None, signs: Vec::new() },
            Event::MessagesRead {
                session: SessionId::from_bytes([2; 16]),
                messages: Vec::new(),
                read_at: at,
            },
        ] {
            let record = EventRecord { id: Some(7), at: Timestamp::from_millis(2), by: None, event };
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<EventRecord>(&text).unwrap(), record, "{text}");
        }
    }
}
