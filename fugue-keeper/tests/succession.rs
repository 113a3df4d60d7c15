//! A keeper is killed while its daemon, played by the test, is running, and another one succeeds it.

mod common;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use common::test_daemon::{TestDaemon, TestPane, shell};
use common::{TEST_BINARY, TestKeeper, is_running, until, wait_for};
use fugue_keeper::{
    Exit, Holding, Link, Message, PaneFds, Pump, SpawnBody, SpawnProgress, SpawnRequest, start_successor,
};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

/// A program that a keeper started, with all its descriptors.
struct Program {
    pane: TestPane,
    pidfd: OwnedFd,
}

fn first(keeper: &TestKeeper) -> TestDaemon {
    let daemon = keeper.daemon();
    assert!(daemon.take().is_empty());
    daemon
}

fn spawn(daemon: &TestDaemon, request: SpawnRequest) -> Program {
    let pane = daemon.spawn(request);
    let pidfd = pidfd_open(Pid::from_raw(pane.pid).expect("a pid"), PidfdFlags::empty()).expect("a pidfd");
    Program { pane, pidfd }
}

fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).expect("a pid"), Signal::KILL).expect("a running process");
    until("gone", || !is_running(pid));
}

/// Starts a successor whose daemon is the test itself.
fn succeed(keeper: &TestKeeper, daemon: &mut TestDaemon) {
    let (socket, log, dir) = (keeper.path("socket"), keeper.path("log"), keeper.path(""));
    let words: Vec<&Path> = ["successor", ""].map(Path::new).into_iter().chain([log.as_path()]).collect();
    let daemon_words = ["8388608", "0", TEST_BINARY, "relay"].map(Path::new);
    let words = [words, daemon_words.to_vec(), vec![&socket, &dir]].concat();
    let programs = [Path::new(TEST_BINARY)];
    let (link, started) =
        start_successor(&programs, &words, &daemon.listener, None, common::PATIENCE).expect("a successor");
    started.introduced();
    daemon.link = link;
}

fn holding(number: u8, program: &Program) -> Holding {
    Holding {
        pane: [number; 16],
        pid: program.pane.pid,
        stored_offset: 0,
        seen_offset: 0,
        snapshot: false,
        stalled: false,
        exit: None,
    }
}

fn adopt(link: &Link, number: u8, program: &Program) {
    let fds = program.pane.pump.fds().in_order().into_iter().chain([program.pidfd.as_fd()]);
    link.send(&Message::Adopt(holding(number, program)), &fds.collect::<Vec<_>>()).expect("room");
}

/// Ends the adoption and returns the successor's pid.
fn end_adoption(daemon: &TestDaemon) -> i32 {
    daemon.send(&Message::AdoptionEnd);
    loop {
        if let (Message::Successor { pid, version: fugue_keeper::VERSION }, fds) = daemon.receive() {
            assert_eq!(fds.len(), 1, "its pidfd");
            return pid;
        }
    }
}

#[test]
fn a_successor_reports_exits_terminates_programs_and_starts_others() {
    let keeper = TestKeeper::new();
    let mut daemon = first(&keeper);
    let asking = spawn(&daemon, shell(1, "echo up; read go; exit 37"));
    let ended = spawn(&daemon, shell(2, "read go; kill -SEGV $$"));
    let stubborn = spawn(&daemon, shell(3, "trap '' HUP; echo up; while :; do sleep 0.1; done"));
    kill(daemon.keeper());
    ended.pane.types("\n");
    until("ended", || !is_running(ended.pane.pid));
    succeed(&keeper, &mut daemon);
    for (number, program) in [(1, &asking), (2, &ended), (3, &stubborn)] {
        adopt(&daemon.link, number, program);
    }
    let successor = end_adoption(&daemon);
    let status = std::fs::read_to_string(format!("/proc/{successor}/comm")).expect("a running process");
    assert_eq!(status, "pane-keeper\n");
    let exit = |daemon: &TestDaemon| match daemon.receive().0 {
        Message::Exited { pane, exit } => (pane, exit),
        other => panic!("{other:?} instead of an exit"),
    };
    asking.pane.types("\n");
    let mut exits = vec![exit(&daemon)];
    while exits.iter().all(|(pane, _)| *pane != [1; 16]) {
        exits.push(exit(&daemon));
    }
    assert!(exits.contains(&([1; 16], Exit::Code(37))), "{exits:?}");
    daemon.send(&Message::Forget { pane: [3; 16] });
    until("killed", || !is_running(stubborn.pane.pid));
    let mut another = daemon.spawn(shell(4, "ulimit -Sn; umask; echo done; read go"));
    another.shows("done");
}

