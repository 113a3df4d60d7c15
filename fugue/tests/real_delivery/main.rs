//! The real agents, each in a pane with a scripted model: who they are, and how messages reach them. They are large, so
//! this runs only on request; see `stage.rs`.

mod codex_hooks;
mod conversations;
mod delivery;
mod permissions;
mod scene;
mod stage;

use std::time::Duration;

use serde_json::Value;
use stage::{Stage, has_text};

/// Has an agent call `whoami`, and returns what its model was told.
fn whoami(stage: &Stage, pane: &str, ready: &str) -> String {
    stage.server.wait_for(pane, ready);
    let before = stage.requests().len();
    stage.server.ok(&["send-input", "-t", pane, "@call fugue_whoami {}", "--submit"]);
    let told = |(_, body): &(f64, Value)| {
        has_text(body, &|text| text.contains("Cannot determine this process's pane") || text.contains(pane))
    };
    let answered = stage::happens(Duration::from_secs(60), || stage.requests()[before..].iter().any(told));
    assert!(answered, "the model was told nothing: {}", stage.server.text(pane));
    let requests = stage.requests();
    let body = &requests[before..].iter().find(|request| told(request)).expect("just seen").1;
    body.to_string()
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn three_codex_panes_that_share_a_server_are_unknown_and_three_that_do_not_are_known() {
    let stage = Stage::open();
    let panes = ["one", "two", "three"].map(|name| stage.start(name, "codex", "proj"));
    stage.server.ok(&["send-orchestration", "-s", "one", "secret-words"]);
    for pane in &panes {
        let told = whoami(&stage, pane, "Ask Codex");
        assert!(told.contains("the `codex app-server` that several panes share"), "{told}");
        assert!(told.contains("start Codex in the pane with `codex --no-daemon`"), "{told}");
        assert!(!panes.iter().any(|pane| told.contains(pane.as_str())), "{told}");
    }
    let alone = ["four", "five", "six"].map(|name| stage.start(name, "codex --no-daemon", "proj"));
    for pane in &alone {
        let told = whoami(&stage, pane, "Ask Codex");
        assert!(told.contains(pane.as_str()), "{told}");
        let view = stage.server.json(&["explain", pane]);
        assert_eq!(view["conversation"]["agent"], "codex", "{view}");
    }
}
