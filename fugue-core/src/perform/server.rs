//! What verbs about the caller and the daemon do.

use fugue_protocol::Refusal;
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, Identity, ServerStatus, Subscribed};

use super::Perform;
use crate::ask::Ask;
use crate::asking::Asking;
use crate::decision::Decision;
use crate::world::World;

impl Perform for Whoami {
    fn perform(self, world: &World, asking: &Asking) -> Result<Decision<Identity>, Refusal> {
        let outside =
            || Refusal::NotInsideFugue { detail: "FUGUE_PANE_ID environment variable not set".into() };
        let pane_id = asking.caller.pane().ok_or_else(outside)?;
        let pane = world.panes.get(&pane_id).ok_or(Refusal::CallerGone { pane_id })?;
        let session = world.session_of(pane);
        Ok(Decision::reply(Identity {
            pane_id,
            session_id: session.id,
            session_name: session.name.clone(),
            window_id: pane.window,
            tags: self.include_tags.then(|| session.tags.clone()),
            cwd: pane.cwd().map(str::to_owned),
            claimed: asking.caller.claims(),
        }))
    }
}

impl Perform for SubscribeEvents {
    fn perform(self, _: &World, _: &Asking) -> Result<Decision<Subscribed>, Refusal> {
        Ok(Decision::later(Ask::Events(self.since)))
    }
}

impl Perform for ServerStatusVerb {
    fn perform(self, _: &World, _: &Asking) -> Result<Decision<ServerStatus>, Refusal> {
        Ok(Decision::later(Ask::Status))
    }
}

impl Perform for Shutdown {
    fn perform(self, _: &World, _: &Asking) -> Result<Decision<Done>, Refusal> {
        Ok(Decision::later(Ask::Shutdown))
    }
}