#[test]
fn programs_of_a_successor_get_the_settings_of_the_first_starter() {
    let before = "umask 027; ulimit -Sn 500;";
    let keeper = TestKeeper::with(&common::KeeperSetup { before, ..Default::default() });
    let mut daemon = first(&keeper);
    let environment = std::fs::read(format!("/proc/{}/environ", daemon.pid().as_raw_nonzero())).expect("its");
    let settings = environment.split(|&byte| byte == 0).find_map(|variable| {
        String::from_utf8_lossy(variable).strip_prefix("FUGUE_PROGRAM_SETTINGS=").map(str::to_owned)
    });
    // SAFETY: the test has one thread; a real daemon inherits the variable.
    #[allow(unsafe_code)]
    unsafe {
        std::env::set_var(fugue_keeper::PROGRAM_SETTINGS, settings.expect("the settings"));
    }
    kill(daemon.keeper());
    succeed(&keeper, &mut daemon);
    end_adoption(&daemon);
    let text = daemon.spawn(shell(1, "umask; ulimit -Sn; echo end")).shows("end");
    assert_eq!(text, "0027\r\n500\r\nend\r\n");
}

#[test]
fn a_dropped_program_is_terminated_by_the_successor() {
    let keeper = TestKeeper::new();
    let mut daemon = first(&keeper);
    let mut stubborn = spawn(&daemon, shell(1, "trap '' HUP; echo up; while :; do sleep 0.1; done"));
    stubborn.pane.shows("up");
    daemon.send(&Message::Forget { pane: [1; 16] });
    kill(daemon.keeper());
    assert!(is_running(stubborn.pane.pid));
    succeed(&keeper, &mut daemon);
    let terminate = Message::Terminate { pane: [1; 16], pid: stubborn.pane.pid };
    daemon.link.send(&terminate, &[stubborn.pidfd.as_fd()]).expect("room");
    until("killed", || !is_running(stubborn.pane.pid));
}

#[test]
fn a_request_that_the_killed_keeper_did_not_read_is_known_not_to_have_begun() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let keeper_pid = Pid::from_raw(daemon.keeper()).expect("a pid");
    let (begun, waiting) = (shell(1, "echo up; read go"), shell(2, "read go"));
    let begun_body = SpawnBody::new(&begun).expect("a body");
    daemon.link.send_spawn(&begun, &begun_body).expect("room");
    let (_, fds) = daemon.receive();
    let (pump, ..) = Pump::from_fds(PaneFds::from_message(fds).expect("a pane")).expect("a pump");
    kill_process(keeper_pid, Signal::STOP).expect("a running process");
    let waiting_body = SpawnBody::new(&waiting).expect("a body");
    daemon.link.send_spawn(&waiting, &waiting_body).expect("room");
    kill(daemon.keeper());
    assert!(matches!(begun_body.progress(), SpawnProgress::Forked(pid) if is_running(pid)));
    assert_eq!(waiting_body.progress(), SpawnProgress::NotBegun);
    drop(pump);
}

#[test]
fn exits_after_a_sigterm_are_reported_if_the_machine_does_not_shut_down() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let (ends, _stays) = (daemon.spawn(shell(1, "read go; exit 7")), daemon.spawn(shell(2, "read go")));
    kill_process(Pid::from_raw(daemon.keeper()).expect("a pid"), Signal::TERM).expect("a running process");
    let log = || std::fs::read_to_string(keeper.path("log")).unwrap_or_default();
    until("logged", || log().contains("(2 running)"));
    ends.types("\n");
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(7));
}

#[test]
fn a_sigterm_ends_keeper_and_daemon_once_no_program_is_running() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    let keeper_pid = daemon.keeper();
    let mut program = daemon.spawn(shell(1, "echo up; read go"));
    program.shows("up");
    kill_process(Pid::from_raw(keeper_pid).expect("a pid"), Signal::TERM).expect("a running process");
    let log = || std::fs::read_to_string(keeper.path("log")).unwrap_or_default();
    until("logged", || log().contains("exiting when the last program has exited (1 running)"));
    assert!(is_running(keeper_pid));
    let relay = daemon.pid().as_raw_nonzero().get();
    program.types("\n");
    wait_for(&daemon.link);
    until("both are gone", || !is_running(keeper_pid) && !is_running(relay));
}

