//! Two processes beside the daemon whose end or stop the user has to know of: the reaper and the relay. (The keeper, which
//! the daemon replaces, is watched by `keeper_link`.)

use std::fs::{self, OpenOptions};
use std::os::fd::AsFd;
use std::path::Path;

use fugue_keeper::ProcessStat;
use fugue_protocol::relay_state::{NameState, RELAY_FILE, RELAY_LOCK, RelayState, TroubleKind};
use fugue_protocol::{FleetHost, Refusal};
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

/// The refusal of a request that a host is to carry out, if the relay cannot pass it on now: it would only be waited for.
pub(crate) fn relay_refusal(relay: Option<RelayState>, host: &FleetHost) -> Option<Refusal> {
    let Some(relay) = relay else { return Some(Refusal::NoRelay) };
    if relay.stopped {
        return Some(Refusal::RelayStopped { pid: relay.pid });
    }
    let first_line = |problem: &Option<String>| Some(problem.as_deref()?.lines().next()?.to_owned());
    // A relay that is connecting has no problem yet.
    let why = match (&relay.name, relay.ssh.get(host)) {
        (NameState::Taken { by }, _) => Some(format!("{by} uses this host's name in the fleet")),
        (_, Some(ssh)) if !ssh.connected => {
            first_line(&ssh.problem).map(|why| format!("the relay is not connected to it: {why}"))
        }
        (_, None) if !relay.connected => first_line(&relay.problem)
            .map(|why| format!("the relay is not connected to a NATS server: {why}")),
        _ => None,
    };
    why.map(|why| Refusal::NotRelayed { host: host.clone(), why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::relay_state::SshState;

    #[test]
    fn a_request_for_a_host_is_refused_if_the_relay_cannot_pass_it_on() {
        let [near, far]: [FleetHost; 2] = ["near", "far"].map(|name| name.parse().expect("a host"));
        let ssh = SshState { connected: false, problem: Some("refused\nhint: wait".into()) };
        let relay = RelayState { pid: 7, connected: true, ..RelayState::default() };
        let by_ssh = RelayState { ssh: [(near.clone(), ssh)].into(), ..relay.clone() };
        let said =
            |relay: &RelayState, host| relay_refusal(Some(relay.clone()), host).map(|why| why.to_string());
        assert_eq!(said(&relay, &far), None);
        assert_eq!(said(&by_ssh, &far), None);
        let why = "Host `near` cannot be asked: the relay is not connected to it: refused";
        assert_eq!(said(&by_ssh, &near).as_deref(), Some(why));
        let connecting = RelayState { connected: false, ..relay.clone() };
        assert_eq!(said(&connecting, &far), None);
        let cut = RelayState { problem: Some("no server can be reached".into()), ..connecting };
        let why = "Host `far` cannot be asked: the relay is not connected to a NATS server: no server can be reached";
        assert_eq!(said(&cut, &far).as_deref(), Some(why));
        let taken = RelayState { name: NameState::Taken { by: "box".into() }, ..relay.clone() };
        let why = "Host `far` cannot be asked: box uses this host's name in the fleet";
        assert_eq!(said(&taken, &far).as_deref(), Some(why));
        let stopped = RelayState { stopped: true, ..relay };
        assert_eq!(relay_refusal(Some(stopped), &far), Some(Refusal::RelayStopped { pid: 7 }));
        assert_eq!(relay_refusal(None, &far), Some(Refusal::NoRelay));
    }

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
