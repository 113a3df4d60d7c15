//! Views back that stay in panes without the keyboard, as in tmux: each pane has its own, and shows it until it is
//! closed there.

use fugue_protocol::PaneId;

use super::App;
use crate::copy_mode::CopyMode;
use crate::overlays::Overlay;

/// Left open at once: each holds its pane's history. Who opens more finds the oldest closed.
const KEPT: usize = 16;

/// Views back, the one that was left last at the end.
#[derive(Default)]
pub(super) struct CopyViews(Vec<CopyMode>);

impl CopyViews {
    fn put(&mut self, copy: CopyMode) {
        self.0.retain(|other| other.pane != copy.pane);
        self.0.push(copy);
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    fn take(&mut self, pane: PaneId) -> Option<CopyMode> {
        let at = self.0.iter().position(|copy| copy.pane == pane)?;
        Some(self.0.remove(at))
    }

    pub(super) fn has(&self, pane: PaneId) -> bool {
        self.0.iter().any(|copy| copy.pane == pane)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &CopyMode> {
        self.0.iter()
    }
}

impl App {
    /// Something lies over the panes now. A view back that had the keyboard waits in its pane; one that goes away by
    /// itself does so now.
    pub(super) fn cover(&mut self, layer: Overlay) {
        let pane = if let Overlay::Copy(copy) = &layer { Some(copy.pane) } else { None };
        if let Some(Overlay::Copy(copy)) = self.layer.replace(layer)
            && Some(copy.pane) != pane
            && !copy.fleeting
        {
            self.pasts.put(*copy);
        }
        self.layer_until = None;
        self.dirty = true;
    }

    /// A view back goes where its pane goes: it has the keyboard when that has it, and else waits. What the wheel opened
    /// stays as long as it is seen, and is closed then.
    pub(super) fn follow_keyboard(&mut self) {
        let here = self.keyboard().map(|(pane, _)| pane);
        let seen = |copy: &CopyMode| self.tree.seen().iter().any(|pane| pane.pane_id == copy.pane);
        let leaves = |layer: &mut Overlay| match layer {
            Overlay::Copy(copy) => Some(copy.pane) != here && !(copy.fleeting && seen(copy)),
            _ => false,
        };
        if let Some(Overlay::Copy(copy)) = self.layer.take_if(leaves) {
            self.dirty = true;
            if !copy.fleeting {
                self.pasts.put(*copy);
            }
        }
        if self.layer.is_none()
            && let Some(copy) = here.and_then(|pane| self.pasts.take(pane))
        {
            self.layer = Some(Overlay::Copy(Box::new(copy)));
            self.dirty = true;
        }
    }

    /// Views back have the size of their panes.
    pub(super) fn fit_pasts(&mut self) {
        let size = |pane: PaneId| self.tree.find_pane(pane).map(|pane| pane.place.size());
        let past = if let Some(Overlay::Copy(copy)) = &mut self.layer { Some(&mut **copy) } else { None };
        for copy in self.pasts.0.iter_mut().chain(past) {
            size(copy.pane).into_iter().for_each(|size| copy.resize(size));
        }
    }

    /// What is looked back at may be gone.
    pub(super) fn forget_pasts(&mut self) {
        let tree = &self.tree;
        self.pasts.0.retain(|copy| tree.find_pane(copy.pane).is_some());
        if self
            .layer
            .take_if(|layer| layer.past().is_some_and(|pane| tree.find_pane(pane).is_none()))
            .is_some()
        {
            self.say("the pane that was looked back at is closed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::Size;

    #[test]
    fn the_oldest_view_back_gives_way_when_there_are_too_many() {
        let view =
            |number: u8| CopyMode::new(PaneId::from_bytes([number; 16]), "text", Size::new(10, 2), None);
        let mut pasts = CopyViews::default();
        (0..=KEPT as u8).for_each(|number| pasts.put(view(number)));
        pasts.put(view(1));
        assert_eq!(pasts.iter().count(), KEPT);
        assert!(!pasts.has(PaneId::from_bytes([0; 16])) && pasts.has(PaneId::from_bytes([1; 16])));
        assert!(pasts.take(PaneId::from_bytes([1; 16])).is_some() && !pasts.has(PaneId::from_bytes([1; 16])));
    }
}
