//! How a message reaches each agent in each situation: whether its model saw the notification and when, whether a draft
//! stayed as it was, and whether the receipt was true. `FUGUE_RENEW=1` writes the table into `docs/agents.md`.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::stage::{Stage, happens, has_text};

const DRAFT: &str = "precious draft";

/// How long a notification may take: Codex looks into its queue every ten seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a notification is given that must not arrive.
const RESTRAINT: Duration = Duration::from_secs(4);

struct AgentRow {
    name: &'static str,
    command: &'static str,
    /// The line that shows that it is ready for a prompt.
    ready: &'static str,
    /// The tool with which its model runs a command, after asking the user.
    shell: &'static str,
    /// What its start-up dialog shows; none if it has none.
    dialog: Option<&'static str>,
}

const AGENTS: [AgentRow; 4] = [
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
        command: "opencode --port 0",
        ready: "Ask anything",
        shell: r#"@call bash {"command": "touch made", "description": "make"}"#,
        dialog: None,
    },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Situation {
    Idle,
    Busy,
    PermissionPrompt,
    DraftAtRest,
    DraftDuringWork,
    StartUpDialog,
}

use Situation::{Busy, DraftAtRest, DraftDuringWork, Idle, PermissionPrompt, StartUpDialog};

const SITUATIONS: [(Situation, &str); 6] = [
    (Idle, "idle"),
    (Busy, "busy"),
    (PermissionPrompt, "permission prompt"),
    (DraftAtRest, "draft while idle"),
    (DraftDuringWork, "draft while busy"),
    (StartUpDialog, "start-up dialog"),
];

/// What happened to a message.
#[derive(Debug, Default)]
struct Outcome {
    /// After how many seconds the model saw the notification.
    seen: Option<f64>,
    /// The model saw it, or its dialog was answered, before the user had answered.
    too_early: bool,
    /// The receipt, before and after.
    before: Option<String>,
    after: Option<String>,
    draft: Option<bool>,
}

struct Scene<'a> {
    stage: &'a Stage,
    agent: &'a AgentRow,
    pane: String,
}

impl Scene<'_> {
    fn type_text(&self, text: &str) {
        self.stage.server.ok(&["send-input", "-t", &self.pane, text]);
    }

    fn press(&self, key: &str) {
        self.stage.server.ok(&["send-input", "-t", &self.pane, "--key", key]);
    }

    /// Submits a prompt, and waits until the model got it. The first Enter may come while the agent is still starting.
    fn prompt(&self, text: &str, sign: &str) {
        let server = &self.stage.server;
        assert!(happens(PATIENCE, || self.is_at_rest()), "{}", server.ok(&["explain", &self.pane]));
        server.ok(&["send-input", "-t", &self.pane, text, "--submit"]);
        let arrives = |within| happens(within, || self.has_request_with(sign));
        if !arrives(Duration::from_secs(4)) {
            self.press("Enter");
            assert!(arrives(PATIENCE), "{}", server.text(&self.pane));
        }
    }

    /// Waits until the screen does not change any more.
    fn settle(&self) {
        let shown = || self.stage.server.text(&self.pane);
        let stays = || {
            let before = shown();
            !happens(Duration::from_secs(2), || shown() != before)
        };
        assert!(happens(PATIENCE, stays), "{}", shown());
    }

    fn shows(&self, text: &str) -> bool {
        self.stage.server.ok(&["get-output", "-t", &self.pane, "--mode", "screen"]).contains(text)
    }

    fn state(&self) -> Value {
        self.stage.server.json(&["explain", &self.pane])["agent"]["state"].clone()
    }

    fn is_at_rest(&self) -> bool {
        ["idle", "complete", "waiting_for_input"].iter().any(|state| self.state() == *state)
    }

    /// When the model first saw the notification.
    fn seen_at(&self) -> Option<f64> {
        let shows = |body: &Value| has_text(body, &|text| text.contains("[fugue] You have"));
        self.stage.requests().iter().find(|(_, body)| shows(body)).map(|(at, _)| *at)
    }

    fn has_request_with(&self, text: &str) -> bool {
        self.stage.requests().iter().any(|(_, body)| has_text(body, &|one| one.contains(text)))
    }

    /// Gets the agent into a situation.
    fn prepare(&self, situation: Situation) {
        let server = &self.stage.server;
        if situation == StartUpDialog {
            server.wait_for(&self.pane, self.agent.dialog.expect("it has a dialog"));
            self.settle();
            return;
        }
        server.wait_for(&self.pane, self.agent.ready);
        self.prompt("hello there", "hello there");
        // OpenCode's session is known once it has made a call.
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

    fn receipt(&self, message: &str) -> Option<String> {
        let report = self.stage.server.json(&["message-status", message]);
        report["receipts"][0]["how"].as_str().map(str::to_owned)
    }

    /// Sends a message and observes what comes of it.
    fn observe(&self, situation: Situation) -> Outcome {
        let sent_at = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs_f64();
        let sent = self.stage.server.json(&["send-orchestration", "-s", self.agent.name, "note"]);
        let message = sent["message_id"].as_str().expect("an id");
        let mut outcome = Outcome::default();
        if matches!(situation, PermissionPrompt | StartUpDialog) {
            let shown = self.stage.server.text(&self.pane);
            outcome.too_early = happens(RESTRAINT, || self.seen_at().is_some());
            outcome.too_early |= situation == StartUpDialog && self.stage.server.text(&self.pane) != shown;
            outcome.before = self.receipt(message);
            if situation == StartUpDialog {
                return outcome;
            }
            self.press("Enter");
        }
        happens(PATIENCE, || self.seen_at().is_some());
        outcome.seen = self.seen_at().map(|at| at - sent_at);
        happens(Duration::from_secs(3), || self.receipt(message).is_some());
        outcome.after = self.receipt(message);
        if matches!(situation, DraftAtRest | DraftDuringWork) {
            happens(PATIENCE, || self.is_at_rest());
            self.press("Enter");
            let equal = |body: &Value| has_text(body, &|text| text.trim_end() == DRAFT);
            let kept = || self.stage.requests().iter().any(|(_, body)| equal(body));
            outcome.draft = Some(happens(PATIENCE, kept));
        }
        outcome
    }
}

