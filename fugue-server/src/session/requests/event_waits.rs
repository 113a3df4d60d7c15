//! Waits that an event ends: a message, a lease or a bell. There are at most as many as clients may have requests.

use fugue_core::World;
use fugue_core::edge_request::AwaitedEvents;
use fugue_protocol::views::WaitOutcome;
use fugue_protocol::{Event, PaneId};
use tokio::sync::oneshot;

/// How an event ended a wait; with the pane, if it happened there.
pub(super) type EventOutcome = (WaitOutcome, Option<PaneId>);

/// The waits that an event may end.
#[derive(Default)]
pub(crate) struct EventWaits(Vec<EventWait>);

struct EventWait {
    events: AwaitedEvents,
    panes: Vec<PaneId>,
    ended: oneshot::Sender<EventOutcome>,
}

impl EventWaits {
    /// Adds a wait. Dropping the receiver ends it.
    pub(crate) fn add(
        &mut self,
        world: &World,
        events: AwaitedEvents,
        panes: Vec<PaneId>,
    ) -> oneshot::Receiver<EventOutcome> {
        let (ended, receiver) = oneshot::channel();
        self.0.retain(|wait| !wait.ended.is_closed());
        match events.met(world) {
            Some(outcome) => drop(ended.send((outcome, None))),
            None => self.0.push(EventWait { events, panes, ended }),
        }
        receiver
    }

    /// Ends the waits that an event ends; the world is that after it.
    pub(crate) fn check(&mut self, world: &World, event: &Event) {
        let mut index = 0;
        while let Some(wait) = self.0.get(index) {
            let bell = wait.events.rung_by(event, &wait.panes).map(|pane| (WaitOutcome::Bell, Some(pane)));
            match bell.or_else(|| wait.events.met(world).map(|outcome| (outcome, None))) {
                Some(outcome) => drop(self.0.swap_remove(index).ended.send(outcome)),
                None => index += 1,
            }
        }
    }
}
