//! The files with the last screens.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fugue_testkit::until;

use super::{HEADER, pane, reboot, screen_file, terminate_daemon, test_server, until_saved};

#[test]
fn screens_are_private_and_are_not_saved_if_the_user_turns_saving_off() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "echo secret; exec cat"]);
    until_saved(&server, &id, "secret");
    let file = screen_file(&server, &id);
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().expect("a directory"))), (0o600, 0o700));
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), "save_screens = false\n").expect("written");
    until("the files are deleted", || !server.state_dir().join("screens").exists());
    let other = server.session("other", &["sh", "-c", "echo more; exec cat"]);
    server.wait_for(&other, "^more$");
    // A daemon that is asked to end saves all screens that are to be saved.
    terminate_daemon(&server);
    assert!(!server.state_dir().join("screens").exists());
    reboot(&server);
    assert_eq!(pane(&server, &id)["state"], "lost");
    assert!(server.refused(&["get-output", "-t", &id]).contains("exited"));
}

#[test]
fn a_torn_screen_file_is_ignored_and_everything_else_is_intact() {
    let server = test_server();
    let torn = server.session("torn", &["sh", "-c", "echo torn text; exec cat"]);
    let whole = server.session("whole", &["sh", "-c", "echo whole text; exec cat"]);
    until_saved(&server, &torn, "torn text");
    until_saved(&server, &whole, "whole text");
    reboot(&server);
    let file = screen_file(&server, &torn);
    let bytes = fs::read(&file).expect("a file");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("written");
    assert!(server.text(&whole).contains("whole text"));
    assert!(server.refused(&["get-output", "-t", &torn]).contains("exited"));
    assert_eq!(pane(&server, &torn)["lost"]["restart"], "sh -c 'echo torn text; exec cat'");
    assert_eq!(server.json(&["restore", "--all"])["restored"].as_array().map(Vec::len), Some(2));
    server.wait_for(&torn, "^torn text$");
}

#[test]
fn a_long_history_is_saved_up_to_its_limit_and_a_closed_pane_leaves_no_file() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "seq 1 200000; echo done; exec cat"]);
    server.session("other", &["cat"]);
    until_saved(&server, &id, "done");
    let size = fs::metadata(screen_file(&server, &id)).expect("a file").len();
    assert!(size > 1_000 && size <= (256 << 10) + HEADER as u64, "{size}");
    reboot(&server);
    let text = server.text(&id);
    let numbers: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(numbers.len() > 100, "{} lines", numbers.len());
    assert_eq!(numbers.last(), Some(&200_000));
    server.ok(&["close-pane", "-t", &id]);
    until("its file is gone", || !screen_file(&server, &id).exists());
    server.ok(&["shutdown"]);
    assert!(!server.state_dir().join("screens").exists(), "the sessions ended for good");
}
