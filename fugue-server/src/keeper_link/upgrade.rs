//! The upgrade of the keeper, as the daemon requests it.

use std::path::PathBuf;

use tokio::sync::oneshot;

use super::orders::KeeperEvent;
use super::task::{KeeperTask, LinkProgress};
use super::unsent_orders::UnsentOrder;

/// The first version of the keeper that can be upgraded.
const UPGRADES: u16 = 3;

impl<F, T> KeeperTask<F>
where
    F: Fn(KeeperEvent) -> T,
    T: Future<Output = bool>,
{
    /// Answers at once if the keeper cannot be upgraded.
    pub(super) fn begin_upgrade(
        &mut self,
        binary: PathBuf,
        done: oneshot::Sender<Result<(), String>>,
    ) -> Option<UnsentOrder> {
        if self.keeper_version < UPGRADES {
            let _ = done.send(Err("this version of the keeper cannot be upgraded".into()));
            return None;
        }
        if self.upgrade.is_some() || self.keeper.is_none() {
            let _ = done.send(Err("the keeper is being replaced; try again".into()));
            return None;
        }
        self.upgrade = Some(done);
        Some(UnsentOrder::Upgrade(self.successor.next_image(binary)))
    }

    /// Answers the request to upgrade the keeper.
    pub(super) fn end_upgrade(&mut self, outcome: Result<(), String>) -> LinkProgress {
        if outcome.is_ok() {
            // The new keeper may be of any version.
            self.keeper_version = 0;
            self.probe.stop();
        }
        if let Some(done) = self.upgrade.take() {
            let _ = done.send(outcome);
        }
        LinkProgress::Continue
    }
}
