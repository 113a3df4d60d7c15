//! The screens of the panes that the client watches.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::{PaneId, SessionId, Timestamp};
use fugue_screen::{Mirror, Modes, Update};

use super::new_program::NewProgram;
use super::tree_refresh::TreeRefresh;
use super::window_size::WindowSizing;

/// What the client sees of the daemon's panes and windows.
#[derive(Default)]
pub(crate) struct PaneViews {
    pub(crate) mirrors: BTreeMap<PaneId, Mirror>,
    /// Panes whose screens were requested.
    watched: BTreeSet<PaneId>,
    pub(crate) refresh: TreeRefresh,
    pub(crate) sizing: WindowSizing,
    /// When a pane was last closed.
    pub(crate) closed_at: Option<Timestamp>,
    /// A new session that is shown as soon as the tree lists it.
    pub(crate) new_session: Option<SessionId>,
    /// The program that this client started last, while it may still end at once.
    pub(crate) new_program: Option<NewProgram>,
}

impl PaneViews {
    /// The modes of a pane's terminal; the defaults where it was not seen yet.
    pub(crate) fn modes(&self, pane: PaneId) -> Modes {
        self.mirrors.get(&pane).map(|mirror| mirror.modes).unwrap_or_default()
    }

    /// Whether a pane is watched but was not seen yet: nobody knows how its program wants its keys.
    pub(crate) fn is_unseen(&self, pane: PaneId) -> bool {
        self.watched.contains(&pane) && !self.mirrors.contains_key(&pane)
    }

    /// Watches these panes and no others. Returns the panes to start watching and those to stop watching.
    pub(crate) fn watch(&mut self, visible: BTreeSet<PaneId>) -> (Vec<PaneId>, Vec<PaneId>) {
        let start = visible.difference(&self.watched).copied().collect();
        let stop = self.watched.difference(&visible).copied().collect();
        self.mirrors.retain(|pane, _| visible.contains(pane));
        self.watched = visible;
        (start, stop)
    }

    /// Forgets that a pane is watched: it must be requested again.
    pub(crate) fn unwatch(&mut self, pane: PaneId) {
        self.watched.remove(&pane);
    }

    /// Forgets all requests, because the connection on which they were made is gone.
    pub(crate) fn forget_requests(&mut self) {
        self.watched.clear();
        self.sizing.forget_request();
    }

    /// Applies an update of a watched pane's screen. Returns whether everything must be drawn again, or `None` for a
    /// pane that is not watched.
    pub(crate) fn update(&mut self, pane: PaneId, update: &Update) -> Option<bool> {
        self.watched.contains(&pane).then(|| {
            let mirror = self.mirrors.entry(pane).or_default();
            // Reverse video and changed colors affect all rows at once.
            let reversed = mirror.modes.reverse_video() != update.modes.reverse_video();
            let recolored = update.colors.as_ref().is_some_and(|own| *own != mirror.colors);
            let all = mirror.size != update.size || reversed || recolored;
            mirror.apply(update);
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    #[test]
    fn only_what_is_visible_is_watched() {
        let mut views = PaneViews::default();
        assert_eq!(views.watch([pane(1), pane(2)].into()), (vec![pane(1), pane(2)], vec![]));
        assert!(views.is_unseen(pane(1)) && !views.is_unseen(pane(3)));
        assert_eq!(views.watch([pane(2), pane(3)].into()), (vec![pane(3)], vec![pane(1)]));
        views.forget_requests();
        assert_eq!(views.watch([pane(2)].into()), (vec![pane(2)], vec![]), "all over again");
    }
}
