//! Peers that take connections and memory without using them: people are served all the same.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Duration;

use fugue_protocol::frames::{self, FrameKind};
use fugue_protocol::{PROTOCOL, limits};
use fugue_testkit::{PATIENCE, TestServer, memory};

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
    let mut frame = Vec::new();
    frames::write(
        &mut frame,
        FrameKind::Words,
        format!(r#"{{"hello":{{"protocol":{PROTOCOL}}}}}"#).as_bytes(),
    );
    frame
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
    assert!(told.contains("Too many connections without a greeting"), "{told}");
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
    fugue_testkit::until("the pane's limit is reached", is_full);
    is_served(&server);
    let held = || std::fs::read_to_string(server.path().join("held")).unwrap_or_default();
    fugue_testkit::until("all are started", || held().lines().count() == 140);
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
    assert!(after - before < 64 << 10, "{before} KiB grew to {after} KiB with {} connections", sockets.len());
}
