//! A state directory has one daemon and one address, whatever the environment of those who look for it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_protocol::refusal::Refused;
use fugue_protocol::{Refusal, messages};
use fugue_testkit::{PATIENCE, TestServer, signal, until};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// The environments from which the same daemon is to be found.
const PLACES: [&str; 4] = ["same", "other", "missing", "unset"];

/// A command in one of these environments.
fn command_at(server: &TestServer, place: &str, words: &[&str]) -> Command {
    let mut command = server.command(words);
    match place {
        "other" => drop(command.env("XDG_RUNTIME_DIR", other_runtime_dir(server))),
        "missing" => drop(command.env("XDG_RUNTIME_DIR", server.path().join("missing"))),
        "unset" => drop(command.env_remove("XDG_RUNTIME_DIR")),
        _ => {}
    }
    command
}

fn other_runtime_dir(server: &TestServer) -> PathBuf {
    let dir = server.path().join("other");
    let _ = fs::create_dir(&dir);
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("its mode");
    dir
}

/// Removes a directory in which the daemon may create its socket again meanwhile.
fn remove(directory: &Path) {
    // The daemon may create a file in it meanwhile. What an attempt that failed left may be gone before the next one.
    until("the directory is removed", || fs::remove_dir_all(directory).is_ok() || !directory.exists());
}

