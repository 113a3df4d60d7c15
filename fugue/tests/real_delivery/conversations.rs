//! The conversations of the real agents: their ids are learnt, and `fugue resume` continues them.

use std::time::Duration;

use serde_json::Value;

use crate::stage::{Stage, happens, has_text};

/// How long an agent may take for a step.
const PATIENCE: Duration = Duration::from_secs(40);

/// The agents end after one or two of these in a row. On a busy machine, the second one may come too late.
const MOST_INTERRUPTS: usize = 12;

/// The agents: name, command, and what shows that they are ready.
const AGENTS: [(&str, &str, &str); 4] = [
    ("claude", "claude --allowedTools mcp__fugue__*", "shift\\+tab|for shortcuts|mode on"),
    ("codex", "codex --no-daemon", "Ask Codex"),
    ("gemini", "gemini", "Type your message"),
    ("opencode", "opencode", "Ask anything"),
];

fn view(stage: &Stage, pane: &str) -> Value {
    let panes = stage.server.json(&["list-panes"]);
    let panes = panes["panes"].as_array().expect("panes");
    panes.iter().find(|view| view["pane_id"] == pane).expect("the pane").clone()
}

fn prompt(stage: &Stage, pane: &str, text: &str, sign: &str) {
    let rest = ["idle", "complete", "waiting_for_input"];
    let is_at_rest = || rest.iter().any(|state| view(stage, pane)["agent"]["state"] == *state);
    assert!(
        happens(PATIENCE, is_at_rest),
        "{}\n{}",
        stage.server.ok(&["explain", pane]),
        stage.server.text(pane)
    );
    stage.server.ok(&["send-input", "-t", pane, text, "--submit"]);
    let arrived = || stage.requests().iter().any(|(_, body)| has_text(body, &|one| one.contains(sign)));
    if !happens(Duration::from_secs(4), arrived) {
        stage.server.ok(&["send-input", "-t", pane, "--key", "Enter"]);
        assert!(happens(PATIENCE, arrived), "{}", stage.server.text(pane));
    }
    assert!(happens(PATIENCE, is_at_rest), "{}", stage.server.ok(&["explain", pane]));
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn the_conversation_of_each_agent_is_learnt_and_resumed_in_its_pane() {
    let only = std::env::var("FUGUE_STAGE_AGENTS").unwrap_or_default();
    for (name, command, ready) in AGENTS {
        if !only.is_empty() && !only.contains(name) {
            continue;
        }
        let stage = Stage::open();
        let pane = stage.start_directly(name, command);
        stage.wait_for_start(&pane, ready);
        prompt(&stage, &pane, "remember the blue whale", "blue whale");
        prompt(&stage, &pane, "@call fugue_whoami {}", &pane);
        let conversation = || view(&stage, &pane)["conversation"].clone();
        assert!(happens(PATIENCE, || conversation()["agent"] == name), "{}", view(&stage, &pane));
        let id = conversation()["id"].as_str().expect("an id").to_owned();
        let has_exited = || view(&stage, &pane)["state"] == "exited";
        for _ in 0..MOST_INTERRUPTS {
            // It may exit in between.
            stage.server.run(&["send-input", "-t", &pane, "--key", "C-c"]);
            if happens(Duration::from_millis(600), has_exited) {
                break;
            }
        }
        assert!(happens(PATIENCE, has_exited), "{}", stage.server.text(&pane));
        let resumed = stage.server.json(&["resume", &pane]);
        assert!(
            resumed["restored"][0]["command"].as_str().is_some_and(|line| line.contains(&id)),
            "{resumed}"
        );
        // It draws the conversation so far, and then waits for the next prompt.
        let shown = || stage.server.ok(&["get-output", "-t", &pane, "--mode", "screen"]);
        let waits = || {
            let before = shown();
            before.contains("fugue_whoami") && !happens(Duration::from_secs(3), || shown() != before)
        };
        assert!(happens(PATIENCE, waits), "{}", shown());
        let before = stage.requests().len();
        prompt(&stage, &pane, "what was it again", "what was it again");
        let continues = |(_, body): &(f64, Value)| {
            has_text(body, &|text| text.contains("blue whale"))
                && has_text(body, &|text| text.contains("it again"))
        };
        assert!(stage.requests()[before..].iter().any(continues), "{name} continues its conversation");
        assert_eq!(conversation()["id"], id.as_str(), "it is the same conversation");
        println!("{name}: {id}, {}", resumed["restored"][0]["command"]);
    }
}
