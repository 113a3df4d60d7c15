//! The contract of the tools, word for word, in both protocol eras.

use fugue_testkit::TestServer;
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, Era, McpClient, test_server, text};

/// The tools that are listed without a profile, in the order of use.
const CORE: &str = "whoami list_sessions run wait get_output send_input create_session create_pane close_pane \
                    respawn_pane run_parallel poll_messages send_orchestration report_status request_help broadcast \
                    set_tags get_tags subscribe_orchestration claim release call help";

/// The tools that `fugue mcp` lists with these flags.
fn listed(server: &TestServer, flags: &[&str], era: Era) -> Vec<Value> {
    let mut agent = McpClient::start(server.command(&[&["mcp"], flags].concat()), era);
    agent.request_answered("tools/list", json!({}))["result"]["tools"].as_array().expect("tools").clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[test]
fn both_protocol_eras_list_the_same_tools_in_the_order_of_use() {
    let server = test_server();
    let lists = ERAS.map(|era| listed(&server, &[], era));
    let core: Vec<_> = CORE.split_whitespace().map(|name| format!("fugue_{name}")).collect();
    assert_eq!(names(&lists[0]), core);
    assert_eq!(lists[0], lists[1]);
    assert!(!server.socket().exists(), "listing tools does not start a daemon");
}

#[test]
fn a_profile_chooses_the_tools_and_one_that_lists_the_tool_for_calls_allows_all() {
    let server = test_server();
    let all = listed(&server, &["--tools", "all"], ERAS[0]);
    assert!(all.len() > 50 && names(&all).starts_with(&["fugue_whoami", "fugue_list_sessions", "fugue_run"]));
    let two = listed(&server, &["--tools", "run,fugue_list_panes"], ERAS[0]);
    assert_eq!(names(&two), ["fugue_run", "fugue_list_panes"]);
    for tool in listed(&server, &["--tools", "observe"], ERAS[1]) {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let flags = ["--server", "default", "mcp", "--tools", "help,call"];
    let mut agent = McpClient::start(server.command(&flags), ERAS[1]);
    assert!(agent.text("fugue_help", json!({})).contains("\nfugue_list_panes(pane_id, session): "));
    assert_eq!(agent.ok("fugue_list_panes", json!({})), json!({ "panes": [] }));
    let wrong = server.run(&["mcp", "--tools", "wiat"]);
    assert!(wrong.code == 2 && wrong.err.contains("did you mean fugue_wait?"), "{wrong:?}");
}

#[test]
fn sessions_are_listed_briefly_and_one_of_them_in_full() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    server.ok(&["create-pane", "-s", "work", "--", "cat"]);
    server.ok(&["set-tags", "-s", "work", "--add", "worker"]);
    server.session("other", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let list = agent.ok("fugue_list_sessions", json!({}));
    let panes = &list["sessions"][0]["windows"][0]["panes"];
    let short = pane[28..].to_owned();
    assert_eq!(panes[0], json!({ "pane_id": short, "command": "cat" }));
    assert_eq!(list["sessions"][0]["tags"], json!(["worker"]));
    let other = json!({ "name": "other", "windows": [{ "name": "cat", "panes": [
        { "pane_id": list["sessions"][1]["windows"][0]["panes"][0]["pane_id"], "command": "cat" }] }] });
    assert_eq!(list["sessions"][1], other);
    // What is shown can be used.
    agent.ok("fugue_send_input", json!({ "pane_id": short, "input": "x\n" }));
    let full = agent.ok("fugue_list_sessions", json!({ "session": "work" }));
    let session = &full["sessions"][0];
    assert_eq!(full["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(session["windows"][0]["panes"][0]["pane_id"], json!(pane));
    assert!(session["created_at"].is_u64() && session["windows"][0]["dimensions"].is_object(), "{full}");
    let id = session["session_id"].as_str().expect("an id");
    assert_eq!(agent.ok("fugue_get_tags", json!({ "session": id[28..] }))["session_name"], "work");
}

#[test]
fn a_change_is_answered_with_what_changed() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let renamed = agent.ok("fugue_rename_session", json!({ "session": "work", "name": "play" }));
    assert_eq!(renamed, json!({ "session_id": renamed["session_id"], "name": "play" }));
    let zoomed = agent.ok("fugue_zoom_pane", json!({ "pane_id": pane }));
    let panes = json!([{ "pane_id": pane[28..], "command": "cat", "dimensions": { "cols": 80, "rows": 24 }, "active": true }]);
    assert_eq!(zoomed["panes"], panes);
    let named = agent.ok("fugue_rename_pane", json!({ "pane_id": pane, "name": "cat" }));
    assert_eq!(
        (&named["name"], &named["state"], named.get("place")),
        (&json!("cat"), &json!("running"), None)
    );
}

#[test]
fn outside_a_pane_there_is_no_inbox_and_a_pane_to_type_into_must_be_named() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let refused = agent.refused("fugue_poll_messages", json!({}));
    assert!(refused.starts_with("Not running inside fugue"), "{refused}");
    let refused = agent.refused("fugue_poll_messages", json!({ "session": "work" }));
    assert!(
        refused.starts_with("Agents can read only their own inbox, not that of session `work`"),
        "{refused}"
    );
    for (tool, args) in [
        ("fugue_send_input", json!({ "input": "x" })),
        ("fugue_send_input", json!({ "keys": ["C-c"] })),
        ("fugue_respawn_pane", json!({ "kill": true })),
    ] {
        let refused = agent.refused(tool, args);
        assert!(
            refused.starts_with(&format!("{tool} needs a target\nhint: specify pane_id or session")),
            "{refused}"
        );
    }
    let refused = agent.refused("fugue_broadcast", json!({ "message": "x" }));
    assert!(
        refused.starts_with("No repository: the caller (outside any session) is not in a git"),
        "{refused}"
    );
    let refused = agent.refused("fugue_detach_client", json!({ "client": 3 }));
    assert!(refused.starts_with("Client not found: 3\nhint: `fugue_list_clients`"), "{refused}");
}

#[test]
fn a_pane_is_created_typed_into_read_and_closed() {
    for era in ERAS {
        let (server, name) = (test_server(), "work");
        let mut agent = McpClient::new(&server, era);
        assert_eq!(agent.ok("fugue_list_sessions", json!({})), json!({ "sessions": [] }));
        let made = agent.ok("fugue_create_session", json!({ "name": name, "command": "cat" }));
        let args = json!({ "session": made["session_id"], "window": made["window_id"], "command": "cat" });
        let pane = agent.ok("fugue_create_pane", args);
        assert_eq!(pane["dimensions"], json!({ "cols": 80, "rows": 11 }));
        assert_eq!((&pane["session_id"], &pane["window_id"]), (&made["session_id"], &made["window_id"]));
        agent.ok("fugue_send_input", json!({ "pane_id": pane["pane_id"], "input": "hello\n" }));
        let wait = json!({ "pane_id": pane["pane_id"], "pattern": "^hello$" });
        assert_eq!(agent.ok("fugue_wait", wait)["outcome"], "matched");
        let output = agent.text("fugue_get_output", json!({ "pane_id": pane["pane_id"] }));
        let (header, rows) = output.split_once('\n').expect("a header");
        assert!(
            header.starts_with(&format!("pane {} · running · lines 1-", pane["pane_id"].as_str().unwrap())),
            "{header}"
        );
        assert!(rows.starts_with("hello\n"), "{rows}");
        assert_eq!(
            agent.ok("fugue_close_pane", json!({ "pane_id": pane["pane_id"] })),
            json!({ "done": true })
        );
        let listed = agent.ok("fugue_list_sessions", json!({}));
        assert_eq!(listed["sessions"][0]["windows"][0]["panes"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn sessions_are_found_by_uuid_or_name_and_id_arguments_have_aliases() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let made = agent.ok("fugue_create_session", json!({ "name": "work", "command": "cat" }));
    for args in [
        json!({ "session": "work" }),
        json!({ "session": made["session_id"] }),
        json!({ "session_id": made["session_id"], "window_id": made["window_id"] }),
    ] {
        assert_eq!(agent.ok("fugue_create_pane", args)["session_id"], made["session_id"]);
    }
    let refused = agent.refused("fugue_create_pane", json!({ "session": "wrok" }));
    assert_eq!(refused, "Session not found: wrok\nhint: did you mean `work`?");
    let refused = agent.refused("fugue_create_pane", json!({ "session": "work", "window": "none" }));
    assert!(refused.starts_with("Window not found: none\nhint: "), "{refused}");
    let refused =
        agent.refused("fugue_get_output", json!({ "pane_id": "019a0000-0000-7000-8000-000000000001" }));
    assert!(refused.starts_with("Pane not found: 019a0000-0000-7000-8000-000000000001\nhint: "), "{refused}");
}

#[test]
fn common_argument_variations_of_models_are_accepted() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[0]);
    let pane = server.session("work", &["sh", "-c", "seq 200; cat"]);
    server.wait_for(&pane, "^200$");
    let args = json!({ "pane": pane, "lines": "3", "since": null, "wait_for_previous": true });
    let output = agent.text("fugue_get_output", args);
    assert!(output.ends_with("\n199\n200\n") || output.ends_with("\n199\n200"), "{output}");
    let usual = agent.text("fugue_get_output", json!({ "pane_id": pane }));
    assert_eq!(usual.split('\n').count(), 1 + 100, "a header and a hundred lines: {usual}");
    let tags = agent.ok("fugue_set_tags", json!({ "session": "work", "add": "worker" }));
    assert_eq!(tags["tags"], json!(["worker"]));
    assert_eq!(agent.ok("fugue_get_tags", json!({ "session": "work" }))["tags"], json!(["worker"]));
    let refused = agent.refused("fugue_get_output", json!({ "pane_id": pane, "lines": "many" }));
    assert!(refused.contains("Invalid arguments for `fugue_get_output`"), "{refused}");
}

#[test]
fn long_output_shows_the_newest_lines_and_says_what_was_cut() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[0]);
    let pane = server.session("work", &["sh", "-c", "seq 1000000 1040000; cat"]);
    server.wait_for(&pane, "^1040000$");
    for (lines, most) in [(None, 8 << 10), (Some(5_000), 24 << 10), (Some(1_000_000), 24 << 10)] {
        let mut args = json!({ "pane_id": pane });
        lines.into_iter().for_each(|lines| args["lines"] = lines.into());
        let output = agent.text("fugue_get_output", args);
        let (header, rows) = output.split_once('\n').expect("a header");
        assert!(rows.len() <= most && rows.trim_end().ends_with("\n1040000"), "{} bytes", rows.len());
        assert_eq!(
            header.contains(" bytes) before this not shown · earlier: before "),
            lines.is_some(),
            "{header}"
        );
    }
}

#[test]
fn a_screenshot_is_complete_or_refused() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let pane = server.session("work", &["sh", "-c", "echo shown; cat"]);
    server.wait_for(&pane, "^shown$");
    let seen = agent.tool("fugue_screenshot", json!({ "pane_id": pane }));
    let image = &seen["content"][0];
    assert_eq!((&image["type"], &image["mimeType"]), (&json!("image"), &json!("image/png")));
    assert!(image["data"].as_str().is_some_and(|data| data.starts_with("iVBORw0KGgo")), "{seen}");
    let picture = agent.text("fugue_screenshot", json!({ "pane_id": pane, "format": "svg" }));
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert!(agent.text("fugue_screenshot", json!({ "pane_id": pane, "format": "text" })).contains("shown"));
    let colors = r#"i=0; while [ $i -lt 1900 ]; do printf '\033[38;5;%dmx' $((i % 256)); i=$((i+1)); done; echo; echo done; cat"#;
    let pane = server.session("colors", &["sh", "-c", colors]);
    server.wait_for(&pane, "^done$");
    let refused = agent.refused("fugue_screenshot", json!({ "pane_id": pane, "format": "svg" }));
    assert!(refused.contains("\nhint: use format \"text\", or save it to a file"), "{refused}");
}

