//! `run-parallel`, with the real daemon.

use std::process::Stdio;

use fugue_testkit::until;
use serde_json::json;

use crate::test_server;

#[test]
fn commands_run_side_by_side_are_gathered_and_leave_nothing_behind() {
    let server = test_server();
    server.session("work", &["cat"]);
    // Each waits for the other: one after the other they would never end.
    let meets = |own: &str, other: &str| {
        format!("touch {own}; until [ -e {other} ]; do sleep 0.01; done; echo {own} met {other}")
    };
    let ran = server.run(&["run-parallel", &meets("a", "b"), &meets("b", "a"), "exit 3", "--json"]);
    assert_eq!(ran.code, 1, "one failed: {}", ran.err);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(told["runs"][0]["output"], "a met b");
    assert_eq!(told["runs"][1]["exit"], json!({ "code": 0 }));
    assert_eq!((&told["runs"][2]["exit"], &told["succeeded"]), (&json!({ "code": 3 }), &json!(false)));
    until("the panes are gone", || server.json(&["list-panes"])["panes"].as_array().map(Vec::len) == Some(1));
}

#[test]
fn whoever_interrupts_it_ends_the_commands() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut run = server.command(&["run-parallel", "sleep 1000", "sleep 1000"]);
    let mut run = run.stdout(Stdio::null()).spawn().expect("it starts");
    let panes = || server.json(&["list-panes"])["panes"].as_array().map(Vec::len);
    until("they run", || panes() == Some(3));
    run.kill().expect("interrupted");
    run.wait().expect("ended");
    until("they are gone", || panes() == Some(1));
}

#[test]
fn a_killed_daemon_leaves_no_commands_behind() {
    let server = test_server();
    server.session("work", &["cat"]);
    let run = server.command(&["run-parallel", "sleep 1000", "sleep 1000"]).stderr(Stdio::piped()).spawn();
    let panes = || server.json(&["list-panes"])["panes"].as_array().cloned().unwrap_or_default();
    until("they run", || panes().len() == 3);
    let processes: Vec<_> = panes().iter().filter_map(|pane| pane["pid"].as_u64()).skip(1).collect();
    fugue_testkit::signal("KILL", server.daemon_pid());
    let told = run.expect("it starts").wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(told.contains("Lost the connection to the daemon before it replied"), "{told}");
    until("the panes are gone", || panes().len() == 1);
    let alive = |process: &u64| std::path::Path::new(&format!("/proc/{process}")).exists();
    assert_eq!(processes.len(), 2);
    until("so are the commands", || !processes.iter().any(alive));
}
