//! `fugue upgrade`: keeper and daemon are replaced by another binary, and nothing is lost.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fugue_protocol::PROTOCOL;
use fugue_protocol::frames::{self, FrameKind, FrameReader};
use fugue_testkit::{CommandOutput, TestServer, next_version, signal, until};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// Counts until the file `enough` exists.
const COUNTING: &str =
    "i=0; while [ ! -e enough ]; do i=$((i+1)); echo line $i; done; echo counted $i; exec cat";

/// Copies the binary to another path.
fn copy(server: &TestServer, name: &str) -> PathBuf {
    let path = server.path().join(name);
    fs::copy(BINARY, &path).expect("a copy");
    path
}

/// An executable script at a path.
fn script(server: &TestServer, name: &str, text: &str) -> PathBuf {
    let path = server.path().join(name);
    fs::write(&path, text).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    path
}

/// A command of another binary on the same server.
fn command_of(server: &TestServer, binary: &Path, words: &[&str]) -> Command {
    let model = server.command(words);
    let mut command = Command::new(binary);
    command.args(words).env_clear().current_dir(server.path());
    command.envs(model.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

fn run(command: &mut Command) -> CommandOutput {
    let output = command.output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

/// Upgrades to another binary, which must work.
fn upgrade_to(server: &TestServer, binary: &Path) -> String {
    let ran = run(&mut command_of(server, binary, &["upgrade"]));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}\n{}", ran.out, log(server));
    ran.out
}

fn log(server: &TestServer) -> String {
    fs::read_to_string(server.state_dir().join("log")).unwrap_or_default()
}

/// Asks the daemon to upgrade to this path, as a client of another protocol does, and returns its answer.
fn ask(server: &TestServer, binary: &Path) -> Value {
    let hello = json!({ "hello": {
        "protocol": PROTOCOL + 1,
        "version": "9.0.0",
        "role": "something new",
        "upgrade": { "binary": binary },
    }});
    answer_to(server, &hello)
}

fn answer_to(server: &TestServer, message: &Value) -> Value {
    let mut socket = UnixStream::connect(server.socket()).expect("the daemon runs");
    let mut frame = Vec::new();
    frames::write(&mut frame, FrameKind::Words, message.to_string().as_bytes());
    socket.write_all(&frame).expect("sent");
    let (mut reader, mut bytes) = (FrameReader::new(1 << 20), Vec::new());
    socket.read_to_end(&mut bytes).expect("an answer");
    reader.push(&bytes);
    let (_, body) = reader.next_frame().expect("a frame").expect("an answer");
    serde_json::from_slice(body).expect("JSON")
}

fn executable(process: u32) -> PathBuf {
    fs::read_link(format!("/proc/{process}/exe")).expect("a process")
}

fn pane(server: &TestServer, id: &str) -> Value {
    let panes = server.json(&["list-panes"]);
    let panes = panes["panes"].as_array().expect("panes");
    panes.iter().find(|pane| pane["pane_id"] == id).expect("the pane").clone()
}

fn in_background(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a command")
}

fn output_of(child: Child) -> String {
    let output = child.wait_with_output().expect("its output");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Starts a program that exits with 37 when it is given a line.
fn exits_with_37(server: &TestServer, name: &str) -> String {
    let words = ["new", "-d", "-s", name, "--on-exit", "keep", "--", "sh", "-c", "read x; exit 37"];
    server.json(&words)["pane_id"].as_str().expect("a pane").to_owned()
}

#[test]
fn ten_upgrades_under_four_writers_lose_nothing() {
    let server = TestServer::new(BINARY);
    let writers = ["one", "two", "three", "four"].map(|name| server.session(name, &["sh", "-c", COUNTING]));
    let typed = server.session("typed", &["cat"]);
    let pids = || writers.each_ref().map(|id| pane(&server, id)["pid"].clone());
    let before = pids();
    server.ok(&["send-orchestration", "-s", "typed", "note", "{\"text\":\"read me later\"}"]);
    let mut terminal = server.terminal(&["attach", "typed"], 80, 24);
    terminal.shows("typed");
    let keeper = server.keeper_pid();
    let copies = ["first copy", "second copy"].map(|name| copy(&server, name));
    for round in 0..10 {
        let (old, binary) = (server.daemon_pid(), &copies[round % 2]);
        let ending = exits_with_37(&server, &format!("ending-{round}"));
        let told = in_background(server.command(&["send-input", "-t", &ending, "\n"]));
        let waited = exits_with_37(&server, &format!("waited-{round}"));
        let wait = in_background(server.command(&["wait", "-t", &waited, "--until", "exit"]));
        let said = upgrade_to(&server, binary);
        output_of(told);
        server.ok(&["send-input", "-t", &waited, "\n"]);
        assert_eq!(output_of(wait), "exited, exit code 37\n");
        assert!(said.starts_with("Upgraded the daemon from"), "{said}");
        assert_ne!(server.daemon_pid(), old);
        assert_eq!(executable(server.daemon_pid()), *binary);
        assert_eq!((server.keeper_pid(), executable(keeper)), (keeper, binary.clone()));
        assert_eq!(server.ok(&["wait", "-t", &ending, "--until", "exit"]), "exited, exit code 37\n");
        terminal.send(format!("round {round}\r"));
        terminal.shows(&format!("round {round}"));
    }
    assert_eq!(pids(), before);
    let inbox = server.json(&["list-messages", "-s", "typed"]);
    assert!(inbox.to_string().contains("read me later"), "{inbox}");
    fs::write(server.path().join("enough"), "").expect("a file");
    writers.iter().for_each(|id| server.check_count(id));
    server.wait_for(&typed, "round 9");
    assert_eq!(server.json(&["server-status"])["warnings"], Value::Null);
}

#[test]
fn a_daemon_that_already_runs_the_binary_is_replaced_only_by_force() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let said = server.ok(&["upgrade"]);
    assert!(said.starts_with("The daemon is already running fugue"), "{said}");
    assert_eq!(server.daemon_pid(), daemon);
    assert!(server.ok(&["upgrade", "--force"]).contains("1 program kept"));
    assert_ne!(server.daemon_pid(), daemon);
}

#[test]
fn without_a_daemon_there_is_nothing_to_upgrade() {
    let server = TestServer::new(BINARY);
    let ran = server.run(&["upgrade"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("No fugue daemon is running"), "{}", ran.err);
    assert!(!server.socket().exists());
}

#[test]
fn a_binary_that_cannot_take_over_is_refused_and_everything_goes_on() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (keeper, daemon) = (server.keeper_pid(), server.daemon_pid());
    let failing = script(&server, "failing", "#!/bin/sh\nexit 1\n");
    let silent = script(&server, "silent", "#!/bin/sh\nexit 0\n");
    let plain = server.path().join("plain");
    fs::write(&plain, "text").expect("a file");
    let (missing, relative) = (server.path().join("missing"), PathBuf::from("relative"));
    for binary in [failing, silent, plain, missing, relative] {
        let answer = ask(&server, &binary);
        assert_eq!(answer["refusal"]["code"], "cannot_upgrade", "{answer}");
    }
    assert_eq!((server.keeper_pid(), server.daemon_pid()), (keeper, daemon));
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
}

/// A script that answers the daemon's check, and then runs `then` as the keeper or the daemon.
fn pretender(server: &TestServer, name: &str, then: &str) -> PathBuf {
    let text = format!("#!/bin/sh\n[ \"$2\" = --reads-table ] && exec \"{BINARY}\" \"$@\"\n{then}\n");
    script(server, name, &text)
}

#[test]
fn a_new_keeper_that_fails_is_replaced_by_the_old_version() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (keeper, program) = (server.keeper_pid(), pane(&server, &id)["pid"].clone());
    let answer = ask(&server, &pretender(&server, "pretender", "exit 1"));
    assert_eq!(answer["refusal"]["code"], "cannot_upgrade", "{answer}");
    until("a successor has taken over", || server.keeper_pid() != keeper);
    assert_eq!(executable(server.keeper_pid()), Path::new(BINARY));
    assert_eq!(pane(&server, &id)["pid"], program);
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
    upgrade_to(&server, &copy(&server, "copy"));
}

#[test]
fn a_new_keeper_that_hangs_is_replaced_by_the_old_version() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (keeper, program) = (server.keeper_pid(), pane(&server, &id)["pid"].clone());
    let begun = Instant::now();
    let answer = ask(&server, &pretender(&server, "pretender", "exec sleep 1000"));
    assert_eq!(answer["refusal"]["code"], "cannot_upgrade", "{answer}");
    assert!(answer["refusal"]["message"].to_string().contains("did not respond"), "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    until("a successor has taken over", || server.keeper_pid() != keeper);
    assert_eq!(executable(server.keeper_pid()), Path::new(BINARY));
    assert!(!Path::new(&format!("/proc/{keeper}")).exists(), "there is one keeper");
    assert_eq!(pane(&server, &id)["pid"], program);
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
}

#[test]
fn an_upgrade_at_the_same_path_to_a_broken_binary_leaves_a_way_back() {
    let server = TestServer::new(BINARY);
    let binary = copy(&server, "fugue-copy");
    let started = run(&mut command_of(&server, &binary, &["new", "-d", "-s", "work", "--", "cat"]));
    assert_eq!((started.code, started.err.as_str()), (0, ""));
    let (keeper, programs) = (server.keeper_pid(), server.json(&["list-panes"])["panes"].clone());
    fs::rename(pretender(&server, "pretender", "exit 1"), &binary).expect("the file is replaced");
    let answer = ask(&server, &binary);
    assert_eq!(answer["refusal"]["code"], "cannot_upgrade", "{answer}");
    until("a successor has taken over", || server.keeper_pid() != keeper);
    server.session("second", &["cat"]);
    let killed = server.daemon_pid();
    signal("KILL", killed);
    assert_ne!(server.daemon_pid(), killed);
    let panes = server.json(&["list-panes"])["panes"].clone();
    assert_eq!(panes[0]["pid"], programs[0]["pid"], "{panes}");
    server.session("third", &["cat"]);
}

#[test]
fn a_new_daemon_that_cannot_start_is_rolled_back() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (program, daemon) = (pane(&server, &id)["pid"].clone(), server.daemon_pid());
    // The new keeper gives its daemons a state directory that cannot exist.
    let paths = "--socket \"$4\" --state /dev/null/nowhere --config \"$8\"";
    let binary = pretender(&server, "pretender", &format!("exec \"{BINARY}\" keeper --resume {paths}"));
    let answer = ask(&server, &binary);
    assert_eq!(answer["welcome"]["upgrade"]["daemon_pid"], daemon, "{answer}");
    until("the old version serves again", || server.daemon_pid() != daemon);
    let warnings = server.json(&["server-status"])["warnings"].to_string();
    assert!(warnings.contains("The upgrade was rolled back: "), "{warnings}");
    let hello =
        json!({ "hello": { "protocol": PROTOCOL, "upgrade": { "binary": binary, "report_only": true } } });
    let report = answer_to(&server, &hello)["welcome"]["upgrade"].clone();
    assert_eq!(report["is_requested_binary"], false, "{report}");
    assert!(report["rolled_back"].as_str().is_some_and(|why| warnings.contains(why)), "{report}");
    assert_eq!(pane(&server, &id)["pid"], program);
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
}

