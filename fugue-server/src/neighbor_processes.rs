//! Two processes beside the daemon whose end or stop the user has to know of: the reaper and the relay. (The keeper, which
//! the daemon replaces, is watched by `keeper_link`.)

use std::fs::{self, OpenOptions};
use std::os::fd::AsFd;
use std::path::Path;

use fugue_keeper::ProcessStat;
use fugue_protocol::FleetHost;
use fugue_protocol::relay_state::{NameState, RELAY_FILE, RELAY_LOCK, RelayState, TroubleKind};
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;

use crate::keeper_link::KeeperEvent;
use crate::session::{ManagerInput, ManagerTx};

/// Tells the manager when the reaper, the parent of this keeper, is dead. It cannot be replaced: a process cannot be put
/// between others and their parent. The keeper takes in orphans from then on; those that the reaper had are lost from
/// sight. A daemon that was started after that has no reaper to watch: the warning was stored.
pub(crate) async fn watch_reaper(keeper: u32, manager: ManagerTx) {
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

/// The last state of the relay, if one is running: it holds its lock.
pub(crate) fn running_relay(state: &Path) -> Option<RelayState> {
    let lock = state.join(RELAY_LOCK);
    let file = OpenOptions::new().write(true).open(&lock).ok()?;
    if flock(&file, FlockOperation::NonBlockingLockShared) != Err(rustix::io::Errno::WOULDBLOCK) {
        return None;
    }
    let text = fs::read_to_string(state.join(RELAY_FILE)).unwrap_or_default();
    let reported: RelayState = serde_json::from_str(&text).unwrap_or_default();
    let stopped = fugue_keeper::is_stopped_with_file(reported.pid, &lock);
    Some(RelayState { stopped, ..reported })
}

/// This host's name, and how its relay is doing.
pub(crate) fn relay_summary(host: &FleetHost, relay: Option<&RelayState>) -> String {
    let Some(relay) = relay else { return format!("{host}: no relay is running") };
    let state = match (relay.stopped, &relay.name, relay.connected) {
        (true, ..) => "relay stopped",
        (_, NameState::Taken { .. }, _) => "relay refused",
        (_, _, true) => "relay connected",
        (_, _, false) if !relay.ssh.is_empty() && relay.ssh.values().all(|ssh| ssh.connected) => {
            "relay connected"
        }
        _ => "relay not connected",
    };
    format!("{host}: {state}, pid {}", relay.pid)
}

/// The warning that messages are not relayed, or that another machine has this host's name.
pub(crate) fn relay_warning(relay: &RelayState) -> Option<String> {
    let trouble = relay.trouble()?;
    let pid = relay.pid;
    Some(match (trouble.kind, trouble.hint) {
        (TroubleKind::Stopped, _) => format!(
            "The relay (pid {pid}) is stopped, so messages to and from other hosts wait. \
             `kill -CONT {pid}` resumes it"
        ),
        (_, Some(hint)) => format!("{}; {hint}", trouble.message),
        (_, None) => trouble.message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_is_running_while_it_holds_its_lock() {
        let directory = tempfile::tempdir().expect("a directory");
        let state = directory.path();
        assert!(running_relay(state).is_none(), "none ever ran");
        let lock = fs::File::create(state.join(RELAY_LOCK)).expect("a lock");
        fs::write(state.join(RELAY_FILE), r#"{"pid":7,"connected":true}"#).expect("a file");
        assert!(running_relay(state).is_none(), "it ended");
        flock(&lock, FlockOperation::NonBlockingLockExclusive).expect("locked");
        let host = "desk".parse().expect("a host");
        assert_eq!(relay_summary(&host, running_relay(state).as_ref()), "desk: relay connected, pid 7");
    }
}
