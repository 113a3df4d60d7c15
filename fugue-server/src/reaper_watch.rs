//! Notices the death of the reaper, which cannot be replaced: a process cannot be put between others and their parent. The
//! keeper takes in orphans from then on; those that the reaper had are lost from sight.

use std::os::fd::AsFd;

use fugue_keeper::ProcessStat;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;

use crate::keeper_link::KeeperEvent;
use crate::session::{ManagerInput, ManagerTx};

/// Tells the manager when the reaper, the parent of this keeper, is dead. A daemon that was started after that has no
/// reaper to watch: the warning was stored.
pub(crate) async fn watch(keeper: u32, manager: ManagerTx) {
    let Some(reaper) = fugue_keeper::reaper_pid() else { return };
    let Some(pid) = Pid::from_raw(reaper.cast_signed()) else { return };
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    // Another process may have got its pid before the descriptor was opened.
    if ProcessStat::of(keeper).is_none_or(|keeper| keeper.parent != reaper) {
        return;
    }
    match crate::fd_readiness::watch(pidfd.as_fd(), Interest::READABLE) {
        Ok(watched) => {
            let _ = watched.readable().await;
            let _ = manager.send(ManagerInput::Keeper(KeeperEvent::ReaperEnded { pid: reaper })).await;
        }
        Err(why) => tracing::warn!("Cannot watch the reaper: {why}"),
    }
}
