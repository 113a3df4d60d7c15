//! The edge as the effects make it: which panes are hosted, for which run, at which size.

use std::collections::BTreeMap;

use fugue_core::{ChildSpec, Effect, World};
use fugue_protocol::{PaneId, RunId, Size};
use proptest::prelude::*;

use crate::story::Story;

/// What an edge that obeys every wish has at hand.
#[derive(Default)]
pub(crate) struct Edge {
    hosted: BTreeMap<PaneId, (RunId, Size)>,
    /// What every child was told of itself.
    children: BTreeMap<RunId, ChildSpec>,
}

impl Edge {
    /// What there is at the beginning.
    pub(crate) fn of(world: &World) -> Self {
        let hosted = world.panes.values().filter_map(|pane| Some((pane.id, pane.run_id()?)));
        let hosted = hosted.map(|(pane, run)| (pane, (run, world.place_of(pane).size()))).collect();
        Self { hosted, ..Self::default() }
    }

    /// Notes what waits to be started, and does what is wished.
    pub(crate) fn obey(&mut self, story: &Story) -> Result<(), TestCaseError> {
        let waiting = story.nursery.iter().flat_map(|(_, children)| children);
        self.children.extend(waiting.map(|child| (child.run, child.clone())));
        for effect in &story.step.effects {
            match effect {
                Effect::Host { pane, run, size } => {
                    self.told_the_truth(story.world(), *pane, *run)?;
                    self.hosted.insert(*pane, (*run, *size));
                }
                Effect::Resize { pane, size } => {
                    let hosted = self.hosted.get_mut(pane);
                    prop_assert!(hosted.is_some_and(|(_, former)| std::mem::replace(former, *size) != *size));
                }
                Effect::DropPane { pane } => prop_assert!(self.hosted.remove(pane).is_some()),
                Effect::Kill { runs } => prop_assert!(runs.iter().all(|run| self.is_nobodys(*run))),
                Effect::Start { .. }
                | Effect::ReportExit { .. }
                | Effect::SetAgent { .. }
                | Effect::Notify { .. }
                | Effect::Wake { .. }
                | Effect::Request { .. } => {}
            }
        }
        Ok(())
    }

    /// Whether a program was started that no pane shows.
    fn is_nobodys(&self, run: RunId) -> bool {
        self.children.contains_key(&run) && self.hosted.values().all(|(shown, _)| *shown != run)
    }

    /// A program is where it was told to be when it was started.
    fn told_the_truth(&self, world: &World, pane: PaneId, run: RunId) -> Result<(), TestCaseError> {
        let (child, pane) = (&self.children[&run], &world.panes[&pane]);
        let session = world.session_of(pane);
        let respawned = child.comes_from == Some(pane.id);
        prop_assert_eq!(child.pane, pane.id);
        if !respawned {
            prop_assert_eq!((child.window, child.session), (pane.window, session.id));
        }
        Ok(())
    }

    /// Every pane of the world is hosted as it is, and nothing else is.
    pub(crate) fn mirrors(&self, world: &World) -> Result<(), TestCaseError> {
        let size = |pane| world.place_of(pane).size();
        let sizes: BTreeMap<_, _> = world.panes.keys().map(|pane| (*pane, size(*pane))).collect();
        let hosted: BTreeMap<_, _> = self.hosted.iter().map(|(pane, (_, size))| (*pane, *size)).collect();
        prop_assert_eq!(hosted, sizes);
        for pane in world.panes.values().filter(|pane| pane.run_id().is_some()) {
            prop_assert_eq!(Some(self.hosted[&pane.id].0), pane.run_id());
        }
        Ok(())
    }
}
