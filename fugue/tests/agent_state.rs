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

/// A program that writes what it reads, so that a test can say how it is doing.
fn speaker(server: &TestServer) -> String {
    server.session(
        "work",
        &["sh", "-c", "stty -echo; printf 'ready\\n'; while read -r line; do printf \"$line\"; done"],
    )
}

fn say(server: &TestServer, pane: &str, words: &str) {
    server.ok(&["send-input", "-t", pane, words, "-k", "Enter"]);
}

#[test]
fn a_program_that_reports_its_state_to_the_terminal_is_believed() {
    let server = test_server();
    let id = speaker(&server);
    server.wait_for(&id, "ready");
    say(&server, &id, r"\033]7501;state=working:app=claude-code\007");
    until("it works", || agent(&server)["state"] == "working");
    assert_eq!(agent(&server)["name"], "claude");
    // "approve Bash: touch x"
    let asks =
        r"\033]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCB4\007";
    say(&server, &id, asks);
    until("it asks", || agent(&server)["state"] == "blocked");
    let told = agent(&server);
    assert_eq!((&told["waits_for"], &told["source"]), (&"permission".into(), &"osc7501".into()));
    assert_eq!((&told["reason"], &told["sure"]), (&"approve Bash: touch x".into(), &"certain".into()));
    let why = server.ok(&["explain", &id]);
    assert!(why.contains("(approve Bash: touch x), according to its state report (OSC 7501)"), "{why}");
}

#[test]
fn a_reported_state_survives_a_restart_of_the_daemon() {
    let server = test_server();
    let id = speaker(&server);
    server.wait_for(&id, "ready");
    say(
        &server,
        &id,
        r"\033]2;my title\007\033]7;file:///usr\007\033]7501;state=blocked:app=codex:kind=question\007",
    );
    until("it waits", || agent(&server)["state"] == "waiting_for_input");
    let before = pane(&server);
    assert_eq!((&before["title"], &before["cwd"]), (&"my title".into(), &"/usr".into()));
    fugue_testkit::signal("KILL", server.daemon_pid());
    until("the next one knows", || pane(&server) == before);
}

#[test]
fn an_exited_program_is_no_longer_working() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    let work = r"sh -c 'printf \\033]7501\;state=working:app=worker\\007; cat; exit'";
    server.ok(&["send-input", "-t", &id, work, "--submit"]);
    until("it works", || agent(&server)["state"] == "working");
    server.ok(&["send-input", "-t", &id, "-k", "C-c"]);
    server.ok(&["send-input", "-t", &id, "echo over", "--submit"]);
    until("it is gone", || agent(&server).is_null());
}

#[test]
fn a_pane_tells_where_its_program_is_though_the_program_does_not() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    server.ok(&["send-input", "-t", &id, "cd /usr/lib", "--submit"]);
    until("it went there", || pane(&server)["cwd"] == "/usr/lib");
}

#[test]
fn bells_and_notifications_reach_subscribers() {
    let server = test_server();
    let id = speaker(&server);
    server.wait_for(&id, "ready");
    let mut events = server.connect();
    events.call(&fugue_protocol::verbs::SubscribeEvents::default()).expect("a subscription");
    say(&server, &id, r"\007\033]777;notify;build;it is done\007");
    let mut heard = Vec::new();
    while heard.len() < 2 {
        let fugue_client::ServerFrame::Event(told) = events.next_frame().expect("an event") else { continue };
        match told.event {
            Event::PaneRang { .. } => heard.push("bell".to_owned()),
            Event::PaneNotified { title, body, .. } => heard.push(format!("{title}: {body}")),
            _ => {}
        }
    }
    assert_eq!(heard, ["bell", "build: it is done"]);
}
