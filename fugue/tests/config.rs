//! `config.toml`: the daemon applies it while it runs, and `fugue config` shows and checks it.

use std::fs;

use fugue_testkit::{TestServer, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn write(server: &TestServer, text: &str) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), text).expect("the file");
}

fn warnings(server: &TestServer) -> Vec<String> {
    let status = server.json(&["server-status"]);
    let warnings = status["warnings"].as_array().cloned().unwrap_or_default();
    warnings.iter().map(|warning| warning.as_str().expect("text").to_owned()).collect()
}

/// Writes the file and waits until the daemon has read it: it warns of the unknown setting `marker`.
fn reload(server: &TestServer, marker: &str, text: &str) {
    write(server, &format!("{marker} = 1\n{text}"));
    let expected = format!("config.toml, line 1: unknown setting \"{marker}\"");
    until("the daemon has read the file", || warnings(server).contains(&expected));
}

/// Whether the pane of a program that exits at once is kept.
fn is_kept(server: &TestServer, session: &str) -> bool {
    server.session("other", &["cat"]);
    server.run(&["new", "-d", "-s", session, "--", "true"]);
    let is_running = |sessions: &Value| sessions.to_string().contains("\"running\"");
    until("the program has exited", || {
        let panes = server.run(&["list-panes", "-s", session, "--json"]);
        panes.code != 0 || !is_running(&serde_json::from_str(&panes.out).expect("JSON"))
    });
    let kept = server.run(&["list-panes", "-s", session]).code == 0;
    server.ok(&["kill-session", "-s", "other"]);
    kept
}

#[test]
fn the_daemon_applies_a_changed_file_while_it_runs() {
    let server = test_server();
    server.session("work", &["cat"]);
    assert!(!is_kept(&server, "default"));
    reload(&server, "zz1", "on_exit = \"keep\"\nshell = \"/bin/echo\"\n");
    assert!(is_kept(&server, "keep"));
    let pane = server.session("echo", &[]);
    until("the new shell has exited", || {
        server.json(&["list-panes", "-s", "echo"]).to_string().contains("exited")
    });
    assert_eq!(server.json(&["list-panes", "-s", "echo"]).to_string().matches(&pane).count(), 1);
    fs::remove_file(server.path().join("config/fugue/config.toml")).expect("removed");
    until("the defaults are back", || warnings(&server).is_empty());
    assert!(!is_kept(&server, "removed"));
}

#[test]
fn a_broken_file_leaves_the_last_settings_in_force() {
    let server = test_server();
    server.session("work", &["cat"]);
    reload(&server, "zz1", "on_exit = \"keep\"\n");
    write(&server, "on_exit = = \"close\"\n");
    until("the mistake is reported", || {
        let warnings = warnings(&server);
        warnings.len() == 1 && warnings[0].starts_with("config.toml, line 1: invalid TOML: ")
    });
    assert!(is_kept(&server, "broken"));
    reload(&server, "zz2", "on_exit = \"kept\"\nhistory_lines = 5\n");
    assert!(!is_kept(&server, "invalid"), "an invalid value falls back to the default");
    write(&server, "on_exit = \"keep\"\n");
    until("nothing is reported", || warnings(&server).is_empty());
    assert!(is_kept(&server, "fixed"));
}

#[test]
fn a_new_pane_has_the_history_limit_and_prompt_marks_of_the_changed_file() {
    let server = test_server();
    server.session("work", &["cat"]);
    reload(&server, "zz1", "history_lines = 10\nprompt_marks = false\n");
    let pane = server.session("short", &["sh", "-c", "seq 500; cat"]);
    server.wait_for(&pane, "^500$");
    let all = server.run(&["get-output", "-t", &pane, "--mode", "history", "--lines", "400"]);
    assert!(!all.out.contains("\n300\n") && all.out.contains("500"), "{}", all.out);
    assert!(all.err.contains("no longer kept (history_lines = 10)"), "{}", all.err);
    let bash = server.session("bash", &["bash"]);
    server.ok(&["send-input", "-t", &bash, "echo marks=${FUGUE_MARKS-none}", "--submit"]);
    server.wait_for(&bash, "^marks=none");
    reload(&server, "zz2", "");
    let bash = server.session("marked", &["bash"]);
    let run = server.json(&["run", "-t", &bash, "echo on"]);
    assert_eq!(run["output"], "on");
}

