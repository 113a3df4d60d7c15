//! What a program says of itself in passing: its title, its directory. Told a few times a second at most, and only on change.

use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_screen::Notice;

use crate::session::{Desk, News};

/// A title or directory is told at most so often.
const GLIMPSE: Duration = Duration::from_millis(250);

/// What the program says of itself, and when that may be told next.
pub(super) struct Glimpses {
    title: Option<String>,
    cwd: Option<String>,
    told: Option<Instant>,
    begun: Instant,
}

impl Glimpses {
    pub(super) fn new() -> Self {
        Self { title: None, cwd: None, told: None, begun: Instant::now() }
    }

    /// Takes note; it is told at once, or when enough time has passed since the last time.
    pub(super) fn note(&mut self, notice: Notice) {
        match notice {
            Notice::Title(title) => self.title = Some(title),
            Notice::Cwd(cwd) => self.cwd = Some(cwd),
            _ => {}
        }
    }

    /// When there is something to tell.
    pub(super) fn due(&self) -> Option<Instant> {
        let news = self.title.is_some() || self.cwd.is_some();
        news.then(|| self.told.map_or(self.begun, |told| told + GLIMPSE))
    }

    /// Tells the manager, if it is time.
    pub(super) async fn tell(&mut self, pane: PaneId, desk: &Desk, now: Instant) {
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        self.told = Some(now);
        if let Some(title) = self.title.take() {
            let _ = desk.send(News::Titled { pane, title }).await;
        }
        if let Some(cwd) = self.cwd.take() {
            let _ = desk.send(News::WentTo { pane, cwd }).await;
        }
    }
}
