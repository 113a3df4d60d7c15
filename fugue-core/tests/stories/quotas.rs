//! Quotas of agents: what they and their descendants may hold and do, and that people have none.

use fugue_core::Settings;
use fugue_core::settings::Quotas;
use fugue_protocol::limits;

use crate::story::Story;

/// A story with a session `chief`, whose pane is `a`, and these quotas.
fn chief(quotas: Quotas) -> Story {
    let mut story = Story::with(Settings { quotas, ..Settings::default() });
    story.run("create-session -s chief");
    story
}

const SESSIONS: &str = "Session `chief` has reached the limit of 2 sessions created by an agent and its descendants\n\
    hint: `fugue kill-session` ends a session that is no longer needed; ask the user to raise `max_sessions_per_agent` in \
    config.toml";

fn two_sessions() -> Story {
    let mut story = chief(Quotas { sessions: 2, ..Quotas::default() });
    story.run_in("a", "create-session -s one");
    story.run_in("b", "create-session -s two");
    story
}

#[test]
fn the_sessions_of_descendants_count_against_the_ancestor() {
    let mut story = two_sessions();
    for pane in ["a", "b", "c"] {
        story.refused_to(story.inside(pane), "create-session", SESSIONS);
    }
    story.run("create-session -s persons");
    story.run("kill-session -s two");
    story.run_in("b", "create-session -s three");
}

#[test]
fn closing_the_session_in_between_does_not_set_its_descendants_free() {
    let mut story = two_sessions();
    story.run_in("c", "kill-session -s one");
    story.run_in("c", "create-session -s three");
    story.refused_to(story.inside("c"), "create-session", SESSIONS);
    assert_eq!(story.world().closed_ancestors.len(), 1);
    let ancestors = story.world().closed_ancestors.clone();
    story.restart();
    assert_eq!(story.world().closed_ancestors, ancestors, "a restart remembers it");
    story.run("kill-session -s two");
    story.run("kill-session -s three");
    assert!(story.world().closed_ancestors.is_empty(), "nobody descends from it any more");
}

#[test]
fn agents_that_replace_each_other_in_turn_leave_no_growing_lineage() {
    let mut story = two_sessions();
    let mut names = vec!["one".to_owned(), "two".to_owned()];
    for pane in 'c'..='p' {
        let pane = pane.to_string();
        story.run_in(&pane, &format!("kill-session -s {}", names[names.len() - 2]));
        names.push(format!("after-{pane}"));
        story.run_in(&pane, &format!("create-session -s after-{pane}"));
    }
    story.refused_to(story.inside("p"), "create-session", SESSIONS);
    assert!(story.world().closed_ancestors.len() <= 2, "{:?}", story.world().closed_ancestors);
}

#[test]
fn the_sessions_of_a_closed_ancestor_still_count() {
    let mut story = two_sessions();
    story.run("kill-session -s chief");
    for (pane, own) in [("b", "one"), ("c", "two")] {
        let told = SESSIONS.replacen("chief", own, 1);
        story.refused_to(story.inside(pane), "create-session", &told);
    }
    story.run("kill-session -s two");
    story.run_in("b", "create-session -s three");
}

#[test]
fn sessions_that_are_being_started_count_already() {
    let mut story = chief(Quotas { sessions: 2, ..Quotas::default() });
    story.starts_are_slow();
    let tickets: Vec<_> = (0..2).map(|_| story.begin(story.inside("a"), "create-session")).collect();
    story.refused_to(story.inside("a"), "create-session", SESSIONS);
    story.finish_starts();
    for ticket in tickets {
        story.answer_to(ticket).expect("both have room");
    }
}

#[test]
fn panes_are_limited_wherever_an_agent_opens_them() {
    let mut story = chief(Quotas { panes: 2, ..Quotas::default() });
    story.run("create-session -s other");
    story.run_in("a", "create-pane");
    let full = |session: &str| {
        format!(
            "Session `{session}` has reached the limit of 2 panes for an agent and its descendants\n\
             hint: `fugue close-pane` closes a pane that is no longer needed; ask the user to raise \
             `max_panes_per_agent` in config.toml"
        )
    };
    story.refused_to(story.inside("a"), "create-window", &full("chief"));
    story.refused_to(story.inside("a"), "create-session", &full("chief"));
    story.run_in("b", "create-pane -s other");
    story.refused_to(story.inside("b"), "create-pane -s other", &full("other"));
    story.run_in("a", "respawn-pane -t %a --kill");
    story.run("create-pane -s chief");
}