#[test]
fn a_stopped_keeper_that_is_replaced_never_acts_again() {
    let keeper = TestKeeper::new();
    let mut daemon = first(&keeper);
    let program = spawn(&daemon, shell(1, "read go; exit 37"));
    let stopped = Pid::from_raw(daemon.keeper()).expect("a pid");
    let pidfd = pidfd_open(stopped, PidfdFlags::empty()).expect("a pidfd");
    let watch = fugue_keeper::KeeperWatch::of_successor(daemon.keeper(), pidfd).expect("a pid");
    kill_process(stopped, Signal::STOP).expect("a running process");
    until("stopped", || watch.state() == Some('T'));
    daemon.send(&Message::Forget { pane: [1; 16] });
    watch.kill();
    assert!(watch.is_dead());
    assert!(is_running(program.pane.pid), "it did not read the last request");
    succeed(&keeper, &mut daemon);
    adopt(&daemon.link, 1, &program);
    end_adoption(&daemon);
    program.pane.types("\n");
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(37));
}

#[test]
fn a_successor_that_hangs_is_killed_and_the_next_program_is_tried() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    kill(daemon.keeper());
    let hanging = keeper.path("hanging");
    let script = format!("#!/bin/sh\necho $$ > {}\nexec sleep 1000\n", keeper.path("pid").display());
    std::fs::write(&hanging, script).expect("a script");
    let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&hanging, mode).expect("its mode");
    let patience = std::time::Duration::from_secs(1);
    let failed = start_successor(&[&hanging], &[], &daemon.listener, None, patience);
    assert_eq!(failed.expect_err("it hangs").to_string(), "the new keeper did not start in time");
    let pid = std::fs::read_to_string(keeper.path("pid")).expect("it ran");
    until("gone", || !is_running(pid.trim().parse().expect("a pid")));
    let (log, socket, dir) = (keeper.path("log"), keeper.path("socket"), keeper.path(""));
    let words = [Path::new("successor"), Path::new(""), log.as_path()];
    let daemon_words = ["8388608", "0", TEST_BINARY, "relay"].map(Path::new);
    let words = [&words[..], &daemon_words, &[socket.as_path(), dir.as_path()]].concat();
    let failing = Path::new("/bin/false");
    let programs = [Path::new("/no/such/fugue"), failing, Path::new(TEST_BINARY)];
    let (link, started) =
        start_successor(&programs, &words, &daemon.listener, None, common::PATIENCE).expect("the last one");
    let daemon = TestDaemon { link, ..daemon };
    let successor = end_adoption(&daemon);
    started.introduced();
    daemon.send(&Message::Ping);
    assert_eq!(daemon.receive().0, Message::Pong);
    assert!(is_running(successor));
}

#[test]
fn a_successor_that_was_dropped_before_it_held_everything_is_killed() {
    let keeper = TestKeeper::new();
    let daemon = first(&keeper);
    kill(daemon.keeper());
    let (log, socket, dir) = (keeper.path("log"), keeper.path("socket"), keeper.path(""));
    let words = [Path::new("successor"), Path::new(""), log.as_path()];
    let daemon_words = ["8388608", "0", TEST_BINARY, "relay"].map(Path::new);
    let words = [&words[..], &daemon_words, &[socket.as_path(), dir.as_path()]].concat();
    let start = || {
        let programs = [Path::new(TEST_BINARY)];
        start_successor(&programs, &words, &daemon.listener, None, common::PATIENCE).expect("a successor")
    };
    let (link, dropped) = start();
    drop(dropped);
    wait_for(&link);
    assert_eq!(link.try_recv().expect_err("the end").kind(), std::io::ErrorKind::UnexpectedEof);
    // One that is not killed sees that the link is closed, and exits instead of ending the daemon.
    let (link, left) = start();
    left.introduced();
    drop(link);
    let said = || std::fs::read_to_string(&log).unwrap_or_default();
    until("it is gone", || said().contains("The daemon has another keeper; exiting"));
}
