//! What is there after a restart, before anything is restored.

use std::process::Command;

use fugue_keeper::ProcessStat;
use fugue_testkit::{signal, until};
use serde_json::json;

use super::{busy_shell, pane, reboot, test_server, until_saved};

#[test]
fn after_a_reboot_everything_but_the_programs_is_back_and_lost_panes_say_what_they_were() {
    let server = test_server();
    let directory = server.path().join("project");
    let id = busy_shell(&server, &directory);
    server.ok(&["set-tags", "-s", "work", "--add", "kept"]);
    server.ok(&["set-metadata", "-s", "work", "goal", "ship"]);
    server.ok(&["set-environment", "-s", "work", "COLOR", "green"]);
    server.ok(&["rename-window", "-s", "work", "editing"]);
    let other = server.json(&["create-pane", "-s", "work", "--right", "--name", "side", "--", "cat"]);
    server.ok(&["send-orchestration", "-s", "work", "task.assigned", "{\"n\":1}"]);
    until_saved(&server, &id, "shown 42");
    let before = server.json(&["list-panes"]);
    reboot(&server);

    let session = &server.json(&["ls"])["sessions"][0];
    assert_eq!((&session["name"], &session["tags"]), (&json!("work"), &json!(["kept"])));
    assert_eq!((&session["metadata"], &session["unread"]), (&json!({ "goal": "ship" }), &json!(1)));
    assert_eq!(session["windows"][0]["name"], "editing");
    assert_eq!(server.json(&["get-environment", "-s", "work"])["entries"]["COLOR"], "green");
    let after = server.json(&["list-panes"]);
    for (before, after) in
        before["panes"].as_array().into_iter().flatten().zip(after["panes"].as_array().into_iter().flatten())
    {
        assert_eq!((&before["pane_id"], &before["place"]), (&after["pane_id"], &after["place"]));
        assert_eq!(after["state"], "lost");
    }
    let lost = pane(&server, &id);
    assert_eq!(lost["title"], "my title");
    assert_eq!(lost["cwd"], directory.to_str().expect("a path"));
    assert_eq!(lost["lost"]["restart"], "sh");
    assert!(server.text(&id).contains("shown 42"), "the last screen");
    assert!(server.ok(&["list-panes"]).contains(&format!("lost sh in {}", directory.display())));
    assert_eq!(pane(&server, other["pane_id"].as_str().expect("a pane"))["name"], "side");
}

#[test]
fn a_process_that_ignored_the_hangup_is_named_and_left_alone() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "trap '' HUP; echo ready; while :; do sleep 1; done"]);
    server.wait_for(&id, "^ready$");
    let process = pane(&server, &id)["pid"].as_u64().expect("a process").to_string();
    reboot(&server);
    assert_eq!(pane(&server, &id)["state"], "lost");
    let warning = format!("pid {process} (sh -c trap");
    until("it is found", || server.ok(&["server-status"]).contains(&warning));
    assert!(server.ok(&["server-status"]).contains("is still running without a terminal"));
    assert_eq!(pane(&server, &id)["lost"]["survivors"][0]["pid"].to_string(), process);
    assert!(server.ok(&["list-panes"]).contains("still running without a terminal"));
    let skipped = server.run(&["restore", "--all", "--json"]);
    assert_eq!(skipped.code, 1, "{}", skipped.out);
    assert!(skipped.out.contains("it is still running without a terminal"), "{}", skipped.out);
    signal("KILL", process.parse().expect("a process"));
    until("it is no longer named", || !server.ok(&["server-status"]).contains(&warning));
    let reply = server.json(&["restore", "--all"]);
    assert_eq!(reply["restored"].as_array().map(Vec::len), Some(1), "{reply}");
}

#[test]
fn a_process_that_outlived_everything_is_named_even_if_the_reaper_was_gone_or_stopped_before() {
    for fault in ["KILL", "STOP"] {
        let server = test_server();
        let id = server.session("work", &["sh", "-c", "trap '' HUP; echo ready; while :; do sleep 1; done"]);
        server.wait_for(&id, "^ready$");
        let process = pane(&server, &id)["pid"].as_u64().expect("a process").to_string();
        let reaper = ProcessStat::of(server.keeper_pid()).expect("the keeper").parent;
        signal(fault, reaper);
        reboot(&server);
        assert_eq!(pane(&server, &id)["state"], "lost");
        let warning = format!("pid {process} (sh -c trap");
        until("it is found", || server.ok(&["server-status"]).contains(&warning));
        let skipped = server.run(&["restore", "--all", "--json"]);
        assert!(skipped.out.contains("it is still running without a terminal"), "{fault}: {}", skipped.out);
        signal("KILL", process.parse().expect("a process"));
        if fault == "STOP" {
            signal("CONT", reaper);
        }
    }
}

#[test]
fn an_attached_client_shows_a_lost_pane_as_it_was_and_a_key_starts_it_again() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "echo last screen; exec cat"]);
    until_saved(&server, &id, "last screen");
    reboot(&server);
    let mut terminal = server.terminal(&["attach", "work"], 80, 24);
    terminal.shows("last screen");
    terminal.shows("Lost in a restart. Press C-b R to run it again: sh -c");
    terminal.shows(" 1 lost ");
    // It is not an agent.
    terminal.prefix("A");
    terminal.shows("No agents yet");
    terminal.send("\x03");
    terminal.prefix("R");
    until("it runs", || pane(&server, &id)["state"] == "running");
    terminal.until("the line is gone", |terminal| !terminal.picture().contains("Lost in a restart"));
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn the_scan_for_survivors_names_no_process_of_another_pane() {
    let server = test_server();
    let id = server.session("work", &["cat"]);
    let mut other =
        Command::new("sleep").arg("60").env("FUGUE_PANE_ID", "not-an-id").spawn().expect("it starts");
    reboot(&server);
    assert_eq!(pane(&server, &id)["state"], "lost");
    assert!(pane(&server, &id)["lost"].get("survivors").is_none());
    other.kill().expect("killed");
    other.wait().expect("gone");
}
