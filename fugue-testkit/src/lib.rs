//! A fugue of one's own for a test: the real binary, in a home that is gone afterwards.

mod terminal;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use fugue_client::Connection;
use fugue_protocol::messages::Role;
use serde_json::Value;
use tempfile::TempDir;

pub use terminal::TestTerminal;

/// A test waits for what it expects at most this long: far more than it takes, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A fugue with a home, a runtime folder and a state of its own.
#[derive(Debug)]
pub struct TestServer {
    home: TempDir,
    binary: PathBuf,
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub out: String,
    /// What it complained.
    pub err: String,
}

impl TestServer {
    /// A server for this binary; tests give `env!("CARGO_BIN_EXE_fugue")`.
    pub fn new(binary: &str) -> Self {
        let home = tempfile::Builder::new().prefix("fg").tempdir().expect("a folder for the test");
        fs::create_dir(home.path().join("run")).expect("a runtime folder");
        fs::set_permissions(home.path().join("run"), fs::Permissions::from_mode(0o700)).expect("its mode");
        Self { home, binary: binary.into() }
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// The socket of its default daemon.
    pub fn socket(&self) -> PathBuf {
        self.path().join("run/fugue/default.sock")
    }

    /// The folder of its default daemon's state.
    pub fn state_dir(&self) -> PathBuf {
        self.path().join("state/fugue/default")
    }

    /// A command in this server, in none of a person's surroundings.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        let inherited = ["PATH", "LANG", "LLVM_PROFILE_FILE"];
        let kept: Vec<_> =
            inherited.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))).collect();
        command.args(words).env_clear().envs(kept).current_dir(self.path());
        command.env("HOME", self.path()).env("SHELL", "/bin/sh").env("PS1", "$ ").env("TZ", "UTC");
        for (name, folder) in
            [("XDG_RUNTIME_DIR", "run"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config")]
        {
            command.env(name, self.path().join(folder));
        }
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, words: &[&str]) -> CommandOutput {
        ran(&self.command(words).output().expect("the binary runs"))
    }

    /// Runs a command that must succeed, and gives what it printed.
    pub fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "fugue {}: {}", words.join(" "), ran.out);
        ran.out
    }

    /// Runs a command that must succeed, and gives its reply.
    pub fn json(&self, words: &[&str]) -> Value {
        let words: Vec<_> = words.iter().copied().chain(["--json"]).collect();
        // Before `--`, else it would be a word of the program's.
        let words = match words.iter().position(|word| *word == "--") {
            Some(dashes) => [&words[..dashes], &["--json"], &words[dashes..words.len() - 1]].concat(),
            None => words,
        };
        serde_json::from_str(&self.ok(&words)).expect("JSON")
    }

    /// Runs a command that must be refused, and gives its complaint.
    pub fn refused(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 1, "fugue {}: {} {}", words.join(" "), ran.out, ran.err);
        ran.err.trim_end().trim_start_matches("fugue: ").to_owned()
    }

    /// A connection to its daemon, which must run.
    pub fn connect(&self) -> Connection {
        let socket = UnixStream::connect(self.socket()).expect("the daemon runs");
        socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        Connection::new(socket, Role::Command, None).expect("a connection")
    }

    /// The daemon's process.
    pub fn daemon_pid(&self) -> u32 {
        pid(&self.json(&["server-status"])["pid"])
    }

    /// The keeper's process.
    pub fn keeper_pid(&self) -> u32 {
        pid(&self.json(&["server-status"])["keeper_pid"])
    }

    /// Makes a session that runs these words, and gives its pane's id.
    pub fn session(&self, name: &str, words: &[&str]) -> String {
        let new = [&["new", "-d", "-s", name, "--"], words].concat();
        self.json(&new)["pane_id"].as_str().expect("a pane").to_owned()
    }

    /// Waits until a pane's text has a line that matches.
    pub fn wait_for(&self, pane: &str, pattern: &str) {
        let patience = PATIENCE.as_millis().to_string();
        let ran = self.run(&["wait", "-t", pane, "--match", pattern, "--timeout-ms", &patience]);
        assert_eq!(ran.code, 0, "no {pattern} in\n{}", self.run(&["get-output", "-t", pane]).out);
    }

    /// A pane's text.
    pub fn text(&self, pane: &str) -> String {
        self.ok(&["get-output", "-t", pane, "--lines", "100000"])
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if self.socket().exists() {
            let status = self.run(&["server-status", "--json"]);
            let status: Value = serde_json::from_str(&status.out).unwrap_or_default();
            self.run(&["shutdown"]);
            for process in ["pid", "keeper_pid"].into_iter().filter_map(|name| status[name].as_i64()) {
                gone(process);
            }
        }
    }
}

/// Waits until a process is gone; one that will not go is ended, since it is ours.
fn gone(process: i64) {
    let begun = Instant::now();
    while Path::new(&format!("/proc/{process}")).exists() && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    if Path::new(&format!("/proc/{process}")).exists() {
        signal("KILL", process.try_into().unwrap_or_default());
    }
}

/// Sends a signal to a process that the test started.
pub fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.is_ok_and(|sent| sent.success()), "signal {name} to {process}");
}

/// Waits until something holds.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A process's memory that it has to itself or shares, in KiB.
pub fn memory(process: u32) -> u64 {
    status_field(process, "VmRSS:")
}

/// How often a process was put aside or woken.
pub fn switches(process: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("its threads");
    let threads = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse::<u32>().ok());
    threads
        .map(|thread| {
            let status =
                fs::read_to_string(format!("/proc/{process}/task/{thread}/status")).unwrap_or_default();
            field(&status, "voluntary_ctxt_switches:") + field(&status, "nonvoluntary_ctxt_switches:")
        })
        .sum()
}

fn status_field(process: u32, name: &str) -> u64 {
    field(&fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default(), name)
}

fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

fn pid(value: &Value) -> u32 {
    value.as_u64().and_then(|pid| pid.try_into().ok()).expect("a process id")
}

fn ran(output: &Output) -> CommandOutput {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}
