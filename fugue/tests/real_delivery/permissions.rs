//! What the real agents ask, answered from the list of agents in the client and by rules of the user.

use std::time::Duration;

use serde_json::Value;

use crate::scene::{AGENTS, AgentRow, PATIENCE, Scene};
use crate::stage::{Stage, happens};

/// How long a dialog is watched that must not be answered.
const RESTRAINT: Duration = Duration::from_secs(3);

/// Starts an agent, and has it ask whether it may run a command.
fn asking<'a>(stage: &'a Stage, agent: &'a AgentRow) -> Scene<'a> {
    stage.ask_before_commands();
    let scene = Scene { stage, agent, pane: stage.start(agent.name, agent.command, "proj") };
    stage.wait_for_start(&scene.pane, agent.ready);
    scene.prompt(agent.shell, "touch made");
    scene
}

fn has_run(stage: &Stage) -> bool {
    happens(PATIENCE, || stage.path().join("proj/made").exists())
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn each_agent_is_answered_from_the_list_of_agents_in_the_client() {
    let only = std::env::var("FUGUE_STAGE_AGENTS").unwrap_or_default();
    for agent in AGENTS.iter().filter(|agent| only.is_empty() || only.contains(agent.name)) {
        let stage = Stage::open();
        let server = &stage.server;
        server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
        let mut terminal = server.terminal(&["attach", "mine"], 120, 50);
        terminal.shows(" mine ");
        terminal.prefix("A");
        terminal.shows("╭─ Agents");
        // The list is open before the agent asks.
        let scene = asking(&stage, agent);
        let asks = happens(PATIENCE, || scene.dialogs()[0]["dialog_id"].is_string());
        assert!(asks, "{}\n{}", server.ok(&["explain", &scene.pane]), server.text(&scene.pane));
        let listed = scene.dialogs()[0].clone();
        let first = listed["dialog"]["choices"][0]["label"].as_str().expect("a choice").to_owned();
        terminal.shows(&format!("1 {first}"));
        terminal.send(&first);
        terminal.shows(&format!("│ > {first}"));
        terminal.send("\r");
        terminal.shows(&format!("answered: {first}"));
        assert!(has_run(&stage), "{}: {}", agent.name, server.text(&scene.pane));
        println!("{}: answered `{first}` in the client", agent.name);
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn each_agent_is_answered_from_the_command_line_unless_its_dialog_has_changed() {
    let only = std::env::var("FUGUE_STAGE_AGENTS").unwrap_or_default();
    for agent in AGENTS.iter().filter(|agent| only.is_empty() || only.contains(agent.name)) {
        let stage = Stage::open();
        let server = &stage.server;
        stage.ask_before_commands();
        let scene = Scene { stage: &stage, agent, pane: stage.start(agent.name, agent.command, "proj") };
        stage.wait_for_start(&scene.pane, agent.ready);
        scene.prompt(&format!("{}\n{}", agent.shell, agent.shell.replace("made", "second")), "touch second");
        let asked = |command: &str| {
            let asks = || scene.dialogs()[0]["dialog"]["command"] == command;
            assert!(happens(PATIENCE, asks), "{}: {}", scene.dialogs(), server.text(&scene.pane));
            scene.settle();
            scene.dialogs()[0]["dialog_id"].as_str().expect("an id").to_owned()
        };
        let first = asked("touch made");
        // The user answers in the pane, and the agent asks something else.
        scene.press("Enter");
        let second = asked("touch second");
        let late = server.run(&["answer-permission", &first, "1"]);
        assert!(late.code != 0, "{}: {}", agent.name, late.out);
        let file = stage.path().join("proj/second");
        assert!(!happens(RESTRAINT, || file.exists()), "{}: the second dialog was answered", agent.name);
        assert_eq!(asked("touch second"), second, "{}: it is still open", agent.name);
        let told = server.ok(&["answer-permission", &second, "1"]);
        assert!(happens(PATIENCE, || file.exists()), "{}: {}", agent.name, server.text(&scene.pane));
        println!("{}: {}; then {}", agent.name, late.err.trim().replace('\n', " "), told.trim());
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn a_rule_of_the_user_answers_each_real_agent_and_is_recorded() {
    // Codex asks about its hooks at its start; `codex_hooks.rs` has its scenes.
    for agent in AGENTS.iter().filter(|agent| agent.name != "codex") {
        let stage = Stage::open();
        let config = stage.server.path().join("config/fugue");
        std::fs::create_dir_all(&config).expect("a directory");
        std::fs::write(config.join("config.toml"), "[permissions]\n\"*: touch *\" = \"allow\"\n")
            .expect("a configuration");
        let scene = asking(&stage, agent);
        assert!(has_run(&stage), "{}: {}", agent.name, stage.server.text(&scene.pane));
        let log = std::fs::read_to_string(stage.server.state_dir().join("audit.log")).expect("a log");
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let mut rules = lines.filter(|line| line["verb"] == "permission-rule");
        let expected = "allow by rule `*: touch *`: touch made";
        assert!(rules.any(|line| line["outcome"] == "allowed" && line["detail"] == expected), "{log}");
    }
}
