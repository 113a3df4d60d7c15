//! When the client must read the tree of sessions again.

use std::time::{Duration, Instant};

use fugue_protocol::Event;

/// Reading the tree may take one part in this many of the client's time.
const TREE_SHARE: u32 = 10;

/// Whether the tree must be read again after an event. Events that carry their whole change, or that only concern where
/// clients look, do not need that.
pub(crate) fn changes_tree(event: &Event) -> bool {
    !matches!(
        event,
        Event::SessionSelected { .. }
            | Event::EnvironmentChanged { .. }
            | Event::GlobalEnvironmentChanged { .. }
            | Event::OptionChanged { .. }
            | Event::HookChanged { .. }
            | Event::MarkMoved { .. }
            | Event::BufferStored { .. }
            | Event::ChannelSignalled { .. }
            | Event::ChannelHeard { .. }
            | Event::ChannelLocked { .. }
            | Event::ChannelUnlocked { .. }
            | Event::BufferRenamed { .. }
            | Event::BufferRemoved { .. }
            | Event::WindowSelected { .. }
            | Event::PaneFocused { .. }
            | Event::PaneWentTo { .. }
            | Event::PaneNoted { .. }
            | Event::PaneRunsOnce { .. }
            | Event::ConversationReported { .. }
            | Event::ClientAttached(_)
            | Event::ClientLeft { .. }
            | Event::ClientDetached { .. }
            | Event::ClientCommanded { .. }
            | Event::AgentSeen { .. }
            | Event::AgentReported { .. }
            | Event::MessagesOffered { .. }
            | Event::MessagesRelayed { .. }
            | Event::RecipientsFound { .. }
            | Event::ReceiptsArrived { .. }
            | Event::ReceiptsRelayed { .. }
            | Event::ReceiptsMissed { .. }
            | Event::PushStarted { .. }
            | Event::PushLapsed { .. }
            | Event::MessagesForgotten { .. }
            | Event::SubscriptionChanged { .. }
            | Event::LeaseClaimed(_)
            | Event::LeaseEnded { .. }
            | Event::WaitedInCircle { .. }
    )
}

/// Whether the tree is out of date, and when it may be read again.
#[derive(Debug, Default)]
pub(crate) struct TreeRefresh {
    stale: bool,
    not_before: Option<Instant>,
}

impl TreeRefresh {
    /// Notes that the tree changed. It is read once, however much changes meanwhile.
    pub(crate) fn request(&mut self, now: Instant) {
        self.stale = true;
        self.not_before.get_or_insert(now);
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.stale
    }

    /// Notes that the tree was requested.
    pub(crate) fn requested(&mut self) {
        self.stale = false;
    }

    /// Notes how long reading took: a large tree is requested less often, so that it takes a small part of the time.
    pub(crate) fn read(&mut self, now: Instant, took: Duration) {
        self.not_before = Some(now + took * TREE_SHARE);
    }

    /// When the tree must be requested again, if it must.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.not_before.filter(|_| self.stale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_tree_is_read_less_often() {
        let (mut refresh, now) = (TreeRefresh::default(), Instant::now());
        assert_eq!(refresh.due(), None);
        refresh.request(now);
        assert_eq!(refresh.due(), Some(now));
        refresh.requested();
        refresh.read(now, Duration::from_millis(5));
        assert_eq!(refresh.due(), None, "it is up to date");
        refresh.request(now);
        assert_eq!(refresh.due(), Some(now + Duration::from_millis(50)));
    }
}
