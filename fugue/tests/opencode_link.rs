//! `fugue hook opencode`, to which OpenCode's plugin talks. Here, the test is the plugin: it writes to a named pipe, and what
//! the hook answers is shown in the pane.

use std::fs::File;
use std::io::Write;

use fugue_testkit::{PATIENCE, TestServer, until, until_within};
use serde_json::{Value, json};

const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

const LINE: &str = "You have 1 unread message";

struct Plugin {
    server: TestServer,
    pane: String,
    /// The input of the hook. Closing it ends the hook, as when OpenCode exits.
    input: File,
}

impl Plugin {
    fn start() -> Self {
        let server = TestServer::new(FUGUE);
        let pipe = server.path().join("plugin");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).expect("a named pipe");
        let command = format!("{FUGUE} hook opencode < {}; exec cat", pipe.display());
        let pane = server.session("work", &["bash", "-c", &command]);
        // Waits until the hook has opened the other end.
        let input = File::options().write(true).open(&pipe).expect("the hook reads the pipe");
        Self { server, pane, input }
    }

    fn says(&self, line: &Value) {
        writeln!(&self.input, "{line}").expect("the hook reads the pipe");
    }

    fn view(&self) -> Value {
        self.server.json(&["list-panes"])["panes"][0].clone()
    }

    fn screen(&self) -> String {
        self.server.ok(&["get-output", "-t", &self.pane, "--mode", "screen"])
    }

    fn has_state(&self, state: &str) -> bool {
        self.view()["agent"]["state"] == state
    }

    fn receipt(&self, message: &str) -> Value {
        self.server.json(&["message-status", message])["receipts"][0]["how"].clone()
    }

    fn send_message(&self) -> String {
        self.server.json(&["send-orchestration", "-s", "work", "news"])["message_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }
}

#[test]
fn the_plugin_reports_the_state_and_the_conversation_of_its_agent() {
    let plugin = Plugin::start();
    let asks = json!({ "state": "blocked", "reason": "bash: touch made" });
    plugin.says(&json!({ "report": asks, "session": "ses_1" }));
    until("the state is known", || plugin.has_state("blocked"));
    let view = plugin.view();
    let told = json!([
        view["agent"]["name"],
        view["agent"]["reason"],
        view["agent"]["waits_for"],
        view["agent"]["sure"]
    ]);
    assert_eq!(told, json!(["opencode", "bash: touch made", "permission", "certain"]));
    assert_eq!(view["conversation"], json!({ "agent": "opencode", "id": "ses_1" }));
    assert!(!plugin.server.ok(&["agents"]).contains("USAGE"), "no agent reports its usage");
    plugin.says(
        &json!({ "report": { "state": "working", "reason": "rate limit", "until": 4_000_000_000_000_u64 } }),
    );
    until("the state is known", || plugin.has_state("working"));
    assert_eq!(plugin.view()["agent"]["until"], 4_000_000_000_000_u64);
    let usage = json!({ "context_tokens": 12_345, "cost_micros": 40_000 });
    plugin.says(&json!({ "report": { "state": "complete", "usage": usage } }));
    until("the state is known", || plugin.has_state("complete"));
    assert_eq!(plugin.view()["agent"]["usage"], usage);
    assert_eq!(plugin.server.json(&["agents"])["agents"][0]["usage"], usage);
    let table = plugin.server.ok(&["agents"]);
    assert!(table.contains("USAGE") && table.contains("12k tokens, $0.04"), "{table}");
    plugin.says(&json!("another version may say anything"));
    let Plugin { server, input, .. } = plugin;
    drop(input);
    until("the plugin is gone, and its report too", || {
        server.json(&["list-panes"])["panes"][0]["agent"].is_null()
    });
}

#[test]
fn a_message_is_offered_once_the_plugin_says_that_the_model_has_answered() {
    let plugin = Plugin::start();
    let message = plugin.send_message();
    plugin.says(&json!({ "report": { "state": "working" } }));
    until("the state is known", || plugin.has_state("working"));
    assert!(!plugin.screen().contains(LINE), "there is no session to submit it to");
    plugin.says(&json!({ "session": "ses_1" }));
    until("the line is passed to the plugin", || plugin.screen().contains(LINE));
    assert_eq!(plugin.receipt(&message), Value::Null, "the model has not seen it");
    plugin.says(&json!({ "taken": true }));
    until("the message is offered", || plugin.receipt(&message) == "pushed");
    let second = plugin.send_message();
    until("the second line is passed to the plugin", || plugin.screen().contains("2 unread messages"));
    plugin.says(&json!({ "taken": true }));
    until("the second message is offered", || plugin.receipt(&second) == "pushed");
    assert_eq!(plugin.screen().matches("[fugue]").count(), 2, "{}", plugin.screen());
}

#[test]
fn after_a_line_that_could_not_be_submitted_the_next_message_is_announced() {
    let plugin = Plugin::start();
    plugin.says(&json!({ "session": "ses_1" }));
    let message = plugin.send_message();
    until("the line is passed to the plugin", || plugin.screen().contains(LINE));
    plugin.says(&json!({ "taken": false }));
    plugin.send_message();
    until("the next line is passed to the plugin", || plugin.screen().contains("2 unread messages"));
    assert_eq!(plugin.receipt(&message), Value::Null);
}

#[test]
fn a_line_that_could_not_be_submitted_is_offered_again_later_and_not_at_once() {
    let plugin = Plugin::start();
    plugin.says(&json!({ "session": "ses_1" }));
    plugin.send_message();
    let lines = || plugin.screen().matches("[fugue]").count();
    until("the line is passed to the plugin", || lines() == 1);
    let declined = std::time::Instant::now();
    plugin.says(&json!({ "taken": false }));
    // That is about a minute later, so it takes longer than other things may.
    let never = || "never: the line is passed to the plugin again".to_owned();
    until_within(2 * PATIENCE, || lines() != 1, never);
    assert!(declined.elapsed() > std::time::Duration::from_secs(3), "after {:?}", declined.elapsed());
    assert_eq!(lines(), 2);
}

#[test]
fn the_link_survives_a_daemon_that_is_killed() {
    let plugin = Plugin::start();
    plugin.says(&json!({ "report": { "state": "working" }, "session": "ses_1" }));
    until("the state is known", || plugin.has_state("working"));
    fugue_testkit::signal("KILL", plugin.server.daemon_pid());
    until("there is a daemon again", || plugin.server.run(&["list-panes"]).code == 0);
    plugin.send_message();
    until("the line is passed to the plugin", || plugin.screen().contains(LINE));
    plugin.says(&json!({ "report": { "state": "complete" } }));
    until("the state is known", || plugin.has_state("complete"));
}