#[test]
fn programs_are_started_at_a_limited_rate_and_descendants_pay_together() {
    let mut story = chief(Quotas { spawns_per_minute: 3, ..Quotas::default() });
    story.run_in("a", "create-session -s one");
    story.run_in("b", "create-pane");
    story.run_in("a", "create-pane");
    let refusal = story.answer(story.inside("b"), "create-pane").expect_err("too fast");
    let told = story.sentence(&refusal);
    assert!(
        told.starts_with(
            "Session `one` has reached the limit of 3 programs started per minute by an agent and its descendants\n\
             hint: try again in 19"
        ) && told.ends_with("ask the user to raise `spawns_per_minute` in config.toml"),
        "{told}"
    );
    story.run("create-pane -s one");
    story.advance(20_000);
    story.run_in("b", "create-pane");
}

#[test]
fn messages_are_sent_at_a_limited_rate() {
    let mut story = chief(Quotas { messages_per_minute: 2, ..Quotas::default() });
    story.run("create-session -s other");
    for _ in 0..2 {
        story.run_in("a", "send-orchestration -s other note");
    }
    let refusal = story.answer(story.inside("a"), "send-orchestration -s other note").expect_err("too fast");
    let told = story.sentence(&refusal);
    assert!(
        told.starts_with("Session `chief` has reached the limit of 2 messages sent per minute\n"),
        "{told}"
    );
    assert!(told.ends_with("ask the user to raise `messages_per_minute` in config.toml"), "{told}");
    story.run_in("b", "send-orchestration -s chief note");
    for _ in 0..5 {
        story.run("send-orchestration -s other note");
    }
    story.advance(30_000);
    story.run_in("a", "send-orchestration -s other note");
}

#[test]
fn the_waits_of_an_agent_are_limited() {
    let mut story = chief(Quotas::default());
    for _ in 0..limits::AGENT_WAITS {
        story.begin(story.inside("a"), "poll-messages --wait-ms 60000");
    }
    let full = "Session `chief` has reached the limit of 256 waits in progress\nhint: try again when one of the other waits has finished";
    story.refused_to(story.inside("a"), "poll-messages --wait-ms 60000", full);
}

#[test]
fn the_agents_and_commands_that_an_agent_waits_for_count_as_its_waits() {
    let mut story = chief(Quotas { spawns_per_minute: 1_000, ..Quotas::default() });
    for _ in 0..limits::AGENT_WAITS - 2 {
        story.begin(story.inside("a"), "poll-messages --wait-ms 60000");
    }
    story.begin(story.inside("a"), "spawn-agent claude");
    story.begin(story.inside("a"), "run-parallel 'sleep 9'");
    let full = "Session `chief` has reached the limit of 256 waits in progress\nhint: try again when one of the other waits has finished";
    story.refused_to(story.inside("a"), "run-parallel 'sleep 9'", full);
}

#[test]
fn the_metadata_of_an_agent_and_its_descendants_is_limited_in_bytes() {
    let mut story = chief(Quotas::default());
    let value = "v".repeat(limits::VALUE_BYTES - 8);
    let variable = |number: usize| format!(" -e KEYS{number:04}={value}");
    let half: String = (1..limits::AGENT_ENTRY_BYTES / 2 / limits::VALUE_BYTES).map(variable).collect();
    story.run_in("a", &format!("create-session -s one{half}"));
    story.run_in("b", &format!("create-session -s two{half}"));
    story.run_in("a", &format!("set-metadata KEYS0001 {value}"));
    let full = format!(
        "Session `chief` has reached the limit of {} bytes of tags, metadata and environment variables for an \
         agent and its descendants\nhint: remove entries that are no longer needed",
        limits::AGENT_ENTRY_BYTES
    );
    story.refused_to(story.inside("a"), &format!("set-metadata KEYS0002 {value}"), &full);
    story.refused_to(story.inside("c"), &format!("create-session -e KEYS0001={value}"), &full);
    story.run_in("c", "set-environment KEYS0001 shorter");
    story.run_in("a", &format!("set-metadata KEYS0002 {value}"));
    story.run(&format!("set-metadata -s chief key {value}"));
}

#[test]
fn the_default_quotas_let_an_orchestrator_start_two_hundred_agents_at_once_and_stop_a_loop() {
    let mut story = chief(Quotas::default());
    let made = (0..300).take_while(|_| story.answer(story.inside("a"), "create-session").is_ok()).count();
    assert_eq!(made, limits::AGENT_SESSIONS);
}
