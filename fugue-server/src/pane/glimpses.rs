//! Glimpses of a pane: its title, its directory, the agent in it, what it wants a person to know. Told a few times a
//! second at most, and only on change; a pane that is silent is not looked at.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use fugue_core::agents::Front;
use fugue_protocol::PaneId;
use fugue_protocol::agents::{Evidence, EvidenceSource};
use fugue_screen::{Screen, ScreenEvent};

use super::foreground::Foreground;
use super::signs::{self, QUIET};
use crate::session::{Desk, News};

/// A pane is looked at no more often.
const GLIMPSE: Duration = Duration::from_millis(250);

/// Output that says nothing of itself is looked at a little later: a program that starts shows itself first.
const AFTER_OUTPUT: Duration = Duration::from_millis(50);

/// Notifications that wait to be told; of more, the newest.
const NOTIFICATIONS: usize = 8;

/// What was told, and when the next look is due.
pub(super) struct Glimpses {
    pane: PaneId,
    title: String,
    cwd: Option<String>,
    seen: (Front, Vec<Evidence>),
    /// The program said something of itself that was not told yet.
    news: bool,
    rang: bool,
    notifications: VecDeque<(String, String)>,
    /// Since when there is output that was not looked at.
    unseen: Option<Instant>,
    /// When the pane will have been quiet, if that counts as a sign.
    quiet_at: Option<Instant>,
    looked: Option<Instant>,
    begun: Instant,
    /// Who said how it is doing.
    speaker: Option<Foreground>,
}

/// What a look is taken at.
pub(super) struct View<'a> {
    pub(super) screen: &'a mut Screen,
    pub(super) terminal: BorrowedFd<'a>,
    pub(super) pid: u32,
    pub(super) written: Instant,
}

impl Glimpses {
    pub(super) fn new(pane: PaneId) -> Self {
        let begun = Instant::now();
        Self {
            pane,
            title: String::new(),
            cwd: None,
            seen: (Front::Hidden, Vec::new()),
            news: true,
            rang: false,
            notifications: VecDeque::new(),
            unseen: None,
            quiet_at: None,
            looked: None,
            begun,
            speaker: None,
        }
    }

    /// Takes note; it is told at once, or when enough time has passed since the last time.
    pub(super) fn note(&mut self, notice: ScreenEvent, terminal: BorrowedFd<'_>, pid: u32) {
        match notice {
            ScreenEvent::Bell => self.rang = true,
            ScreenEvent::Notification { title, body } => {
                if self.notifications.len() == NOTIFICATIONS {
                    self.notifications.pop_front();
                }
                self.notifications.push_back((title, body));
            }
            ScreenEvent::ProgramStatus(_) | ScreenEvent::Progress(_) => {
                self.speaker = Some(Foreground::of(terminal, pid));
            }
            ScreenEvent::Title(_) | ScreenEvent::Cwd(_) => {}
            _ => return,
        }
        self.news = true;
    }

    /// The program wrote something.
    pub(super) fn wrote(&mut self, now: Instant) {
        self.unseen.get_or_insert(now);
    }

    /// When the next look is due.
    pub(super) fn due(&self) -> Option<Instant> {
        let next = self.looked.map_or(self.begun, |looked| looked + GLIMPSE);
        let news = self.news.then_some(next);
        let output = self.unseen.map(|since| next.max(since + AFTER_OUTPUT));
        [news, output, self.quiet_at].into_iter().flatten().min()
    }

    /// Looks, if it is time, and tells the manager what is new.
    pub(super) async fn tell(&mut self, view: View<'_>, desk: &Desk, now: Instant) {
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        (self.looked, self.unseen, self.news) = (Some(now), None, false);
        for news in self.look(view, now) {
            let _ = desk.send(news).await;
        }
    }

    fn look(&mut self, view: View<'_>, now: Instant) -> Vec<News> {
        let pane = self.pane;
        let foreground = Foreground::of(view.terminal, view.pid);
        self.hear_silence(view.screen, foreground);
        let mut news: Vec<_> =
            std::mem::take(&mut self.rang).then_some(News::Rang { pane }).into_iter().collect();
        let notified = self.notifications.drain(..);
        news.extend(notified.map(|(title, body)| News::Notified { pane, title, body }));
        if self.title != view.screen.title() {
            view.screen.title().clone_into(&mut self.title);
            news.push(News::Titled { pane, title: self.title.clone() });
        }
        let said = view.screen.cwd().map(str::to_owned);
        let cwd = said.or_else(|| foreground.directory().map(|cwd| crate::environment::text(&cwd)));
        if cwd.is_some() && self.cwd != cwd {
            self.cwd.clone_from(&cwd);
            news.extend(cwd.map(|cwd| News::WentTo { pane, cwd }));
        }
        let seen = signs::signs(view.screen, foreground.front(view.pid), view.written, now);
        let guessed = seen.1.iter().any(|sign| sign.source == EvidenceSource::Quiescence);
        self.quiet_at = Some(view.written + QUIET).filter(|quiet| guessed && *quiet > now);
        if self.seen != seen {
            self.seen.clone_from(&seen);
            news.push(News::Seen { pane, front: seen.0, signs: seen.1 });
        }
        news
    }

    /// A program that said how it is doing and is gone is doing nothing any more.
    fn hear_silence(&mut self, screen: &mut Screen, foreground: Foreground) {
        if screen.statuses().next().is_none() {
            return;
        }
        let speaker = *self.speaker.get_or_insert(foreground);
        if speaker != foreground && speaker.is_gone() {
            screen.end_activity();
            self.speaker = None;
        }
    }
}
