//! Spawning: the environment of a new program, and the report if it cannot be started.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::test_daemon::{TestDaemon, shell};
use common::{KeeperSetup, TestKeeper};
use fugue_keeper::{Exit, Message, SpawnRequest, SpawnStage};
use fugue_resources::{GroupLimits, Placement};

fn daemon(keeper: &TestKeeper) -> TestDaemon {
    let daemon = keeper.daemon();
    assert!(daemon.take().is_empty());
    daemon
}

/// All output of a script, its lines trimmed.
fn output(script: &str) -> Vec<String> {
    output_of(&KeeperSetup::default(), shell(1, script))
}

fn output_of(setup: &KeeperSetup, request: SpawnRequest) -> Vec<String> {
    let keeper = TestKeeper::with(setup);
    let daemon = daemon(&keeper);
    daemon.spawn(request).shows_all().lines().map(|line| line.trim_end().to_owned()).collect()
}

fn failure(request: SpawnRequest) -> (SpawnStage, i32) {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let id = request.pane;
    daemon.send(&Message::Spawn(request));
    match daemon.receive() {
        (Message::SpawnFailed { pane, stage, errno }, fds) if pane == id && fds.is_empty() => (stage, errno),
        (other, _) => panic!("{other:?} instead of a failure"),
    }
}

#[test]
fn the_terminal_has_its_size_and_reads_utf8_from_the_start() {
    let request = SpawnRequest { cols: 132, rows: 43, ..shell(1, "stty size; stty -a | grep -o ' iutf8'") };
    assert_eq!(output_of(&KeeperSetup::default(), request), ["43 132", " iutf8"]);
}

#[test]
fn the_terminal_controls_the_program_and_its_session() {
    let script = "read pid _ _ _ group session _ foreground _ </proc/self/stat
        test $pid = $group && test $group = $session && test $session = $foreground && echo alone >/dev/tty";
    assert_eq!(output(script), ["alone"]);
}

#[test]
fn the_environment_is_passed_in_order() {
    let env = [("ZEBRA", "1"), ("PATH", "/usr/bin:/bin"), ("APE", "two words"), ("EMPTY", "")];
    let request = SpawnRequest {
        program: "env".into(),
        argv: vec!["env".into()],
        env: env.map(|(name, value)| (name.into(), value.into())).to_vec(),
        ..shell(1, "")
    };
    let expected = ["ZEBRA=1", "PATH=/usr/bin:/bin", "APE=two words", "EMPTY="];
    assert_eq!(output_of(&KeeperSetup::default(), request), expected);
}

#[test]
fn an_environment_larger_than_a_datagram_arrives() {
    let mut request = shell(1, "echo ${#A0} ${#A15}");
    let large = "x".repeat(100_000);
    request.env.extend((0..16).map(|number| (format!("A{number}").into(), large.as_str().into())));
    assert_eq!(output_of(&KeeperSetup::default(), request), ["100000 100000"]);
}

#[test]
fn a_login_shell_sees_its_dash() {
    let argv = ["-sh", "-c", "echo $0"].map(Into::into).to_vec();
    assert_eq!(output_of(&KeeperSetup::default(), SpawnRequest { argv, ..shell(1, "") }), ["-sh"]);
}

#[test]
fn a_program_is_looked_up_in_its_own_path_not_the_keepers() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("greet");
    std::fs::write(&script, "#!/bin/sh\necho hello from $PWD\n").expect("a file");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("mode set");
    let request = SpawnRequest {
        program: "greet".into(),
        env: vec![("PATH".into(), format!("/nowhere:{}", directory.path().display()).into())],
        cwd: "/usr".into(),
        ..shell(1, "")
    };
    assert_eq!(output_of(&KeeperSetup::default(), request), ["hello from /usr"]);
}

#[test]
fn the_program_inherits_no_descriptors_even_if_the_starter_left_some_open() {
    let setup = KeeperSetup { before: "exec 7</dev/null 9>/dev/null;", ..KeeperSetup::default() };
    // The last one is the directory that `ls` reads.
    assert_eq!(output_of(&setup, shell(1, "ls /proc/self/fd")), ["0  1  2  3"]);
}

