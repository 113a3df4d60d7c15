//! When a pane's screen is saved to disk: a moment after it changed, but seldom enough that a busy pane does not keep the disk
//! busy.

use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_screen::Screen;

use crate::last_screens::LastScreens;

/// The delay after a change: output comes in bursts.
const DELAY: Duration = Duration::from_secs(1);

/// The least time between two saves of a pane. What a reboot can lose is at most this old; a pane that writes all the
/// time costs the disk 26 KB a second at most.
const INTERVAL: Duration = Duration::from_secs(10);

/// When a pane's screen was saved, and when it is to be saved next.
pub(crate) struct ScreenSaveSchedule {
    pane: PaneId,
    files: LastScreens,
    /// The revision that was saved; none before the first save.
    saved: Option<u64>,
    last: Option<Instant>,
    due: Option<Instant>,
}

impl ScreenSaveSchedule {
    /// The saving of a pane's screen, of which a revision may be on disk already.
    pub(crate) fn new(pane: PaneId, files: LastScreens) -> Self {
        Self { pane, files, saved: None, last: None, due: None }
    }

    /// When the screen is to be saved.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Saves the screen if it is time.
    pub(crate) fn save_if_due(&mut self, screen: &Screen, now: Instant) {
        match self.due {
            Some(due) if due <= now => self.save(screen, now),
            None if self.saved != Some(screen.revision()) => {
                self.due = Some(self.last.map_or(now + DELAY, |last| (now + DELAY).max(last + INTERVAL)));
            }
            _ => {}
        }
    }

    /// Saves the screen now, unless it is on disk. If the disk is too slow to take it, it is saved later.
    pub(crate) fn save(&mut self, screen: &Screen, now: Instant) {
        (self.due, self.last) = (None, Some(now));
        if self.saved != Some(screen.revision()) && self.files.save(self.pane, screen) {
            self.saved = Some(screen.revision());
        }
    }

    /// Takes the screen as saved: it was read from disk.
    pub(crate) fn is_saved(&mut self, screen: &Screen) {
        self.saved = Some(screen.revision());
    }
}
