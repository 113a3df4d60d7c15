//! Sessions that are created on another host, through the relay.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::hosts::{Host, await_presence};
use crate::nats::Nats;

/// Hosts `a` and `b` with their relays; `b` has these rules for what others may start.
fn hosts(nats: &Nats, rules: &str) -> (Host, Host) {
    let (a, b) = (Host::new("a", nats, ""), Host::new("b", nats, rules));
    a.set_up(nats, 1);
    a.start_relay();
    b.start_relay();
    await_presence(&a, 2);
    (a, b)
}

/// Runs a command in a pane; returns its exit code, what it printed, and its error.
fn run(host: &Host, pane: &str, words: &[&str]) -> (i32, String, String) {
    let ran = host.server.command_for(pane, words).output().expect("fugue runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ran.status.code().unwrap_or_default(), text(&ran.stdout), text(&ran.stderr))
}

/// The entries of a host's audit log for a verb.
fn audit(host: &Host, verb: &str) -> Vec<Value> {
    let log = fs::read_to_string(host.server.state_dir().join("audit.log")).unwrap_or_default();
    let lines = log.lines().filter_map(|line| serde_json::from_str(line).ok());
    lines.filter(|line: &Value| line["verb"] == verb).collect()
}

fn sessions(host: &Host) -> Vec<String> {
    let list = host.server.json(&["list-sessions"]);
    let names = list["sessions"].as_array().expect("sessions").iter().map(|session| &session["name"]);
    names.map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_session_is_created_on_another_host_and_reports_to_its_parent() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = hosts(&nats, "[fleet.run]\n\"a/lead\" = [\"cat\"]");
    let lead = a.server.session("lead", &["cat"]);
    let create = ["create-session", "-d", "--on", "b", "-s", "far", "--tag", "worker", "--json", "--", "cat"];
    let (code, out, err) = run(&a, &lead, &create);
    assert_eq!((code, err.as_str()), (0, ""), "{out}\n{}{}", a.relay_log(), b.relay_log());
    let created: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(created["note"], "on host `b`, as session `b/far`");
    assert_eq!(b.server.json(&["get-tags", "-s", "far"])["tags"], json!(["child:a/lead", "worker"]));
    let pane = b.server.json(&["list-panes", "-s", "far"])["panes"][0]["pane_id"].clone();
    assert_eq!(created["pane_id"], pane);
    // Its own messages to its parent go back.
    let report = ["send-orchestration", "--parent", "task.complete", r#"{"say":"done"}"#];
    let (code, _, err) = run(&b, pane.as_str().expect("an id"), &report);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(a.poll("lead")["messages"][0]["from_session_name"], "b/far");
    // Both hosts have recorded it, and the new session's inbox does not have the request.
    let entry = &audit(&a, "create-session")[0];
    assert_eq!((&entry["session"], &entry["touched"]), (&json!("lead"), &json!(["b/(new session)"])));
    let entry = &audit(&b, "start-remote")[0];
    assert_eq!((&entry["session"], &entry["touched"]), (&json!("a/lead"), &json!(["far"])));
    assert_eq!(b.server.json(&["poll-messages", "-s", "far"])["messages"], json!([]));
}

#[test]
fn an_agent_is_started_on_another_host() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = hosts(&nats, "[fleet.run]\na = [\"*\"]");
    let lead = a.server.session("lead", &["cat"]);
    let program = b.server.path().join("claude");
    fs::write(&program, "#!/bin/sh\nexec cat\n").expect("a program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    let path = format!("PATH={}:/usr/bin:/bin", b.server.path().display());
    let spawn = ["spawn", "claude", "--on", "b", "-s", "helper", "-p", "say hi", "-e", &path, "--json"];
    let (code, out, err) = run(&a, &lead, &spawn);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let told: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&told["status"], &told["session_name"]), (&json!("started"), &json!("b/helper")));
    assert_eq!(sessions(&b), ["work", "helper"]);
    let (code, _, err) = run(&a, &lead, &["spawn", "gemini", "--on", "b", "-e", "PATH=/nowhere"]);
    assert_eq!(code, 1);
    let expected =
        "fugue: Host `b` did not create the session: Cannot start gemini: `gemini` was not found in PATH\n";
    assert!(err.starts_with(expected), "{err}");
}

