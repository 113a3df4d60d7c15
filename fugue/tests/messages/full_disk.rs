//! A full disk, simulated by a limit on the size of the daemon's files.

use std::path::Path;
use std::process::Stdio;

use fugue_client::CallError;
use fugue_testkit::{RepeatingCaller, signal, until};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use crate::soak::message;
use crate::test_server;

/// Limits the size of the daemon's files.
fn limit_file_size(daemon: u32, bytes: Option<u64>) {
    let process = Pid::from_raw(daemon.cast_signed()).expect("a process");
    let hard = rustix::process::getrlimit(Resource::Fsize).maximum;
    prlimit(Some(process), Resource::Fsize, Rlimit { current: bytes.or(hard), maximum: hard })
        .expect("a limit");
}

#[test]
fn a_full_disk_refuses_messages_and_loses_no_acknowledged_one() {
    let server = test_server();
    let (from, _) = (server.session("from", &["cat"]), server.session("to", &["cat"]));
    let mut sender = RepeatingCaller::new(&server, &from);
    let daemon = server.daemon_pid();
    limit_file_size(daemon, Some(1 << 20));
    let mut acknowledged = Vec::new();
    let refused = loop {
        let key = format!("k{}", acknowledged.len());
        match sender.call(&message("to", key, json!({ "t": "x".repeat(20_000) }))) {
            Ok(sent) => acknowledged.push(sent.message_id.to_string()),
            Err(CallError::Refused(refused)) => break refused,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(refused.code, "storage_full", "{refused}");
    assert!((1..200).contains(&acknowledged.len()), "{} were stored", acknowledged.len());
    let kept = || {
        let list = server.json(&["list-messages", "-n", "200"]);
        let messages = list["messages"].as_array().expect("messages").clone();
        messages
            .iter()
            .filter_map(|message| Some(message["message_id"].as_str()?.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(), acknowledged, "refused messages are not stored");
    assert_eq!(server.daemon_pid(), daemon, "the daemon keeps running");
    limit_file_size(daemon, None);
    // The same key again: the first attempt was refused, so this is not a duplicate.
    let key = format!("k{}", acknowledged.len());
    let sent =
        sender.call(&message("to", key, json!({ "t": "x".repeat(20_000) }))).expect("there is space again");
    assert!(!sent.duplicate);
    acknowledged.push(sent.message_id.to_string());
    signal("KILL", daemon);
    assert_eq!(kept(), acknowledged, "everything is on disk");
}

#[test]
fn a_program_that_exits_on_a_full_disk_is_shown_as_exited_and_stored_when_there_is_space() {
    let server = test_server();
    let pane =
        server.json(&["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", "read x; exit 7"]);
    let pane = pane["pane_id"].as_str().expect("a pane").to_owned();
    server.session("gone", &["sh", "-c", "read x"]);
    let daemon = server.daemon_pid();
    limit_file_size(daemon, Some(0));
    for session in ["work", "gone"] {
        server.ok(&["send-input", "-s", session, "\n"]);
    }
    assert_eq!(server.ok(&["wait", "-t", &pane, "--until", "exit"]), "exited, exit code 7\n");
    let exit = || server.json(&["list-panes"])["panes"][0]["exit"].clone();
    until("the exit is shown", || exit() == json!({"code": 7}));
    until("the session is gone", || {
        server.json(&["ls"])["sessions"].as_array().is_some_and(|all| all.len() == 1)
    });
    let warning = "The disk is full; changes are refused";
    assert!(server.ok(&["server-status"]).contains(warning));
    assert!(server.refused(&["set-tags", "-s", "work", "--add", "new"]).contains("store"));
    limit_file_size(daemon, None);
    until("the warning is gone", || !server.ok(&["server-status"]).contains(warning));
    signal("KILL", daemon);
    assert_eq!(exit(), json!({"code": 7}), "it is on disk");
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n", "nothing is wrong with the journal");
}

#[test]
fn commands_that_end_on_a_full_disk_are_answered_and_their_windows_closed_when_there_is_space() {
    let server = test_server();
    server.session("work", &["cat"]);
    let wait = "while [ ! -e enough ]; do sleep 0.02; done; exit 3";
    let calls = [["run", "-s", "work", wait], ["run-parallel", "-s", "work", wait]];
    let callers = calls.map(|words| {
        let mut command = server.command(&words);
        command.stdout(Stdio::piped()).spawn().expect("a client")
    });
    let windows = || server.json(&["ls"])["sessions"][0]["windows"].as_array().map_or(0, Vec::len);
    until("the commands run", || windows() == 3);
    let daemon = server.daemon_pid();
    limit_file_size(daemon, Some(0));
    std::fs::write(server.path().join("enough"), "").expect("a file");
    for mut caller in callers {
        let process = Path::new("/proc").join(caller.id().to_string());
        let state = || std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        until("the call is answered", || state().contains(") Z "));
        caller.wait().expect("it has ended");
    }
    limit_file_size(daemon, None);
    until("the windows are closed", || windows() == 1);
}