#[test]
fn signals_umask_and_limits_are_those_of_the_starter() {
    let setup = KeeperSetup { before: "trap '' USR1; umask 027; ulimit -Sn 500;", ..KeeperSetup::default() };
    // Without a fork: the shell blocks signals around one.
    let script = "while read -r name value; do case $name in SigBlk:|SigIgn:) echo $name $value; esac; done </proc/$$/status
        umask; ulimit -Sn; ulimit -Hn";
    let found = output_of(&setup, shell(1, script));
    assert_eq!(found[..4], ["SigBlk: 0000000000000000", "SigIgn: 0000000000000000", "0027", "500"]);
    assert_ne!(found[4], "500");
}

#[test]
fn a_missing_program_is_reported() {
    let missing = |program: &str| failure(SpawnRequest { program: program.into(), ..shell(1, "") });
    assert_eq!(missing("/no/such/program"), (SpawnStage::Exec, libc::ENOENT));
    assert_eq!(missing("no-such-program"), (SpawnStage::Exec, libc::ENOENT));
}

#[test]
fn a_missing_working_directory_is_distinguished_from_a_missing_program() {
    assert_eq!(
        failure(SpawnRequest { cwd: "/no/such/folder".into(), ..shell(1, "") }),
        (SpawnStage::Cwd, libc::ENOENT)
    );
    assert_eq!(
        failure(SpawnRequest { cwd: "/etc/passwd".into(), ..shell(1, "") }),
        (SpawnStage::Cwd, libc::ENOTDIR)
    );
}

#[test]
fn a_file_that_is_not_executable_is_reported() {
    assert_eq!(
        failure(SpawnRequest { program: "/etc/passwd".into(), ..shell(1, "") }),
        (SpawnStage::Exec, libc::EACCES)
    );
}

#[test]
fn an_invalid_request_is_refused() {
    let refused = (SpawnStage::Request, libc::EINVAL);
    assert_eq!(failure(shell(1, "a\0b")), refused);
    assert_eq!(failure(SpawnRequest { argv: Vec::new(), ..shell(1, "") }), refused);
}

#[test]
fn an_id_in_use_is_refused_and_the_first_program_keeps_running() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    let mut first = daemon.spawn(shell(1, "read line; echo got $line"));
    daemon.send(&Message::Spawn(shell(1, "echo second")));
    let (refused, _) = daemon.receive();
    assert_eq!(
        refused,
        Message::SpawnFailed { pane: [1; 16], stage: SpawnStage::Request, errno: libc::EEXIST }
    );
    first.types("this\n");
    first.shows("got this");
}

#[test]
fn exits_are_reported_with_code_or_signal() {
    let keeper = TestKeeper::new();
    let daemon = daemon(&keeper);
    daemon.spawn(shell(1, "exit 42"));
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(42));
    daemon.spawn(shell(2, "kill -SEGV $$"));
    assert_eq!(daemon.exit_of([2; 16]), Exit::Signal(libc::SIGSEGV));
}

#[test]
fn a_program_that_closes_its_terminal_for_a_while_has_not_hung_up() {
    let script = "tty=$(tty); exec </dev/null >/dev/null 2>&1; sleep 0.1; echo back >$tty";
    assert_eq!(output(script), ["back"]);
}

#[test]
fn a_program_dies_before_fugue_when_memory_is_used_up() {
    let score = |pid: i32| -> i32 {
        let text = std::fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).expect("a score");
        text.trim().parse().expect("a number")
    };
    let own = score(i32::try_from(std::process::id()).expect("a pid"));
    let lines = output("cat /proc/self/oom_score_adj; cat /proc/$PPID/oom_score_adj");
    let scores: Vec<i32> = lines.iter().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(scores[0], (own + 100).min(1000), "the program");
    assert!(scores[1] <= own && scores[1] < scores[0], "the keeper: {scores:?}");
}

#[test]
fn a_program_runs_without_a_group_if_it_gets_none_in_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let bus = directory.path().join("bus");
    // It takes connections and never answers.
    let _silent = std::os::unix::net::UnixListener::bind(&bus).expect("a socket");
    let (unit, description) = ("fugue-x.scope".to_owned(), "a test".to_owned());
    let scope = Placement::Scope { bus, unit, description, limits: GroupLimits::new() };
    let missing = directory.path().join("missing/group");
    let group = Placement::Group { directory: missing, limits: GroupLimits::new() };
    for placement in [scope, group] {
        let request = SpawnRequest { placement: Some(placement), ..shell(1, "echo runs") };
        assert_eq!(output_of(&KeeperSetup::default(), request), ["runs"]);
    }
}
