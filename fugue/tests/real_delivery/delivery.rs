//! How a message reaches each agent in each situation: whether its model saw the notification and when, whether a draft
//! stayed as it was, and whether the receipt was true. `FUGUE_RENEW=1` writes the table into `docs/evidence/agents.md`.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::scene::{
    AGENTS, AgentRow, DraftAtRest, DraftDuringWork, PATIENCE, PermissionPrompt, SITUATIONS, Scene, Situation,
    StartUpDialog,
};
use crate::stage::{Stage, happens};

/// How long a notification is given that must not arrive.
const RESTRAINT: Duration = Duration::from_secs(4);

/// How the user lets agents be notified: as it is set up, or by typing only.
const WAYS: [Option<&[&str]>; 2] = [None, Some(&["count", "type"])];

/// What happened to a message.
#[derive(Debug, Default)]
struct Outcome {
    /// After how many seconds the model saw the notification.
    seen: Option<f64>,
    /// The model saw it, or its dialog was answered, before the user had answered or had submitted a draft.
    too_early: bool,
    /// How often the model was told.
    times: usize,
    /// The receipt, before and after.
    before: Option<String>,
    after: Option<String>,
    draft: Option<bool>,
}

/// Sends a message and observes what comes of it.
fn observe(scene: &Scene<'_>, situation: Situation, types: bool) -> Outcome {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs_f64();
    let (server, mut sent_at) = (&scene.stage.server, now());
    let sent = server.json(&["send-orchestration", "-s", scene.agent.name, "note"]);
    let message = sent["message_id"].as_str().expect("an id");
    let has_draft = matches!(situation, DraftAtRest | DraftDuringWork);
    let mut outcome = Outcome::default();
    if matches!(situation, PermissionPrompt | StartUpDialog) || (types && has_draft) {
        let asked = scene.dialogs();
        outcome.too_early = happens(RESTRAINT, || scene.seen_at().is_some());
        let asks = scene.dialogs();
        if situation == StartUpDialog && asks != asked {
            eprintln!("the dialog has changed: {asked} {asks}");
            outcome.too_early = true;
        }
        outcome.before = scene.receipt(message);
        match situation {
            StartUpDialog => return outcome,
            PermissionPrompt => scene.press("Enter"),
            _ => {
                outcome.draft = Some(scene.submit_draft());
                sent_at = now();
            }
        }
    }
    happens(PATIENCE, || scene.seen_at().is_some());
    outcome.seen = scene.seen_at().map(|at| at - sent_at);
    happens(Duration::from_secs(3), || scene.receipt(message).is_some());
    outcome.after = scene.receipt(message);
    happens(PATIENCE, || scene.is_at_rest());
    outcome.times = scene.times_told();
    if has_draft && !types {
        outcome.draft = Some(scene.submit_draft());
    }
    outcome
}

fn play(agent: &AgentRow, situation: Situation, way: Option<&[&str]>) -> Option<Outcome> {
    if situation == StartUpDialog && agent.dialog.is_none() {
        return None;
    }
    let stage = Stage::open();
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
    if let Some(methods) = way {
        stage.server.ok(&[&["subscribe-orchestration", "-s", agent.name, "--deliver"], methods].concat());
    }
    scene.prepare(situation);
    Some(observe(&scene, situation, way.is_some()))
}

impl Outcome {
    /// Whether the receipt says what happened: offered if and only if the model saw it.
    fn is_true(&self) -> bool {
        self.before.is_none() && self.after.is_some() == self.seen.is_some()
    }

    fn is_right(&self) -> bool {
        !self.too_early && self.is_true() && self.draft != Some(false) && self.times <= 1
    }

    fn cell(&self, situation: Situation, types: bool) -> String {
        let has_draft = matches!(situation, DraftAtRest | DraftDuringWork);
        let after = if types && has_draft { " after the draft was submitted" } else { "" };
        let mut cell = match (situation, self.seen, &self.after) {
            (StartUpDialog, ..) => "waits; dialog untouched".to_owned(),
            (_, Some(seconds), Some(how)) => format!("{seconds:.1} s{after}, {how}"),
            (_, Some(seconds), None) => format!("{seconds:.1} s, no receipt"),
            (_, None, _) => "at its next prompt".to_owned(),
        };
        if self.draft == Some(true) && !types {
            cell += ", draft kept";
        }
        if !self.is_right() {
            let _ = write!(cell, " **wrong: {self:?}**");
        }
        cell
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn messages_reach_each_agent_in_each_situation_and_receipts_are_true() {
    let chosen = |variable: &str, name: &str| {
        std::env::var(variable).map_or(true, |names| names.split(',').any(|chosen| chosen == name))
    };
    let mut table = String::from("| agent |");
    SITUATIONS.iter().for_each(|(_, name)| table += &format!(" {name} |"));
    table += &format!("\n|---|{}\n", "---|".repeat(SITUATIONS.len()));
    let mut all_right = true;
    for (way, agent) in WAYS.iter().flat_map(|way| AGENTS.iter().map(move |agent| (way, agent))) {
        let name = format!("{}{}", agent.name, if way.is_some() { ", typing" } else { "" });
        if !chosen("FUGUE_STAGE_AGENTS", &name.replace(", ", "-")) {
            continue;
        }
        table += &format!("| {name} |");
        for (situation, _) in SITUATIONS.iter().filter(|(_, name)| chosen("FUGUE_STAGE_SITUATIONS", name)) {
            let outcome = play(agent, *situation, *way);
            all_right &= outcome.as_ref().is_none_or(Outcome::is_right);
            let cell = outcome.map_or("–".into(), |outcome| outcome.cell(*situation, way.is_some()));
            eprintln!("{name} {situation:?}: {cell}");
            table += &format!(" {cell} |");
        }
        table += "\n";
    }
    println!("{table}");
    if std::env::var_os("FUGUE_RENEW").is_some() && std::env::var_os("FUGUE_STAGE_AGENTS").is_none() {
        renew(&table);
    }
    assert!(all_right, "{table}");
}

/// Replaces the table in the documentation.
fn renew(table: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/evidence/agents.md");
    let text = std::fs::read_to_string(&path).expect("the page");
    let (begin, end) = ("<!-- delivery table -->\n", "<!-- end of the delivery table -->");
    let (before, rest) = text.split_once(begin).expect("where the table begins");
    let (_, after) = rest.split_once(end).expect("where the table ends");
    std::fs::write(path, format!("{before}{begin}{table}{end}{after}")).expect("written");
}
