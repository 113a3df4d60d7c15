//! Codex with fugue's hooks and its queue: whichever comes first, a message is announced once.

use crate::scene::{AGENTS, PATIENCE, Scene};
use crate::stage::{Stage, happens};

impl Scene<'_> {
    /// Sends a message, waits until the model was told of so many in all, and returns how it was announced.
    fn announced(&self, times: usize) -> Option<String> {
        let sent = self.stage.server.json(&["send-orchestration", "-s", self.agent.name, "note"]);
        let message = sent["message_id"].as_str().expect("an id");
        happens(PATIENCE, || self.receipt(message).is_some() && self.times_told() >= times);
        // Nothing else may follow.
        happens(PATIENCE, || self.is_at_rest());
        self.settle();
        assert_eq!(self.times_told(), times, "{}", self.stage.server.text(&self.pane));
        let how = self.receipt(message);
        // At each prompt, hooks remind the agent of what it has not read.
        self.stage.server.ok(&["poll-messages", "-s", self.agent.name, "--ack", message, "-n", "0"]);
        how
    }

    fn subscribe(&self, methods: &[&str]) {
        let words = [&["subscribe-orchestration", "-s", self.agent.name, "--deliver"], methods].concat();
        self.stage.server.ok(&words);
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn codex_with_hooks_is_told_of_each_message_once() {
    let stage = Stage::open();
    stage.give_codex_hooks();
    let agent = AGENTS.iter().find(|agent| agent.name == "codex").expect("a row");
    let scene = Scene { stage: &stage, agent, pane: stage.start(agent.name, agent.command, "proj") };
    let dialog = || scene.dialogs()[0].clone();
    assert!(happens(PATIENCE, || dialog()["dialog_id"].is_string()), "{}", stage.server.text(&scene.pane));
    scene.settle();
    let id = dialog()["dialog_id"].as_str().expect("an id").to_owned();
    stage.server.ok(&["answer-permission", &id, "Trust all"]);
    stage.wait_for_start(&scene.pane, agent.ready);
    scene.prompt("hello there", "hello there");
    scene.prompt("@call fugue_whoami {}", &scene.pane);
    assert!(happens(PATIENCE, || scene.is_at_rest()), "{}", stage.server.ok(&["explain", &scene.pane]));
    let idle = scene.announced(1);
    assert_eq!(idle.as_deref(), Some("pushed"));
    scene.prompt("@delay 4 @call fugue_list_sessions {}", "@delay 4");
    let busy = scene.announced(2);
    assert!(busy.is_some(), "{}", stage.server.text(&scene.pane));
    // Without the queue, the hooks announce it: they are alive.
    scene.subscribe(&["count", "hook"]);
    scene.prompt("third @delay 4 @call fugue_list_sessions {}", "third @delay");
    let hooked = scene.announced(3);
    assert_eq!(hooked.as_deref(), Some("hook"));
    println!("codex with hooks: idle {idle:?}, busy {busy:?}, without its queue {hooked:?}");
}
