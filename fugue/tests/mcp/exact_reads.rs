//! Reads that lose nothing: what is cut is stated with the cursor that returns it, and cursors stay valid.

use fugue_testkit::signal;
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

/// A command that prints one line: `from 1, to 2000,` and so on, which has about 9,000 characters.
const LONG_LINE: &str = "seq -s, 1 2000";

fn long_line() -> String {
    (1..=2000).map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

/// The header and the rows of a reply, and the cursor before which there is more.
fn parts(text: &str) -> (&str, &str, Option<String>) {
    let (header, rows) = text.split_once('\n').expect("a header");
    let before = header.split("before ").last().filter(|part| part.contains(':'));
    let before = before.and_then(|part| part.split([' ', ',']).next()).map(str::to_owned);
    (header, rows, before)
}

/// Reads what is before a cursor, to the beginning.
fn read_back(agent: &mut McpClient, args: &Value, mut before: Option<String>) -> String {
    let mut all = String::new();
    while let Some(cursor) = before {
        let mut args = args.clone();
        args["before"] = cursor.clone().into();
        let page = agent.text("fugue_get_output", args);
        let (header, rows, earlier) = parts(&page);
        all = rows.to_owned() + &all;
        before = earlier.filter(|_| header.contains("not shown"));
        assert_ne!(before.as_ref(), Some(&cursor), "{header}");
    }
    all
}

#[test]
fn a_run_says_how_much_of_a_long_line_is_missing_and_how_to_read_it() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let run = agent.text("fugue_run", json!({ "pane_id": pane, "command": LONG_LINE }));
    let (header, rows, before) = parts(&run);
    let cut = long_line().len() - rows.len();
    assert!(
        header.contains(&format!("{cut} bytes before this not shown: fugue_get_output with before ")),
        "{header}"
    );
    let args = json!({ "pane_id": pane, "mode": "last_command" });
    assert_eq!(read_back(&mut agent, &args, before) + rows, long_line());
    let last = agent.text("fugue_get_output", args.clone());
    let (header, rows, before) = parts(&last);
    assert!(header.contains(&format!("{cut} bytes before this not shown · earlier: before ")), "{header}");
    assert_eq!(read_back(&mut agent, &args, before) + rows, long_line());
}

#[test]
fn commands_in_parallel_say_how_much_of_a_long_line_is_missing() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[0]);
    let three = json!([LONG_LINE, LONG_LINE, LONG_LINE]);
    let runs =
        agent.text("fugue_run_parallel", json!({ "commands": three, "session": "work", "keep": true }));
    let header = runs.lines().nth(1).expect("a section");
    let (_, rest) = header.split_once(" bytes before this not shown: in pane ").expect(header);
    let (pane, cursor) = rest.split_once(" before ").expect(header);
    let rows = runs.lines().nth(2).expect("its output").to_owned();
    let args = json!({ "pane_id": pane });
    assert_eq!(read_back(&mut agent, &args, Some(cursor.to_owned())) + &rows, long_line());
    let runs = agent.text("fugue_run_parallel", json!({ "commands": three, "session": "work" }));
    assert!(runs.contains(" bytes before this not shown; set keep to read all of it\n"), "{runs}");
}

#[test]
fn grep_shows_each_match_of_a_long_line_with_its_cursor() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let pane = server.session("work", &["sh", "-c", &format!("{LONG_LINE}; echo end; cat")]);
    server.wait_for(&pane, "^end$");
    let found = agent.text("fugue_get_output", json!({ "pane_id": pane, "grep": ",(70|1900)," }));
    let (header, rows, _) = parts(&found);
    assert!(header.contains(" · 1 line matches · "), "{header}");
    assert_eq!(rows.lines().count(), 2, "{rows}");
    for (row, number) in rows.lines().zip(["70", "1900"]) {
        let (cursor, window) = row.split_once(": ").expect("a cursor");
        assert!(window.contains(&format!(",{number},")) && window.len() < 600, "{row}");
        let read = agent.text("fugue_get_output", json!({ "pane_id": pane, "since": cursor, "lines": 5 }));
        assert!(parts(&read).1.starts_with(&format!(",{number},")), "{read}");
    }
}

