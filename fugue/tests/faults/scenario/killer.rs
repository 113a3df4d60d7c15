//! The faults: kills of the daemon and of the keeper, upgrades, and stops, in random order at random instants.
//!
//! Never two at once: without either of them nobody holds the terminals, and the programs end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fugue_testkit::{PATIENCE, Random, TestServer, signal};
use serde_json::Value;

use super::tally::Tally;
use super::{Plan, Stage, stopper};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    DaemonKill,
    KeeperKill,
    Upgrade,
    KeeperStop,
    DaemonStop,
    ReaperStop,
    RelayStop,
}

/// The process ids of a daemon and a keeper that both live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Processes {
    pub(super) daemon: u32,
    pub(super) keeper: u32,
}

/// The processes, if the daemon answers.
fn processes(server: &TestServer) -> Option<Processes> {
    let status: Value = serde_json::from_str(&server.run(&["server-status", "--json"]).out).ok()?;
    let living = |name: &str| {
        let pid = u32::try_from(status[name].as_u64()?).ok()?;
        Path::new(&format!("/proc/{pid}")).exists().then_some(pid)
    };
    Some(Processes { daemon: living("pid")?, keeper: living("keeper_pid")? })
}

/// Waits until daemon and keeper live and fulfill a condition.
fn until_processes(server: &TestServer, fits: impl Fn(Processes) -> bool) -> Option<Processes> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match processes(server).filter(|found| fits(*found)) {
            None => std::thread::sleep(Duration::from_millis(2)),
            found => return found,
        }
    }
    None
}

/// Whether the binary has the command `upgrade`.
fn can_upgrade(server: &TestServer) -> bool {
    server.run(&["upgrade", "--help"]).code == 0
}

/// The faults in random order.
fn shuffled(plan: Plan, upgrades: usize, relay_stops: usize, random: &mut Random) -> Vec<Fault> {
    let counts = [
        (Fault::DaemonKill, plan.daemon_kills),
        (Fault::KeeperKill, plan.keeper_kills),
        (Fault::Upgrade, upgrades),
        (Fault::KeeperStop, plan.stops),
        (Fault::DaemonStop, plan.stops),
        (Fault::ReaperStop, plan.stops),
        (Fault::RelayStop, relay_stops),
    ];
    let mut faults: Vec<_> =
        counts.into_iter().flat_map(|(fault, count)| std::iter::repeat_n(fault, count)).collect();
    for last in (1..faults.len()).rev() {
        let other = usize::try_from(random.below(last as u64 + 1)).expect("small");
        faults.swap(last, other);
    }
    faults
}

/// Causes all faults, spread over the time of the plan.
pub(super) fn run(stage: &Stage<'_>) -> Tally {
    let (server, plan) = (stage.server, stage.plan);
    let mut tally = Tally::new("faults");
    let mut random = stage.random(1);
    let upgrades = if can_upgrade(server) { plan.upgrades } else { 0 };
    let relay_stops = if stage.relay.is_some() { plan.stops } else { 0 };
    let faults = shuffled(plan, upgrades, relay_stops, &mut random);
    let interval = plan.duration / u32::try_from(faults.len().max(1)).expect("small");
    let begun = Instant::now();
    let mut done = BTreeMap::new();
    for (number, fault) in (0_u32..).zip(faults) {
        wait_for_turn(begun + interval * number, interval, &mut random);
        let Some(before) = until_processes(server, |_| true) else {
            tally.mistake(|| format!("daemon and keeper do not answer before {fault:?} {number}"));
            break;
        };
        let recovered = tally.timed(|| cause(stage, fault, before, done.len()));
        if let Err(why) = recovered {
            tally.mistake(|| format!("{fault:?} {number}: {why}"));
        }
        *done.entry(fault).or_insert(0_usize) += 1;
    }
    let count = |fault| done.get(&fault).copied().unwrap_or_default();
    let skipped = if upgrades < plan.upgrades { " (skipped: there is no `fugue upgrade`)" } else { "" };
    let no_relay = if stage.relay.is_none() { " (skipped: there is no `fugue-fleet`)" } else { "" };
    tally.counts = format!(
        "{} kills of the daemon, {} of the keeper, {} upgrades{skipped}, {} stops of keeper, daemon and reaper, \
         {} of the relay{no_relay}",
        count(Fault::DaemonKill),
        count(Fault::KeeperKill),
        count(Fault::Upgrade),
        count(Fault::KeeperStop) + count(Fault::DaemonStop) + count(Fault::ReaperStop),
        count(Fault::RelayStop)
    );
    tally
}

/// The least time between a recovery and the next fault. On a machine that is too slow for the plan, faults that are late would
/// follow each other so closely that a call is never answered in between.
const BETWEEN: Duration = Duration::from_millis(250);

/// Waits until a random instant within the interval that begins here; only for a moment if the time is past.
fn wait_for_turn(begin: Instant, interval: Duration, random: &mut Random) {
    let within = Duration::from_millis(random.below(u64::try_from(interval.as_millis()).unwrap_or(u64::MAX)));
    std::thread::sleep((begin + within).saturating_duration_since(Instant::now()).max(BETWEEN));
}

/// Causes a fault and waits until daemon and keeper are there again.
fn cause(stage: &Stage<'_>, fault: Fault, before: Processes, number: usize) -> Result<(), String> {
    let server = stage.server;
    let Processes { daemon, keeper } = before;
    let after = match fault {
        Fault::DaemonKill => {
            signal("KILL", daemon);
            until_processes(server, |now| now.daemon != daemon)
        }
        Fault::KeeperKill => {
            signal("KILL", keeper);
            until_processes(server, |now| now.keeper != keeper)
        }
        Fault::Upgrade => {
            upgrade(server, number)?;
            until_processes(server, |now| now.daemon != daemon)
        }
        Fault::KeeperStop => {
            stopper::stop_keeper(server, before)?;
            until_processes(server, |now| now.keeper != keeper)
        }
        Fault::DaemonStop => {
            stopper::stop_daemon(server, before)?;
            until_processes(server, |now| now == before)
        }
        Fault::ReaperStop => {
            stopper::stop_reaper(server, before)?;
            until_processes(server, |now| now == before)
        }
        Fault::RelayStop => {
            stopper::stop_relay(server, stage.relay.as_ref().expect("a relay"))?;
            until_processes(server, |now| now == before)
        }
    };
    match (fault, after) {
        (_, None) => Err("daemon and keeper did not come back".into()),
        (Fault::DaemonKill, Some(now)) if now.keeper != keeper => {
            Err("the keeper was replaced as well".into())
        }
        (Fault::KeeperKill | Fault::KeeperStop, Some(now)) if now.daemon != daemon => {
            Err("the daemon was replaced as well".into())
        }
        _ => Ok(()),
    }
}

/// Upgrades to one of two copies of the binary, to the one and the other in turn.
fn upgrade(server: &TestServer, number: usize) -> Result<(), String> {
    let copy = copy_of_binary(server, number % 2);
    let output = server.command_from(&copy, &["upgrade", "--force"]).output().expect("the copy runs");
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{}: {said}", output.status)) }
}

fn copy_of_binary(server: &TestServer, number: usize) -> PathBuf {
    let copy = server.path().join(format!("fugue-{number}"));
    if !copy.exists() {
        // By another process: a child that a thread of this one starts meanwhile would hold the file open for writing,
        // and it could not be run.
        let copied = Command::new("cp").arg(server.command(&[]).get_program()).arg(&copy).status();
        assert!(copied.is_ok_and(|status| status.success()), "a copy of the binary");
    }
    copy
}
