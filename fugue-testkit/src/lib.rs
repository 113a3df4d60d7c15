//! Helpers for integration tests: the real binary in a temporary home directory, and terminals to run it in.

mod caller;
mod cutting_proxy;
mod random;
mod requirements;
mod ssh_hosts;
mod test_terminal;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use fugue_client::Connection;
use fugue_protocol::messages::Role;
use serde_json::Value;
use tempfile::TempDir;

pub use caller::{RepeatingCaller, keyed_message};
pub use cutting_proxy::CuttingProxy;
pub use random::Random;
pub use requirements::{agent_stage, expect_namespaces, expect_program, next_version, shells_among};
pub use ssh_hosts::SshHosts;
pub use test_terminal::TestTerminal;

/// The longest that a test waits for something it expects: far more than it takes, even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The file with what a person was told on their first visits.
const FIRST_USE: &str = "first-use.json";

/// A fugue server with its own home, runtime and state directories. Dropping it shuts the daemon down.
#[derive(Debug)]
pub struct TestServer {
    home: TempDir,
    binary: PathBuf,
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// The exit code.
    pub code: i32,
    /// The text on standard output.
    pub out: String,
    /// The text on standard error.
    pub err: String,
}

impl TestServer {
    /// A server for this binary; tests pass `env!("CARGO_BIN_EXE_fugue")`.
    pub fn new(binary: &str) -> Self {
        let home = tempfile::Builder::new().prefix("fg").tempdir().expect("a directory for the test");
        fs::create_dir(home.path().join("run")).expect("a runtime directory");
        fs::set_permissions(home.path().join("run"), fs::Permissions::from_mode(0o700)).expect("its mode");
        let server = Self { home, binary: binary.into() };
        let known = server.path().join("state/fugue");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&known).expect("a state directory");
        fs::write(known.join(FIRST_USE), r#"{"visits":1000,"setup_offered":true}"#).expect("written");
        server
    }

    /// A server of a person who has never used fugue: with hints, and with an offer if an agent is installed.
    pub fn of_newcomer(binary: &str) -> Self {
        let server = Self::new(binary);
        fs::remove_file(server.path().join("state/fugue").join(FIRST_USE)).expect("removed");
        server
    }

    /// The home directory.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// The socket of the default daemon.
    pub fn socket(&self) -> PathBuf {
        self.path().join("run/fugue/default.sock")
    }

    /// The state directory of the default daemon.
    pub fn state_dir(&self) -> PathBuf {
        self.path().join("state/fugue/default")
    }

    /// A command on this server, with a clean environment.
    pub fn command(&self, words: &[&str]) -> Command {
        self.command_from(&self.binary, words)
    }

    /// A command of another copy of the binary on this server.
    pub fn command_from(&self, binary: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(binary);
        let inherited = ["PATH", "LANG", "LLVM_PROFILE_FILE"];
        let kept: Vec<_> =
            inherited.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))).collect();
        command.args(words).env_clear().envs(kept).current_dir(self.path());
        command.env("HOME", self.path()).env("SHELL", "/bin/sh").env("PS1", "$ ").env("TZ", "UTC");
        for (name, dir) in
            [("XDG_RUNTIME_DIR", "run"), ("XDG_STATE_HOME", "state"), ("XDG_CONFIG_HOME", "config")]
        {
            command.env(name, self.path().join(dir));
        }
        command
    }

    /// A command that speaks for a pane from outside it, with the key that the pane's program has.
    pub fn command_for(&self, pane: &str, words: &[&str]) -> Command {
        let mut command = self.command(words);
        command.env("FUGUE_PANE_ID", pane).env("FUGUE_PANE_KEY", self.pane_key(pane));
        command
    }

    /// The key of a pane, from the environment of its program.
    pub fn pane_key(&self, pane: &str) -> String {
        let panes = self.json(&["list-panes"])["panes"].clone();
        let panes = panes.as_array().expect("a list");
        let found = panes.iter().find(|found| found["pane_id"] == pane).expect("the pane");
        let environment = fs::read(format!("/proc/{}/environ", pid(&found["pid"]))).expect("its environment");
        let variables = environment.split(|byte| *byte == 0);
        let key = variables.filter_map(|variable| variable.strip_prefix(b"FUGUE_PANE_KEY=")).next();
        String::from_utf8_lossy(key.expect("a key")).into_owned()
    }

    /// Runs a command to completion.
    pub fn run(&self, words: &[&str]) -> CommandOutput {
        command_output(&self.command(words).output().expect("the binary runs"))
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "fugue {}: {}", words.join(" "), ran.out);
        ran.out
    }

    /// Runs a command that must succeed, and returns its JSON reply.
    pub fn json(&self, words: &[&str]) -> Value {
        let words: Vec<_> = words.iter().copied().chain(["--json"]).collect();
        // It goes before `--`: after it, it would be an argument of the program.
        let words = match words.iter().position(|word| *word == "--") {
            Some(dashes) => [&words[..dashes], &["--json"], &words[dashes..words.len() - 1]].concat(),
            None => words,
        };
        serde_json::from_str(&self.ok(&words)).expect("JSON")
    }

    /// Runs a command that must be refused, and returns its error message.
    pub fn refused(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 1, "fugue {}: {} {}", words.join(" "), ran.out, ran.err);
        ran.err.trim_end().trim_start_matches("fugue: ").to_owned()
    }

    /// Connects to the daemon, which must be running.
    pub fn connect(&self) -> Connection {
        let socket = UnixStream::connect(self.socket()).expect("the daemon runs");
        socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        Connection::new(socket, Role::Command, None).expect("a connection")
    }

    /// The process id of the daemon.
    pub fn daemon_pid(&self) -> u32 {
        pid(&self.json(&["server-status"])["pid"])
    }

    /// The process id of the keeper.
    pub fn keeper_pid(&self) -> u32 {
        pid(&self.json(&["server-status"])["keeper_pid"])
    }

    /// Creates a session that runs this command, and returns the id of its pane.
    pub fn session(&self, name: &str, words: &[&str]) -> String {
        let new = [&["new", "-d", "-s", name, "--"], words].concat();
        self.json(&new)["pane_id"].as_str().expect("a pane").to_owned()
    }

    /// Waits until a line of a pane's output matches.
    pub fn wait_for(&self, pane: &str, pattern: &str) {
        let patience = PATIENCE.as_millis().to_string();
        let ran = self.run(&["wait", "-t", pane, "--match", pattern, "--timeout-ms", &patience]);
        assert_eq!(ran.code, 0, "no {pattern} in\n{}", self.run(&["get-output", "-t", pane]).out);
    }

    /// Checks that a pane which counts (`line N`, then `counted N`) shows every number once, as far back as its history
    /// goes.
    pub fn check_count(&self, pane: &str) {
        self.wait_for(pane, "^counted");
        let text = self.text(pane);
        let numbers: Vec<u32> =
            text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
        assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "a line is missing or doubled");
        let last = numbers.last().expect("a line");
        assert!(text.lines().any(|line| line == format!("counted {last}")), "the last line is missing");
    }

    /// Returns the output of a pane.
    pub fn text(&self, pane: &str) -> String {
        // What is no longer kept is counted on standard error.
        let read = self.run(&["get-output", "-t", pane, "--lines", "100000"]);
        assert_eq!(read.code, 0, "{}", read.err);
        read.out
    }
}

