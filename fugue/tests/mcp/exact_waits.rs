//! Waits that lose nothing: every match once, prompts with their blanks, no echoes, and events in the same call.

use fugue_testkit::until;
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

#[test]
fn a_log_is_followed_from_match_to_match_and_none_is_lost() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let log = "for n in 1 2 3; do echo \"ERROR $n: disk\"; echo fine; done; cat";
    let pane = server.session("work", &["sh", "-c", log]);
    server.wait_for(&pane, "^ERROR 3");
    let (mut since, mut seen) = ("0:0".to_owned(), Vec::new());
    loop {
        let args = json!({ "pane_id": pane, "pattern": "ERROR", "since": since, "timeout_ms": 300 });
        let waited = agent.ok("fugue_wait", args);
        since = waited["cursor"].as_str().expect("a cursor").to_owned();
        match waited["matched"].as_str() {
            Some(line) => seen.push(line.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, ["ERROR 1: disk", "ERROR 2: disk", "ERROR 3: disk"]);
}

#[test]
fn a_prompt_is_waited_for_with_its_blanks_and_the_echo_of_the_answer_does_not_match() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let script = "printf 'Password: '; stty -echo; read p; stty echo; echo; printf 'name> '; read n; \
                  echo \"hello $n\"; cat";
    let pane = server.session("work", &["sh", "-c", script]);
    let wait = |pattern: &str| json!({ "pane_id": pane, "pattern": pattern });
    assert_eq!(agent.ok("fugue_wait", wait("Password: $"))["matched"], "Password: ");
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "secret", "submit": true }));
    assert_eq!(agent.ok("fugue_wait", wait("> $"))["matched"], "name> ");
    let sent = agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "ada", "submit": true }));
    let args = json!({ "pane_id": pane, "pattern": "ada", "since": sent["cursor"] });
    assert_eq!(agent.ok("fugue_wait", args)["matched"], "hello ada");
}

#[test]
fn a_command_typed_at_a_shell_does_not_match_before_its_output() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[0]);
    let pane = server.session("work", &["bash"]);
    agent.ok("fugue_wait", json!({ "pane_id": pane, "pattern": "[$#] $" }));
    let typed = "sleep 0.3; echo DONE";
    let sent = agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": typed, "submit": true }));
    let args = json!({ "pane_id": pane, "pattern": "DONE", "since": sent["cursor"] });
    assert_eq!(agent.ok("fugue_wait", args)["matched"], "DONE");
}

#[test]
fn a_wait_for_the_state_of_an_agent_that_is_not_there_is_refused() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let pane = server.session("work", &["cat"]);
    let refused = agent
        .refused("fugue_wait", json!({ "pane_id": pane, "until": "agent_state", "timeout_ms": 100_000 }));
    assert!(
        refused.starts_with(&format!("Pane {pane} has no agent\nhint: wait for match, idle")),
        "{refused}"
    );
}

#[test]
fn a_misspelled_timeout_is_refused_before_the_wait() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let pane = server.session("work", &["cat"]);
    let refused = agent.refused("fugue_wait", json!({ "pane_id": pane, "until": "exit", "timeout": 5 }));
    assert!(refused.ends_with("hint: did you mean `timeout_ms`?"), "{refused}");
}

#[test]
fn several_panes_are_followed_each_from_its_own_cursor() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let log = "printf 'ERROR 1\\nERROR 2\\n'; cat";
    let panes: Vec<_> = ["a", "b"].map(|name| server.session(name, &["sh", "-c", log])).into();
    panes.iter().for_each(|pane| server.wait_for(pane, "ERROR 2"));
    let mut args = json!({ "panes": panes, "pattern": "ERROR", "all": true, "cursors": ["0:0", "1:0"] });
    let first = agent.ok("fugue_wait", args.clone());
    let line = |waited: &Value, pane: &str| {
        let ended = waited["panes"].as_array().expect("a list").iter().find(|ended| ended["pane_id"] == pane);
        ended.map(|ended| (ended["matched"].clone(), ended["cursor"].clone())).expect("the pane")
    };
    assert_eq!(line(&first, &panes[0]), (json!("ERROR 1"), json!("0:5")));
    assert_eq!(line(&first, &panes[1]), (json!("ERROR 2"), json!("1:5")));
    args["cursors"] = json!(["0:0"]);
    assert!(agent.refused("fugue_wait", args).starts_with("cursors: specify one cursor for each pane"));
}

#[test]
fn a_wait_for_output_also_ends_with_a_bell_a_free_lease_or_an_exit() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    // It rings more than once: the first bell may come before the wait.
    let script = "trap 'exit 0' INT; read x; while sleep 0.1; do printf '\\a'; done";
    let new = ["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", script];
    let pane = server.json(&new)["pane_id"].as_str().expect("a pane").to_owned();
    let events = |more: Value| {
        let mut args = json!({ "pane_id": pane, "pattern": "never", "since": "0:0", "timeout_ms": 60_000 });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let bell = agent.send_tool("fugue_wait", events(json!({ "events": ["bell", "exit"] })));
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "\n" }));
    let rang = agent.answer(bell)["result"]["structuredContent"].take();
    assert_eq!((&rang["outcome"], &rang["cursor"]), (&json!("bell"), &json!("0:0")), "{rang}");
    let holder = server.session("holder", &["cat"]);
    let mut claim = server.command_for(&holder, &["claim", "build"]);
    assert!(claim.status().expect("fugue runs").success());
    let lease = agent.send_tool("fugue_wait", events(json!({ "events": ["lease"], "lease": "build" })));
    agent.ok("fugue_get_tags", json!({ "session": "work" }));
    server.ok(&["kill-session", "-s", "holder"]);
    assert_eq!(agent.answer(lease)["result"]["structuredContent"]["outcome"], "lease");
    let exit = agent.send_tool("fugue_wait", events(json!({ "events": ["exit"] })));
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "keys": ["C-c"] }));
    assert_eq!(agent.answer(exit)["result"]["structuredContent"]["outcome"], "exited");
}

#[test]
fn a_wait_for_output_also_ends_with_a_message() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let args = json!({ "pane_id": pane, "pattern": "never", "events": ["message"], "timeout_ms": 60_000 });
    let wait = agent.send_tool("fugue_wait", args.clone());
    server.ok(&["send-orchestration", "-s", "work", "note"]);
    assert_eq!(agent.answer(wait)["result"]["structuredContent"]["outcome"], "message");
    assert_eq!(agent.ok("fugue_wait", args)["outcome"], "message", "it is still unread");
}

#[test]
fn a_cancelled_run_closes_the_pane_that_was_opened_for_it() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let panes = || server.json(&["list-panes"])["panes"].as_array().map(Vec::len);
    let run = agent.send_tool("fugue_run", json!({ "session": "work", "command": "sleep 600" }));
    until("the command runs", || panes() == Some(2));
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": run } });
    agent.line(&cancel.to_string());
    until("its pane is closed", || panes() == Some(1));
}
