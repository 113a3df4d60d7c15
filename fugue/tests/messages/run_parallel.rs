//! `run-parallel`, with the real daemon.

use std::process::Stdio;

use fugue_testkit::until;
use serde_json::json;

use crate::test_server;

#[test]
fn parallel_commands_are_collected_and_leave_no_panes() {
    let server = test_server();
    server.session("work", &["cat"]);
    // Each waits for the other: run one after the other, they would never finish.
    let meets = |own: &str, other: &str| {
        format!("touch {own}; until [ -e {other} ]; do sleep 0.01; done; echo {own} met {other}")
    };
    let run = server.run(&["run-parallel", &meets("a", "b"), &meets("b", "a"), "exit 3", "--json"]);
    assert_eq!(run.code, 1, "one command failed: {}", run.err);
    let parallel: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(parallel["runs"][0]["output"], "a met b");
    assert_eq!(parallel["runs"][1]["exit"], json!({ "code": 0 }));
    assert_eq!(
        (&parallel["runs"][2]["exit"], &parallel["succeeded"]),
        (&json!({ "code": 3 }), &json!(false))
    );
    until("the panes are gone", || server.json(&["list-panes"])["panes"].as_array().map(Vec::len) == Some(1));
}

#[test]
fn interrupting_run_parallel_kills_its_commands() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut run = server.command(&["run-parallel", "sleep 1000", "sleep 1000"]);
    let mut run = run.stdout(Stdio::null()).spawn().expect("fugue starts");
    let panes = || server.json(&["list-panes"])["panes"].as_array().map(Vec::len);
    until("the commands are running", || panes() == Some(3));
    run.kill().expect("killed");
    run.wait().expect("exited");
    until("their panes are gone", || panes() == Some(1));
}

#[test]
fn parallel_commands_whose_caller_dies_with_the_daemon_are_killed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut run =
        server.command(&["run-parallel", "sleep 1000", "sleep 1000"]).spawn().expect("fugue starts");
    let panes = || server.json(&["list-panes"])["panes"].as_array().cloned().unwrap_or_default();
    until("the commands are running", || panes().len() == 3);
    let processes: Vec<_> = panes().iter().filter_map(|pane| pane["pid"].as_u64()).skip(1).collect();
    fugue_testkit::signal("STOP", run.id());
    fugue_testkit::signal("KILL", server.daemon_pid());
    run.kill().expect("killed");
    run.wait().expect("exited");
    until("the panes are gone", || panes().len() == 1);
    let alive = |process: &u64| std::path::Path::new(&format!("/proc/{process}")).exists();
    assert_eq!(processes.len(), 2);
    until("the commands have exited", || !processes.iter().any(alive));
}
