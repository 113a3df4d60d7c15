//! The reaper above the keeper: it takes in every orphan, and ends with the last of them.

mod common;

use common::test_daemon::{TestDaemon, shell};
use common::{TestKeeper, is_running, until};
use fugue_keeper::{Message, ProcessStat, REAPER_PID};
use rustix::process::{Pid, Signal, kill_process};

fn first(keeper: &TestKeeper) -> TestDaemon {
    let daemon = keeper.daemon();
    assert!(daemon.take().is_empty());
    daemon
}

fn parent(pid: i32) -> i32 {
    ProcessStat::of(pid.cast_unsigned()).map_or(0, |stat| stat.parent.cast_signed())
}

fn exists(pid: i32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

/// Spawns a program that leaves an orphan in a session of its own, and returns the orphan's pid.
fn orphan(daemon: &TestDaemon, number: u8, command: &str) -> i32 {
    let script = format!("setsid sh -c 'echo orphan $$ .; {command}' & sleep 0.2; echo left");
    let text = daemon.spawn(shell(number, &script)).shows(" .\r\n");
    let words: Vec<_> = text.split_whitespace().collect();
    let at = words.iter().position(|&word| word == "orphan").expect("an orphan");
    words[at + 1].parse().expect("its pid")
}

#[test]
fn the_daemon_is_told_the_reaper_which_is_the_keepers_parent() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let reaper = parent(daemon.keeper());
    let name = std::fs::read_to_string(format!("/proc/{reaper}/comm")).expect("a running process");
    assert_eq!(name, "pane-reaper\n");
    let told = format!("{REAPER_PID}={reaper}");
    let environment =
        std::fs::read(format!("/proc/{}/environ", daemon.pid().as_raw_nonzero())).expect("readable");
    assert!(environment.split(|&byte| byte == 0).any(|variable| variable == told.as_bytes()));
    assert_eq!(std::fs::read_dir(format!("/proc/{reaper}/fd")).expect("readable").count(), 3);
}

#[test]
fn an_orphan_of_a_program_becomes_a_child_of_the_reaper_and_is_reaped() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let reaper = parent(daemon.keeper());
    let orphan = orphan(&daemon, 1, "exec sleep 1000");
    until("adopted", || parent(orphan) == reaper);
    kill_process(Pid::from_raw(orphan).expect("a pid"), Signal::KILL).expect("a running process");
    until("reaped", || !exists(orphan));
}

#[test]
fn the_reaper_ignores_signals_and_exits_after_the_last_process() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let keeper = daemon.keeper();
    let reaper = parent(keeper);
    let orphan = orphan(&daemon, 1, "exec sleep 1000");
    for signal in [Signal::HUP, Signal::TERM, Signal::INT, Signal::USR1, Signal::USR2, Signal::QUIT] {
        kill_process(Pid::from_raw(reaper).expect("a pid"), signal).expect("a running process");
    }
    daemon.send(&Message::Shutdown);
    until("the keeper is gone", || !exists(keeper));
    assert!(is_running(reaper));
    kill_process(Pid::from_raw(orphan).expect("a pid"), Signal::KILL).expect("a running process");
    drop(daemon);
    until("the reaper is gone", || !exists(reaper) || !is_running(reaper));
}

#[test]
fn without_a_reaper_the_keeper_takes_in_orphans_and_reaps_them() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let keeper_pid = daemon.keeper();
    let reaper = parent(keeper_pid);
    kill_process(Pid::from_raw(reaper).expect("a pid"), Signal::KILL).expect("a running process");
    let log = || std::fs::read_to_string(keeper.path("log")).unwrap_or_default();
    until("noticed", || log().contains("the keeper takes in orphans"));
    let orphan = orphan(&daemon, 1, "exec sleep 1000");
    until("adopted", || parent(orphan) == keeper_pid);
    kill_process(Pid::from_raw(orphan).expect("a pid"), Signal::KILL).expect("a running process");
    until("reaped", || !exists(orphan));
    daemon.send(&Message::Spawn(shell(2, "exit 5")));
    let exit = std::iter::repeat_with(|| daemon.receive().0).find_map(|message| match message {
        Message::Exited { pane, exit } if pane == [2; 16] => Some(exit),
        _ => None,
    });
    assert_eq!(exit, Some(fugue_keeper::Exit::Code(5)));
}
