//! The state of agents in panes, as reported to people and other agents.

use fugue_protocol::Event;
use fugue_testkit::{TestServer, until};
use serde_json::Value;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn pane(server: &TestServer) -> Value {
    server.json(&["list-panes"])["panes"][0].clone()
}

fn agent(server: &TestServer) -> Value {
    pane(server)["agent"].clone()
}

/// A program that echoes its input unescaped, so that a test can report any state.
fn echo_program(server: &TestServer) -> String {
    server.session(
        "work",
        &["sh", "-c", "stty -echo; printf 'ready\\n'; while read -r line; do printf \"$line\"; done"],
    )
}

fn report(server: &TestServer, pane: &str, sequence: &str) {
    server.ok(&["send-input", "-t", pane, sequence, "-k", "Enter"]);
}

#[test]
fn a_program_that_reports_its_state_to_the_terminal_is_believed() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    report(&server, &id, r"\033]7501;state=working:app=claude-code\007");
    until("the agent is working", || agent(&server)["state"] == "working");
    assert_eq!(agent(&server)["name"], "claude");
    // "approve Bash: touch x"
    let asks =
        r"\033]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCB4\007";
    report(&server, &id, asks);
    until("the agent asks", || agent(&server)["state"] == "blocked");
    let agent = agent(&server);
    assert_eq!((&agent["waits_for"], &agent["source"]), (&"permission".into(), &"osc7501".into()));
    assert_eq!((&agent["reason"], &agent["sure"]), (&"approve Bash: touch x".into(), &"certain".into()));
    let why = server.ok(&["explain", &id]);
    assert!(why.contains("(approve Bash: touch x), according to its state report (OSC 7501)"), "{why}");
}

#[test]
fn a_reported_state_survives_a_restart_of_the_daemon() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    report(
        &server,
        &id,
        r"\033]2;my title\007\033]7;file:///usr\007\033]7501;state=blocked:app=codex:kind=question\007",
    );
    until("the agent waits for input", || agent(&server)["state"] == "waiting_for_input");
    let before = pane(&server);
    assert_eq!((&before["title"], &before["cwd"]), (&"my title".into(), &"/usr".into()));
    fugue_testkit::signal("KILL", server.daemon_pid());
    until("the next daemon knows the state", || pane(&server) == before);
}

#[test]
fn an_exited_program_is_no_longer_working() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    let work = r"sh -c 'printf \\033]7501\;state=working:app=worker\\007; cat; exit'";
    server.ok(&["send-input", "-t", &id, work, "--submit"]);
    until("the agent is working", || agent(&server)["state"] == "working");
    server.ok(&["send-input", "-t", &id, "-k", "C-c"]);
    server.ok(&["send-input", "-t", &id, "echo over", "--submit"]);
    until("the agent state is gone", || agent(&server).is_null());
}

#[test]
fn a_panes_directory_is_known_even_if_its_program_does_not_report_it() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    server.ok(&["send-input", "-t", &id, "cd /usr/lib", "--submit"]);
    until("the new directory is known", || pane(&server)["cwd"] == "/usr/lib");
}

#[test]
fn bells_and_notifications_reach_subscribers() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    let mut events = server.connect();
    events.call(&fugue_protocol::verbs::SubscribeEvents::default()).expect("a subscription");
    report(&server, &id, r"\007\033]777;notify;build;it is done\007");
    let mut received = Vec::new();
    while received.len() < 2 {
        let fugue_client::ServerFrame::Event(record) = events.next_frame().expect("an event") else {
            continue;
        };
        match record.event {
            Event::PaneRang { .. } => received.push("bell".to_owned()),
            Event::PaneNotified { title, body, .. } => received.push(format!("{title}: {body}")),
            _ => {}
        }
    }
    assert_eq!(received, ["bell", "build: it is done"]);
}
