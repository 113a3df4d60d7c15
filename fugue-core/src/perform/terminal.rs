//! What verbs that type, read and wait do: they find the pane; its own task does the rest.

use fugue_protocol::limits;
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, Exit, InputSent, Outcome, Output, Picture, Waited};
use fugue_protocol::{PaneId, Refusal};

use super::Perform;
use crate::ask::{Ask, PaneAsk, Reading, Typing, Waiting};
use crate::asking::Asking;
use crate::decision::Decision;
use crate::world::World;

impl Perform for SendInput {
    fn perform(self, world: &World, asking: &Asking) -> Result<Decision<InputSent>, Refusal> {
        let pane = world.pane(&self.choice, asking)?;
        if pane.run().is_none() {
            return Err(Refusal::PaneEnded { pane: pane.id, exit: pane.exit().unwrap_or(Exit::Unknown) });
        }
        let text = self.input.unwrap_or_default();
        if text.len() > limits::INPUT_BYTES {
            return Err(Refusal::InputTooLarge { bytes: text.len(), limit: limits::INPUT_BYTES });
        }
        if text.is_empty() && self.keys.is_empty() && !self.submit {
            return Err(Refusal::InvalidArgument { what: "input", why: "there is nothing to send".into() });
        }
        let typing = Typing { text, keys: self.keys, submit: self.submit };
        Ok(Decision::later(Ask::Pane(pane.id, PaneAsk::Type(typing))))
    }
}

impl Perform for GetOutput {
    fn perform(self, world: &World, asking: &Asking) -> Result<Decision<Output>, Refusal> {
        let pane = world.pane(&self.choice, asking)?.id;
        let reading = Reading { lines: self.lines, since: self.since, screen: self.screen, ansi: self.ansi };
        Ok(Decision::later(Ask::Pane(pane, PaneAsk::Read(reading))))
    }
}

impl Perform for Wait {
    fn perform(self, world: &World, asking: &Asking) -> Result<Decision<Waited>, Refusal> {
        let until = self.checked_until()?;
        if let (Until::Exit, Some(waited)) = (until, self.over_already(world, asking)) {
            return Ok(Decision::reply(waited));
        }
        let pane = world.pane(&self.choice, asking)?.id;
        let waiting = Waiting {
            until,
            pattern: self.pattern,
            since: self.since,
            idle_ms: self.idle_ms,
            timeout_ms: self.timeout_ms.min(limits::WAIT_MILLIS),
        };
        Ok(Decision::later(Ask::Pane(pane, PaneAsk::Wait(waiting))))
    }
}

trait Waits {
    fn checked_until(&self) -> Result<Until, Refusal>;
    fn over_already(&self, world: &World, asking: &Asking) -> Option<Waited>;
}

impl Waits for Wait {
    fn checked_until(&self) -> Result<Until, Refusal> {
        let invalid = |what, why: &str| Err(Refusal::InvalidArgument { what, why: why.to_owned() });
        match (self.until, &self.pattern) {
            (Some(Until::Match), None) => invalid("pattern", "waiting for a match needs one"),
            (Some(Until::Exit | Until::Idle), Some(_)) => invalid("pattern", "it goes with match alone"),
            (None, Some(_)) => Ok(Until::Match),
            (None, None) => Ok(Until::Exit),
            (Some(until), _) => Ok(until),
        }
    }

    /// Whoever waits for an exit may come late: a program that has ended has one, its pane closed or not.
    fn over_already(&self, world: &World, asking: &Asking) -> Option<Waited> {
        let (pane, exit) = match world.pane(&self.choice, asking) {
            Ok(pane) if pane.run().is_some() => return None,
            Ok(pane) => (pane.id, pane.exit().unwrap_or(Exit::Unknown)),
            Err(_) => world.departed_named(self.choice.pane.as_ref()?)?,
        };
        Some(gone(pane, exit))
    }
}

fn gone(pane_id: PaneId, exit: Exit) -> Waited {
    let cursor = Cursor { line: 0, offset: 0 }.to_string();
    Waited { pane_id, outcome: Outcome::Exited, exit: Some(exit), matched: None, elapsed_ms: 0, cursor }
}

impl Perform for WatchPane {
    fn perform(self, world: &World, asking: &Asking) -> Result<Decision<Done>, Refusal> {
        let pane = world.pane(&self.choice, asking)?.id;
        let ask = if self.stop { PaneAsk::Unwatch } else { PaneAsk::Watch };
        Ok(Decision::later(Ask::Pane(pane, ask)))
    }
}

impl Perform for Screenshot {
    fn perform(self, world: &World, asking: &Asking) -> Result<Decision<Picture>, Refusal> {
        let pane = world.pane(&self.choice(), asking)?.id;
        Ok(Decision::later(Ask::Pane(pane, PaneAsk::Picture(self.format))))
    }
}
