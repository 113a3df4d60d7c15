//! `fugue doctor` and `fugue debug-bundle`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use fugue_testkit::TestServer;
use serde_json::Value;

fn server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// Writes config.toml.
fn configure(server: &TestServer, text: &str) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), text).expect("written");
}

/// The check of this subject in the doctor's report.
fn check(report: &str, subject: &str) -> Value {
    let checks: Vec<Value> = serde_json::from_str(report).expect("JSON");
    checks.into_iter().find(|check| check["subject"] == subject).expect("a check of that subject")
}

#[test]
fn the_doctor_starts_no_daemon_and_finds_nothing_wrong_in_a_fresh_home() {
    let server = server();
    let report = server.run(&["doctor"]);
    assert_eq!(report.code, 0, "{report:?}");
    assert!(report.out.contains("No problems found."), "{report:?}");
    assert!(!server.socket().exists(), "no daemon was started");
}

#[test]
fn a_state_directory_that_others_may_enter_is_a_problem_and_the_remedy_mends_it() {
    let server = server();
    server.ok(&["new", "-d", "-s", "work", "--", "cat"]);
    fs::set_permissions(server.state_dir(), Permissions::from_mode(0o755)).expect("a mode");
    let report = server.run(&["doctor", "--json"]);
    assert_eq!(report.code, 1, "{report:?}");
    let state = check(&report.out, "state");
    assert_eq!(state["result"], "problem");
    let remedy = state["remedy"].as_str().expect("a remedy").to_owned();
    let mended = std::process::Command::new("sh").args(["-c", &remedy]).status().expect("sh runs");
    assert!(mended.success());
    let report = server.run(&["doctor", "--json"]);
    assert_eq!((report.code, &check(&report.out, "daemon")["result"]), (0, &Value::from("ok")), "{report:?}");
}

#[test]
fn a_shell_that_cannot_be_started_is_a_problem_and_an_error_names_it() {
    let server = server();
    configure(&server, "shell = \"nosuchshell -l\"\n");
    let report = server.run(&["doctor", "--json"]);
    let shell = check(&report.out, "shell");
    assert_eq!(shell["result"], "problem", "{report:?}");
    assert_eq!(shell["finding"], "cannot run `nosuchshell -l`: no such program");
    let refused = server.run(&["new", "-d", "-s", "work"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("Cannot start `nosuchshell -l`: No such file or directory"), "{refused:?}");
}

#[test]
fn a_mistake_in_the_configuration_is_named_with_the_command_that_lists_it() {
    let server = server();
    configure(&server, "historylines = 3\n");
    let report = server.run(&["doctor", "--json"]);
    let config = check(&report.out, "config");
    assert_eq!((&config["result"], &config["remedy"]), (&"problem".into(), &"fugue config check".into()));
}

#[test]
fn a_debug_bundle_tells_versions_and_panes_but_no_secret() {
    let server = server();
    let secret = "hunter2-in-every-place";
    server.ok(&[
        "new",
        "-d",
        "-s",
        "work",
        "-e",
        &format!("TOKEN={secret}"),
        "--",
        "sh",
        "-c",
        &format!("echo {secret}; cat"),
    ]);
    server.ok(&["set-metadata", "-s", "work", "token", secret]);
    server.ok(&["wait", "-s", "work", "--match", secret]);
    let file = server.path().join("bundle.txt");
    let name = file.to_str().expect("UTF-8");
    server.ok(&["debug-bundle", name]);
    let text = fs::read_to_string(&file).expect("a file");
    assert!(text.contains(env!("CARGO_PKG_VERSION")) && text.contains("\"running\""), "{text}");
    assert!(!text.contains(secret), "{text}");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    let again = server.run(&["debug-bundle", name]);
    assert_eq!(again.code, 2, "an existing file is not overwritten: {again:?}");
}
