//! Notes of each pane's title, directory and agent, which outlive its program. They change too often to be stored each
//! time (an agent's title may be a spinner), and a checkpoint of the world alone may be hours old. So they are stored a
//! moment after a change, but at most every few seconds for each pane.

use std::collections::BTreeMap;

use fugue_protocol::{Event, PaneId, Timestamp};

use crate::world::{Pane, PaneNote, World};

/// The delay after a change: title and directory often change together.
const DELAY_MS: u64 = 1_000;

/// The least time between two notes of a pane: a hundred panes with spinners make ten small writes a second.
const INTERVAL_MS: u64 = 10_000;

/// The times of notes by pane. A pane that is gone is removed with the next note.
#[derive(Debug, Default)]
pub(crate) struct PaneNotes(BTreeMap<PaneId, NoteTimes>);

#[derive(Debug, Default)]
struct NoteTimes {
    last: Option<Timestamp>,
    due: Option<Timestamp>,
}

impl PaneNotes {
    /// Takes note that these events may have changed what is to be noted.
    pub(crate) fn watch(&mut self, events: &[Event], now: Timestamp) {
        for event in events {
            if let Event::PaneTitled { pane, .. }
            | Event::PaneWentTo { pane, .. }
            | Event::AgentStateChanged { pane, .. } = event
            {
                let times = self.0.entry(*pane).or_default();
                let soon = now.millis() + DELAY_MS;
                let due = times.last.map_or(soon, |last| soon.max(last.millis() + INTERVAL_MS));
                times.due.get_or_insert(Timestamp::from_millis(due));
            }
        }
    }

    /// When the next note is due.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.0.values().filter_map(|times| times.due).min()
    }

    /// The notes that are due. Only running programs change what is noted.
    pub(crate) fn due(&mut self, world: &World, now: Timestamp) -> Vec<Event> {
        if self.next().is_none_or(|due| due > now) {
            return Vec::new();
        }
        self.0.retain(|pane, _| world.panes.contains_key(pane));
        let mut events = Vec::new();
        for (pane, times) in &mut self.0 {
            if times.due.is_some_and(|due| due <= now) {
                times.due = None;
                let note = world.panes.get(pane).filter(|pane| pane.run().is_some()).and_then(note);
                times.last = note.is_some().then_some(now).or(times.last);
                events.extend(note);
            }
        }
        events
    }

    /// The last notes may not have been stored: they are made again unless the world has them.
    pub(crate) fn repeat(&mut self) {
        self.0.values_mut().for_each(|times| times.due = times.due.or(times.last));
    }
}

/// The note of a pane, if it differs from the last one. Before the first one, nothing is known of a pane.
pub(crate) fn note(pane: &Pane) -> Option<Event> {
    let current = PaneNote::new(&pane.title, pane.cwd.as_deref(), pane.agent.view.as_ref());
    let is_new = match &pane.noted {
        Some(noted) => *noted != current,
        None => current != PaneNote::new("", None, None),
    };
    is_new.then(|| Event::PaneNoted {
        pane: pane.id,
        title: pane.title.clone(),
        cwd: pane.cwd.clone(),
        agent: pane.agent.view.clone(),
    })
}
