//! The relay of the daemon's host, a process that lives as long as the daemon's faults last.
//!
//! It has no NATS server to connect to: what is tested is what a person is told of the process itself.

use std::path::Path;
use std::process::{Child, Stdio};

use fugue_testkit::{TestServer, until};

/// The part of the configuration that the relay needs. Nothing listens on that port.
pub(super) const SETTINGS: &str = "[fleet]\nhost = \"desk\"\nservers = [\"nats://127.0.0.1:1\"]\n";

/// A relay, which is killed when this is dropped.
pub(super) struct Relay(Child);

impl Relay {
    /// Starts the daemon and the relay. Returns none without the program `fugue-fleet` beside `fugue`, which another
    /// crate builds.
    pub(super) fn start(binary: &str, server: &TestServer) -> Option<Self> {
        if !Path::new(binary).with_file_name("fugue-fleet").is_file() {
            return None;
        }
        server.session("relay", &["cat"]);
        let mut command = server.command(&["fleet", "run"]);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let relay = Self(command.spawn().expect("the relay runs"));
        let line = format!("process {}\n", relay.pid());
        until("the relay runs", || server.run(&["fleet", "status"]).out.contains(&line));
        Some(relay)
    }

    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
