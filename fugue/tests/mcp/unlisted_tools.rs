//! The tools that the default list leaves out. Agents' programs refuse to call them by name, so `fugue_call` does.

use serde_json::json;

use crate::mcp_client::{ERAS, McpClient, test_server};

#[test]
fn a_tool_that_is_not_listed_is_found_and_called() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["cat"]);
        server.session("other", &["cat"]);
        let mut agent = McpClient::new(&server, era);
        let listed = agent.text("fugue_help", json!({}));
        assert!(listed.contains("\nfugue_zoom_pane(pane_id, session, zoomed): Zoom a pane"), "{listed}");
        let zoom = json!({ "tool": "fugue_zoom_pane", "arguments": { "pane_id": pane } });
        let zoomed = agent.text("fugue_call", zoom);
        assert!(zoomed.contains(&pane[28..]), "{zoomed}");
        agent.text("fugue_call", json!({ "tool": "kill_session", "arguments": { "session": "other" } }));
        assert!(!server.ok(&["ls"]).contains("other"));
    }
}

#[test]
fn a_wrong_call_of_an_unlisted_tool_is_refused_as_that_tool_refuses_it() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let refused =
        agent.refused("fugue_call", json!({ "tool": "kill_session", "arguments": { "session": "wrok" } }));
    assert!(refused.starts_with("Session not found: wrok\nhint: did you mean"), "{refused}");
    let refused = agent.refused("fugue_call", json!({ "tool": "zoom_pain" }));
    assert!(refused.ends_with("did you mean fugue_zoom_pane?"), "{refused}");
    // A person's command is no tool, by any name.
    let refused = agent.refused("fugue_call", json!({ "tool": "shutdown" }));
    assert!(refused.starts_with("Unknown tool: fugue_shutdown"), "{refused}");
}

#[test]
fn a_profile_that_lists_only_tools_that_read_refuses_all_others() {
    for era in ERAS {
        let server = test_server();
        server.session("work", &["cat"]);
        let mut observer = McpClient::start(server.command(&["mcp", "--tools", "observe"]), era);
        observer.ok("fugue_list_sessions", json!({}));
        let calls = [
            ("fugue_kill_session", json!({ "session": "work" })),
            ("fugue_call", json!({ "tool": "fugue_kill_session", "arguments": { "session": "work" } })),
            ("fugue_help", json!({ "tool": "kill_session" })),
        ];
        for (tool, arguments) in calls {
            let refused = observer.refused(tool, arguments);
            let sentence = "is not available: the user started this server with `--tools` set to observe\n";
            assert!(refused.contains(sentence), "{tool}: {refused}");
        }
        assert!(!observer.text("fugue_help", json!({})).contains("kill_session"));
        assert_eq!(
            observer.unknown_tool("fugue_nothing").lines().next(),
            Some("Unknown tool: fugue_nothing")
        );
        assert!(server.ok(&["ls"]).contains("work"));
        let mut runner = McpClient::start(server.command(&["mcp", "--tools", "run,wait"]), era);
        runner.refused("fugue_help", json!({}));
        runner.refused("fugue_kill_session", json!({ "session": "work" }));
        runner.text("fugue_run", json!({ "command": "true", "session": "work" }));
    }
}

#[test]
fn help_describes_the_arguments_that_the_list_leaves_out() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let described = agent.text("fugue_help", json!({ "tool": "create_session" }));
    assert!(described.contains("\"argv\"") && described.contains("\"window_name\""), "{described}");
}
