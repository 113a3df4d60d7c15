//! Hosts: a daemon with a home of its own, and its relay.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use fugue_testkit::{PATIENCE, TestServer, until_within};
use serde_json::Value;

use crate::nats::Nats;

pub(crate) const FLEET: &str = env!("CARGO_BIN_EXE_fugue-fleet");

/// A host of a fleet.
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) server: TestServer,
    relay: Mutex<Option<Child>>,
}

/// The `fugue` that was built beside the relay.
pub(crate) fn fugue() -> PathBuf {
    let binary = Path::new(FLEET).with_file_name("fugue");
    assert!(binary.is_file(), "build it first: cargo build -p fugue");
    binary
}

impl Host {
    /// A host with a session `work`, without a relay.
    pub(crate) fn new(name: &str, nats: &Nats, settings: &str) -> Self {
        Self::with_servers(name, &nats.addresses(name), settings)
    }

    /// A host that knows these servers.
    pub(crate) fn with_servers(name: &str, servers: &[String], settings: &str) -> Self {
        let server = TestServer::new(fugue().to_str().expect("a path"));
        let config = server.path().join("config/fugue");
        fs::create_dir_all(&config).expect("a directory");
        let text = format!("[fleet]\nhost = \"{name}\"\nservers = {servers:?}\n{settings}\n");
        fs::write(config.join("config.toml"), text).expect("a configuration");
        server.session("work", &["cat"]);
        Self { name: name.into(), server, relay: Mutex::new(None) }
    }

    /// A command of the relay's program.
    pub(crate) fn fleet(&self, words: &[&str]) -> Command {
        self.server.command_from(Path::new(FLEET), words)
    }

    /// The same for a program in a pane.
    pub(crate) fn fleet_for(&self, pane: &str, words: &[&str]) -> Command {
        let mut words = words.to_vec();
        words.insert(0, "fleet");
        self.server.command_for(pane, &words)
    }

    /// Creates the stream and the bucket, as an administrator of the servers does.
    pub(crate) fn set_up(&self, nats: &Nats, replicas: usize) {
        self.set_up_with(&nats.addresses("admin"), replicas, &[]);
    }

    /// The same with further options.
    pub(crate) fn set_up_with(&self, addresses: &[String], replicas: usize, options: &[&str]) {
        let replicas = replicas.to_string();
        let words: Vec<_> = ["setup", "--replicas", &replicas]
            .into_iter()
            .chain(options.iter().copied())
            .chain(["--servers"])
            .chain(addresses.iter().map(String::as_str))
            .collect();
        // A cluster takes a moment to elect a leader.
        let run = || self.fleet(&words).output().expect("the relay runs");
        until_within(
            PATIENCE,
            || run().status.success(),
            || String::from_utf8_lossy(&run().stderr).into_owned(),
        );
    }

