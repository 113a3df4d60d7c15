//! The lease: who reads the output, and what the next daemon gets.

mod common;

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use common::test_daemon::{TestDaemon, shell};
use common::{KeeperSetup, TestKeeper, is_running, until, wait_for};
use fugue_keeper::{EXIT_FOR_GOOD, Exit, Message, SpawnRequest};
use rustix::fs::{MemfdFlags, memfd_create};

fn first(keeper: &TestKeeper) -> TestDaemon {
    let daemon = keeper.daemon();
    assert!(daemon.take().is_empty());
    daemon
}

#[test]
fn the_next_daemon_gets_the_exit_and_all_output_of_a_program_that_exited_meanwhile() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let mut screen = daemon.spawn(shell(1, "echo ready; read go; seq 1000; exit 42"));
    screen.shows("ready");
    screen.types("\n");
    daemon.kill();
    let daemon = keeper.daemon();
    until("exited", || !is_running(screen.pid));
    let (holding, mut screen) = daemon.take().pop().expect("the pane");
    let exit = holding.exit.unwrap_or_else(|| daemon.exit_of([1; 16]));
    assert_eq!(exit, Exit::Code(42));
    let numbers: String = (1..=1000).map(|number| format!("{number}\r\n")).collect();
    assert_eq!(screen.shows_all(), format!("ready\r\n\r\n{numbers}"));
}

#[test]
fn output_beyond_the_quota_blocks_the_program_until_the_next_daemon() {
    let quota = 100_000;
    let keeper = TestKeeper::with(&KeeperSetup { quota, ..KeeperSetup::default() });
    let daemon = first(&keeper);
    let mut screen = daemon.spawn(shell(1, "echo ready; read go; seq 100000; exit 7"));
    screen.shows("ready");
    screen.types("\n");
    daemon.kill();
    let daemon = keeper.daemon();
    let size = || rustix::fs::fstat(screen.pump.segment()).expect("a segment").st_size.cast_unsigned();
    until("at the quota", || size() >= quota);
    let (holding, mut screen) = daemon.take().pop().expect("the pane");
    assert_eq!((holding.stalled, holding.exit), (true, None));
    assert_eq!(screen.pump.head(), quota);
    let numbers: String = (1..=100_000).map(|number| format!("{number}\r\n")).collect();
    assert!(screen.shows_all() == format!("ready\r\n\r\n{numbers}"));
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(7));
}

#[test]
fn a_snapshot_is_kept_for_the_next_daemon_and_the_output_before_it_is_freed() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let mut screen = daemon.spawn(shell(1, "seq 100000; echo done; read go; echo more"));
    screen.shows("done\r\n");
    let offset = screen.pump.head();
    for content in ["older", "newer"] {
        let snapshot = memfd_create("snapshot", MemfdFlags::CLOEXEC).expect("a memfd");
        rustix::io::pwrite(&snapshot, content.as_bytes(), 0).expect("room");
        daemon.link.send(&Message::Stored { pane: [1; 16], offset }, &[snapshot.as_fd()]).expect("sent");
    }
    let used = || rustix::fs::fstat(screen.pump.segment()).expect("a segment").st_blocks;
    until("freed", || used() <= 8);
    daemon.kill();
    let daemon = keeper.daemon();
    let (holding, mut screen) = daemon.take().pop().expect("the pane");
    assert_eq!((holding.stored_offset, holding.snapshot), (offset, true));
    let mut content = [0; 8];
    let count =
        rustix::io::pread(screen.snapshot.as_ref().expect("a snapshot"), &mut content, 0).expect("readable");
    assert_eq!(&content[..count], b"newer");
    screen.types("\n");
    assert_eq!(screen.shows_all(), "\r\nmore\r\n");
}

#[test]
fn a_snapshot_ahead_of_the_output_is_rejected() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let mut screen = daemon.spawn(shell(1, "echo ready; read go"));
    screen.shows("ready");
    let snapshot = memfd_create("snapshot", MemfdFlags::CLOEXEC).expect("a memfd");
    daemon.link.send(&Message::Stored { pane: [1; 16], offset: 1 << 40 }, &[snapshot.as_fd()]).expect("sent");
    daemon.send(&Message::Stored { pane: [1; 16], offset: 1 });
    daemon.send(&Message::Stored { pane: [9; 16], offset: 1 });
    daemon.kill();
    let (holding, screen) = keeper.daemon().take().pop().expect("the pane");
    assert_eq!((holding.stored_offset, holding.snapshot), (0, false));
    assert_eq!(screen.text(), "ready\r\n");
}

#[test]
fn a_daemon_that_closes_the_link_but_keeps_running_is_killed() {
    let keeper = TestKeeper::new();
    let TestDaemon { link, relay, .. } = first(&keeper);
    drop(link);
    let mut byte = [0];
    wait_for(&relay);
    assert!(matches!(rustix::io::read(&relay, &mut byte), Ok(0) | Err(_)));
    first(&keeper);
}

#[test]
fn requests_made_just_before_a_kill_are_carried_out() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    daemon.send(&Message::Spawn(shell(1, "echo here; read go")));
    daemon.kill();
    let daemon = keeper.daemon();
    daemon.send(&Message::Take);
    let pane_of = |message| match message {
        Message::Holding(holding) => Some(holding.pane),
        Message::Spawned { pane, .. } => Some(pane),
        _ => None,
    };
    // Either it is sent before `Ready`, or it started a moment later.
    let pane = (0..2).find_map(|_| pane_of(daemon.receive().0));
    assert_eq!(pane, Some([1; 16]));
}