#[test]
fn config_check_lists_every_mistake_and_exits_with_1() {
    let server = test_server();
    let path = server.path().join("config/fugue/config.toml");
    assert_eq!(server.ok(&["config", "path"]), format!("{}\n", path.display()));
    let missing = format!("{} does not exist; every setting has its default value\n", path.display());
    assert_eq!(server.ok(&["config", "check"]), missing);
    write(&server, "on_exit = \"keep\"\n[keys]\n\"prefix h\" = \"neww\"\n");
    assert_eq!(server.ok(&["config", "check"]), format!("{} has no errors\n", path.display()));
    write(
        &server,
        "on_exit = 1\n[client]\nmose = true\n[keys]\n\"prefix h\" = \"zoom-pain\"\n[theme]\nname = \"dust\"\n[copy_keys]\n\"Y\" = \"copi\"\n",
    );
    let run = server.run(&["config", "check"]);
    let expected = "\
config.toml, line 1: \"on_exit\" must be \"close\", \"keep\" or \"keep_failed\"
config.toml, line 3: unknown setting \"mose\" in [client]; did you mean \"mouse\"?
config.toml, line 5: \"prefix h\": unknown command `zoom-pain`; did you mean `zoom-pane`?
config.toml, line 7: \"name\": unknown theme \"dust\"; did you mean \"dusk\"?
config.toml, line 9: \"Y\": copy mode has no action \"copi\"; did you mean \"copy\"?
";
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (1, expected, ""));
    let run = server.run(&["config", "check", "--json"]);
    let checked: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((run.code, checked["mistakes"].as_array().map(Vec::len)), (1, Some(5)));
    let first = json!({ "line": 1, "read_by": "daemon", "message": "\"on_exit\" must be \"close\", \"keep\" or \"keep_failed\"" });
    assert_eq!(checked["mistakes"][0], first);
    write(&server, "on_exit = = 1\n");
    let run = server.run(&["config", "check"]);
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with("config.toml, line 1: invalid TOML: "), "{}", run.out);
}

#[test]
fn config_show_prints_every_value_and_where_it_comes_from() {
    let server = test_server();
    write(&server, "on_exit = \"keep\"\n[client]\nmouse = false\n[scopes]\n\"worker-*\" = \"observe\"\n");
    let shown = server.ok(&["config", "show"]);
    let lines: Vec<Vec<&str>> =
        shown.lines().map(|line| line.split("  #").map(str::trim).collect()).collect();
    for expected in [
        ["# shell is not set", "default"],
        ["on_exit = \"keep\"", "line 1"],
        ["history_lines = 10000", "default"],
        ["mouse = false", "line 3"],
        ["prefix = \"C-b\"", "default"],
        ["\"worker-*\" = \"observe\"", "line 5"],
    ] {
        assert!(lines.iter().any(|line| line == &expected), "{expected:?} in\n{shown}");
    }
    write(&server, &shown);
    assert_eq!(server.run(&["config", "check"]).code, 0, "the output is a valid file");
    write(&server, "[client]\nmouse = false\n");
    assert_eq!(server.ok(&["config", "show", "client.mouse"]), "[client]\nmouse = false  # line 2\n");
    let expected = json!([{
        "name": "client.mouse", "value": false, "source": "config.toml", "line": 2, "default": true,
        "takes_effect": "immediately", "read_by": "client",
    }]);
    assert_eq!(server.json(&["config", "show", "client.mouse"]), expected);
    let run = server.run(&["config", "show", "client.mose"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("client.mouse"), "{}", run.err);
}

#[test]
fn a_section_is_shown_with_all_its_settings_and_nothing_else() {
    let server = test_server();
    write(&server, "[client]\nmouse = false\n");
    for section in ["client", "status", "fleet"] {
        let shown = server.ok(&["config", "show", section]);
        assert!(shown.starts_with(&format!("[{section}]\n")), "{shown}");
        assert_eq!(shown.lines().filter(|line| line.starts_with('[')).count(), 1, "{shown}");
        assert!(shown.lines().count() > 2, "{shown}");
    }
    assert!(server.ok(&["config", "show", "client"]).contains("\nmouse = false"));
}

#[test]
fn shells_complete_the_names_of_settings() {
    let completions = test_server().ok(&["completions", "bash"]);
    for name in ["on_exit", "client.mouse", "scopes"] {
        assert!(completions.contains(name), "{name}");
    }
}
