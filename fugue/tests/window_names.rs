//! Windows that nobody named are named after the program in them, as in tmux.

use fugue_testkit::{TestServer, until};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// The name of the first window of the session `work`.
fn name(server: &TestServer) -> String {
    let list = server.json(&["ls", "-s", "work"]);
    list["sessions"][0]["windows"][0]["name"].as_str().expect("a name").to_owned()
}

fn until_named(server: &TestServer, wanted: &str) {
    until(&format!("the window is named {wanted}"), || name(server) == wanted);
}

#[test]
fn a_window_is_named_after_the_program_in_its_active_pane() {
    let server = test_server();
    let pane = server.session("work", &["sh"]);
    until_named(&server, "sh");
    server.ok(&["send-input", "-t", &pane, "--submit", "sleep 1000"]);
    until_named(&server, "sleep");
    let panes = server.json(&["list-panes", "-s", "work"]);
    assert_eq!(panes["panes"][0]["foreground"], "sleep");
    assert_eq!(panes["panes"][0]["command"], "sh", "the pane's own program is the shell");
    server.ok(&["select-window", "-s", "work", "-w", "sleep"]);

    server.ok(&["create-pane", "-s", "work", "--right", "--", "cat"]);
    until_named(&server, "cat");
    server.ok(&["select-pane", "-t", &pane]);
    until_named(&server, "sleep");

    server.ok(&["send-input", "-t", &pane, "--key", "C-c"]);
    until_named(&server, "sh");
}

#[test]
fn a_window_keeps_the_name_that_it_was_given() {
    let server = test_server();
    let pane = server.session("work", &["sh"]);
    server.ok(&["create-window", "-s", "work", "--name", "logs", "--", "cat"]);
    until_named(&server, "sh");
    server.ok(&["rename-window", "-s", "work", "-w", "sh", "sh"]);
    server.ok(&["send-input", "-t", &pane, "--submit", "sleep 1000"]);
    let foreground = || server.json(&["list-panes", "-s", "work"])["panes"][0]["foreground"].clone();
    until("the program is noticed", || foreground() == "sleep");
    let list = server.json(&["ls", "-s", "work"]);
    let names = list["sessions"][0]["windows"].as_array().expect("windows").iter();
    assert_eq!(names.map(|window| window["name"].as_str()).collect::<Vec<_>>(), [Some("sh"), Some("logs")]);
}

#[test]
fn names_survive_a_kill_of_the_daemon() {
    let server = test_server();
    let pane = server.session("work", &["sh"]);
    server.ok(&["send-input", "-t", &pane, "--submit", "sleep 1000"]);
    until_named(&server, "sleep");
    fugue_testkit::signal("KILL", server.daemon_pid());
    until_named(&server, "sleep");
}

#[test]
fn a_window_with_a_shell_line_is_named_after_its_first_program() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "work", "cat; true"]);
    until_named(&server, "cat");
}
