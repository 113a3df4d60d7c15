//! Requests that a client sends without waiting for the replies to earlier ones.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use fugue_protocol::PROTOCOL;
use fugue_protocol::frames::{self, FrameKind, FrameReader};
use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn framed(message: &Value) -> Vec<u8> {
    let mut frame = Vec::new();
    frames::write(&mut frame, FrameKind::Words, message.to_string().as_bytes());
    frame
}

/// Sends these requests, numbered from 1, in one write, and returns the replies and refusals in the order of their
/// arrival.
fn pipelined(server: &TestServer, requests: &[(&str, Value)]) -> Vec<(u64, Value)> {
    let mut bytes = framed(&json!({ "hello": { "protocol": PROTOCOL } }));
    for (id, (verb, args)) in (1..).zip(requests) {
        bytes.extend(framed(&json!({ "id": id, "verb": verb, "args": args })));
    }
    let mut socket = UnixStream::connect(server.socket()).expect("the daemon runs");
    socket.write_all(&bytes).expect("sent");
    let (mut reader, mut answers) = (FrameReader::new(1 << 20), Vec::new());
    while answers.len() < requests.len() {
        let mut read = [0; 4096];
        let count = socket.read(&mut read).expect("readable");
        assert_ne!(count, 0, "the daemon has disconnected: {answers:?}");
        reader.push(&read[..count]);
        while let Some((_, body)) = reader.next_frame().expect("a frame") {
            let message: Value = serde_json::from_slice(body).expect("JSON");
            let answer = [&message["reply"], &message["refusal"]].into_iter().find(|part| !part.is_null());
            answers.extend(message["id"].as_u64().zip(answer.cloned()));
        }
    }
    answers
}

fn by_id(answers: Vec<(u64, Value)>) -> Vec<Value> {
    answers.into_iter().collect::<BTreeMap<_, _>>().into_values().collect()
}

#[test]
fn a_call_that_is_repeated_before_it_is_answered_is_carried_out_once() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let shell = json!({ "command": "echo ran >> shell.txt", "pane": pane, "idempotency_key": "k1" });
    let own = json!({ "command": "echo ran >> own.txt", "session": "work", "idempotency_key": "k2" });
    let commands =
        json!({ "commands": ["echo ran >> parallel.txt"], "session": "work", "idempotency_key": "k3" });
    for (verb, args, file) in
        [("run", shell, "shell.txt"), ("run", own, "own.txt"), ("run-parallel", commands, "parallel.txt")]
    {
        let calls = vec![(verb, args); 3];
        let answers = by_id(pipelined(&server, &calls));
        assert!(answers[0].get("code").is_none(), "{answers:?}");
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        assert_eq!(fs::read_to_string(server.path().join(file)).expect("it ran"), "ran\n", "{verb}");
    }
}

#[test]
fn a_key_that_comes_with_another_call_is_refused_and_nothing_is_carried_out() {
    let server = test_server();
    server.session("work", &["bash"]);
    let call = |command: &str, lines: u64| {
        ("run", json!({ "command": command, "session": "work", "lines": lines, "idempotency_key": "k" }))
    };
    let answers = by_id(pipelined(&server, &[call("sleep 0.2; echo A", 9), call("echo B > b.txt", 9)]));
    assert_eq!(
        (&answers[0]["output"], &answers[1]["code"]),
        (&json!("A"), &json!("key_of_another_call")),
        "{answers:?}"
    );
    let answers = by_id(pipelined(&server, &[call("echo B > b.txt", 9)]));
    assert_eq!(answers[0]["code"], "key_of_another_call", "{answers:?}");
    assert!(
        answers[0]["hint"].as_str().is_some_and(|hint| hint.contains("choose another key")),
        "{answers:?}"
    );
    let answers = by_id(pipelined(&server, &[call("sleep 0.2; echo A", 5)]));
    assert_eq!(answers[0]["output"], "A", "how much of the output is wanted is no other call");
    assert!(!server.path().join("b.txt").exists());
}