#[test]
fn tools_that_end_something_require_a_target() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    server.session("work", &["cat"]);
    for tool in ["fugue_close_pane", "fugue_kill_window", "fugue_kill_session"] {
        assert!(agent.refused(tool, json!({})).contains("needs a target\nhint: specify "));
    }
    assert!(agent.unknown_tool("fugue_shutdown").contains("Unknown tool: fugue_shutdown\n"));
    assert!(agent.unknown_tool("fugue_list_sesions").ends_with("hint: did you mean fugue_list_sessions?"));
}

#[test]
fn whoami_outside_fugue_or_in_a_closed_pane_is_an_error() {
    let server = test_server();
    let outside =
        r#"{"error":"Not running inside fugue","detail":"FUGUE_PANE_ID environment variable not set"}"#;
    let malformed =
        r#"{"error":"Not running inside fugue","detail":"FUGUE_PANE_ID is malformed: it is not a UUID"}"#;
    let closed = r#"{"error":"Pane not found","pane_id":"16e4c9c7-d0ad-48f7-b265-5f6557eb497c"}"#;
    let answers = |server: &TestServer| {
        assert_eq!(McpClient::new(server, ERAS[0]).refused("fugue_whoami", json!({})), outside);
        let mut command = server.command(&["mcp"]);
        command.env("FUGUE_PANE_ID", "16e4c9c7-d0ad-48f7-b265-5f6557eb497c");
        assert_eq!(McpClient::start(command, ERAS[1]).refused("fugue_whoami", json!({})), closed);
        let mut command = server.command(&["mcp"]);
        command.env("FUGUE_PANE_ID", "%3");
        assert_eq!(McpClient::start(command, ERAS[1]).refused("fugue_whoami", json!({})), malformed);
    };
    answers(&server);
    assert!(!server.socket().exists(), "whoami does not start a daemon");
    server.session("work", &["cat"]);
    answers(&server);
}

