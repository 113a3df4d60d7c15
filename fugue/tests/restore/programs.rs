//! Shells and other programs are started again.

use std::fs;

use fugue_testkit::until;
use serde_json::json;

use super::{busy_shell, pane, reboot, test_server, until_saved};

#[test]
fn restore_starts_a_shell_in_its_last_directory_with_its_environment_in_the_same_pane() {
    let server = test_server();
    let directory = server.path().join("project");
    let id = busy_shell(&server, &directory);
    server.ok(&["set-environment", "-s", "work", "COLOR", "green"]);
    until_saved(&server, &id, "shown 42");
    reboot(&server);

    let restored = server.json(&["restore", "-s", "work"]);
    assert_eq!(restored["skipped"], json!([]));
    assert_eq!(restored["restored"][0]["pane_id"], *id);
    assert_eq!(restored["restored"][0]["cwd"], directory.to_str().expect("a path"));
    server.ok(&["send-input", "-t", &id, "echo in $(pwd) with $COLOR in $FUGUE_PANE_ID", "--submit"]);
    server.wait_for(&id, &format!("^in {} with green in {id}", directory.display()));
    assert!(server.text(&id).contains("shown 42"), "the old screen is above");
    assert_eq!(pane(&server, &id)["state"], "running");
    assert_eq!(server.ok(&["restore", "-s", "work"]), "no lost panes\n");
}

#[test]
fn a_directory_that_is_gone_is_replaced_by_another_one_and_the_reply_says_so() {
    let server = test_server();
    let directory = server.path().join("project");
    let id = busy_shell(&server, &directory);
    reboot(&server);
    fs::remove_dir(&directory).expect("removed");
    let restored = server.json(&["restore", "-t", &id]);
    let restored = &restored["restored"][0];
    assert_eq!(restored["cwd"], server.path().to_str().expect("a path"), "where it was started");
    let note = format!("its last directory {} no longer exists", directory.display());
    assert_eq!(restored["notes"], json!([note]));
}

#[test]
fn a_command_of_run_is_not_started_again() {
    let server = test_server();
    server.session("work", &["sh"]);
    let marker = server.path().join("ran");
    let command = format!("echo once >> {}; exec cat", marker.display());
    let ran = server.run(&["run", "-s", "work", "--timeout-ms", "500", &command, "--json"]);
    assert!(marker.exists(), "{ran:?}");
    reboot(&server);
    let restored = server.json(&["restore", "-s", "work"]);
    assert_eq!(restored["restored"].as_array().map(Vec::len), Some(1), "only the shell");
    let why = restored["skipped"][0]["why"].as_str().expect("a reason");
    assert!(why.starts_with("it ran a single command"), "{why}");
    assert_eq!(fs::read_to_string(&marker).expect("a file"), "once\n");
}

#[test]
fn shells_are_started_by_themselves_if_the_user_wants_that() {
    let server = test_server();
    let shell = server.session("work", &["sh"]);
    let other = server.json(&["create-pane", "-s", "work", "--", "cat"]);
    reboot(&server);
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), "restore_programs = \"shells\"\n")
        .expect("written");
    until("the shell runs", || pane(&server, &shell)["state"] == "running");
    assert_eq!(pane(&server, other["pane_id"].as_str().expect("a pane"))["state"], "lost");
}

#[test]
fn a_restored_shell_begins_on_a_line_of_its_own() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "printf 'first$ '; exec cat"]);
    until_saved(&server, &id, "first$");
    reboot(&server);
    let restored = server.ok(&["restore", "-s", "work"]);
    assert!(restored.starts_with("work %0: started sh -c "), "{restored}");
    until("it runs", || pane(&server, &id)["state"] == "running");
    until("its prompt", || server.text(&id).matches("first$").count() == 2);
    assert_eq!(server.text(&id).trim_end(), "first$\nfirst$", "{}", server.text(&id));
}
