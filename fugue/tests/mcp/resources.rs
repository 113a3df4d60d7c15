//! Resources and subscriptions.

use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp_client::{ERAS, Era, McpClient, test_server};

#[test]
fn panes_are_listed_and_read_by_uri() {
    for era in ERAS {
        let server = test_server();
        let mut agent = McpClient::new(&server, era);
        let listed = agent.request_answered("resources/list", json!({}));
        assert_eq!(listed["result"]["resources"].as_array().map(Vec::len), Some(2), "{listed}");
        assert!(!server.socket().exists(), "listing resources does not start a daemon");
        let pane = server.session("work", &["sh", "-c", "echo shown; cat"]);
        server.wait_for(&pane, "^shown$");
        let listed = agent.request_answered("resources/list", json!({}));
        let uri = format!("fugue://panes/{pane}");
        assert_eq!(listed["result"]["resources"][2]["uri"], json!(uri));
        let read = agent.request_answered("resources/read", json!({ "uri": uri }));
        assert_eq!(read["result"]["contents"][0]["text"], "shown");
        let tree = agent.request_answered("resources/read", json!({ "uri": "fugue://sessions" }));
        let tree = tree["result"]["contents"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(tree).unwrap()["sessions"][0]["name"], "work");
        let code = if era == Era::Stateless { -32602 } else { -32002 };
        for unknown in ["fugue://panes/none", "file:///etc/passwd"] {
            let refused = agent.request_answered("resources/read", json!({ "uri": unknown }));
            assert_eq!(refused["error"]["code"], json!(code), "{refused}");
        }
        let templates = agent.request_answered("resources/templates/list", json!({}));
        assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "fugue://panes/{pane}");
    }
}

#[test]
fn a_resource_that_does_not_exist_is_refused_with_a_hint_that_names_a_tool() {
    let server = test_server();
    server.session("work", &["cat"]);
    let unknown = json!({ "uri": "fugue://panes/none" });
    let message = "Pane not found: none\nhint: `fugue_list_sessions` lists panes";
    for era in ERAS {
        let refused = McpClient::new(&server, era).request_answered("resources/read", unknown.clone());
        assert_eq!(refused["error"]["message"], message, "{refused}");
    }
    let mut agent = McpClient::new(&server, Era::Initialize);
    let refused = agent.request_answered("resources/subscribe", unknown);
    assert_eq!(refused["error"]["message"], message, "{refused}");
}

#[test]
fn a_profile_without_the_tools_that_read_offers_no_resources() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["cat"]);
        let mut runner = McpClient::start(server.command(&["mcp", "--tools", "run,wait"]), era);
        let listed = runner.request_answered("resources/list", json!({}));
        assert_eq!(listed["result"]["resources"], json!([]), "{listed}");
        let templates = runner.request_answered("resources/templates/list", json!({}));
        assert_eq!(templates["result"]["resourceTemplates"], json!([]), "{templates}");
        for uri in ["fugue://sessions", "fugue://inbox", &format!("fugue://panes/{pane}")] {
            let refused = runner.request_answered("resources/read", json!({ "uri": uri }));
            let message = refused["error"]["message"].as_str().expect("a message");
            let sentence =
                format!("{uri} is not available: the user started this server with `--tools` set to a list");
            assert!(message.starts_with(&sentence), "{refused}");
        }
        let mut observer = McpClient::start(server.command(&["mcp", "--tools", "observe"]), era);
        let listed = observer.request_answered("resources/list", json!({}));
        let uris: Vec<_> = listed["result"]["resources"]
            .as_array()
            .expect("resources")
            .iter()
            .map(|resource| resource["uri"].as_str().expect("a URI"))
            .collect();
        assert_eq!(uris, ["fugue://sessions", &format!("fugue://panes/{pane}")]);
    }
}

fn update_count(agent: &McpClient, uri: &str) -> usize {
    let updates = agent.notes.iter().filter(|note| note["method"] == "notifications/resources/updated");
    updates.filter(|note| note["params"]["uri"] == uri).count()
}

#[test]
fn an_older_era_subscriber_is_notified_of_changes_until_it_unsubscribes() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let uri = format!("fugue://panes/{pane}");
    let mut agent = McpClient::new(&server, Era::Initialize);
    let subscribed = agent.request_answered("resources/subscribe", json!({ "uri": uri }));
    assert!(subscribed.get("error").is_none(), "{subscribed}");
    agent.listen(Duration::from_millis(500));
    assert_eq!(update_count(&agent, &uri), 0, "nothing has changed");
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "news\n" }));
    agent.listen(Duration::from_secs(2));
    assert!((1..=3).contains(&update_count(&agent, &uri)), "{:?}", agent.notes);
    agent.request_answered("resources/unsubscribe", json!({ "uri": uri }));
    let before = update_count(&agent, &uri);
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "more\n" }));
    agent.listen(Duration::from_secs(2));
    assert_eq!(update_count(&agent, &uri), before);
}

fn list_changes(agent: &McpClient) -> usize {
    agent.notes.iter().filter(|note| note["method"] == "notifications/resources/list_changed").count()
}

#[test]
fn an_older_era_client_that_lists_resources_is_notified_when_panes_come_and_go() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, Era::Initialize);
    agent.request_answered("resources/list", json!({}));
    agent.listen(Duration::from_millis(500));
    assert_eq!(list_changes(&agent), 0, "nothing has changed");
    let created = agent.ok("fugue_create_pane", json!({ "session": "work", "command": "cat" }));
    agent.listen_until(|agent| list_changes(agent) == 1);
    agent.ok("fugue_close_pane", json!({ "pane_id": created["pane_id"] }));
    agent.listen_until(|agent| list_changes(agent) == 2);
    agent.ok("fugue_set_tags", json!({ "session": "work", "add": ["busy"] }));
    agent.listen(Duration::from_secs(2));
    assert_eq!(list_changes(&agent), 2, "no pane has come or gone");
}

#[test]
fn a_newer_era_listener_is_notified_of_screen_and_tree_changes() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let uri = format!("fugue://panes/{pane}");
    let mut agent = McpClient::new(&server, Era::Stateless);
    let wanted = [uri.as_str(), "fugue://sessions", "file:///etc/passwd"];
    let filter =
        json!({ "notifications": { "resourceSubscriptions": wanted, "resourcesListChanged": true } });
    let listening = agent.send("subscriptions/listen", filter);
    agent.listen(Duration::from_millis(500));
    let first = agent.notes.first().expect("an acknowledgement");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        first["params"]["notifications"],
        json!({ "resourceSubscriptions": [uri, "fugue://sessions"], "resourcesListChanged": true })
    );
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "news\n" }));
    agent.ok("fugue_create_pane", json!({ "session": "work", "command": "cat" }));
    agent.listen(Duration::from_secs(2));
    assert!(
        update_count(&agent, &uri) >= 1 && update_count(&agent, "fugue://sessions") >= 1,
        "{:?}",
        agent.notes
    );
    assert!(list_changes(&agent) >= 1, "{:?}", agent.notes);
    let updates = agent.notes.iter().filter(|note| note["method"] == "notifications/resources/updated");
    for update in updates {
        assert_eq!(
            update["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
            json!(listening),
            "{update}"
        );
    }
}
