//! Peers that take connections and memory without using them: people are served all the same.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Duration;

use fugue_protocol::frames::{self, FrameKind};
use fugue_protocol::{PROTOCOL, limits};
use fugue_testkit::{PATIENCE, TestServer, memory, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["sh"]);
    server
}

fn connect(server: &TestServer) -> UnixStream {
    let socket = UnixStream::connect(server.socket()).expect("the daemon is running");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    socket.set_write_timeout(Some(Duration::from_secs(1))).expect("a time limit");
    socket
}

fn greeting() -> Vec<u8> {
    message(&json!({ "hello": { "protocol": PROTOCOL } }))
}

fn message(message: &Value) -> Vec<u8> {
    let mut frame = Vec::new();
    frames::write(&mut frame, FrameKind::Words, message.to_string().as_bytes());
    frame
}

/// A pane with 9 MB of text, more than may be queued for a client before it is no longer read from.
fn pane_with_much_text(server: &TestServer) -> String {
    let print = "head -c 9000000 /dev/zero | tr '\\0' x | fold -w 1000; echo; echo printed; exec cat";
    let pane = server.session("much", &["sh", "-c", print]);
    server.wait_for(&pane, "^printed");
    pane
}

/// Requests for all of a pane's text.
fn reads(pane: &str, ids: std::ops::Range<u64>) -> Vec<u8> {
    let args = json!({ "pane": pane, "lines": 100_000 });
    ids.flat_map(|id| message(&json!({ "id": id, "verb": "get-output", "args": args }))).collect()
}

/// Reads until the daemon has begun to send a reply.
fn read_beginning_of_reply(socket: &mut UnixStream) {
    let (mut seen, mut piece) = (String::new(), [0; 4096]);
    while !seen.contains("xxx") {
        let count = socket.read(&mut piece).expect("a reply");
        assert!(count > 0, "closed after {seen}");
        seen += &String::from_utf8_lossy(&piece[..count]);
    }
}

/// Everything that the daemon sends until it closes the connection.
fn received(mut socket: UnixStream) -> String {
    let mut bytes = Vec::new();
    // A reset means closed, too: the daemon did not read all that was sent.
    let _ = socket.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_served(server: &TestServer) {
    assert_eq!(server.json(&["list-sessions"])["sessions"][0]["name"], "work");
}

#[test]
fn a_thousand_connections_that_never_greet_do_not_lock_people_out() {
    let server = test_server();
    let mut idle: Vec<_> = (0..1_000).map(|_| connect(&server)).collect();
    is_served(&server);
    let told = received(idle.remove(0));
    assert!(told.contains("Too many connections that have not sent a greeting"), "{told}");
    is_served(&server);
}

#[test]
fn the_connections_of_one_pane_do_not_lock_people_out() {
    let server = test_server();
    let fugue = env!("CARGO_BIN_EXE_fugue");
    let hold =
        format!("for n in $(seq 140); do {fugue} events --follow >/dev/null 2>>full & echo $! >>held; done");
    server.ok(&["send-input", "-s", "work", &hold, "--submit"]);
    let log = server.path().join("full");
    let is_full = || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.contains("Too many connections from one pane: the limit is 128")
    };
    until("the pane's limit is reached", is_full);
    is_served(&server);
    let held = || std::fs::read_to_string(server.path().join("held")).unwrap_or_default();
    until("all are started", || held().lines().count() == 140);
    // Those that were refused have exited already.
    let _ = Command::new("kill").args(held().lines()).output();
}

#[test]
fn two_hundred_half_sent_requests_stay_within_the_bound_and_others_are_served() {
    let server = test_server();
    let daemon = server.daemon_pid();
    let before = memory(daemon);
    let mut half = greeting();
    frames::write(&mut half, FrameKind::Words, &vec![b' '; limits::REQUEST_BYTES]);
    half.truncate(half.len() - 1);
    let mut most = 0;
    let sockets: Vec<_> = (0..200)
        .map(|_| {
            let mut socket = connect(&server);
            // The daemon may refuse it before all is sent.
            let _ = socket.write_all(&half);
            most = most.max(memory(daemon));
            socket
        })
        .collect();
    is_served(&server);
    // The bound is 64 MiB; the allocator and the frames being copied take some more. Without it they took 800 MiB.
    assert!(most - before < 160 << 10, "{before} KiB grew to {most} KiB");
    let told = received(sockets.into_iter().next().expect("the first one"));
    assert!(told.contains("bytes of incomplete requests"), "{told}");
}