    /// Starts the relay.
    pub(crate) fn start_relay(&self) {
        let log = OpenOptions::new().create(true).append(true).open(self.log()).expect("a log");
        let mut command = self.fleet(&["run"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        *self.relay.lock().expect("the relay") = Some(child.expect("the relay runs"));
    }

    /// What the relay printed.
    pub(crate) fn log(&self) -> PathBuf {
        self.server.path().join("relay.log")
    }

    /// Kills the relay without warning.
    pub(crate) fn kill_relay(&self) {
        if let Some(mut child) = self.relay.lock().expect("the relay").take() {
            child.kill().expect("a relay to kill");
            child.wait().expect("its end");
        }
    }

    /// The process of the relay.
    pub(crate) fn relay_pid(&self) -> u32 {
        self.relay.lock().expect("the relay").as_ref().map(Child::id).unwrap_or_default()
    }

    /// Starts one more relay, which must end; returns its exit code and what it printed.
    pub(crate) fn second_relay(&self) -> (i32, String) {
        let ran = self.fleet(&["run"]).output().expect("the relay runs");
        (ran.status.code().unwrap_or_default(), String::from_utf8_lossy(&ran.stderr).into_owned())
    }

    /// What `fugue fleet status` prints.
    pub(crate) fn status_text(&self) -> String {
        let ran = self.fleet(&["status"]).output().expect("the relay runs");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    /// The exit code of `fugue fleet status`, and what it says is wrong.
    pub(crate) fn verdict(&self) -> (i32, String) {
        let ran = self.fleet(&["status"]).output().expect("the relay runs");
        (ran.status.code().unwrap_or_default(), String::from_utf8_lossy(&ran.stderr).into_owned())
    }

    /// Waits until `fugue fleet status` fails and names this, or succeeds if this is empty.
    #[track_caller]
    pub(crate) fn await_verdict(&self, text: &str) {
        let is_given = || {
            let (code, error) = self.verdict();
            if text.is_empty() { code == 0 } else { code == 1 && error.contains(text) }
        };
        let report = || format!("{:?}\n{}\n{}", self.verdict(), self.status_text(), self.relay_log());
        until_within(2 * PATIENCE, is_given, report);
    }

    /// Waits until `fugue fleet status` prints this.
    #[track_caller]
    pub(crate) fn await_status(&self, text: &str) {
        let report = || format!("{}\n{}", self.status_text(), self.relay_log());
        until_within(PATIENCE, || self.status_text().contains(text), report);
    }

    /// Waits until the relay prints this.
    #[track_caller]
    pub(crate) fn await_log(&self, text: &str) {
        until_within(PATIENCE, || self.relay_log().contains(text), || self.relay_log());
    }

    /// What `fugue fleet status` prints, as JSON.
    pub(crate) fn status(&self) -> Value {
        let ran = self.fleet(&["status", "--json"]).output().expect("the relay runs");
        serde_json::from_slice(&ran.stdout).unwrap_or_default()
    }

    /// Sends a message and returns its id.
    pub(crate) fn send(&self, to: &str, payload: &str) -> String {
        let sent = self.server.json(&["send-orchestration", "--session", to, "note", payload]);
        sent["message_id"].as_str().expect("an id").to_owned()
    }

    /// The delivery state of a message for its only recipient.
    pub(crate) fn state(&self, message: &str) -> String {
        let report = self.server.json(&["message-status", message]);
        report["receipts"][0]["state"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a message is in this state.
    #[track_caller]
    pub(crate) fn await_state(&self, message: &str, state: &str) {
        let report = || format!("{}\n{}", self.server.ok(&["message-status", message]), self.relay_log());
        until_within(PATIENCE, || self.state(message) == state, report);
    }

    /// Waits until a message has these receipts: recipients in alphabetical order, with their states.
    #[track_caller]
    pub(crate) fn await_receipts(&self, message: &str, expected: &[&str]) {
        let receipts = || {
            let report = self.server.json(&["message-status", message]);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let receipts = report["receipts"].as_array().cloned().unwrap_or_default();
            let mut receipts: Vec<_> = receipts
                .iter()
                .map(|receipt| format!("{} {}", text(&receipt["session_name"]), text(&receipt["state"])))
                .collect();
            receipts.sort();
            receipts
        };
        let report = || format!("{:?}\n{}", receipts(), self.relay_log());
        until_within(PATIENCE, || receipts() == expected, report);
    }

    pub(crate) fn relay_log(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// Waits for messages in an inbox and returns the page.
    #[track_caller]
    pub(crate) fn poll(&self, session: &str) -> Value {
        let wait = PATIENCE.as_millis().to_string();
        let ran = self.server.run(&["poll-messages", "-s", session, "--wait-ms", &wait, "--json"]);
        assert_eq!(ran.code, 0, "{}{}\n{}", ran.out, ran.err, self.relay_log());
        serde_json::from_str(&ran.out).expect("JSON")
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill_relay();
        if std::thread::panicking() {
            eprintln!("relay of {}:\n{}", self.name, self.relay_log());
        }
    }
}

/// Waits until a host knows of so many.
#[track_caller]
pub(crate) fn await_presence(host: &Host, hosts: usize) {
    let is_known = || host.status()["hosts"].as_array().map(Vec::len) == Some(hosts);
    until_within(PATIENCE, is_known, || format!("{}\n{}", host.status(), host.relay_log()));
}

/// Two hosts, `a` and `b`, with their relays.
pub(crate) fn two(nats: &Nats) -> (Host, Host) {
    let (a, b) = (Host::new("a", nats, ""), Host::new("b", nats, ""));
    a.set_up(nats, 1);
    a.start_relay();
    b.start_relay();
    (a, b)
}