#[test]
fn the_next_daemon_accepts_clients_that_connected_while_none_was_running() {
    let keeper =
        TestKeeper::with(&KeeperSetup { healthy_after: Duration::from_secs(60), ..KeeperSetup::default() });
    first(&keeper).kill();
    first(&keeper).kill();
    let mut client = UnixStream::connect(keeper.path("client")).expect("the socket listens");
    // The daemon must outlive the test: when it exits, the keeper disconnects the clients that wait.
    let daemon = keeper.daemon();
    let listener = UnixListener::from(daemon.listener.try_clone().expect("a descriptor"));
    let (mut served, _) = listener.accept().expect("the client");
    served.write_all(b"welcome").expect("the client is connected");
    drop(served);
    let mut received = String::new();
    client.read_to_string(&mut received).expect("an answer");
    assert_eq!(received, "welcome");
}

#[test]
fn the_keepers_own_binary_replaces_a_daemon_binary_that_is_gone() {
    let keeper = TestKeeper::with(&KeeperSetup { daemon: "/no/such/fugue".into(), ..KeeperSetup::default() });
    first(&keeper).kill();
    first(&keeper);
}

#[test]
fn a_process_that_only_has_the_variables_inherits_nothing() {
    let script = "FUGUE_KEEPER_FD=3 FUGUE_LISTEN_FD=4 exec \"$0\" relay /no/hatch 3</dev/null 4</dev/null";
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", script, common::TEST_BINARY])
        .output()
        .expect("the program runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("not started by a keeper"));
}

#[test]
fn a_daemon_that_exits_is_restarted() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let screen = daemon.spawn(shell(1, "read go"));
    daemon.end(0);
    let (holding, _) = keeper.daemon().take().pop().expect("the pane");
    assert_eq!((holding.pid, holding.exit), (screen.pid, None));
}

#[test]
fn a_daemon_that_exits_for_good_shuts_everything_down() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let (keeper, screen) = (daemon.keeper(), daemon.spawn(shell(1, "read go")));
    daemon.end(u16::try_from(EXIT_FOR_GOOD).expect("a code"));
    until("gone", || !is_running(screen.pid) && !is_running(keeper));
}

#[test]
fn the_keeper_is_detached_and_sleeps_while_nothing_happens() {
    let keeper = TestKeeper::with(&KeeperSetup { before: "exec 9>/dev/null;", ..KeeperSetup::default() });
    let daemon = first(&keeper);
    let mut screens: Vec<_> =
        (1..=20).map(|number| daemon.spawn(shell(number, "echo up; read go"))).collect();
    screens.iter_mut().for_each(|screen| drop(screen.shows("up")));
    let keeper = daemon.keeper();
    let proc = |name: &str| {
        std::fs::read_to_string(format!("/proc/{keeper}/{name}")).expect("the keeper is running")
    };
    assert_eq!(proc("comm"), "pane-keeper\n");
    assert_eq!(
        std::fs::read_link(format!("/proc/{keeper}/cwd")).expect("readable"),
        std::path::Path::new("/")
    );
    assert!(
        std::fs::read_link(format!("/proc/{keeper}/fd/9"))
            .is_ok_and(|path| path != std::path::Path::new("/dev/null"))
    );
    let switches = || {
        proc("status")
            .lines()
            .filter(|line| line.contains("ctxt_switches"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    until("sleeping", || proc("stat").contains(") S "));
    let before = switches();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(switches(), before);
}

#[test]
fn programs_survive_a_killed_keeper_while_a_daemon_is_running() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let mut screen = daemon.spawn(shell(1, "while read line; do echo got $line; done"));
    let keeper = rustix::process::Pid::from_raw(daemon.keeper()).expect("a pid");
    rustix::process::kill_process(keeper, rustix::process::Signal::KILL).expect("a running process");
    wait_for(&daemon.link);
    assert_eq!(daemon.link.try_recv().expect_err("the end").kind(), std::io::ErrorKind::UnexpectedEof);
    screen.types("this\n");
    screen.shows("got this");
}

#[test]
fn a_keeper_out_of_descriptors_refuses_spawns_and_can_still_start_a_daemon() {
    let keeper = TestKeeper::with(&KeeperSetup { before: "ulimit -n 96;", ..KeeperSetup::default() });
    let daemon = first(&keeper);
    let refusal =
        Message::SpawnFailed { pane: [9; 16], stage: fugue_keeper::SpawnStage::Limit, errno: libc::EMFILE };
    let mut screens: Vec<_> = (0..4).map(|number| daemon.spawn(shell(number, "echo up; read go"))).collect();
    screens.iter_mut().for_each(|screen| drop(screen.shows("up")));
    daemon.send(&Message::Spawn(shell(9, "")));
    assert_eq!(daemon.receive().0, refusal);
    daemon.kill();
    let daemon = keeper.daemon();
    assert_eq!(daemon.take().len(), 4);
    daemon.send(&Message::Forget { pane: [0; 16] });
    until("a descriptor is free again", || {
        daemon.send(&Message::Spawn(shell(9, "")));
        daemon.receive().0 != refusal
    });
}

#[test]
fn two_hundred_panes_are_sent_to_the_next_daemon() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let request =
        |number: u8| SpawnRequest { pane: [number; 16], ..shell(number, "echo pane $PPID; read go; exit 5") };
    (0..200).for_each(|number| daemon.send(&Message::Spawn(request(number))));
    for _ in 0..200 {
        assert!(matches!(daemon.receive().0, Message::Spawned { .. }));
    }
    daemon.kill();
    let daemon = keeper.daemon();
    let mut held = daemon.take();
    assert_eq!(held.len(), 200);
    for (_, screen) in &mut held {
        screen.shows("pane");
        screen.types("\n");
    }
    for _ in 0..200 {
        assert!(matches!(daemon.receive().0, Message::Exited { exit: Exit::Code(5), .. }));
    }
}
