//! What the daemon says.

use fugue_client::{Heard, Trouble};
use fugue_protocol::events::Told;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{ListSessions, SubscribeEvents};
use fugue_protocol::views::SessionList;
use fugue_protocol::{Event, PaneId};
use fugue_screen::Update;
use serde_json::value::RawValue;

use super::App;
use super::daemon::Why;

impl App {
    /// Asks for everything a client must know: events first, so that nothing is missed between.
    pub(super) fn greet(&mut self) {
        self.daemon.ask(Why::Listen, &SubscribeEvents { since: None });
        self.daemon.ask(Why::Tree, &ListSessions {});
    }

    pub(super) fn read_daemon(&mut self) {
        match self.daemon.hear() {
            Ok(heard) => heard.into_iter().for_each(|heard| self.heard(heard)),
            Err(Trouble::Lost(_)) => self.lost(),
            Err(trouble) => self.farewell = Some(Err(trouble)),
        }
    }

    fn lost(&mut self) {
        self.daemon.lost();
        self.watched.clear();
        self.asked_size = None;
        self.dirty = true;
        // Said at once: a new daemon may be there before the next turn.
        self.draw();
    }

    pub(super) fn reconnect(&mut self) {
        if self.daemon.look() {
            self.greet();
        }
    }

    fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Answer(id, answer) => {
                if let Some(why) = self.daemon.answered(id) {
                    self.answered(why, answer);
                }
            }
            Heard::Event(told) => self.happened(*told),
            Heard::Screen(pane, update) => self.changed(pane, &update),
            Heard::Notice(refused) => self.say(refused.message),
        }
    }

    fn answered(&mut self, why: Why, answer: Result<Box<RawValue>, Refused>) {
        match (why, answer) {
            (Why::Tree, Ok(reply)) => self.grown(&reply),
            (Why::Paste, answer) => self.pasted(answer.err()),
            (Why::Past(pane, then), Ok(reply)) => self.looked_back(pane, then, &reply),
            (Why::Command | Why::Listen | Why::Tree | Why::Past(..), Err(refused)) => self.refused(&refused),
            (Why::Watch(pane), Err(_)) => drop(self.watched.remove(&pane)),
            (Why::Quiet | Why::Command | Why::Listen | Why::Watch(_), _) => {}
        }
    }

    fn refused(&mut self, refused: &Refused) {
        let hint = refused.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
        self.say(format!("{}{hint}", refused.message));
    }

    fn grown(&mut self, reply: &RawValue) {
        let Ok(list) = serde_json::from_str::<SessionList>(reply.get()) else { return };
        self.tree.replace(list.sessions);
        if self.tree.session().is_none() {
            return self.leave("[the session has ended]");
        }
        self.settle();
        self.dirty = true;
        if std::mem::take(&mut self.stale) {
            self.look_again();
        }
    }

    fn happened(&mut self, told: Told) {
        match told.event {
            Event::PaneTitled { pane, title } => {
                self.tree.retitle(pane, &title);
                self.dirty = true;
                return;
            }
            Event::PaneWentTo { .. }
            | Event::PaneRang { .. }
            | Event::PaneNotified { .. }
            | Event::AgentSeen { .. } => return,
            Event::PaneRespawned(respawned) => drop(self.watched.remove(&respawned.pane)),
            Event::WindowResized { window, size } => self.someone_resized(window, size),
            _ => {}
        }
        self.look_again();
    }

    /// The tree is no longer as it was told. It is asked for once, however much happens meanwhile.
    fn look_again(&mut self) {
        if !self.daemon.has_asked(Why::Tree) {
            self.daemon.ask(Why::Tree, &ListSessions {});
        } else {
            self.stale = true;
        }
    }

    fn changed(&mut self, pane: PaneId, update: &[u8]) {
        if let Ok(update) = Update::decode(update)
            && self.watched.contains(&pane)
        {
            self.mirrors.entry(pane).or_default().apply(&update);
            self.dirty = true;
        }
    }
}