#[test]
fn a_request_that_does_not_arrive_completely_is_refused_after_a_while() {
    let server = test_server();
    let mut socket = connect(&server);
    let begun = [greeting(), 100u32.to_le_bytes().to_vec(), vec![0], b"{".to_vec()].concat();
    socket.write_all(&begun).expect("sent");
    let told = received(socket);
    assert!(told.contains("Request incomplete: only 6 of 105 bytes arrived in time"), "{told}");
}

#[test]
fn the_memory_of_large_requests_is_freed_while_their_connections_stay_open() {
    let server = test_server();
    let daemon = server.daemon_pid();
    let before = memory(daemon);
    let padding = " ".repeat(limits::REQUEST_BYTES - 100);
    let request = format!(r#"{{"id":1,"verb":"list-sessions"{padding}}}"#);
    let mut whole = greeting();
    frames::write(&mut whole, FrameKind::Words, request.as_bytes());
    let sockets: Vec<_> = (0..50)
        .map(|_| {
            let mut socket = connect(&server);
            socket.write_all(&whole).expect("sent");
            let mut seen = String::new();
            let mut piece = [0; 4096];
            while !seen.contains(r#""id":1,"reply""#) {
                let count = socket.read(&mut piece).expect("an answer");
                assert!(count > 0, "closed after {seen}");
                seen += &String::from_utf8_lossy(&piece[..count]);
            }
            socket
        })
        .collect();
    let after = memory(daemon);
    assert!(
        after.saturating_sub(before) < 64 << 10,
        "{before} KiB grew to {after} KiB with {} connections",
        sockets.len()
    );
}

#[test]
fn a_client_that_leaves_with_unread_replies_is_no_longer_counted() {
    let server = test_server();
    let pane = pane_with_much_text(&server);
    let clients = || server.json(&["server-status"])["connections"].as_u64();
    let before = clients();
    let mut socket = connect(&server);
    socket.write_all(&[greeting(), reads(&pane, 1..4)].concat()).expect("sent");
    read_beginning_of_reply(&mut socket);
    socket.write_all(&reads(&pane, 4..5)).expect("sent");
    assert_ne!(clients(), before);
    drop(socket);
    until("the client is gone", || clients() == before);
}

#[test]
fn a_client_that_leaves_with_all_its_requests_in_progress_is_no_longer_counted() {
    let server = test_server();
    let clients = || server.json(&["server-status"])["connections"].as_u64();
    let before = clients();
    let mut socket = connect(&server);
    socket.write_all(&greeting()).expect("sent");
    let wait = json!({ "session": "work", "until": "exit", "timeout_ms": 600_000 });
    for id in 1..1_100 {
        socket.write_all(&message(&json!({ "id": id, "verb": "wait", "args": wait }))).expect("sent");
    }
    until("the client is counted", || clients() != before);
    drop(socket);
    until("the client is gone", || clients() == before);
}

#[test]
fn replies_that_a_client_does_not_read_take_a_bounded_amount_of_memory() {
    let server = test_server();
    let pane = pane_with_much_text(&server);
    let daemon = server.daemon_pid();
    let before = memory(daemon);
    let mut socket = connect(&server);
    socket.write_all(&[greeting(), reads(&pane, 1..81)].concat()).expect("sent");
    read_beginning_of_reply(&mut socket);
    (0..20).for_each(|_| is_served(&server));
    let after = memory(daemon);
    // Two replies of 9 MB, and the copies while one is made. Without the bound they took 720 MB.
    assert!(after - before < 160 << 10, "{before} KiB grew to {after} KiB");
}

#[test]
fn replies_that_agents_do_not_read_take_a_bounded_amount_of_memory() {
    let server = test_server();
    let pane = pane_with_much_text(&server);
    let daemon = server.daemon_pid();
    let before = memory(daemon);
    let hello = json!({ "protocol": PROTOCOL, "pane": pane, "key": server.pane_key(&pane) });
    let greeted = message(&json!({ "hello": hello }));
    let sockets: Vec<_> = (0..30)
        .map(|_| {
            let mut socket = connect(&server);
            socket.write_all(&[greeted.clone(), reads(&pane, 1..3)].concat()).expect("sent");
            read_beginning_of_reply(&mut socket);
            socket
        })
        .collect();
    (0..20).for_each(|_| is_served(&server));
    let after = memory(daemon);
    // The bound is 128 MiB, and some more while replies are made. Without it they took 540 MB.
    assert!(after - before < 300 << 10, "{before} KiB grew to {after} KiB with {} clients", sockets.len());
    // The one that has not read for longest was disconnected.
    let first = received(sockets.into_iter().next().expect("the first one"));
    assert!(first.len() < 9_000_000, "all {} bytes", first.len());
}
