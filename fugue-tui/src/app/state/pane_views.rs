//! The client's view of panes and windows: the screens it watches, when the tree must be read again, and whose size the
//! window has.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fugue_protocol::{PaneId, SessionId, Size, Timestamp, WindowId};
use fugue_screen::{Mirror, Modes, Update};

/// Reading the tree may take one part in this many of the client's time.
const TREE_SHARE: u32 = 10;

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
}

/// Whether the tree is out of date, and when it may be read again.
#[derive(Debug, Default)]
pub(crate) struct TreeRefresh {
    stale: bool,
    not_before: Option<Instant>,
}

/// Whose size the current window has.
#[derive(Debug)]
pub(crate) struct WindowSizing {
    /// This client was the last to use the window, which therefore has this client's size.
    pub(crate) leads: bool,
    /// The other client whose size it has.
    led_by: Option<u64>,
    /// A size that was requested and is not confirmed yet.
    requested: Option<(WindowId, Size)>,
}

impl Default for WindowSizing {
    fn default() -> Self {
        Self { leads: true, led_by: None, requested: None }
    }
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
        self.sizing.requested = None;
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

impl WindowSizing {
    /// Whether to request this size for a window; a size is requested once.
    pub(crate) fn request(&mut self, window: WindowId, size: Size) -> bool {
        self.requested.replace((window, size)) != Some((window, size))
    }

    /// Notes that a window has a new size.
    pub(crate) fn confirm(&mut self, window: WindowId, size: Size) {
        self.requested.take_if(|requested| *requested == (window, size));
    }

    /// Notes that another client uses the window now.
    pub(crate) fn yield_to(&mut self, client: Option<u64>) {
        self.leads = false;
        self.led_by = client;
    }

    /// Notes that a client is gone, and returns whether the window still has its size.
    pub(crate) fn client_left(&mut self, client: u64) -> bool {
        self.led_by.take_if(|by| *by == client).is_some() && !self.leads
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

    #[test]
    fn a_window_regains_its_size_when_the_other_client_detaches() {
        let (mut sizing, window) = (WindowSizing::default(), WindowId::from_bytes([1; 16]));
        let size = Size::new(80, 24);
        assert!(sizing.request(window, size) && !sizing.request(window, size), "requested once");
        sizing.confirm(window, size);
        assert!(sizing.request(window, size));
        assert!(!sizing.client_left(7));
        sizing.yield_to(Some(7));
        assert!(!sizing.client_left(8) && sizing.client_left(7));
    }
}
