//! Termination of programs: first a hangup, then a kill.

mod common;

use common::test_daemon::{TestDaemon, shell};
use common::{TestKeeper, is_running, until, wait_for};
use fugue_keeper::{Exit, Message, SpawnRequest};

fn daemon(keeper: &TestKeeper) -> TestDaemon {
    let daemon = keeper.daemon();
    assert!(daemon.take().is_empty());
    daemon
}

#[test]
fn a_dropped_program_gets_a_hangup() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let mut screen =
        daemon.spawn(shell(1, "trap 'echo saved; exit' HUP; echo up; while :; do sleep 0.01; done"));
    screen.shows("up");
    daemon.send(&Message::Forget { pane: [1; 16] });
    screen.shows("saved");
    until("gone", || !is_running(screen.pid));
}

#[test]
fn a_program_that_ignores_the_hangup_is_killed_with_its_children() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let mut screen = daemon.spawn(shell(1, "trap '' HUP; sleep 1000 & echo helper $! .; wait"));
    let helper = helper(&screen.shows(" ."));
    daemon.send(&Message::Forget { pane: [1; 16] });
    until("gone", || !is_running(screen.pid) && !is_running(helper));
}

#[test]
fn a_foreground_job_that_ignores_the_hangup_is_killed_too() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let argv = ["bash", "--norc", "-i"].map(Into::into).to_vec();
    let mut screen = daemon.spawn(SpawnRequest { program: "/bin/bash".into(), argv, ..shell(1, "") });
    screen.types("sh -c 'trap \"\" HUP; echo helper $$ .; while :; do sleep 0.01; done'\n");
    let helper = helper(&screen.shows(" .\r\n"));
    daemon.send(&Message::Forget { pane: [1; 16] });
    until("gone", || !is_running(screen.pid) && !is_running(helper));
}

#[test]
fn a_stopped_program_is_terminated() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let screen = daemon.spawn(shell(1, "kill -STOP $$"));
    until("stopped", || state(screen.pid) == Some('T'));
    daemon.send(&Message::Forget { pane: [1; 16] });
    until("gone", || !is_running(screen.pid));
}

#[test]
fn no_zombie_is_left() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let screens: Vec<_> = (1..=5).map(|number| daemon.spawn(shell(number, "read go"))).collect();
    daemon.send(&Message::Spawn(SpawnRequest { program: "/no/such/program".into(), ..shell(9, "") }));
    assert!(matches!(daemon.receive().0, Message::SpawnFailed { .. }));
    (1..=5).for_each(|number| daemon.send(&Message::Forget { pane: [number; 16] }));
    until("collected", || screens.iter().all(|screen| state(screen.pid).is_none()));
    let children = format!("/proc/{0}/task/{0}/children", daemon.keeper());
    let only_daemon =
        || std::fs::read_to_string(&children).is_ok_and(|pids| pids.split_whitespace().count() == 1);
    until("alone with its daemon", only_daemon);
}

#[test]
fn an_exited_pane_can_be_dropped_and_its_id_reused() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    daemon.spawn(shell(1, "exit 3"));
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(3));
    daemon.send(&Message::Forget { pane: [1; 16] });
    daemon.send(&Message::Forget { pane: [1; 16] });
    daemon.spawn(shell(1, "exit 4"));
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(4));
}

#[test]
fn a_shutdown_terminates_every_program_and_then_the_keeper() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let keeper = daemon.keeper();
    (0..200).for_each(|number| drop(daemon.spawn(shell(number, "read go"))));
    daemon.send(&Message::Shutdown);
    for _ in 0..200 {
        assert!(matches!(daemon.receive().0, Message::Exited { exit: Exit::Signal(libc::SIGHUP), .. }));
    }
    wait_for(&daemon.link);
    let end = daemon.link.try_recv().map(|_| ()).expect_err("the keeper is gone");
    assert_eq!(end.kind(), std::io::ErrorKind::UnexpectedEof);
    assert!(!is_running(keeper) || state(keeper).is_none_or(|state| state != 'S'));
}

fn helper(text: &str) -> i32 {
    let words: Vec<_> = text.split_whitespace().collect();
    let at = words.iter().rposition(|&word| word == "helper").expect("a helper");
    words[at + 1].parse().expect("its pid")
}

fn state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

#[test]
fn a_keeper_that_is_shut_down_ends_after_its_daemon() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let (keeper, process) = (daemon.keeper(), daemon.pid().as_raw_nonzero().get());
    daemon.send(&Message::Shutdown);
    until("the keeper is gone", || !is_running(keeper));
    assert!(!is_running(process), "whoever sees the keeper gone may start another daemon");
}
