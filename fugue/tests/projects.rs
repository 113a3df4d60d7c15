//! Projects: a file that says what is open, trusted once.

use std::fs;

use fugue_testkit::TestServer;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

const PROJECT: &str = r#"
session = "shop"

[[window]]
name = "code"
layout = { direction = "right", children = [
  { name = "editor", command = "exec cat", ratio = 2 },
  { direction = "below", children = [{ command = "exec cat", cwd = "sub" }, {}] },
] }

[[window]]
name = "logs"
"#;

#[test]
fn a_single_ratio_in_a_project_is_a_percentage() {
    let server = test_server();
    let project = PROJECT.replace("ratio = 2", "ratio = 30");
    fs::write(server.path().join(".fugue.toml"), project.replace(", cwd = \"sub\"", "")).expect("the file");
    server.ok(&["allow"]);
    server.ok(&["up", "-d"]);
    let window = server.json(&["list-sessions"])["sessions"][0]["windows"][0].clone();
    let cols = |value: &serde_json::Value| value["cols"].as_u64().expect("columns");
    let (whole, editor) = (cols(&window["dimensions"]), cols(&window["panes"][0]["dimensions"]));
    assert!(editor.abs_diff(whole * 30 / 100) <= 1, "{editor} of {whole}");
}

#[test]
fn a_project_is_opened_once_it_is_trusted() {
    let server = test_server();
    fs::create_dir(server.path().join("sub")).expect("a directory");
    fs::write(server.path().join(".fugue.toml"), PROJECT).expect("the file");
    let refused = server.run(&["up", "-d"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains(".fugue.toml is not trusted"), "{}", refused.err);
    server.ok(&["allow"]);
    let without_terminal = server.run(&["up"]);
    assert!(without_terminal.err.contains("hint: `fugue up -d` creates"), "{}", without_terminal.err);
    server.ok(&["up", "-d"]);
    let list = server.json(&["list-sessions"]);
    let session = &list["sessions"][0];
    assert_eq!(session["name"], "shop");
    let windows: Vec<_> = session["windows"].as_array().expect("windows").iter().collect();
    let shape = |at: usize| (windows[at]["name"].as_str(), windows[at]["panes"].as_array().map(Vec::len));
    assert_eq!((windows.len(), shape(0), shape(1)), (2, (Some("code"), Some(3)), (Some("logs"), Some(1))));
    assert_eq!(windows[0]["panes"][0]["name"], "editor");
    assert!(windows[0]["panes"][1]["cwd"].as_str().is_some_and(|cwd| cwd.ends_with("/sub")));
    // The second time the session already exists.
    server.ok(&["up", "-d"]);
    assert_eq!(server.json(&["list-sessions"])["sessions"].as_array().map(Vec::len), Some(1));
    // A changed file must be trusted again.
    fs::write(server.path().join(".fugue.toml"), PROJECT.replace("shop", "other")).expect("the file");
    assert_eq!(server.run(&["up", "-d"]).code, 2);
}

#[test]
fn open_sessions_are_exported_as_a_project_that_opens_again() {
    let server = test_server();
    fs::write(server.path().join(".fugue.toml"), PROJECT.replace("cwd = \"sub\"", "name = \"b\""))
        .expect("the file");
    server.ok(&["allow"]);
    server.ok(&["up", "-d"]);
    let exported = server.ok(&["export-layout", "-s", "shop"]);
    fs::write(server.path().join(".fugue.toml"), exported.replace("shop", "again")).expect("the file");
    server.ok(&["allow"]);
    server.ok(&["up", "-d"]);
    let places = |session: &str| {
        let panes = server.json(&["list-panes", "-s", session]);
        let panes = panes["panes"].as_array().expect("panes").iter();
        panes.map(|pane| (pane["place"].to_string(), pane["name"].to_string())).collect::<Vec<_>>()
    };
    assert_eq!(places("again"), places("shop"));
}

#[test]
fn an_exported_program_gets_the_same_arguments() {
    let server = test_server();
    let words = ["sh", "-c", "exec cat", "a file; $(id) `x` it's", r"back\slash", "", "line\nline"];
    server.session("shop", &words);
    let exported = server.ok(&["export-layout", "-s", "shop"]);
    fs::write(server.path().join(".fugue.toml"), exported.replace("shop", "again")).expect("the file");
    server.ok(&["allow"]);
    server.ok(&["up", "-d"]);
    let argv = |session: &str| server.json(&["list-panes", "-s", session])["panes"][0]["argv"].clone();
    assert_eq!((argv("shop"), argv("again")), (words.as_slice().into(), words.as_slice().into()));
}

#[test]
fn a_pane_whose_program_is_missing_stays_and_shows_why() {
    let server = test_server();
    let project = "session = \"shop\"\n[[window]]\nlayout = { direction = \"right\", children = [\n\
                   { name = \"gone\", command = \"no-such-program-here\" }, { command = \"cat\" } ] }\n";
    fs::write(server.path().join(".fugue.toml"), project).expect("the file");
    server.ok(&["allow"]);
    let failed = server.run(&["up", "-d"]);
    let expected = "fugue: Pane `gone` (no-such-program-here) ended with exit code 127\n\
                    hint: `fugue get-output -t gone` shows its output";
    assert_eq!((failed.code, failed.err.trim_end()), (2, expected));
    fugue_testkit::until("the program has failed", || {
        let panes = server.json(&["list-panes", "-s", "shop"]);
        let panes = panes["panes"].as_array().cloned().unwrap_or_default();
        panes.len() == 2 && panes.iter().any(|pane| pane["exit"].is_object() || pane["exit"].is_number())
    });
    assert!(server.ok(&["get-output", "-t", "gone"]).contains("not found"));
}

#[test]
fn a_program_without_a_shell_that_is_missing_stays_and_the_others_are_started() {
    let server = test_server();
    let project = "session = \"shop\"\n[[window]]\nlayout = { direction = \"right\", children = [\n\
                   { name = \"gone\", argv = [\"no-such-program-here\", \"-x\"] }, { argv = [\"cat\"] } ] }\n\
                   [[window]]\nlayout = { name = \"lost\", argv = [\"./no-such-file\"] }\n";
    fs::write(server.path().join(".fugue.toml"), project).expect("the file");
    server.ok(&["allow"]);
    let failed = server.run(&["up", "-d"]);
    let expected = "fugue: Pane `gone` (no-such-program-here -x) ended with exit code 127\n\
                    Pane `lost` (./no-such-file) ended with exit code 127\n\
                    hint: `fugue get-output -t gone` shows its output";
    assert_eq!((failed.code, failed.err.trim_end()), (2, expected));
    assert!(server.ok(&["get-output", "-t", "gone"]).contains("not found"));
    let panes = server.json(&["list-panes", "-s", "shop"])["panes"].clone();
    assert_eq!(panes.as_array().map(Vec::len), Some(3), "{panes}");
    let exported = server.ok(&["export-layout", "-s", "shop"]);
    assert!(exported.contains("argv = [\"no-such-program-here\", \"-x\"]"), "{exported}");
}

#[test]
fn a_mistake_in_a_project_is_reported_with_its_position_and_nothing_is_opened() {
    let server = test_server();
    fs::write(server.path().join(".fugue.toml"), "[[window]]\nnaem = \"x\"\n").expect("the file");
    let run = server.run(&["allow"]);
    assert!(run.err.contains("line 2") && run.err.contains("naem"), "{}", run.err);
}