#[test]
fn nothing_is_started_until_the_other_host_allows_it() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = hosts(&nats, "[fleet.run]\n\"a/lead\" = [\"cat\"]");
    let (lead, work) = (a.server.session("lead", &["cat"]), a.server.session("rest", &["cat"]));
    let refused = |pane: &str, words: &[&str], what: &str| {
        let mut all = vec!["create-session", "-d", "--on", "b"];
        all.extend(words);
        let (code, out, err) = run(&a, pane, &all);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        let expected = format!(
            "fugue: Host `b` did not create the session: Host `b` does not let {what}\n\
             hint: [fleet.run] in config.toml on host `b` determines who may start what there; see docs/fleet.md\n"
        );
        assert_eq!(err, expected);
    };
    refused(&work, &["--", "cat"], "`a/rest` start `cat`");
    refused(&lead, &["--", "sh"], "`a/lead` start `sh`");
    refused(&lead, &[], "`a/lead` start a shell");
    refused(
        &lead,
        &["-e", "PATH=/tmp", "--", "cat"],
        "`a/lead` start `cat` with environment variables, a worktree or a permission mode",
    );
    assert_eq!(sessions(&b), ["work"]);
    let entries = audit(&b, "start-remote");
    assert_eq!((entries.len(), &entries[0]["outcome"]), (1, &json!("refused")), "{entries:?}");
    // Another host cannot choose whose child the session is.
    let tagged = ["create-session", "-d", "--on", "b", "--tag", "child:work", "--", "cat"];
    let (code, _, err) = run(&a, &lead, &tagged);
    assert_eq!(code, 1);
    assert!(err.contains("child:work"), "{err}");
}

#[test]
fn an_agent_that_may_only_observe_asks_no_other_host() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = (
        Host::new("a", &nats, "[scopes]\nlead = \"observe\""),
        Host::new("b", &nats, "[fleet.run]\na = [\"*\"]"),
    );
    a.set_up(&nats, 1);
    a.start_relay();
    b.start_relay();
    let lead = a.server.session("lead", &["cat"]);
    let (code, _, err) = run(&a, &lead, &["create-session", "-d", "--on", "b", "--", "cat"]);
    assert_eq!(code, 1);
    assert!(err.starts_with("fugue: "), "{err}");
    assert!(err.contains("b/(new session)"), "{err}");
    assert_eq!(sessions(&b), ["work"]);
}

#[test]
fn a_request_that_arrives_again_creates_no_second_session() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = hosts(&nats, "[fleet.run]\na = [\"*\"]");
    // The relay of the other host is killed before it can acknowledge anything, so the stream keeps the request.
    b.kill_relay();
    let mut create = a.server.command(&["create-session", "-d", "--on", "b", "-s", "far", "--", "cat"]);
    let mut waits = create.spawn().expect("fugue runs");
    let request = || {
        let list = a.server.json(&["list-messages"]);
        let messages = list["messages"].as_array().cloned().unwrap_or_default();
        messages.into_iter().find(|message| message["msg_type"] == "fleet.start")
    };
    let start = std::time::Instant::now();
    let request = loop {
        match request() {
            Some(request) => break request,
            None => assert!(start.elapsed() < fugue_testkit::PATIENCE),
        }
    };
    let id = request["message_id"].as_str().expect("an id").to_owned();
    a.await_state(&id, "relayed");
    // The daemon has carried it out, as if a relay had ended right after that.
    let page = json!({
        "host": "b", "start": "create-session",
        "message": { "message_id": id, "target": request["target"], "msg_type": "fleet.start",
            "payload": { "name": "far", "argv": ["cat"] }, "bytes": 30, "sent_at": request["sent_at"],
            "expires_at": request["expires_at"], "number": 1 },
    });
    b.server.ok(&["start-remote", "a", "--request", &page.to_string()]);
    b.start_relay();
    assert!(waits.wait().expect("its end").success());
    a.await_state(&id, "replied");
    assert_eq!(sessions(&b), ["work", "far"]);
    // Even when the session is gone.
    b.server.ok(&["kill-session", "-s", "far"]);
    b.server.ok(&["start-remote", "a", "--request", &page.to_string()]);
    assert_eq!(sessions(&b), ["work"]);
}

#[test]
fn a_host_that_is_not_there_is_named_at_once() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    a.start_relay();
    await_presence(&a, 1);
    let refusal = a.server.refused(&["create-session", "-d", "--on", "gpu", "--", "cat"]);
    assert!(
        refusal.starts_with("Host `gpu` did not create the session: host `gpu` is not online"),
        "{refusal}"
    );
}
