//! An agent in a situation in which a message reaches it.

use std::time::Duration;

use serde_json::Value;

use crate::stage::{Stage, happens, has_text};

const DRAFT: &str = "precious draft";

const NOTIFICATION: &str = "[fugue] You have";

/// How long a notification or a turn may take: Codex looks into its queue every ten seconds, and the machine may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct AgentRow {
    pub(crate) name: &'static str,
    pub(crate) command: &'static str,
    /// The line that shows that it is ready for a prompt.
    pub(crate) ready: &'static str,
    /// The tool with which its model runs a command, after asking the user.
    pub(crate) shell: &'static str,
    /// What its startup dialog shows; none if it has none.
    pub(crate) dialog: Option<&'static str>,
}

pub(crate) const AGENTS: [AgentRow; 4] = [
    AgentRow {
        name: "claude",
        command: "claude --permission-mode default --allowedTools 'mcp__fugue__*'",
        ready: "shift\\+tab|for shortcuts",
        shell: r#"@call Bash {"command": "touch made", "description": "make"}"#,
        dialog: Some("trust this folder|Do you trust|Accessing workspace"),
    },
    AgentRow {
        name: "codex",
        command: "codex --no-daemon",
        ready: "Ask Codex",
        shell: r#"@call exec_command {"cmd": "touch made", "sandbox_permissions": "require_escalated", "justification": "make"}"#,
        dialog: Some("[Hh]ooks? need review|[Rr]eview.*hooks|hooks? .*review"),
    },
    AgentRow {
        name: "gemini",
        command: "gemini",
        ready: "Type your message",
        shell: r#"@call run_shell_command {"command": "touch made"}"#,
        dialog: Some("Do you trust"),
    },
    AgentRow {
        name: "opencode",
        command: "opencode",
        ready: "Ask anything",
        shell: r#"@call bash {"command": "touch made", "description": "make"}"#,
        dialog: None,
    },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Situation {
    Idle,
    Busy,
    PermissionPrompt,
    DraftAtRest,
    DraftDuringWork,
    StartUpDialog,
}

pub(crate) use Situation::{Busy, DraftAtRest, DraftDuringWork, Idle, PermissionPrompt, StartUpDialog};

pub(crate) const SITUATIONS: [(Situation, &str); 6] = [
    (Idle, "idle"),
    (Busy, "busy"),
    (PermissionPrompt, "permission prompt"),
    (DraftAtRest, "draft while idle"),
    (DraftDuringWork, "draft while busy"),
    (StartUpDialog, "startup dialog"),
];

pub(crate) struct Scene<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) agent: &'a AgentRow,
    pub(crate) pane: String,
}

impl Scene<'_> {
    pub(crate) fn type_text(&self, text: &str) {
        self.stage.server.ok(&["send-input", "-t", &self.pane, text]);
    }

    pub(crate) fn press(&self, key: &str) {
        self.stage.server.ok(&["send-input", "-t", &self.pane, "--key", key]);
    }

    /// Submits a prompt, and waits until the model got it. The first Enter may come while the agent is still starting; a
    /// second one during the turn would count as a draft.
    pub(crate) fn prompt(&self, text: &str, sign: &str) {
        let server = &self.stage.server;
        assert!(happens(PATIENCE, || self.is_at_rest()), "{}", server.ok(&["explain", &self.pane]));
        server.ok(&["send-input", "-t", &self.pane, text, "--submit"]);
        let arrives = |within| happens(within, || self.has_request_with(sign));
        if !arrives(Duration::from_secs(8)) && self.is_at_rest() {
            self.press("Enter");
        }
        assert!(arrives(PATIENCE), "{}", server.text(&self.pane));
    }

    /// The dialogs that are listed for the user.
    pub(crate) fn dialogs(&self) -> Value {
        self.stage.server.json(&["permissions"])["permissions"].clone()
    }

    /// Waits until the screen does not change any more.
    pub(crate) fn settle(&self) {
        let shown = || self.stage.server.text(&self.pane);
        let stays = || {
            let before = shown();
            !happens(Duration::from_secs(2), || shown() != before)
        };
        assert!(happens(PATIENCE, stays), "{}", shown());
    }

    pub(crate) fn shows(&self, text: &str) -> bool {
        self.stage.server.ok(&["get-output", "-t", &self.pane, "--mode", "screen"]).contains(text)
    }

    pub(crate) fn state(&self) -> Value {
        self.stage.server.json(&["explain", &self.pane])["agent"]["state"].clone()
    }

    pub(crate) fn is_at_rest(&self) -> bool {
        ["idle", "complete", "waiting_for_input"].iter().any(|state| self.state() == *state)
    }

    /// When the model first saw the notification.
    pub(crate) fn seen_at(&self) -> Option<f64> {
        let shows = |body: &Value| has_text(body, &|text| text.contains(NOTIFICATION));
        self.stage.requests().iter().find(|(_, body)| shows(body)).map(|(at, _)| *at)
    }

    pub(crate) fn has_request_with(&self, text: &str) -> bool {
        self.stage.requests().iter().any(|(_, body)| has_text(body, &|one| one.contains(text)))
    }

    /// Gets the agent into a situation.
    pub(crate) fn prepare(&self, situation: Situation) {
        let server = &self.stage.server;
        if situation == StartUpDialog {
            server.wait_for(&self.pane, self.agent.dialog.expect("it has a dialog"));
            self.settle();
            return;
        }
        self.stage.wait_for_start(&self.pane, self.agent.ready);
        self.prompt("hello there", "hello there");
        // A message is pushed to Codex only after it has begun a thread.
        self.prompt("@call fugue_whoami {}", &self.pane);
        assert!(happens(PATIENCE, || self.is_at_rest()), "{}", server.ok(&["explain", &self.pane]));
        match situation {
            Idle | StartUpDialog => {}
            Busy | DraftDuringWork => {
                self.prompt("@delay 4 @call fugue_list_sessions {}", "@delay 4");
            }
            PermissionPrompt => {
                self.prompt(self.agent.shell, "touch made");
                let asks = happens(PATIENCE, || self.state() == "blocked");
                assert!(asks, "{}\n{}", server.ok(&["explain", &self.pane]), server.text(&self.pane));
            }
            DraftAtRest => {}
        }
        if matches!(situation, DraftAtRest | DraftDuringWork) {
            self.type_text(DRAFT);
            assert!(happens(PATIENCE, || self.shows(DRAFT)), "{}", server.text(&self.pane));
        }
    }

    /// How often the model was told of a message, according to the request that has most: agents also make requests without
    /// the conversation, for example for its title.
    pub(crate) fn times_told(&self) -> usize {
        let times = |(_, body): &(f64, Value)| body.to_string().matches(NOTIFICATION).count();
        self.stage.requests().iter().map(times).max().unwrap_or(0)
    }

    pub(crate) fn receipt(&self, message: &str) -> Option<String> {
        let report = self.stage.server.json(&["message-status", message]);
        report["receipts"][0]["how"].as_str().map(str::to_owned)
    }

    /// Submits the draft. Returns whether the model got it as it was typed, and nothing else with it.
    pub(crate) fn submit_draft(&self) -> bool {
        happens(PATIENCE, || self.is_at_rest());
        self.press("Enter");
        let equal = |body: &Value| has_text(body, &|text| text.trim_end() == DRAFT);
        happens(PATIENCE, || self.stage.requests().iter().any(|(_, body)| equal(body)))
    }
}
