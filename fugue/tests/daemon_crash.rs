//! The daemon is killed: programs, sessions and waiting callers survive.

use std::fs::{self, File};
use std::io::Write;

use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn pane(server: &TestServer, index: usize) -> Value {
    server.json(&["list-panes"])["panes"][index].clone()
}

#[test]
fn a_program_keeps_running_while_its_daemon_is_killed_ten_times() {
    let server = test_server();
    let counting = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); echo line $i; done; echo counted; exec cat";
    let id = server.session("work", &["sh", "-c", counting]);
    server.ok(&["set-tags", "-s", "work", "--add", "kept", "also"]);
    server.ok(&["rename-window", "-s", "work", "counting"]);
    let before = pane(&server, 0);
    for _ in 0..10 {
        let killed = server.daemon_pid();
        signal("KILL", killed);
        assert_ne!(server.daemon_pid(), killed);
    }
    server.wait_for(&id, "^counted$");
    let after = pane(&server, 0);
    assert_eq!((&after["pid"], &after["pane_id"]), (&before["pid"], &before["pane_id"]));
    let session = &server.json(&["ls"])["sessions"][0];
    assert_eq!(session["tags"], json!(["also", "kept"]));
    assert_eq!(session["windows"][0]["name"], "counting");
    let text = server.text(&id);
    let numbers: Vec<u32> =
        text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
    assert!(numbers.len() > 9_000, "{} lines are kept", numbers.len());
    assert_eq!(numbers.last(), Some(&200_000));
    assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "a line is missing");
}

#[test]
fn a_long_log_is_rotated_and_three_older_ones_are_kept() {
    let server = test_server();
    server.session("work", &["cat"]);
    let log = server.state_dir().join("log");
    let older = |number: usize| server.state_dir().join(format!("log.{number}"));
    for round in 1..=5 {
        let mut file = File::options().append(true).open(&log).expect("the log");
        writeln!(file, "{}round {round}", "x".repeat(8 << 20)).expect("written");
        let killed = server.daemon_pid();
        signal("KILL", killed);
        assert_ne!(server.daemon_pid(), killed);
        assert!(log.metadata().expect("the log").len() < 8 << 20);
    }
    for (number, round) in [(1, 5), (2, 4), (3, 3)] {
        let text = fs::read_to_string(older(number)).expect("an older log");
        assert!(text.contains(&format!("xround {round}\n")), "log.{number}");
    }
    assert!(!older(4).exists());
}

#[test]
fn a_program_that_exited_while_no_daemon_was_running_is_reported_with_its_status() {
    let server = test_server();
    let id = server.json(&[
        "new",
        "-d",
        "-s",
        "work",
        "--on-exit",
        "keep",
        "--",
        "sh",
        "-c",
        "read x; echo last words; exit 7",
    ]);
    let id = id["pane_id"].as_str().expect("a pane").to_owned();
    let daemon = server.daemon_pid();
    server.ok(&["send-input", "-t", &id, "\n"]);
    signal("KILL", daemon);
    assert_eq!(server.ok(&["wait", "-t", &id, "--until", "exit"]), "exited, exit code 7\n");
    assert!(server.text(&id).contains("last words"));
    // The same after a restart, from the journal and the keeper alone.
    signal("KILL", server.daemon_pid());
    assert!(server.text(&id).contains("last words"));
    assert_eq!(pane(&server, 0)["exit"], json!({"code": 7}));
}

#[test]
fn an_event_follower_misses_none_when_the_daemon_is_killed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut follow = server.command(&["events", "--follow", "--since", "0"]);
    let mut follow = follow.stdout(std::process::Stdio::piped()).spawn().expect("fugue starts");
    for number in 0..20 {
        server.ok(&["set-metadata", "-s", "work", "number", &number.to_string()]);
        if number % 7 == 3 {
            signal("KILL", server.daemon_pid());
        }
    }
    let lines = std::io::BufRead::lines(std::io::BufReader::new(follow.stdout.take().expect("its output")));
    let mut ids = Vec::new();
    for line in lines {
        let event: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        ids.extend(event["id"].as_u64());
        if event["value"] == "19" {
            break;
        }
    }
    follow.kill().expect("killed");
    follow.wait().expect("exited");
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "every event once and in order");
}

#[test]
fn a_corrupt_journal_is_set_aside_and_programs_keep_running() {
    let server = test_server();
    server.session("work", &["sh", "-c", "echo still here; exec cat"]);
    let pid = pane(&server, 0)["pid"].clone();
    let daemon = server.daemon_pid();
    // Overwritten while the daemon is stopped, so that it cannot write the files again.
    signal("STOP", daemon);
    for file in ["journal.db", "journal.db-wal"] {
        fs::write(server.state_dir().join(file), vec![b'x'; 20_000]).expect("overwritten");
    }
    signal("KILL", daemon);
    let after = pane(&server, 0);
    assert_eq!(after["pid"], pid);
    server.wait_for(after["pane_id"].as_str().expect("a pane"), "still here");
    let warning = server.json(&["server-status"])["warnings"][0].as_str().expect("a warning").to_owned();
    assert!(warning.starts_with("The journal was damaged"), "{warning}");
    assert!(warning.contains("nothing was lost"), "{warning}");
    assert_eq!(server.json(&["ls"])["sessions"][0]["name"], "work", "the copy has everything");
    let kept = fs::read_dir(server.state_dir())
        .expect("readable")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert!(kept.into_iter().any(|name| name.starts_with("journal.db.damaged-2")));
}