#[test]
fn a_cursor_is_valid_after_a_resize_and_a_restart() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let script = format!("{LONG_LINE}; printf 'half '; cat");
    let pane = server.session("work", &["sh", "-c", &script]);
    server.wait_for(&pane, "^half");
    let read = server.json(&["get-output", "-t", &pane]);
    let cursor = read["cursor"].as_str().expect("a cursor").to_owned();
    let whole = read["text"].as_str().expect("text").to_owned();
    server.ok(&["resize-window", "-s", "work", "37x11"]);
    server.ok(&["send-input", "-t", &pane, "done\n"]);
    server.wait_for(&pane, "^done$");
    signal("KILL", server.daemon_pid());
    let after =
        agent.text("fugue_get_output", json!({ "pane_id": pane, "since": cursor, "mode": "history" }));
    assert_eq!(parts(&after).1, "done\ndone", "the echo, and what cat wrote");
    let before = server.json(&["get-output", "-t", &pane, "--before", &cursor]);
    assert_eq!(before["text"].as_str().map(str::trim_end), Some(whole.as_str()));
}

#[test]
fn the_screen_of_a_full_screen_program_is_read_and_told_as_such() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let script =
        "echo before; read x; printf '\\033[?1049h\\033[Hfile: a.rs\\n~'; read x; printf 'saved'; cat";
    let pane = server.session("work", &["sh", "-c", script]);
    server.wait_for(&pane, "^before$");
    server.ok(&["send-input", "-t", &pane, "\n"]);
    server.wait_for(&pane, "^file: a.rs$");
    let read = agent.text("fugue_get_output", json!({ "pane_id": pane }));
    let (header, rows, _) = parts(&read);
    assert!(header.contains(" · screen of a full-screen program · next "), "{header}");
    assert!(rows.starts_with("file: a.rs\n") && !rows.contains("before"), "{rows}");
    let next = header.split("next ").nth(1).expect("a cursor").to_owned();
    let same = agent.text("fugue_get_output", json!({ "pane_id": pane, "since": next }));
    assert!(same.contains(" · the screen has not changed since this cursor\n"), "{same}");
    server.ok(&["send-input", "-t", &pane, "\n"]);
    server.wait_for(&pane, "saved");
    let changed = agent.text("fugue_get_output", json!({ "pane_id": pane, "since": next }));
    assert!(parts(&changed).1.contains("saved"), "{changed}");
    let history = agent.text("fugue_get_output", json!({ "pane_id": pane, "mode": "history" }));
    assert!(
        parts(&history).0.contains(" · a full-screen program is running (use mode `screen` to see it); "),
        "{history}"
    );
    assert!(parts(&history).1.contains("before"), "{history}");
}

#[test]
fn the_last_line_is_the_last_one_with_text_and_the_header_counts_the_lines_shown() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[0]);
    let pane = server.session("work", &["sh", "-c", "seq 100; cat"]);
    server.wait_for(&pane, "^100$");
    let last = agent.text("fugue_get_output", json!({ "pane_id": pane, "lines": 1 }));
    assert_eq!(parts(&last).1, "100");
    assert!(parts(&last).0.contains(" · lines 100-100 · next 100:0 · "), "{last}");
    let screen = agent.text("fugue_get_output", json!({ "pane_id": pane, "mode": "screen" }));
    let (header, rows, _) = parts(&screen);
    let first: u64 = rows.lines().next().and_then(|row| row.parse().ok()).expect("a number");
    assert!(header.contains(&format!(" · screen, lines {first}-100 · ")), "{header}");
    let since = json!({ "pane_id": pane, "mode": "screen", "since": "98:0" });
    assert_eq!(parts(&agent.text("fugue_get_output", since)).1, "99\n100");
    let refused =
        agent.refused("fugue_get_output", json!({ "pane_id": pane, "since": "19:18446744073709551615" }));
    assert!(refused.contains("is not a cursor"), "{refused}");
    let before = server.json(&["get-output", "-t", &pane, "--before", "20:0"]);
    assert_eq!(before["cursor"], "20:0");
}

#[test]
fn a_shell_that_exits_in_a_run_is_named_with_its_pane() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let shell = || {
        server.json(&["create-pane", "-s", "work", "--", "bash"])["pane_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    let closed = agent.text("fugue_run", json!({ "pane_id": shell(), "command": "exit 3" }));
    assert!(closed.starts_with("exit 3 · pane closed · "), "{closed}");
    assert!(closed.contains(" · the pane's shell exited, so the pane was closed\n"), "{closed}");
    let run = server.run(&["run", "-t", &shell(), "exit 4"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("the shell exited, so pane "), "{}", run.err);
}
