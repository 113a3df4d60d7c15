//! Quotas of agents in the real daemon: a program in a pane that creates sessions in a loop is stopped.

use std::fs;

use fugue_testkit::{TestServer, until};

fn configure(server: &TestServer, text: &str) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), text).expect("written");
}

fn sessions(server: &TestServer) -> usize {
    server.json(&["list-sessions"])["sessions"].as_array().expect("sessions").len()
}

#[test]
fn a_loop_that_creates_sessions_is_stopped_and_the_user_can_raise_the_limit_at_once() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    configure(&server, "max_sessions_per_agent = 4\n");
    let agent = server.session("agent", &["sh"]);
    let fugue = env!("CARGO_BIN_EXE_fugue");
    let spawn = |mark: &str| {
        let line = format!("for n in 1 2 3 4 5 6 7 8; do {fugue} new -d -- cat; done; echo {mark}''-done");
        server.ok(&["send-input", "-t", &agent, &line, "--submit"]);
        server.wait_for(&agent, &format!("{mark}-done"));
    };
    spawn("first");
    assert_eq!(sessions(&server), 1 + 4);
    let told = server.text(&agent).replace('\n', "");
    assert!(
        told.contains(
            "Session `agent` has reached the limit of 4 sessions created by an agent and its descendants"
        ),
        "{told}"
    );
    assert!(told.contains("raise `max_sessions_per_agent` in config.toml"), "{told}");
    server.session("persons-own", &["cat"]);
    configure(&server, "max_sessions_per_agent = 6\n");
    let log = server.state_dir().join("log");
    let is_reloaded = || fs::read_to_string(&log).unwrap_or_default().contains("Reloaded config.toml");
    until("the daemon has read the file", is_reloaded);
    spawn("second");
    assert_eq!(sessions(&server), 1 + 6 + 1);
}
