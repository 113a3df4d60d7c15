//! The far end of a line, without ssh: what the next line hears about the keys typed over the one before.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use fugue_protocol::PaneId;
use fugue_protocol::frames::{FrameKind, FrameReader};
use fugue_protocol::input_ledger::{LedgerEntry, read_delivered};
use fugue_protocol::limits;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_testkit::{TestServer, signal};

/// A `fugue proxy`, as ssh starts it.
struct Proxy {
    process: Child,
    input: ChildStdin,
    output: ChildStdout,
    reader: FrameReader,
}

impl Proxy {
    fn start(server: &TestServer, flags: &[&str]) -> Self {
        let mut command = server.command(&[&["proxy"], flags].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("fugue starts");
        let (input, output) = (process.stdin.take().expect("a pipe"), process.stdout.take().expect("a pipe"));
        Self { process, input, output, reader: FrameReader::new(limits::REPLY_BYTES) }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("the proxy reads");
    }

    /// Waits for the next frame.
    fn frame(&mut self) -> (FrameKind, Vec<u8>) {
        loop {
            if let Some((kind, body)) = self.reader.next_frame().expect("a frame") {
                return (kind, body.to_vec());
            }
            let mut buffer = [0; 4_096];
            let count = self.output.read(&mut buffer).expect("the proxy writes");
            assert!(count > 0, "the proxy ended");
            self.reader.push(&buffer[..count]);
        }
    }

    /// What it says about the keys of the line before.
    fn delivered(&mut self) -> Option<Vec<LedgerEntry>> {
        let (kind, body) = self.frame();
        assert_eq!(kind, FrameKind::Delivered);
        read_delivered(&body)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A line over which `one` was typed into a program that prints it, and its pane.
fn line_that_typed(server: &TestServer, key: &str) -> (Proxy, PaneId) {
    let pane = server.session("work", &["cat"]);
    let mut proxy = Proxy::start(server, &["--connection", key]);
    let pane_id: PaneId = pane.parse().expect("a pane");
    proxy.send(&messages::greeting(Hello::new(Role::Terminal, None)).expect("a greeting"));
    proxy.send(&messages::keys(pane_id, b"one\n"));
    server.wait_for(&pane, "one");
    (proxy, pane_id)
}

#[test]
fn keys_that_a_stopped_daemon_reads_later_are_unknown_to_the_next_line() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let key = format!("stopped-{}", std::process::id());
    let (mut proxy, pane) = line_that_typed(&server, &key);
    let daemon = server.daemon_pid();
    signal("STOP", daemon);
    proxy.send(&messages::keys(pane, b"two\n"));
    let mut next = Proxy::start(&server, &["--connection", "next", "--former-connection", &key]);
    let delivered = next.delivered();
    signal("CONT", daemon);
    assert_eq!(delivered, None, "the daemon is alive");
}

#[test]
fn keys_that_reached_a_program_before_the_daemon_was_killed_are_known_to_the_next_line() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let key = format!("killed-{}", std::process::id());
    let (proxy, pane) = line_that_typed(&server, &key);
    signal("KILL", server.daemon_pid());
    let mut next = Proxy::start(&server, &["--former-connection", &key]);
    assert_eq!(next.delivered(), Some(vec![LedgerEntry { pane, taken: 4, begun: 4 }]));
    drop(proxy);
}