#[test]
fn a_new_daemon_that_dies_twice_in_its_first_seconds_is_rolled_back() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let program = pane(&server, &id)["pid"].clone();
    let binary = copy(&server, "copy");
    upgrade_to(&server, &binary);
    fs::remove_file(&binary).expect("the new binary is removed");
    for _ in 0..2 {
        let killed = server.daemon_pid();
        signal("KILL", killed);
        assert_ne!(server.daemon_pid(), killed);
    }
    assert_eq!(executable(server.daemon_pid()), Path::new(BINARY));
    assert_eq!(pane(&server, &id)["pid"], program);
    let warnings = server.json(&["server-status"])["warnings"].to_string();
    assert!(warnings.contains("The upgrade was rolled back: it was killed by signal 9"), "{warnings}");
    let again = copy(&server, "again");
    upgrade_to(&server, &again);
    assert_eq!(executable(server.daemon_pid()), again);
    assert_eq!(server.json(&["server-status"])["warnings"], Value::Null);
}

#[test]
fn the_reason_for_a_roll_back_is_printed_once_a_daemon_serves() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (journal, aside) = (server.state_dir().join("journal.witness"), server.path().join("aside"));
    fs::rename(&journal, &aside).expect("the file is moved away");
    fs::create_dir(&journal).expect("a directory");
    let binary = copy(&server, "copy");
    let upgrade = in_background(command_of(&server, &binary, &["upgrade"]));
    until("the upgrade was rolled back", || log(&server).contains("Rolled back"));
    fs::remove_dir(&journal).expect("the directory is removed");
    fs::rename(&aside, &journal).expect("the file is moved back");
    let said = output_of(upgrade);
    assert!(said.contains("The upgrade was rolled back to fugue"), "{said}");
    assert!(said.contains("journal"), "{said}");
    assert_eq!(executable(server.daemon_pid()), Path::new(BINARY));
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
}

