//! Git locations of panes: when repositories are looked up, and which requests wait for that.

use fugue_core::Input;
use fugue_protocol::agent_messages::{RemoteTarget, Target};
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{Event, PaneId, Verb};

use crate::pane::PaneHandle;
use crate::session::manager::Manager;
use crate::session::manager_inputs::ManagerInput;
use crate::session::storage::batch::Batch;

impl Manager {
    /// Looks up all panes before a request whose meaning depends on their locations. Returns the input, to be handled
    /// now, if it does not depend on them or the lookup queue is full.
    pub(crate) fn look_up_first(&mut self, input: ManagerInput) -> Option<ManagerInput> {
        let ManagerInput::Request { verb, .. } = &input else { return Some(input) };
        if !needs_locations(verb) {
            // A list shows what is known now; anything newer follows as an event.
            if matches!(**verb, Verb::ListSessions(_)) {
                self.git.look_up_all(|| self.panes.directories());
            }
            return Some(input);
        }
        self.git.look_up_before(self.panes.directories(), input)
    }

    /// Looks up a pane whose directory an event has set.
    pub(crate) fn look_up_after(&self, event: &Event) {
        let pane = match event {
            Event::PaneOpened(opened) => opened.pane,
            Event::PaneRespawned(respawned) => respawned.pane,
            Event::PaneWentTo { pane, .. } => *pane,
            _ => return,
        };
        self.look_up(pane);
    }

    /// Looks up a pane.
    pub(crate) fn look_up(&self, id: PaneId) {
        let recorded = || self.machine.world().panes.get(&id)?.cwd().map(Into::into);
        if let Some(directory) = self.panes.get(id).and_then(PaneHandle::directory).or_else(recorded) {
            self.git.look_up(vec![(id, directory)]);
        }
    }

    /// Reports locations that changed to the machine.
    pub(crate) fn located(&mut self, locations: Vec<(PaneId, Option<GitLocation>)>, batch: &mut Batch) {
        for (pane, place) in locations {
            let known = self.machine.world().panes.get(&pane);
            if known.is_some_and(|known| known.place.as_deref() != place.as_ref()) {
                self.handle(Input::Located { pane, place }, batch);
            }
        }
    }
}

/// Whether the meaning of a request depends on the locations of panes.
fn needs_locations(verb: &Verb) -> bool {
    match verb {
        Verb::Broadcast(_) => true,
        Verb::SendOrchestration(send) => {
            matches!(send.target, Some(Target::Broadcast | Target::Worktree(_) | Target::OnAllHosts(_)))
        }
        // A message from another host may be for a repository.
        Verb::DeliverRemote(deliver) => {
            let mut messages = deliver.messages.iter();
            messages.any(|message| matches!(message.to, RemoteTarget::Repository(_)))
        }
        _ => false,
    }
}
