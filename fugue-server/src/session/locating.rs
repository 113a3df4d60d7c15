//! Where sessions work: when it is looked up, and for whom that is waited for.

use fugue_core::Input;
use fugue_protocol::orchestration::{GitLocation, Target};
use fugue_protocol::{Event, PaneId, Verb};

use super::turn::Turn;
use super::{Manager, News};
use crate::pane::Pane;
use crate::repository::Look;

impl Manager {
    /// Looks where everybody works before a verb that depends on it is decided; gives the news back to be taken now
    /// when it does not, or when there is no room for another look.
    pub(super) fn look_first(&mut self, news: News) -> Option<News> {
        let News::Request { verb, .. } = &news else { return Some(news) };
        if !needs_places(verb) {
            // Whoever looks at the list sees what is known; what is newer comes as an event.
            if matches!(**verb, Verb::ListSessions(_)) {
                self.look_around();
            }
            return Some(news);
        }
        let look = Look { panes: self.directories(), then: Some(Box::new(news)) };
        self.surveyor.look(look).err().and_then(|look| look.then).map(|news| *news)
    }

    /// Looks where everybody is, unless that was done a moment ago.
    fn look_around(&mut self) {
        if self.looked_around.is_none_or(|at| at.elapsed() > crate::repository::FRESH) {
            self.looked_around = Some(std::time::Instant::now());
            let _ = self.surveyor.look(Look { panes: self.directories(), then: None });
        }
    }

    fn directories(&self) -> Vec<(PaneId, std::path::PathBuf)> {
        self.panes.iter().filter_map(|(id, pane)| Some((*id, pane.directory()?))).collect()
    }

    /// Looks where a pane is, when it has just come to be somewhere.
    pub(super) fn look_after(&self, event: &Event) {
        let pane = match event {
            Event::PaneOpened(opened) => opened.pane,
            Event::PaneRespawned(respawned) => respawned.pane,
            Event::PaneWentTo { pane, .. } => *pane,
            _ => return,
        };
        self.look_at(pane);
    }

    /// Looks where a pane is.
    pub(super) fn look_at(&self, id: PaneId) {
        let known = || self.machine.world().panes.get(&id)?.cwd().map(Into::into);
        if let Some(directory) = self.panes.get(&id).and_then(Pane::directory).or_else(known) {
            let _ = self.surveyor.look(Look { panes: vec![(id, directory)], then: None });
        }
    }

    pub(super) fn located(&mut self, places: Vec<(PaneId, Option<GitLocation>)>, turn: &mut Turn) {
        for (pane, place) in places {
            let known = self.machine.world().panes.get(&pane);
            if known.is_some_and(|known| known.place != place) {
                self.put(Input::Located { pane, place }, turn);
            }
        }
    }
}

/// Whether a verb's meaning depends on who works where.
fn needs_places(verb: &Verb) -> bool {
    match verb {
        Verb::Broadcast(_) => true,
        Verb::SendOrchestration(send) => {
            matches!(send.target, Some(Target::Broadcast | Target::Worktree(_)))
        }
        _ => false,
    }
}