#[test]
fn an_agent_may_upgrade_only_if_its_scope_is_all() {
    let server = TestServer::new(BINARY);
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), "[scopes]\nlimited = \"descendants\"\n")
        .expect("a configuration");
    let limited = server.session("limited", &["cat"]);
    let free = server.session("free", &["cat"]);
    let daemon = server.daemon_pid();
    let ran = run(&mut server.command_for(&limited, &["upgrade", "--force"]));
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.err.contains("`upgrade` affects the whole daemon"), "{}", ran.err);
    let ran = run(server.command(&["upgrade", "--force"]).env("FUGUE_PANE_ID", &limited));
    assert!(ran.err.contains("This process has read-only access"), "{}", ran.err);
    assert_eq!(server.daemon_pid(), daemon);
    let ran = run(&mut server.command_for(&free, &["upgrade", "--force"]));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_ne!(server.daemon_pid(), daemon);
}

#[test]
fn a_client_of_another_protocol_learns_what_to_do_and_can_upgrade() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let greet = |protocol: u32| {
        let hello = json!({ "hello": { "protocol": protocol, "version": "9.0.0", "role": "something new" } });
        answer_to(&server, &hello)["refusal"].clone()
    };
    let newer = greet(PROTOCOL + 1);
    assert_eq!(newer["code"], "version_mismatch");
    assert!(newer["hint"].as_str().expect("a hint").contains("`fugue upgrade`"), "{newer}");
    assert_eq!(newer["detail"]["executable"], BINARY);
    let older = greet(PROTOCOL - 1);
    assert!(older["hint"].as_str().expect("a hint").contains(BINARY), "{older}");
    let binary = copy(&server, "copy");
    let answer = ask(&server, &binary);
    assert_eq!(answer["welcome"]["upgrade"]["daemon_pid"], daemon, "{answer}");
    until("the new daemon serves", || server.daemon_pid() != daemon);
    assert_eq!(executable(server.daemon_pid()), binary);
}

