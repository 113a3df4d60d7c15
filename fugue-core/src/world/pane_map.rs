//! The panes of the world, by id.

use std::collections::BTreeMap;
use std::ops::Index;

use fugue_protocol::PaneId;
use serde::{Deserialize, Serialize};

use super::Pane;

/// Panes by id. They are boxed, because a tree has room for nearly twice as many values as it holds when ids come in
/// ascending order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PaneMap(BTreeMap<PaneId, Box<Pane>>);

impl PaneMap {
    /// Returns the pane with this id.
    pub fn get(&self, id: &PaneId) -> Option<&Pane> {
        self.0.get(id).map(AsRef::as_ref)
    }

    /// Whether there is a pane with this id.
    pub fn contains_key(&self, id: &PaneId) -> bool {
        self.0.contains_key(id)
    }

    /// Returns the number of panes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no panes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the ids of all panes, in ascending order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &PaneId> + Clone {
        self.0.keys()
    }

    /// Returns all panes, in the order of their ids.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Pane> + Clone {
        self.0.values().map(AsRef::as_ref)
    }

    /// Adds a pane.
    pub fn insert(&mut self, id: PaneId, pane: Pane) {
        self.0.insert(id, Box::new(pane));
    }

    pub(crate) fn get_mut(&mut self, id: &PaneId) -> Option<&mut Pane> {
        self.0.get_mut(id).map(AsMut::as_mut)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Pane> {
        self.0.values_mut().map(AsMut::as_mut)
    }

    pub(crate) fn remove(&mut self, id: &PaneId) -> Option<Pane> {
        self.0.remove(id).map(|pane| *pane)
    }
}

impl Index<&PaneId> for PaneMap {
    type Output = Pane;

    fn index(&self, id: &PaneId) -> &Pane {
        &self.0[id]
    }
}
