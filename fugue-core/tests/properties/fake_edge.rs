//! An edge that only applies effects: which panes it hosts, for which run, at which size.

use std::collections::BTreeMap;

use fugue_core::{ChildSpec, Effect, World};
use fugue_protocol::{PaneId, RunId, Size};
use proptest::prelude::*;

use crate::story::Story;

/// The state of an edge that carries out every effect.
#[derive(Default)]
pub(crate) struct Edge {
    hosted: BTreeMap<PaneId, (RunId, Size)>,
    /// The spec with which each program was started.
    children: BTreeMap<RunId, ChildSpec>,
}

impl Edge {
    /// The edge of a world that has just been loaded.
    pub(crate) fn of(world: &World) -> Self {
        let hosted = world.panes.values().filter_map(|pane| Some((pane.id, pane.run_id()?)));
        let hosted = hosted.map(|(pane, run)| (pane, (run, world.place_of(pane).size()))).collect();
        Self { hosted, ..Self::default() }
    }

    /// Records pending starts and applies the effects of the last step.
    pub(crate) fn apply(&mut self, story: &Story) -> Result<(), TestCaseError> {
        let pending = story.pending_starts.iter().flat_map(|(_, children)| children);
        self.children.extend(pending.map(|child| (child.run, child.clone())));
        for effect in &story.step.effects {
            match effect {
                Effect::Host { pane, run, size } => {
                    self.check_start_position(story.world(), *pane, *run)?;
                    self.hosted.insert(*pane, (*run, *size));
                }
                Effect::Resize { pane, size } => {
                    let hosted = self.hosted.get_mut(pane);
                    prop_assert!(hosted.is_some_and(|(_, former)| std::mem::replace(former, *size) != *size));
                }
                Effect::DropPane { pane } => prop_assert!(self.hosted.remove(pane).is_some()),
                Effect::Kill { runs } => prop_assert!(runs.iter().all(|run| self.is_unused(*run))),
                Effect::Start { .. }
                | Effect::ReportExit { .. }
                | Effect::SetAgent { .. }
                | Effect::AnswerDialog { .. }
                | Effect::Notify { .. }
                | Effect::Request { .. } => {}
            }
        }
        Ok(())
    }

    /// Whether a program was started but is shown in no pane.
    fn is_unused(&self, run: RunId) -> bool {
        self.children.contains_key(&run) && self.hosted.values().all(|(shown, _)| *shown != run)
    }

    /// A program is hosted in the pane, window and session it was started for.
    fn check_start_position(&self, world: &World, pane: PaneId, run: RunId) -> Result<(), TestCaseError> {
        let (child, pane) = (&self.children[&run], &world.panes[&pane]);
        let session = world.session_of(pane);
        let respawned = child.comes_from == Some(pane.id);
        prop_assert_eq!(child.pane, pane.id);
        if !respawned {
            prop_assert_eq!((child.window, child.session), (pane.window, session.id));
        }
        Ok(())
    }

    /// The edge hosts exactly the panes of the world, at their sizes.
    pub(crate) fn check_matches(&self, world: &World) -> Result<(), TestCaseError> {
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