#[test]
#[ignore = "needs FUGUE_UPGRADE_BINARY, a build with another protocol number"]
fn programs_and_terminals_go_on_over_an_upgrade_to_another_protocol_and_back() {
    let next = next_version();
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let program = pane(&server, &id)["pid"].clone();
    let mut terminal = server.terminal(&["attach", "work"], 80, 24);
    terminal.shows("work");
    let early = run(&mut command_of(&server, &next, &["ls"]));
    assert!(early.err.contains("`fugue upgrade` replaces the daemon"), "{}", early.err);
    upgrade_to(&server, &next);
    let client = terminal.process();
    until("the client runs the new version", || executable(client) == next);
    terminal.send("typed to the new version\r");
    terminal.shows("typed to the new version");
    let late = server.run(&["ls"]);
    assert_eq!(late.code, 1, "{}", late.out);
    assert!(late.err.contains(&format!("use the daemon's own binary: {}", next.display())), "{}", late.err);
    assert_eq!(run(&mut command_of(&server, &next, &["ls"])).code, 0);
    assert!(server.ok(&["upgrade"]).contains("1 program kept"));
    until("the client runs the old version", || executable(client) == Path::new(BINARY));
    terminal.send("typed to the old version\r");
    terminal.shows("typed to the old version");
    assert_eq!(pane(&server, &id)["pid"], program);
}

#[test]
#[ignore = "needs FUGUE_UPGRADE_BINARY, a build with another protocol number"]
fn a_version_of_another_protocol_that_keeps_dying_is_rolled_back() {
    let next = next_version();
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    upgrade_to(&server, &next);
    for _ in 0..2 {
        let status = run(&mut command_of(&server, &next, &["server-status", "--json"]));
        let status: Value = serde_json::from_str(&status.out).expect("JSON");
        signal("KILL", status["pid"].as_u64().expect("a pid").try_into().expect("a pid"));
    }
    until("the old version serves again", || server.run(&["server-status"]).code == 0);
    assert_eq!(executable(server.daemon_pid()), Path::new(BINARY));
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
}