fn play(agent: &AgentRow, situation: Situation) -> Option<Outcome> {
    if situation == StartUpDialog && agent.dialog.is_none() {
        return None;
    }
    let stage = Stage::open()?;
    let directory = match situation {
        StartUpDialog => {
            stage.ask_at_the_start();
            "other"
        }
        PermissionPrompt => {
            stage.ask_before_commands();
            "proj"
        }
        _ => "proj",
    };
    let pane = stage.start(agent.name, agent.command, directory);
    let scene = Scene { stage: &stage, agent, pane };
    scene.prepare(situation);
    Some(scene.observe(situation))
}

impl Outcome {
    /// Whether the receipt says what happened: offered if and only if the model saw it.
    fn is_true(&self) -> bool {
        self.before.is_none() && self.after.is_some() == self.seen.is_some()
    }

    fn is_right(&self) -> bool {
        !self.too_early && self.is_true() && self.draft != Some(false)
    }

    fn cell(&self, situation: Situation) -> String {
        let mut cell = match (situation, self.seen, &self.after) {
            (StartUpDialog, ..) => "waits; dialog untouched".to_owned(),
            (_, Some(seconds), Some(how)) => format!("{seconds:.1} s, {how}"),
            (_, Some(seconds), None) => format!("{seconds:.1} s, no receipt"),
            (_, None, _) => "at its next prompt".to_owned(),
        };
        if self.draft == Some(true) {
            cell += ", draft kept";
        }
        if !self.is_right() {
            let _ = write!(cell, " **wrong: {self:?}**");
        }
        cell
    }
}

#[test]
fn messages_reach_each_agent_in_each_situation_and_receipts_are_true() {
    if std::env::var_os("FUGUE_STAGE").is_none() {
        return;
    }
    let only = std::env::var("FUGUE_STAGE_AGENTS").unwrap_or_default();
    let mut table = String::from("| agent |");
    SITUATIONS.iter().for_each(|(_, name)| table += &format!(" {name} |"));
    table += &format!("\n|---|{}\n", "---|".repeat(SITUATIONS.len()));
    let mut all_right = true;
    for agent in AGENTS.iter().filter(|agent| only.is_empty() || only.contains(agent.name)) {
        table += &format!("| {} |", agent.name);
        for (situation, _) in SITUATIONS {
            let outcome = play(agent, situation);
            all_right &= outcome.as_ref().is_none_or(Outcome::is_right);
            let cell = outcome.map_or("–".into(), |outcome| outcome.cell(situation));
            eprintln!("{} {situation:?}: {cell}", agent.name);
            table += &format!(" {cell} |");
        }
        table += "\n";
    }
    println!("{table}");
    if std::env::var_os("FUGUE_RENEW").is_some() && only.is_empty() {
        renew(&table);
    }
    assert!(all_right, "{table}");
}

/// Replaces the table in the documentation.
fn renew(table: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agents.md");
    let text = std::fs::read_to_string(&path).expect("the page");
    let (begin, end) = ("<!-- delivery table -->\n", "<!-- end of the delivery table -->");
    let (before, rest) = text.split_once(begin).expect("where the table begins");
    let (_, after) = rest.split_once(end).expect("where the table ends");
    std::fs::write(path, format!("{before}{begin}{table}{end}{after}")).expect("written");
}