fn ok(mut command: Command) -> String {
    let output = command.output().expect("the binary runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command:?}");
    assert!(output.status.success(), "{command:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn daemon_at(server: &TestServer, place: &str) -> serde_json::Value {
    let status = ok(command_at(server, place, &["server-status", "--json"]));
    serde_json::from_str::<serde_json::Value>(&status).expect("JSON")["pid"].take()
}

#[test]
fn commands_right_after_the_socket_is_removed_reach_the_daemon() {
    let server = test_server();
    server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    for _ in 0..20 {
        fs::remove_file(server.socket()).expect("the socket exists");
        assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    }
    assert_eq!(server.daemon_pid(), daemon);
}

#[test]
fn a_daemon_is_found_from_every_environment() {
    let server = test_server();
    server.session("work", &["cat"]);
    let daemon = daemon_at(&server, "same");
    for place in PLACES {
        assert_eq!(daemon_at(&server, place), daemon, "{place}");
    }
}

#[test]
fn a_daemon_that_was_started_from_another_environment_is_found() {
    let server = test_server();
    ok(command_at(&server, "other", &["new", "-d", "-s", "work", "--", "cat"]));
    for place in PLACES {
        assert_eq!(ok(command_at(&server, place, &["ls"])), "work: 1 window, 1 pane\n", "{place}");
    }
}

#[test]
fn a_daemon_is_found_when_its_runtime_directory_is_removed() {
    let server = test_server();
    server.session("work", &["cat"]);
    for _ in 0..5 {
        remove(&server.path().join("run"));
        assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    }
}

#[test]
fn a_daemon_that_cannot_bind_its_socket_again_is_found_elsewhere() {
    let server = test_server();
    server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let directory = server.path().join("run");
    // Until the test wins the race for the path: below a file nothing can be created.
    while fs::write(&directory, "").is_err() {
        remove(&directory);
    }
    assert_eq!(server.daemon_pid(), daemon);
    signal("KILL", daemon);
    until("the successor is found", || server.run(&["ls"]).out == "work: 1 window, 1 pane\n");
    fs::remove_file(&directory).expect("a file");
}

#[test]
fn a_program_whose_environment_names_another_runtime_directory_finds_its_daemon() {
    let server = test_server();
    let pane = server.session("work", &["sh"]);
    let binary = env!("CARGO_BIN_EXE_fugue");
    let line = format!("rm $FUGUE_SOCKET; XDG_RUNTIME_DIR=/missing {binary} ls; echo code-$?");
    server.ok(&["send-input", "-t", &pane, &line, "--submit"]);
    server.wait_for(&pane, "^code-0$");
    assert!(server.text(&pane).contains("\nwork: 1 window, 1 pane\n"), "{}", server.text(&pane));
}

/// Reserves the socket that is used without `XDG_RUNTIME_DIR`, for a test that starts a daemon there.
fn reserve_shared_socket() -> fs::File {
    let user = rustix::process::geteuid().as_raw();
    let lock =
        fs::File::create(std::env::temp_dir().join(format!("fugue-test-{user}.lock"))).expect("a file");
    lock.lock().expect("locked");
    let socket = format!("/tmp/fugue-{user}/default.sock");
    until(&format!("no other daemon listens at {socket}"), || UnixStream::connect(&socket).is_err());
    lock
}

#[test]
fn a_daemon_is_found_although_another_one_listens_where_the_environment_points() {
    let (server, other) = (test_server(), test_server());
    other.session("theirs", &["cat"]);
    server.session("ours", &["cat"]);
    let run = |words: &[&str]| {
        let mut command = server.command(words);
        command.env("XDG_RUNTIME_DIR", other.socket().ancestors().nth(2).expect("a directory"));
        ok(command)
    };
    assert_eq!(run(&["ls"]), "ours: 1 window, 1 pane\n");
    signal("KILL", server.daemon_pid());
    assert_eq!(run(&["ls"]), "ours: 1 window, 1 pane\n", "a daemon that restarts is waited for");
}

#[test]
fn a_daemon_that_is_named_by_its_socket_is_the_one_that_is_meant() {
    let (server, other) = (test_server(), test_server());
    other.session("theirs", &["cat"]);
    server.session("ours", &["cat"]);
    let mut command = server.command(&["ls"]);
    command.env("XDG_RUNTIME_DIR", other.socket().ancestors().nth(2).expect("a directory"));
    command.env("FUGUE_SOCKET", other.socket());
    assert_eq!(ok(command), "theirs: 1 window, 1 pane\n");
}

#[test]
fn eight_starters_in_different_environments_start_one_daemon() {
    let _shared = reserve_shared_socket();
    let server = test_server();
    other_runtime_dir(&server);
    let names: Vec<_> = (0..8).map(|number| format!("s{number}")).collect();
    let places = ["same", "other", "unset", "same"].into_iter().cycle();
    let children: Vec<_> = names
        .iter()
        .zip(places)
        .map(|(name, place)| {
            let mut command = command_at(&server, place, &["new", "-d", "-s", name, "--", "cat"]);
            command.stdout(std::process::Stdio::null()).spawn().expect("fugue starts")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    for place in PLACES {
        assert_eq!(ok(command_at(&server, place, &["ls"])).lines().count(), 8, "{place}");
    }
    let log = fs::read_to_string(server.state_dir().join("log")).expect("a log");
    assert!(!log.contains("exited"), "{log}");
}

#[test]
fn a_daemon_can_be_started_again_from_another_environment_right_after_a_shutdown() {
    let _shared = reserve_shared_socket();
    let server = test_server();
    for place in ["same", "other", "unset", "same"] {
        ok(command_at(&server, place, &["new", "-d", "-s", "work", "--", "sh", "-c", "trap '' HUP; cat"]));
        ok(command_at(&server, place, &["shutdown"]));
        ok(command_at(&server, place, &["start-server"]));
        let left = ok(command_at(&server, place, &["ls"]));
        assert!(!left.contains("work: 1 window, 1 pane\n"), "{left}");
        ok(command_at(&server, place, &["shutdown"]));
    }
}

#[test]
fn a_command_that_is_refused_because_the_daemon_shuts_down_is_carried_out_by_the_next_one() {
    let server = test_server();
    let socket = server.socket();
    let directory = socket.parent().expect("its directory");
    fs::create_dir_all(directory).expect("a directory");
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).expect("its mode");
    // A daemon in its last moment.
    let listener = UnixListener::bind(&socket).expect("a socket");
    let last_moment = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        fs::remove_file(socket).expect("removed");
        let refusal = Refused::from(&Refusal::ShuttingDown);
        client.write_all(&messages::refusal(None, &refusal)).expect("it reads");
    });
    server.session("work", &["cat"]);
    last_moment.join().expect("no panic");
    assert!(server.ok(&["ls"]).contains("work"));
}

#[test]
fn state_directories_are_private() {
    let server = test_server();
    let open = server.state_dir();
    fs::create_dir_all(&open).expect("a directory");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).expect("its mode");
    server.session("work", &["cat"]);
    for dir in [open.clone(), open.parent().expect("the directory of all").to_owned()] {
        let mode = fs::metadata(&dir).expect("a directory").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{}", dir.display());
    }
}