#[test]
fn panes_can_be_respawned_after_keeper_and_daemon_are_killed() {
    let server = test_server();
    let id = server.session("work", &["cat"]);
    server.ok(&["set-tags", "-s", "work", "--add", "kept"]);
    let (keeper, daemon) = (server.keeper_pid(), server.daemon_pid());
    // Stopped first: a daemon that outlives its keeper starts another one, and nothing is lost.
    signal("STOP", daemon);
    signal("KILL", keeper);
    signal("KILL", daemon);
    let is_gone = |process: u32| !std::path::Path::new(&format!("/proc/{process}")).exists();
    until("both are gone", || is_gone(keeper) && is_gone(daemon));
    assert_eq!(server.json(&["ls"])["sessions"][0]["tags"], json!(["kept"]));
    assert_eq!(pane(&server, 0)["state"], "lost");
    let complaint = server.refused(&["send-input", "-t", &id, "hello"]);
    assert_eq!(
        complaint,
        format!(
            "The program in pane {id} has exited (exit status unknown)\nhint: `fugue respawn-pane` restarts it"
        )
    );
    server.ok(&["respawn-pane", "-t", &id]);
    server.ok(&["send-input", "-t", &id, "hello again\n"]);
    server.wait_for(&id, "hello again");
}

#[test]
fn a_terminal_query_is_answered_once_across_a_restart() {
    let server = test_server();
    // Sends terminal queries before and after the daemon is killed, and prints every answer.
    let script = r"stty raw -echo; printf '\033[6n'; printf 'before:'; head -c 6 | od -An -c | tr -d ' \n'; \
        while [ ! -e go ]; do sleep 0.01; done; printf '\r\n\033[5n'; printf 'after:'; : > asked; head -c 4 | od -An -c | tr -d ' \n'; \
        printf '\r\n'; timeout 1 cat | od -An -c | tr -d ' \n'; printf 'rest\r\n'; exec cat";
    let pane = server.session("work", &["sh", "-c", script]);
    server.wait_for(&pane, "before:.*R");
    let (daemon, keeper) = (server.daemon_pid(), server.keeper_pid());
    // While the keeper is stopped, no daemon is started, so the query is sent while none is running.
    signal("STOP", keeper);
    signal("KILL", daemon);
    fs::write(server.path().join("go"), "").expect("the script continues");
    until("the query was sent", || server.path().join("asked").exists());
    signal("CONT", keeper);
    server.wait_for(&pane, "^rest");
    let text = server.text(&pane);
    assert!(text.contains(r"after:033[0n"), "{text}");
    assert_eq!(text.matches("[").count(), 2, "each answer once: {text}");
}

#[test]
fn removing_the_state_directory_kills_no_program() {
    let server = test_server();
    server.session("work", &["sh", "-c", "echo still here; exec cat"]);
    let pid = pane(&server, 0)["pid"].clone();
    let daemon = server.daemon_pid();
    fs::remove_dir_all(server.state_dir()).expect("removed");
    signal("KILL", daemon);
    let after = pane(&server, 0);
    assert_eq!(after["pid"], pid);
    server.wait_for(after["pane_id"].as_str().expect("a pane"), "still here");
}

#[test]
fn a_daemon_and_its_successor_are_reachable_after_the_socket_is_removed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let (daemon, keeper) = (server.daemon_pid(), server.keeper_pid());
    fs::remove_file(server.socket()).expect("the socket exists");
    until("the socket exists again", || server.socket().exists());
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    assert_eq!((server.daemon_pid(), server.keeper_pid()), (daemon, keeper));
    signal("KILL", daemon);
    assert_ne!(server.daemon_pid(), daemon);
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    assert_eq!(server.keeper_pid(), keeper);
}

#[test]
fn a_daemon_is_reachable_after_its_socket_directory_is_removed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let directory = server.socket().parent().expect("a directory").to_owned();
    // Renamed rather than removed piece by piece: the daemon recreates it quickly.
    fs::rename(&directory, directory.with_extension("gone")).expect("the directory exists");
    until("the socket exists again", || server.socket().exists());
    assert_eq!(server.daemon_pid(), daemon);
    // A new shell finds its integration files there, and reads the user's own files.
    let shell = server.session("shell", &["bash"]);
    assert_eq!(
        server.ok(&["run", "-t", &shell, "echo marked; shopt -qo posix || echo usual"]),
        "marked\nusual\n"
    );
}
