//! The environment of a person who attaches from another login: new panes have it, and old ones reach its ssh agent.

use std::fs;

use crate::test_server;

#[test]
fn new_panes_have_the_variables_of_the_client_that_attached_last() {
    let server = test_server();
    let agents = ["first", "second"].map(|name| server.path().join(name));
    agents.iter().for_each(|agent| fs::write(agent, "").expect("a file"));
    let agent = |at: usize| agents[at].to_str().expect("a path");
    let words = ["new", "-s", "work", "--", "sh"];
    let mut terminal =
        server.terminal_with(&words, 100, 24, &[("SSH_AUTH_SOCK", agent(0)), ("DISPLAY", ":1")]);
    terminal.shows("\n[cursor 0,2]");
    terminal.send("basename $(readlink $SSH_AUTH_SOCK); echo $DISPLAY\r");
    terminal.shows("\nfirst\n:1\n");
    terminal.prefix("d");
    terminal.wait_for_exit();
    let later = [("SSH_AUTH_SOCK", agent(1)), ("DISPLAY", ":2"), ("OTHER", "not in the list")];
    let mut terminal = server.terminal_with(&["attach", "work"], 100, 24, &later);
    terminal.shows("\nfirst\n");
    terminal.send("clear; basename $(readlink $SSH_AUTH_SOCK); echo $DISPLAY\r");
    terminal.shows("second\n:1\n");
    terminal.prefix("c");
    terminal.shows("1:sh*");
    terminal.send("basename $(readlink $SSH_AUTH_SOCK); echo $DISPLAY; echo other=$OTHER.\r");
    terminal.shows("\nsecond\n:2\nother=.\n");
}

#[test]
fn the_list_of_variables_is_a_setting() {
    let server = test_server();
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    let text = "[client]\nupdate_environment = [\"OTHER\"]\n";
    fs::write(server.path().join("config/fugue/config.toml"), text).expect("a file");
    server.ok(&["new", "-d", "-s", "work", "--", "sh"]);
    let mut terminal =
        server.terminal_with(&["attach", "work"], 80, 24, &[("OTHER", "mine"), ("DISPLAY", ":9")]);
    terminal.shows("\n[cursor 0,2]");
    terminal.prefix("c");
    terminal.shows("1:sh*");
    terminal.send("echo $OTHER$DISPLAY.\r");
    terminal.shows("\nmine.\n");
}

#[test]
fn a_new_session_begins_with_the_variables_of_its_client() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "old", "--", "sh"]);
    let words = ["new", "-s", "work", "--", "sh"];
    let mut terminal = server.terminal_with(&words, 80, 24, &[("DISPLAY", ":3")]);
    terminal.shows("\n[cursor 0,2]");
    terminal.send("echo display=$DISPLAY\r");
    terminal.shows("\ndisplay=:3\n");
}

#[test]
fn a_session_of_tmuxs_new_session_begins_with_the_variables_of_its_client() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "old", "--", "sh"]);
    let agent = server.path().join("agent");
    fs::write(&agent, "").expect("a file");
    let login = [
        ("DISPLAY", ":9"),
        ("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22"),
        ("SSH_AUTH_SOCK", agent.to_str().expect("a path")),
    ];
    let mut terminal = server.terminal_with(&["new", "-A", "-s", "work", "sh"], 100, 24, &login);
    terminal.shows("\n[cursor 0,2]");
    terminal.send("echo $DISPLAY, $SSH_CONNECTION, $(basename $(readlink $SSH_AUTH_SOCK))\r");
    terminal.shows("\n:9, 10.0.0.1 1 10.0.0.2 22, agent\n");
    for (session, flags, display) in [
        ("plain", &["-A"][..], ":9"),
        ("given", &["-A", "-e", "DISPLAY=:7"], ":7"),
        ("none", &["-A", "-E"], ""),
    ] {
        let words = [&["new", "-d", "-s", session], flags, &["echo display=$DISPLAY.; cat"]].concat();
        let mut command = server.command(&words);
        assert!(command.env("DISPLAY", ":9").status().expect("it runs").success(), "{words:?}");
        server.ok(&["wait", "-s", session, "--match", &format!("display={display}\\.")]);
    }
}

#[test]
fn a_projects_session_begins_with_the_variables_of_its_client() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "old", "--", "sh"]);
    let project = server.path().join("project");
    fs::create_dir(&project).expect("a directory");
    let text = "session = \"project\"\n[[window]]\nlayout = { command = \"echo display=$DISPLAY.; cat\" }\n";
    fs::write(project.join(".fugue.toml"), text).expect("a file");
    for words in [["allow"].as_slice(), &["up", "-d"]] {
        let mut command = server.command(words);
        let status = command.current_dir(&project).env("DISPLAY", ":9").status();
        assert!(status.expect("it runs").success(), "{words:?}");
    }
    server.ok(&["wait", "-s", "project", "--match", "display=:9\\."]);
}
