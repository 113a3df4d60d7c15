//! A relay that is stopped by a signal: whoever asks is told.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, signal, until};

use crate::hosts::{FLEET, fugue};

/// A relay, which is killed when this is dropped.
struct Relay(Child);

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn fleet(server: &TestServer, words: &[&str]) -> Command {
    let mut command = server.command_from(FLEET.as_ref(), words);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn a_stopped_relay_is_not_reported_as_running() {
    let server = TestServer::new(fugue().to_str().expect("a path"));
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    // Nothing listens there: the relay tries again and again.
    let config = "[fleet]\nhost = \"desk\"\nservers = [\"nats://127.0.0.1:1\"]\n";
    fs::write(directory.join("config.toml"), config).expect("a configuration");
    server.session("work", &["cat"]);
    let relay = Relay(fleet(&server, &["run"]).stdout(Stdio::null()).spawn().expect("the relay runs"));
    let pid = relay.0.id();
    let status = || {
        let ran = fleet(&server, &["status"]).output().expect("it runs");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    until("it runs", || status().contains("not connected") && status().contains(&pid.to_string()));
    let start = ["create-session", "-d", "--on", "far", "--", "cat"];
    signal("STOP", pid);
    let stopped = Instant::now();
    let relay_line = format!("relay   stopped, process {pid}\n");
    until("the status says so", || status().contains(&relay_line));
    let warning = format!("The relay (pid {pid}) is stopped, so messages to and from other hosts wait");
    let server_status = || server.ok(&["server-status"]);
    until("the daemon says so", || server_status().contains(&warning));
    let refused = format!(
        "The relay (pid {pid}) is stopped, so no other host can be asked\nhint: `kill -CONT {pid}` resumes it"
    );
    assert_eq!(server.refused(&start), refused);
    assert!(stopped.elapsed() < Duration::from_secs(30), "{:?}", stopped.elapsed());
    signal("CONT", pid);
    until("it goes on", || !status().contains("stopped") && !server_status().contains(&warning));
}

#[test]
fn a_start_on_another_host_is_refused_at_once_if_no_relay_runs() {
    let server = TestServer::new(fugue().to_str().expect("a path"));
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    let config = "[fleet]\nhost = \"desk\"\nservers = [\"nats://127.0.0.1:1\"]\n";
    fs::write(directory.join("config.toml"), config).expect("a configuration");
    server.session("work", &["cat"]);
    for start in
        [&["create-session", "-d", "--on", "far", "--", "cat"][..], &["spawn", "claude", "--on", "far"]]
    {
        let why = server.refused(start);
        assert_eq!(
            why,
            "No relay is running on this host, so no other host can be asked\nhint: start it with `fugue fleet run`"
        );
    }
}