impl TestServer {
    /// A process that the lock file names: `keeper` or `daemon`.
    pub fn process_in_lock(&self, name: &str) -> Option<u32> {
        let lock = fs::read_to_string(self.state_dir().join("lock")).unwrap_or_default();
        let pid = lock.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        pid.filter(|pid| Path::new(&format!("/proc/{pid}")).exists())
    }

    /// Kills a keeper whose daemons cannot start: nobody could tell it to shut down.
    fn kill_keeper(&self) {
        let cannot_start = |run: CommandOutput| run.err.contains("cannot start");
        // Not a command that would start a daemon.
        let fails = || cannot_start(self.run(&["server-status"]));
        if let Some(keeper) = self.process_in_lock("keeper").filter(|_| fails()) {
            signal("KILL", keeper);
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if self.socket().exists() || self.state_dir().join("lock").exists() {
            let status = self.run(&["server-status", "--json"]);
            let status: Value = serde_json::from_str(&status.out).unwrap_or_default();
            self.run(&["shutdown"]);
            for process in ["pid", "keeper_pid"].into_iter().filter_map(|name| status[name].as_i64()) {
                wait_until_gone(process);
            }
            self.kill_keeper();
        }
    }
}

/// Waits until a process is gone. One that does not exit in time is killed: the test started it.
fn wait_until_gone(process: i64) {
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

/// Waits until a condition holds that can be looked up quickly.
#[track_caller]
pub fn until(what: &str, holds: impl Fn() -> bool) {
    poll(PATIENCE, Duration::from_millis(2), holds, || format!("never: {what}"));
}

/// Waits until a condition holds that takes a program to look up. If it does not in time, the test fails with a report.
#[track_caller]
pub fn until_within(patience: Duration, holds: impl Fn() -> bool, report: impl Fn() -> String) {
    // The program must not take the processors from what is waited for.
    poll(patience, Duration::from_millis(20), holds, report);
}

#[track_caller]
fn poll(patience: Duration, pause: Duration, holds: impl Fn() -> bool, report: impl Fn() -> String) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < patience, "{}", report());
        std::thread::sleep(pause);
    }
}

/// Returns the resident memory of a process, in KiB.
pub fn memory(process: u32) -> u64 {
    status_field(process, "VmRSS:")
}

/// The number of times that each thread of a process was woken.
pub type Switches = BTreeMap<u32, u64>;

/// Returns how often each thread of a process was woken so far. Switches to other processes that need the processor do
/// not count: they depend on what else runs.
pub fn switches(process: u32) -> Switches {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("its threads");
    let threads = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let count = |thread: u32| {
        let path = format!("/proc/{process}/task/{thread}/status");
        let status = fs::read_to_string(path).unwrap_or_default();
        field(&status, "voluntary_ctxt_switches:")
    };
    threads.map(|thread| (thread, count(thread))).collect()
}

/// Returns how often a process was woken since then. A thread that has ended, as idle ones do, is not counted.
pub fn switches_since(process: u32, before: &Switches) -> u64 {
    let since = |(thread, count): (u32, u64)| count.saturating_sub(before.get(&thread).copied().unwrap_or(0));
    switches(process).into_iter().map(since).sum()
}

/// Returns the processor time that a process has used, in hundredths of a second.
pub fn processor_time(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    // Those of the process itself, in user mode and in the kernel.
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
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

fn command_output(output: &Output) -> CommandOutput {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}