#[test]
fn files_in_the_state_directory_are_private() {
    let server = test_server();
    let pane = server.session("work", &["sh"]);
    // A reach beyond its own session makes the audit log.
    server.session("other", &["cat"]);
    assert!(
        server
            .command_for(&pane, &["set-tags", "-s", "other", "--add", "seen"])
            .status()
            .expect("it runs")
            .success()
    );
    until("the audit log is written", || server.state_dir().join("audit.log").exists());
    let mut names = Vec::new();
    for file in fs::read_dir(server.state_dir()).expect("the state").flatten() {
        let found = file.metadata().expect("a file");
        if found.is_file() {
            names.push(file.file_name().to_string_lossy().into_owned());
            assert_eq!(found.permissions().mode() & 0o077, 0, "{}", file.path().display());
        }
    }
    for expected in ["journal.db", "journal.db-wal", "journal.copy", "audit.log", "log"] {
        assert!(names.iter().any(|name| name == expected), "{expected} is not among {names:?}");
    }
}

#[test]
fn a_command_that_only_reads_starts_no_daemon() {
    let server = test_server();
    let reading = [&["ls"][..], &["agents"], &["events"], &["messages"], &["list-panes", "--json"]];
    let check = |when: &str| {
        for words in reading {
            let run = server.run(words);
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{when}: {words:?}");
            let expected = format!("fugue: No fugue daemon is running at {}\n", server.socket().display());
            assert!(run.err.starts_with(&expected), "{when}: {words:?}: {}", run.err);
        }
        assert!(!server.socket().exists(), "{when}");
    };
    check("at first");
    assert!(!server.state_dir().exists());
    server.session("work", &["cat"]);
    let processes = [server.daemon_pid(), server.keeper_pid()];
    server.ok(&["shutdown"]);
    until("both are gone", || processes.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()));
    check("after a shutdown");
    server.session("work", &["cat"]);
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
}

#[test]
fn a_mistyped_server_name_starts_no_daemon() {
    let server = test_server();
    server.session("work", &["cat"]);
    for words in
        [["--server", "wrok", "ls"], ["--server", "wrok", "events"], ["--server", "wrok", "messages"]]
    {
        let run = server.run(&words);
        assert_eq!(run.code, 2, "{words:?}");
        assert!(run.err.starts_with("fugue: No fugue daemon is running at "), "{}", run.err);
    }
    assert!(!server.path().join("state/fugue/wrok").exists());
}

#[test]
fn in_namespace_without_home_the_state_is_not_in_the_root_directory() {
    let server = test_server();
    // A user that is not in the list of users has no home directory at all.
    let path = ["--user", "--map-user=12345"];
    fugue_testkit::expect_namespaces(&path);
    let words = [&path[..], &[env!("CARGO_BIN_EXE_fugue"), "ls"]].concat();
    let mut command = server.command_from(Path::new("unshare"), &words);
    command.env_remove("HOME").env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
    let output = command.output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(err, "fugue: HOME is not set\nhint: set HOME to your home directory\n");
    assert!(!Path::new("/.local").exists());
}

#[test]
fn a_home_that_cannot_be_written_to_is_named_with_what_to_do() {
    let server = test_server();
    let mut command = server.command(&["new", "-d"]);
    command.env_remove("XDG_STATE_HOME").env("HOME", "/proc/self");
    let output = command.output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.starts_with("fugue: Cannot create /proc/self/.local/state/fugue/default: "), "{err}");
    assert!(err.contains("\nhint: set XDG_STATE_HOME to a writable directory"), "{err}");
}

#[test]
fn a_daemon_that_was_serving_is_replaced_at_once_however_often_it_is_killed() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    for _ in 0..9 {
        signal("KILL", server.daemon_pid());
    }
    let log = || fs::read_to_string(server.state_dir().join("log")).expect("a log");
    let begun = std::time::Instant::now();
    assert_eq!(server.json(&["list-panes"])["panes"][0]["pane_id"], pane.as_str());
    assert!(begun.elapsed() < PATIENCE, "{}", log());
}