/// The next version, which has one more event, message and verb.
fn next_version_with_more() -> PathBuf {
    let next = next_version();
    let has_more = Command::new(&next).args(["mark-session", "--help"]).output().expect("the binary runs");
    assert!(has_more.status.success(), "FUGUE_UPGRADE_BINARY was built without FUGUE_NEXT=1");
    next
}

/// A daemon with a session that has a program, metadata and a message, upgraded to the next version, which marked it.
fn marked_by(next: &Path) -> (TestServer, String, Value) {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let program = pane(&server, &id)["pid"].clone();
    server.ok(&["set-metadata", "-s", "work", "before", "upgrade"]);
    server.ok(&["send-orchestration", "-s", "work", "note", "{\"text\":\"read me later\"}"]);
    upgrade_to(&server, next);
    assert_eq!(mark(&server, next, &["important"]), "important");
    run(&mut command_of(&server, next, &["set-metadata", "-s", "work", "after", "mark"]));
    (server, id, program)
}

/// Sets or reads the mark of the session.
fn mark(server: &TestServer, next: &Path, mark: &[&str]) -> Value {
    let words = [&["mark-session", "-s", "work", "--json"], mark].concat();
    let said = run(&mut command_of(server, next, &words));
    let view: Value =
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}\n{}", said.err, log(server)));
    view["entries"]["mark"].clone()
}

/// Asserts that the older version has everything that it knows, and says what it does not know.
fn nothing_is_lost(server: &TestServer, next: &Path, id: &str, program: &Value) {
    assert_eq!(pane(server, id)["pid"], *program);
    let entries = server.json(&["get-metadata", "-s", "work"])["entries"].clone();
    assert_eq!(entries, json!({ "before": "upgrade", "after": "mark" }));
    assert!(server.json(&["list-messages", "-s", "work"]).to_string().contains("read me later"));
    let warnings = server.json(&["server-status"])["warnings"].to_string();
    assert!(warnings.contains("session_marked") && !warnings.contains("lost"), "{warnings}");
    let refused = run(&mut command_of(server, next, &["mark-session", "-s", "work", "again"]));
    assert_ne!(refused.code, 0, "{}", refused.out);
}

#[test]
#[ignore = "needs FUGUE_UPGRADE_BINARY, a build with another protocol number"]
fn nothing_is_lost_by_an_upgrade_to_a_version_with_more_events_messages_and_verbs_and_back() {
    let next = next_version_with_more();
    let (server, id, program) = marked_by(&next);
    server.ok(&["upgrade"]);
    nothing_is_lost(&server, &next, &id, &program);
    // Enough for a checkpoint, which replaces the one that the next version wrote, and the events before it.
    for number in 0..160 {
        server.ok(&["set-metadata", "-s", "work", "large", &format!("{number}{}", "x".repeat(30_000))]);
    }
    server.ok(&["rename-session", "-s", "work", "play"]);
    server.ok(&["rename-session", "-s", "play", "work"]);
    signal("KILL", server.daemon_pid());
    until("the older version serves again", || server.run(&["server-status"]).code == 0);
    upgrade_to(&server, &next);
    assert_eq!(mark(&server, &next, &[]), "important");
    server.ok(&["upgrade"]);
    upgrade_to(&server, &next);
    assert_eq!(
        mark(&server, &next, &[]),
        "important",
        "it is in the checkpoint of the version that knows it"
    );
}

#[test]
#[ignore = "needs FUGUE_UPGRADE_BINARY, a build with another protocol number"]
fn nothing_is_lost_by_the_rollback_of_a_version_with_more_events_messages_and_verbs() {
    let next = next_version_with_more();
    let (server, id, program) = marked_by(&next);
    for _ in 0..2 {
        let status = run(&mut command_of(&server, &next, &["server-status", "--json"]));
        let status: Value = serde_json::from_str(&status.out).expect("JSON");
        signal("KILL", status["pid"].as_u64().expect("a pid").try_into().expect("a pid"));
    }
    until("the older version serves again", || {
        server.run(&["server-status"]).code == 0 && executable(server.daemon_pid()) == Path::new(BINARY)
    });
    nothing_is_lost(&server, &next, &id, &program);
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
    upgrade_to(&server, &next);
    assert_eq!(mark(&server, &next, &[]), "important");
}
