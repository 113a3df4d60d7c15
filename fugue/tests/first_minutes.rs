//! What a person does first.

use fugue_testkit::House;

fn house() -> House {
    House::new(env!("CARGO_BIN_EXE_fugue"))
}

#[test]
fn a_line_is_typed_awaited_and_read() {
    let house = house();
    house.ok(&["new", "-d", "-s", "work", "--", "bash", "--norc"]);
    house.ok(&["send-input", "--session", "work", "echo hi", "--submit"]);
    assert_eq!(house.ok(&["wait", "--session", "work", "--match", "^hi$"]), "matched: hi\n");
    let text = house.ok(&["get-output", "--session", "work"]);
    assert!(text.lines().any(|line| line == "hi"), "{text}");
}

#[test]
fn inside_a_pane_nothing_need_be_named() {
    let house = house();
    let other = house.session("other", &["sh"]);
    let pane = house.session("work", &["sh"]);
    house.ok(&["select-session", "other"]);
    let fugue = env!("CARGO_BIN_EXE_fugue");
    house.ok(&[
        "send-input",
        "-t",
        &pane,
        &format!("{fugue} set-tags --add mine; {fugue} whoami"),
        "--submit",
    ]);
    house.wait_for(&pane, "^session_name: work$");
    assert_eq!(house.json(&["get-tags", "-s", "work"])["tags"], serde_json::json!(["mine"]));
    house.ok(&[
        "send-input",
        "-t",
        &pane,
        &format!("{fugue} send-input 'echo said''-to-myself' --submit"),
        "--submit",
    ]);
    house.wait_for(&pane, r"^(\$ )?said-to-myself$");
    assert!(!house.text(&other).contains("said"), "{}", house.text(&other));
}

#[test]
fn outside_every_pane_the_session_used_last_is_meant() {
    let house = house();
    house.session("one", &["sh"]);
    house.session("two", &["sh"]);
    assert_eq!(house.json(&["get-tags"])["session_name"], "two");
    house.ok(&["select-session", "one"]);
    assert_eq!(house.json(&["get-tags"])["session_name"], "one");
    house.ok(&["kill-session", "-t", "one"]);
    assert_eq!(house.json(&["get-tags"])["session_name"], "two");
}

#[test]
fn no_daemon_is_told_with_a_hint_and_code_two() {
    let house = house();
    let ran = house.run(&["server-status"]);
    assert_eq!(ran.code, 2);
    let socket = house.socket();
    let hint = "hint: `fugue create-session` starts one and creates a session";
    assert_eq!(ran.err, format!("fugue: No fugue daemon is running at {}\n{hint}\n", socket.display()));
}

#[test]
fn twenty_who_start_at_once_start_one_daemon() {
    let house = house();
    let names: Vec<_> = (0..20).map(|number| format!("s{number}")).collect();
    let children: Vec<_> = names
        .iter()
        .map(|name| house.command(&["new", "-d", "-s", name, "--", "cat"]).spawn().expect("it starts"))
        .collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let sessions = house.json(&["ls"])["sessions"].as_array().expect("a list").len();
    assert_eq!(sessions, 20);
}

#[test]
fn named_servers_know_nothing_of_each_other() {
    let house = house();
    house.session("here", &["cat"]);
    house.ok(&["--server", "other", "new", "-d", "-s", "there", "--", "cat"]);
    assert_eq!(house.ok(&["ls"]), "here: 1 window, 1 pane\n");
    assert_eq!(house.ok(&["--server", "other", "ls"]), "there: 1 window, 1 pane\n");
    house.ok(&["--server", "other", "shutdown"]);
    assert_eq!(house.ok(&["ls"]), "here: 1 window, 1 pane\n");
}

#[test]
fn shutdown_ends_every_program_and_forgets_every_session() {
    let house = house();
    let pane = house.session("work", &["sleep", "1000"]);
    let pid = house.json(&["list-panes"])["panes"][0]["pid"].as_u64().expect("a process");
    assert_eq!(house.json(&["list-panes"])["panes"][0]["pane_id"], pane.as_str());
    house.ok(&["shutdown"]);
    fugue_testkit::until("the program is gone", || !std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(house.ok(&["ls"]), "no sessions\n");
}

#[test]
fn completions_and_man_pages_are_made() {
    let house = house();
    for shell in ["bash", "zsh", "fish"] {
        assert!(house.ok(&["completions", shell]).contains("create-pane"), "{shell}");
    }
    house.ok(&["man", "man"]);
    let page = std::fs::read_to_string(house.path().join("man/fugue-send-input.1")).expect("a page");
    assert!(page.contains("Send input to a pane"), "{page}");
}

#[test]
fn tmuxs_command_lines_are_understood() {
    let house = house();
    let first = house.session("work", &["sh"]);
    house.session("other", &["sh"]);
    house.ok(&["select-session", "work"]);
    house.ok(&["split-window", "-h", "-d"]);
    let panes = house.json(&["list-panes", "-s", "work"])["panes"].clone();
    let rows: Vec<_> = (0..2).map(|at| panes[at]["place"]["row"].clone()).collect();
    assert_eq!(rows, [0, 0], "side by side: {panes}");
    house.ok(&["send-keys", "-t", "work:0.0", "echo typ''ed", "Enter"]);
    house.wait_for(&first, "^typed$");
    house.ok(&["neww", "-n", "logs"]);
    house.ok(&["previous-window"]);
    house.ok(&["killw", "-t", "logs"]);
    assert_eq!(house.ok(&["ls"]).lines().next(), Some("work: 1 window, 2 panes"));
    let refused = |words: &[&str]| house.run(words).err;
    assert_eq!(
        refused(&["choose-tree"]),
        "fugue: `choose-tree` is done in a terminal that shows a session: C-b : takes it there\n"
    );
    assert!(refused(&["set", "-g", "mouse", "on"]).contains("under [client] in config.toml"));
    assert!(refused(&["select-pane", "-Q"]).contains("unexpected argument '-Q'"), "ours has the word");
}
