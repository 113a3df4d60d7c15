//! Calls that an earlier daemon had begun when it was killed. Their callers repeat them, and find the programs that were
//! started; panes of calls that were answered, or are not repeated, are closed.

use std::time::Duration;

use fugue_core::Input;
use fugue_core::world::Pane;
use serde_json::Value;

use crate::session::manager::Manager;
use crate::session::manager_inputs::ManagerInput;
use crate::session::storage::batch::Batch;
use crate::tasks;

/// How long callers have to repeat a call. They connect again at once; a machine under load may take a while.
pub(super) const RETRY_TIME: Duration = Duration::from_secs(30);

impl Manager {
    /// Closes the panes of calls whose answer was stored, and so may have been sent, before the daemon was killed.
    pub(crate) fn release_answered(&mut self, batch: &mut Batch) {
        let world = self.machine.world();
        let answered = world.panes.values().filter(|pane| self.has_final_answer(pane));
        let inputs = answered.map(|pane| match pane.lent {
            true => Input::PanesReleased { panes: vec![pane.id] },
            false => Input::ResultDelivered { pane: pane.id },
        });
        let inputs: Vec<_> = inputs.collect();
        inputs.into_iter().for_each(|input| self.handle(input, batch));
    }

    /// Whether the call that started a pane's program was answered, and the answer promised that the pane is closed.
    fn has_final_answer(&self, pane: &Pane) -> bool {
        let key = pane.started_by.as_ref().map(|by| by.key.as_str());
        let answer = key.and_then(|key| self.host.context.answers.get(key));
        let answer = answer.and_then(|answer| serde_json::from_str::<Value>(answer.get()).ok());
        answer.is_some_and(|answer| pane.lent || answer["pane_closed"] == true)
    }

    /// Has the panes of calls that are not repeated in time closed.
    pub(crate) fn await_retries(&self) {
        let left: Vec<_> =
            self.machine.world().panes.values().filter(|pane| pane.lent).map(|pane| pane.id).collect();
        if left.is_empty() {
            return;
        }
        let manager = self.sender();
        tasks::spawn_local(async move {
            tokio::time::sleep(RETRY_TIME).await;
            let _ = manager.send(ManagerInput::Machine(Input::RetriesOver { left })).await;
        });
    }
}
