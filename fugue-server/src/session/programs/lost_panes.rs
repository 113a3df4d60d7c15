//! Panes whose programs were lost: they show their last screen, what still runs of them is looked for, and their programs
//! are started again if the user wants that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use fugue_config::RestorePrograms;
use fugue_core::{Caller, Input};
use fugue_protocol::verbs::RestorePanes;
use fugue_protocol::views::Survivor;
use fugue_protocol::{PaneId, Size, Verb};

use crate::pane::{self, PaneHandle};
use crate::processes::survivors;
use crate::session::manager::Manager;
use crate::session::manager_inputs::{ManagerInput, ManagerTx};
use crate::session::storage::batch::Batch;
use crate::tasks;
use crate::{clock, last_screens};

/// How long processes that got the hangup may take to end before they count as survivors.
const DYING: Duration = Duration::from_secs(1);

impl Manager {
    /// Shows the last screens of lost panes, and starts their programs again if the user wants that.
    pub(crate) async fn show_lost(&mut self, state: &Path) {
        let lost = self.lost_panes();
        for pane in &lost {
            self.show_last_screen(*pane, state);
        }
        self.host.context.screens.retain(self.machine.world().panes.keys().copied().collect());
        self.host.context.screens.set_on(self.host.config.daemon.save_screens);
        if lost.is_empty() {
            return;
        }
        if self.host.config.daemon.restore_programs == RestorePrograms::Never {
            tasks::spawn_local(report_survivors(lost, self.sender()));
            return;
        }
        // What still runs must not be started a second time.
        let mut batch = Batch::default();
        self.handle(Input::SurvivorsFound { found: living_survivors(lost).await }, &mut batch);
        self.commit(batch).await;
        self.restore_programs().await;
    }

    /// Looks for what still runs of lost panes before a request to restore them is decided. Returns any other input.
    pub(crate) fn find_survivors_first(&self, input: ManagerInput) -> Option<ManagerInput> {
        let restores =
            matches!(&input, ManagerInput::Request { verb, .. } if matches!(**verb, Verb::RestorePanes(_)));
        let lost = self.lost_panes();
        if !restores || lost.is_empty() {
            return Some(input);
        }
        let manager = self.sender();
        tasks::spawn_local(async move {
            report_survivors(lost, manager.clone()).await;
            let _ = manager.send(ManagerInput::Prepared(Box::new(input))).await;
        });
        None
    }

    fn lost_panes(&self) -> BTreeSet<PaneId> {
        let panes = self.machine.world().panes.values();
        panes.filter(|pane| pane.life == fugue_core::world::PaneLife::Lost).map(|pane| pane.id).collect()
    }

    fn show_last_screen(&mut self, id: PaneId, state: &Path) {
        let Some(screen) = last_screens::load(state, id) else { return };
        let size: Size = self.machine.world().place_of(id).size();
        match pane::show_lost(id, size, screen, self.pane_context()) {
            Ok(pane) => self.panes.insert(id, pane),
            Err(why) => tracing::warn!("Cannot show the last screen of pane {id}: {why}"),
        }
    }

    /// Starts lost programs again, as the setting says. Nobody waits for the reply.
    async fn restore_programs(&mut self) {
        let shells = match self.host.config.daemon.restore_programs {
            RestorePrograms::Never => return,
            RestorePrograms::Shells => true,
            RestorePrograms::All => false,
        };
        let verb = RestorePanes { all: true, shells, ..RestorePanes::default() }.into();
        let ticket = self.requests.unanswered();
        let mut batch = Batch::default();
        let request =
            Input::Request { ticket, verb: Box::new(verb), caller: Caller::Outside, seed: clock::seed() };
        self.handle(request, &mut batch);
        self.commit(batch).await;
    }

    /// The processes of lost panes that still run, one sentence each.
    pub(crate) fn survivor_warnings(&self) -> Vec<String> {
        let panes = self.machine.world().panes.values();
        let survivors = panes.flat_map(|pane| pane.survivors.iter().map(move |survivor| (pane.id, survivor)));
        let alive = survivors.filter(|(pane, survivor)| survivors::is_alive(*pane, survivor));
        alive
            .map(|(pane, survivor)| {
                format!("{survivor} from pane {pane} is still running without a terminal")
            })
            .collect()
    }

    /// Saves all screens, then ends this process: the machine probably shuts down. A keeper that is still there starts
    /// another daemon.
    pub(crate) fn terminate(&mut self) {
        self.lifecycle.is_terminating = true;
        self.panes.all().for_each(PaneHandle::save_screen);
        let screens = self.host.context.screens.clone();
        tasks::spawn_local(async move {
            // Each pane's task has its turn, and hands over its screen.
            tokio::task::yield_now().await;
            screens.drained().await;
            tracing::info!("Terminated by a signal");
            std::process::exit(128 + signal_hook::consts::SIGTERM);
        });
    }
}

/// Looks for processes of lost panes on another thread, and reports them.
async fn report_survivors(lost: BTreeSet<PaneId>, manager: ManagerTx) {
    let found = living_survivors(lost).await;
    let _ = manager.send(ManagerInput::Machine(Input::SurvivorsFound { found })).await;
}

/// The processes of each lost pane that still run; none for a pane of which nothing does.
async fn living_survivors(lost: BTreeSet<PaneId>) -> Vec<(PaneId, Vec<Survivor>)> {
    let scanned = lost.clone();
    let scan = tokio::task::spawn_blocking(move || survivors::find(&scanned));
    let mut found = BTreeMap::from_iter(scan.await.unwrap_or_default());
    if !found.is_empty() {
        tokio::time::sleep(DYING).await;
    }
    for (pane, survivors) in &mut found {
        survivors.retain(|survivor| survivors::is_alive(*pane, survivor));
    }
    lost.into_iter().map(|pane| (pane, found.remove(&pane).unwrap_or_default())).collect()
}
