//! First steps on the command line: starting, typing, reading, shutting down.

use fugue_testkit::TestServer;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

#[test]
fn a_line_is_typed_awaited_and_read() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "work", "--", "bash", "--norc"]);
    server.ok(&["send-input", "--session", "work", "echo hi", "--submit"]);
    assert_eq!(server.ok(&["wait", "--session", "work", "--match", "^hi$"]), "matched: hi\n");
    let text = server.ok(&["get-output", "--session", "work"]);
    assert!(text.lines().any(|line| line == "hi"), "{text}");
}

#[test]
fn inside_a_pane_no_target_is_needed() {
    let server = test_server();
    let other = server.session("other", &["sh"]);
    let pane = server.session("work", &["sh"]);
    server.ok(&["select-session", "other"]);
    let fugue = env!("CARGO_BIN_EXE_fugue");
    server.ok(&[
        "send-input",
        "-t",
        &pane,
        &format!("{fugue} set-tags --add mine; {fugue} whoami"),
        "--submit",
    ]);
    server.wait_for(&pane, "^session_name: work$");
    assert_eq!(server.json(&["get-tags", "-s", "work"])["tags"], serde_json::json!(["mine"]));
    server.ok(&[
        "send-input",
        "-t",
        &pane,
        &format!("{fugue} send-input 'echo said''-to-myself' --submit"),
        "--submit",
    ]);
    server.wait_for(&pane, r"^(\$ )?said-to-myself$");
    assert!(!server.text(&other).contains("said"), "{}", server.text(&other));
}

#[test]
fn outside_any_pane_the_last_used_session_is_the_default() {
    let server = test_server();
    server.session("one", &["sh"]);
    server.session("two", &["sh"]);
    assert_eq!(server.json(&["get-tags"])["session_name"], "two");
    server.ok(&["select-session", "one"]);
    assert_eq!(server.json(&["get-tags"])["session_name"], "one");
    server.ok(&["kill-session", "-t", "one"]);
    assert_eq!(server.json(&["get-tags"])["session_name"], "two");
}

#[test]
fn a_missing_daemon_is_reported_with_a_hint_and_exit_code_two() {
    let server = test_server();
    let run = server.run(&["server-status"]);
    assert_eq!(run.code, 2);
    let socket = server.socket();
    let hint = "hint: `fugue create-session` starts one and creates a session";
    assert_eq!(run.err, format!("fugue: No fugue daemon is running at {}\n{hint}\n", socket.display()));
}

#[test]
fn twenty_concurrent_starters_start_one_daemon() {
    let server = test_server();
    let names: Vec<_> = (0..20).map(|number| format!("s{number}")).collect();
    let children: Vec<_> = names
        .iter()
        .map(|name| server.command(&["new", "-d", "-s", name, "--", "cat"]).spawn().expect("fugue starts"))
        .collect();
    for mut child in children {
        assert!(child.wait().expect("fugue exits").success());
    }
    let sessions = server.json(&["ls"])["sessions"].as_array().expect("a list").len();
    assert_eq!(sessions, 20);
}

#[test]
fn named_servers_are_independent() {
    let server = test_server();
    server.session("here", &["cat"]);
    server.ok(&["--server", "other", "new", "-d", "-s", "there", "--", "cat"]);
    assert_eq!(server.ok(&["ls"]), "here: 1 window, 1 pane\n");
    assert_eq!(server.ok(&["--server", "other", "ls"]), "there: 1 window, 1 pane\n");
    server.ok(&["--server", "other", "shutdown"]);
    assert_eq!(server.ok(&["ls"]), "here: 1 window, 1 pane\n");
}

#[test]
fn shutdown_kills_every_program_and_removes_every_session() {
    let server = test_server();
    let pane = server.session("work", &["sleep", "1000"]);
    let pid = server.json(&["list-panes"])["panes"][0]["pid"].as_u64().expect("a process");
    assert_eq!(server.json(&["list-panes"])["panes"][0]["pane_id"], pane.as_str());
    server.ok(&["shutdown"]);
    fugue_testkit::until("the program is gone", || !std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert!(server.run(&["ls"]).err.starts_with("fugue: No fugue daemon is running at "));
    server.ok(&["start-server"]);
    assert_eq!(server.ok(&["ls"]), "");
}

#[test]
fn completions_and_man_pages_are_generated() {
    let server = test_server();
    for shell in ["bash", "zsh", "fish"] {
        assert!(server.ok(&["completions", shell]).contains("create-pane"), "{shell}");
    }
    server.ok(&["man", "man"]);
    let page = std::fs::read_to_string(server.path().join("man/fugue-send-input.1")).expect("a page");
    assert!(page.contains("Send input to a pane"), "{page}");
}

#[test]
fn tmux_command_lines_are_understood() {
    let server = test_server();
    let first = server.session("work", &["sh"]);
    server.session("other", &["sh"]);
    server.ok(&["select-session", "work"]);
    server.ok(&["split-window", "-h", "-d"]);
    let panes = server.json(&["list-panes", "-s", "work"])["panes"].clone();
    let rows: Vec<_> = (0..2).map(|at| panes[at]["place"]["row"].clone()).collect();
    assert_eq!(rows, [0, 0], "side by side: {panes}");
    server.ok(&["send-keys", "-t", "work:0.0", "echo typ''ed", "Enter"]);
    server.wait_for(&first, "^typed$");
    server.ok(&["neww", "-n", "logs"]);
    server.ok(&["previous-window"]);
    server.ok(&["killw", "-t", "logs"]);
    assert_eq!(server.ok(&["ls"]).lines().next(), Some("work: 1 window, 2 panes"));
    let refused = |words: &[&str]| server.run(words).err;
    assert_eq!(
        refused(&["choose-tree"]),
        "fugue: `choose-tree` works only in an attached client\nhint: attach with `fugue`, then use the command prompt\n"
    );
    assert!(server.ok(&["set", "-g", "mouse", "on"]).starts_with("mouse = true in "));
    assert!(
        refused(&["select-pane", "-Q"]).contains("Unknown option: -Q\nhint: use `fugue focus-pane "),
        "fugue's own parser reports the error"
    );
}
