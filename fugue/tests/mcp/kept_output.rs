//! Output that is no longer kept is counted wherever it would have been read, and panes that have ended can still be asked
//! about.

use fugue_testkit::{TestServer, signal, until};
use serde_json::json;

use crate::mcp_client::{ERAS, McpClient, test_server};

/// A daemon whose panes keep 100 lines.
fn server_with_short_history() -> TestServer {
    let server = test_server();
    let directory = server.path().join("config/fugue");
    std::fs::create_dir_all(&directory).expect("a directory");
    std::fs::write(directory.join("config.toml"), "history_lines = 100\n").expect("the file");
    server
}

/// The part of a header that counts dropped lines.
fn dropped(text: &str) -> Option<&str> {
    text.lines().next()?.split(" · ").find(|part| part.contains("no longer kept"))
}

#[test]
fn output_that_was_dropped_is_counted_by_reads_searches_waits_and_runs() {
    let server = server_with_short_history();
    let script = "echo FIRST; seq 1 998; echo LAST; exec cat";
    let pane = server.session("work", &["sh", "-c", script]);
    server.wait_for(&pane, "^LAST");
    let mut agent = McpClient::new(&server, ERAS[1]);
    let mut read = |arguments: serde_json::Value| {
        let mut arguments = arguments;
        arguments["pane_id"] = json!(pane);
        agent.text("fugue_get_output", arguments)
    };
    // 1,000 lines, of which 23 and an empty one are on the screen.
    let all = "877 lines before 877:0 are no longer kept (history_lines = 100)";
    let found = read(json!({ "grep": "FIRST" }));
    assert!(found.contains(" · 0 lines match · "), "{found}");
    assert_eq!(dropped(&found), Some(all), "{found}");
    assert_eq!(dropped(&read(json!({ "since": "0:0" }))), Some(all));
    assert_eq!(dropped(&read(json!({ "lines": 1_000 }))), Some(all));
    assert_eq!(dropped(&read(json!({ "lines": 50 }))), None, "nothing else was asked for");
    let early = read(json!({ "before": "3:0" }));
    let three = "3 lines before 877:0 are no longer kept (history_lines = 100)";
    assert!(early.contains(" · no lines · ") && dropped(&early) == Some(three), "{early}");
    let later = read(json!({ "since": "870:0", "grep": "." }));
    assert_eq!(dropped(&later), Some("7 lines before 877:0 are no longer kept (history_lines = 100)"));
    let wait = json!({ "pane_id": pane, "pattern": "FIRST", "since": "0:0", "timeout_ms": 50 });
    let waited = agent.ok("fugue_wait", wait);
    let expected = json!({ "lines": 877, "before": "877:0", "reason": "history_lines = 100" });
    assert_eq!((&waited["outcome"], &waited["dropped"]), (&json!("timeout"), &expected));
    let several = json!({ "panes": [pane], "cursors": ["0:0"], "pattern": "LAST" });
    let waited = agent.ok("fugue_wait", several);
    assert_eq!((&waited["outcome"], &waited["panes"][0]["dropped"]), (&json!("matched"), &expected));
    let ran = agent.text("fugue_run", json!({ "command": "seq 1 1000" }));
    assert!(ran.contains(" · 877 lines before 877:0 are no longer kept (history_lines = 100)"), "{ran}");
    let ran = agent.text("fugue_run_parallel", json!({ "commands": ["seq 1 1000"] }));
    assert!(ran.contains(" · 877 lines before 877:0 are no longer kept (history_lines = 100)"), "{ran}");
    // The command line names it on standard error.
    let searched = server.run(&["get-output", "-t", &pane, "-g", "FIRST"]);
    assert!(searched.err.contains(all), "{searched:?}");
    let waited = ["wait", "-t", &pane, "--match", "FIRST", "--since", "0:0", "--timeout-ms", "50"];
    assert!(server.run(&waited).err.contains(all));
}

