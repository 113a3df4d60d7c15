//! Commands side by side, with the real daemon.

use std::process::Stdio;

use fugue_testkit::until;
use serde_json::json;

use crate::house;

#[test]
fn commands_run_side_by_side_are_gathered_and_leave_nothing_behind() {
    let house = house();
    house.session("work", &["cat"]);
    // Each waits for the other: one after the other they would never end.
    let meets = |own: &str, other: &str| {
        format!("touch {own}; until [ -e {other} ]; do sleep 0.01; done; echo {own} met {other}")
    };
    let ran = house.run(&["run-parallel", &meets("a", "b"), &meets("b", "a"), "exit 3", "--json"]);
    assert_eq!(ran.code, 1, "one failed: {}", ran.err);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(told["runs"][0]["output"], "a met b");
    assert_eq!(told["runs"][1]["exit"], json!({ "code": 0 }));
    assert_eq!((&told["runs"][2]["exit"], &told["succeeded"]), (&json!({ "code": 3 }), &json!(false)));
    until("the panes are gone", || house.json(&["list-panes"])["panes"].as_array().map(Vec::len) == Some(1));
}

#[test]
fn whoever_interrupts_it_ends_the_commands() {
    let house = house();
    house.session("work", &["cat"]);
    let mut run = house.command(&["run-parallel", "sleep 1000", "sleep 1000"]);
    let mut run = run.stdout(Stdio::null()).spawn().expect("it starts");
    let panes = || house.json(&["list-panes"])["panes"].as_array().map(Vec::len);
    until("they run", || panes() == Some(3));
    run.kill().expect("interrupted");
    run.wait().expect("ended");
    until("they are gone", || panes() == Some(1));
}
