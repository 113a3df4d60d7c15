//! The far end of a line, without ssh: what the next line hears about the keys typed over the one before.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use fugue_protocol::PaneId;
use fugue_protocol::frames::{FrameKind, FrameReader};
use fugue_protocol::input_ledger::{LedgerEntry, read_delivered};
use fugue_protocol::limits;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_testkit::{TestServer, signal};

/// A process, which is killed when this is dropped.
struct Killed(Child);

impl Killed {
    fn wait(&mut self) -> std::io::Result<std::process::ExitStatus> {
        self.0.wait()
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A `fugue proxy`, as ssh starts it.
struct Proxy {
    process: Killed,
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
        Self { process: Killed(process), input, output, reader: FrameReader::new(limits::REPLY_BYTES) }
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

    /// Closes both ends of the line at once, as sshd does when a connection drops, and waits until the proxy has ended.
    fn drop_line(self) {
        let Self { mut process, input, output, .. } = self;
        drop((output, input));
        process.wait().expect("its end");
    }

    /// What it says about the keys of the line before.
    fn delivered(&mut self) -> Option<Vec<LedgerEntry>> {
        let (kind, body) = self.frame();
        assert_eq!(kind, FrameKind::Delivered);
        read_delivered(&body)
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

/// The processes that remember the dropped lines of a daemon.
fn remembering(server: &TestServer) -> usize {
    let directory = server.state_dir().join("dropped-lines");
    let is_slot = |path: &std::path::Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().chars().all(|c| c.is_ascii_digit()))
    };
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_locked =
        |path: &std::path::PathBuf| std::fs::File::open(path).is_ok_and(|file| file.try_lock().is_err());
    files.filter(|path| is_slot(path)).filter(is_locked).count()
}

#[test]
fn a_line_over_which_nothing_was_typed_leaves_no_process_behind_and_is_still_known() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    let key = format!("unused-{}", std::process::id());
    let mut proxy = Proxy::start(&server, &["--connection", &key]);
    proxy.send(&messages::greeting(Hello::new(Role::Terminal, None)).expect("a greeting"));
    proxy.frame();
    proxy.drop_line();
    assert_eq!(remembering(&server), 0);
    let mut next = Proxy::start(&server, &["--former-connection", &key]);
    assert_eq!(next.delivered(), Some(Vec::new()), "nothing was typed over it");
}

#[test]
fn a_client_that_leaves_on_purpose_leaves_no_process_behind() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let key = format!("leaves-{}", std::process::id());
    let (mut proxy, _) = line_that_typed(&server, &key);
    proxy.send(&messages::farewell().expect("a frame"));
    proxy.drop_line();
    assert_eq!(remembering(&server), 0);
}

#[test]
fn a_shutdown_ends_the_processes_that_remember_dropped_lines() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let key = format!("ends-{}", std::process::id());
    let (proxy, _) = line_that_typed(&server, &key);
    proxy.drop_line();
    assert_eq!(remembering(&server), 1);
    let directory = server.state_dir().join("dropped-lines/0");
    let slot = std::fs::File::open(directory).expect("a slot");
    server.ok(&["shutdown"]);
    fugue_testkit::until("the process has ended", || slot.try_lock().is_ok());
}