#[test]
fn whoami_works_in_a_pane_even_without_environment_variables() {
    let server = test_server();
    for (number, env) in ["", "env -i HOME=$HOME PATH=$PATH "].into_iter().enumerate() {
        let (session, answer) = (format!("work{number}"), server.path().join(format!("answer{number}")));
        let calls = [("fugue_whoami", json!({})), ("fugue_whoami", json!({ "include_tags": false }))];
        let lines = calls.into_iter().enumerate().map(|(id, (name, arguments))| {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string() + "\n"
        });
        let script = server.path().join("lines");
        std::fs::write(&script, lines.collect::<String>()).expect("the calls");
        let line = format!(
            "{env}{} mcp < {} > {}; echo finished; cat",
            crate::mcp_client::binary(),
            script.display(),
            answer.display()
        );
        let pane = server.session(&session, &["sh", "-c", &line]);
        server.wait_for(&pane, "^finished$");
        server.ok(&["set-tags", "-s", &session, "--add", "x"]);
        let answers = std::fs::read_to_string(answer).expect("answers");
        let mut answers: Vec<Value> =
            answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        answers.sort_by_key(|answer| answer["id"].as_u64());
        let facts = &answers[0]["result"]["structuredContent"];
        assert_eq!(
            (&facts["pane_id"], &facts["session_name"]),
            (&json!(pane), &json!(session)),
            "{answers:?}"
        );
        assert_eq!((&facts["tags"], facts.get("claimed")), (&json!([]), None));
        assert!(
            facts["window_id"].is_string() && facts["session_id"].is_string() && facts["cwd"].is_string()
        );
        assert_eq!(answers[1]["result"]["structuredContent"].get("tags"), None);
        assert!(text(&answers[0]["result"]).contains(&pane));
    }
}