#[test]
fn a_pane_that_was_closed_when_its_program_succeeded_can_be_asked_about() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let create = |command: &str| json!({ "session": "work", "name": "build", "command": command });
    let created = agent.ok("fugue_create_pane", create("seq 1 300; echo built; exit 0"));
    let id = created["pane_id"].as_str().expect("an id").to_owned();
    until("it is closed", || !server.ok(&["list-panes"]).contains("build"));
    for pane in ["build", &id] {
        let waited = agent.ok("fugue_wait", json!({ "pane_id": pane, "until": "exit" }));
        assert_eq!(
            (&waited["outcome"], &waited["exit"]),
            (&json!("exited"), &json!({ "code": 0 })),
            "{waited}"
        );
        assert!(waited["tail"].as_str().expect("a tail").ends_with("300\nbuilt"), "{waited}");
        let output = agent.text("fugue_get_output", json!({ "pane_id": pane, "lines": 3 }));
        assert!(
            output.contains(" · ended, exit code 0 · ") && output.ends_with("\n299\n300\nbuilt"),
            "{output}"
        );
        let found = agent.text("fugue_get_output", json!({ "pane_id": pane, "grep": "^1$" }));
        assert!(found.ends_with("\n0:0: 1"), "{found}");
        let matched = agent.ok("fugue_wait", json!({ "pane_id": pane, "pattern": "bui.t", "since": "0:0" }));
        assert_eq!((&matched["outcome"], &matched["matched"]), (&json!("matched"), &json!("built")));
        let never = agent.ok("fugue_wait", json!({ "pane_id": pane, "pattern": "never", "since": "0:0" }));
        assert_eq!((&never["outcome"], &never["exit"]), (&json!("exited"), &json!({ "code": 0 })));
    }
    let listed = agent.ok("fugue_list_panes", json!({ "pane_id": "build" }));
    assert_eq!(
        (&listed["panes"][0]["closed"], &listed["panes"][0]["exit"]),
        (&json!(true), &json!({ "code": 0 }))
    );
    // A new pane of that name is the one that is meant; the id still means the old one.
    let new = agent.ok("fugue_create_pane", create("echo new; exec cat"));
    server.wait_for(new["pane_id"].as_str().expect("an id"), "^new");
    assert!(agent.text("fugue_get_output", json!({ "pane_id": "build" })).ends_with("\nnew"));
    assert!(agent.text("fugue_get_output", json!({ "pane_id": id, "lines": 1 })).ends_with("\nbuilt"));
    // What somebody closed is gone.
    agent.ok("fugue_close_pane", json!({ "pane_id": new["pane_id"] }));
    let refused = agent.refused("fugue_get_output", json!({ "pane_id": new["pane_id"] }));
    assert!(refused.starts_with("Pane not found"), "{refused}");
}

#[test]
fn the_exit_code_of_an_ended_pane_is_known_by_its_name_after_the_daemon_was_killed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    agent.ok("fugue_create_pane", json!({ "session": "work", "name": "build", "command": "exit 0" }));
    until("it is closed", || !server.ok(&["list-panes"]).contains("build"));
    let before = server.daemon_pid();
    signal("KILL", before);
    until("there is another daemon", || server.daemon_pid() != before);
    let waited = agent.ok("fugue_wait", json!({ "pane_id": "build" }));
    assert_eq!((&waited["outcome"], &waited["exit"]), (&json!("exited"), &json!({ "code": 0 })), "{waited}");
    assert_eq!(waited.get("note"), None, "{waited}");
    let note = "The output of this pane is no longer kept, so the pattern was not searched for";
    let searched = agent.ok("fugue_wait", json!({ "pane_id": "build", "pattern": "built", "since": "0:0" }));
    assert_eq!((&searched["outcome"], &searched["note"]), (&json!("exited"), &json!(note)), "{searched}");
    let refused = agent.refused("fugue_get_output", json!({ "pane_id": "build" }));
    assert!(
        refused.starts_with("The output of pane ") && refused.contains(" is no longer kept\n"),
        "{refused}"
    );
    assert!(
        refused.contains("\nhint: its program exited (exit code 0) and the pane was closed"),
        "{refused}"
    );
}

#[test]
fn a_match_that_was_on_the_screen_before_the_wait_is_marked_as_possibly_old() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", "echo listening; exec cat"]);
    server.wait_for(&pane, "^listening");
    let mut agent = McpClient::new(&server, ERAS[1]);
    let waited = agent.ok("fugue_wait", json!({ "pane_id": pane, "pattern": "listening" }));
    let note = "This line was on the screen before the wait began; with `since`, only newer output matches";
    assert_eq!((&waited["matched"], &waited["note"]), (&json!("listening"), &json!(note)));
    let asked = json!({ "pane_id": pane, "pattern": "listening", "since": "0:0" });
    assert_eq!(agent.ok("fugue_wait", asked).get("note"), None, "it was asked for");
}