#[test]
fn requests_are_decided_in_order_even_if_a_lease_is_named_by_a_path() {
    let server = test_server();
    server.session("work", &["cat"]);
    let path = server.path().join("file");
    fs::write(&path, "").expect("a file");
    let lease = json!({ "name": path });
    let claim = json!({ "name": path, "ttl_ms": 60_000 });
    let answers = pipelined(
        &server,
        &[("claim", claim), ("list-leases", json!({})), ("release", lease), ("list-leases", json!({}))],
    );
    let order: Vec<_> = answers.iter().map(|(id, _)| *id).collect();
    let leases = |at: usize| answers[at].1["leases"].as_array().map(Vec::len);
    assert_eq!((order, leases(1), leases(3)), (vec![1, 2, 3, 4], Some(1), Some(0)), "{answers:?}");
}

#[test]
fn a_cursor_of_an_event_that_has_not_happened_is_refused() {
    let server = test_server();
    server.session("work", &["cat"]);
    let last = server.json(&["server-status"])["last_event"].as_u64().expect("a number");
    for since in [last + 1, 1 << 63, u64::MAX] {
        let answers = pipelined(&server, &[("subscribe-events", json!({ "since": since }))]);
        assert_eq!(answers[0].1["code"], "events_ahead", "{answers:?}");
    }
    let answers = pipelined(&server, &[("subscribe-events", json!({ "since": last }))]);
    assert_eq!(answers[0].1["after"], last);
}

#[test]
fn the_window_of_a_command_is_closed_if_its_caller_is_killed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let windows = || server.json(&["list-sessions"])["sessions"][0]["windows"].as_array().map_or(0, Vec::len);
    let mut caller = server.command(&["run", "-s", "work", "touch started; sleep 1000"]);
    let mut caller = caller.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a client");
    until("the command runs", || server.path().join("started").exists());
    assert_eq!(windows(), 2);
    signal("KILL", caller.id());
    caller.wait().expect("it was killed");
    until("the window is closed", || windows() == 1);
}

#[test]
fn a_command_with_a_key_goes_on_without_its_caller_and_its_window_is_closed_when_it_ends() {
    let server = test_server();
    server.session("work", &["cat"]);
    let windows = || server.json(&["list-sessions"])["sessions"][0]["windows"].as_array().map_or(0, Vec::len);
    let words = [
        "run",
        "-s",
        "work",
        "--idempotency-key",
        "k",
        "touch started; while [ ! -e enough ]; do sleep 0.02; done; echo end",
    ];
    let mut caller = server.command(&words);
    let mut caller = caller.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a client");
    until("the command runs", || server.path().join("started").exists());
    signal("KILL", caller.id());
    caller.wait().expect("it was killed");
    fs::write(server.path().join("enough"), "").expect("a file");
    until("the window is closed", || windows() == 1);
    assert_eq!(server.json(&words)["output"], "end", "its caller came back");
}

#[test]
fn a_client_that_reads_too_slowly_learns_what_it_missed_even_if_that_is_not_stored() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let mut slow = UnixStream::connect(server.socket()).expect("the daemon runs");
    let subscribe = json!({ "id": 1, "verb": "subscribe-events", "args": {} });
    slow.write_all(&framed(&json!({ "hello": { "protocol": PROTOCOL } }))).expect("sent");
    slow.write_all(&framed(&subscribe)).expect("sent");
    let large = "x".repeat(8 << 10);
    let fill = |count: u32| {
        let set = |number| {
            ("set-metadata", json!({ "session": "work", "key": "k", "value": format!("{number}{large}") }))
        };
        // A client that sends much before it reads the replies is not read from.
        (0..count / 100).for_each(|_| drop(pipelined(&server, &(0..100).map(set).collect::<Vec<_>>())));
    };
    // More than the buffers of its socket hold.
    fill(200);
    server.ok(&["send-input", "-t", &pane, "printf '\\033]2;missed\\007'; sleep 1000\n"]);
    until("the title is set", || server.json(&["list-panes"])["panes"][0]["title"] == "missed");
    // More than the daemon keeps for clients that are slow.
    fill(1_200);
    slow.set_read_timeout(Some(fugue_testkit::PATIENCE)).expect("a timeout");
    let (mut reader, mut bytes, mut is_told) = (FrameReader::new(1 << 20), vec![0; 1 << 16], false);
    while !is_told {
        let count = slow.read(&mut bytes).expect("the daemon tells it");
        assert_ne!(count, 0, "the daemon has disconnected");
        reader.push(&bytes[..count]);
        while let Some((_, body)) = reader.next_frame().expect("a frame") {
            let event = &serde_json::from_slice::<Value>(body).expect("JSON")["event"];
            is_told |= event["event"] == "pane_titled" && event["title"] == "missed";
        }
    }
}
