//! Lists of sessions over one connection to the daemon, compared with tmux's control mode: calls per second one after
//! the other, and all sent before the first answer is read.
//!
//! `cargo bench -p fugue --bench list_calls`

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use fugue_client::{Connection, ServerFrame};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::ListSessions;
use fugue_testkit::TestServer;

/// Calls in one repetition.
const CALLS: usize = 2_000;

/// Calls that are sent before the first answer is read: their answers fit into the daemon's limit for one client.
const AT_ONCE: usize = 100;

/// Repetitions, each with both systems; the best of each is printed, because anything else on the machine only slows
/// a repetition down.
const REPETITIONS: usize = 5;

/// The windows of a session, each with one pane.
const WINDOWS: usize = 10;

fn main() {
    println!(
        "{:>5}  {:<12} {:<14} {:>8} {:>8} {:>6}",
        "panes", "calls", "tmux's command", "tmux/s", "fugue/s", "ratio"
    );
    for panes in [1, 200] {
        let (mut fugue, mut tmux) = (Fugue::new(panes), Tmux::new(panes));
        for (label, at_once) in [("one by one", 1), ("at once", AT_ONCE)] {
            // fugue's list has all panes, as that of `list-panes -a`.
            for line in ["list-sessions", "list-panes -a"] {
                let (mut best_tmux, mut best_fugue) = (0.0_f64, 0.0_f64);
                for _ in 0..REPETITIONS {
                    best_tmux = best_tmux.max(rate(at_once, |calls| tmux.list(line, calls)));
                    best_fugue = best_fugue.max(rate(at_once, |calls| fugue.list(calls)));
                }
                let ratio = best_fugue / best_tmux;
                println!(
                    "{panes:>5}  {label:<12} {line:<14} {best_tmux:>8.0} {best_fugue:>8.0} {ratio:>6.2}"
                );
            }
        }
    }
}

/// Calls per second, in groups of `at_once`.
fn rate(at_once: usize, mut list: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    (0..CALLS / at_once).for_each(|_| list(at_once));
    CALLS as f64 / start.elapsed().as_secs_f64()
}

/// The number of windows in each session that has `panes` panes in total.
fn windows(panes: usize) -> impl Iterator<Item = usize> {
    (0..panes).step_by(WINDOWS).map(move |first| WINDOWS.min(panes - first))
}

struct Fugue {
    connection: Connection,
    _server: TestServer,
}

impl Fugue {
    fn new(panes: usize) -> Self {
        let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
        for (number, windows) in windows(panes).enumerate() {
            let name = format!("s{number}");
            server.ok(&["new", "-d", "-s", &name, "--", "cat"]);
            (1..windows).for_each(|_| drop(server.ok(&["create-window", "-d", "-s", &name, "--", "cat"])));
        }
        let socket = UnixStream::connect(server.socket()).expect("the daemon listens");
        let connection = Connection::new(socket, Role::Command, None).expect("a connection");
        Self { connection, _server: server }
    }

    fn list(&mut self, calls: usize) {
        for _ in 0..calls {
            self.connection.send(&ListSessions::default()).expect("sent");
        }
        let mut left = calls;
        while left > 0 {
            if let ServerFrame::Answer(_, answer) = self.connection.next_frame().expect("a frame") {
                answer.expect("a list");
                left -= 1;
            }
        }
    }
}

struct Tmux {
    client: Child,
    requests: ChildStdin,
    lines: BufReader<ChildStdout>,
    directory: tempfile::TempDir,
}

impl Tmux {
    fn new(panes: usize) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        for (number, windows) in windows(panes).enumerate() {
            let name = format!("s{number}");
            run(&directory, &["new", "-d", "-s", &name, "cat"]);
            (1..windows).for_each(|_| run(&directory, &["new-window", "-d", "-t", &name, "cat"]));
        }
        let mut client = tmux(&directory, &["-C", "attach"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("tmux runs");
        let (requests, output) =
            (client.stdin.take().expect("a pipe"), client.stdout.take().expect("a pipe"));
        let mut tmux = Self { client, requests, lines: BufReader::new(output), directory };
        // The answer to `attach` itself.
        tmux.read_answer();
        tmux
    }

    fn list(&mut self, line: &str, calls: usize) {
        self.requests.write_all(format!("{line}\n").repeat(calls).as_bytes()).expect("sent");
        (0..calls).for_each(|_| self.read_answer());
    }

    fn read_answer(&mut self) {
        let mut line = String::new();
        while !line.starts_with("%end") {
            line.clear();
            assert_ne!(self.lines.read_line(&mut line).expect("a line"), 0, "tmux closed the connection");
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        run(&self.directory, &["kill-server"]);
        let _ = self.client.wait();
    }
}

fn tmux(directory: &tempfile::TempDir, words: &[&str]) -> Command {
    let mut command = Command::new("tmux");
    command.args(["-L", "lists", "-f", "/dev/null"]).args(words);
    command.env_remove("TMUX").env("TMUX_TMPDIR", directory.path());
    command
}

fn run(directory: &tempfile::TempDir, words: &[&str]) {
    assert!(tmux(directory, words).status().expect("tmux runs").success(), "tmux {words:?}");
}
