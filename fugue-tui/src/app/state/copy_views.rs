//! Copy modes of panes without the keyboard: as in tmux, each pane has its own and shows it until it is closed there.

use fugue_protocol::PaneId;

use crate::copy_mode::CopyMode;

/// How many stay open: each holds its pane's history. Beyond this the oldest is closed.
const MAX_OPEN: usize = 16;

/// Copy modes that wait in their panes, the one that was left last at the end.
#[derive(Default)]
pub(crate) struct CopyViews(Vec<CopyMode>);

impl CopyViews {
    pub(crate) fn push(&mut self, copy: CopyMode) {
        self.0.retain(|other| other.pane != copy.pane);
        self.0.push(copy);
        if self.0.len() > MAX_OPEN {
            self.0.remove(0);
        }
    }

    pub(crate) fn take(&mut self, pane: PaneId) -> Option<CopyMode> {
        let at = self.0.iter().position(|copy| copy.pane == pane)?;
        Some(self.0.remove(at))
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(PaneId) -> bool) {
        self.0.retain(|copy| keep(copy.pane));
    }

    pub(crate) fn has(&self, pane: PaneId) -> bool {
        self.0.iter().any(|copy| copy.pane == pane)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &CopyMode> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut CopyMode> {
        self.0.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::Size;

    #[test]
    fn the_oldest_copy_mode_view_is_closed_when_there_are_too_many() {
        let view =
            |number: u8| CopyMode::new(PaneId::from_bytes([number; 16]), "text", Size::new(10, 2), None);
        let mut views = CopyViews::default();
        (0..=MAX_OPEN as u8).for_each(|number| views.push(view(number)));
        views.push(view(1));
        assert_eq!(views.iter().count(), MAX_OPEN);
        assert!(!views.has(PaneId::from_bytes([0; 16])) && views.has(PaneId::from_bytes([1; 16])));
        assert!(views.take(PaneId::from_bytes([1; 16])).is_some() && !views.has(PaneId::from_bytes([1; 16])));
    }
}
