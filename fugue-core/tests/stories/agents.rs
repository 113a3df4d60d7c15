//! Agent states: which evidence decides, for how long, and what is reported.

use fugue_agents::Front;
use fugue_core::{Input, World};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use fugue_protocol::views::ExitStatus;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

fn evidence(source: EvidenceSource, state: AgentState) -> Evidence {
    Evidence::new(source, state)
}

fn program(line: &str) -> Front {
    Front::Program(line.split(' ').map(str::to_owned).collect())
}

fn observe(story: &mut Story, front: Front, evidence: &[Evidence]) {
    let pane = story.aliases.pane("a");
    story.input(Input::AgentObserved { pane, front, evidence: evidence.to_vec() });
}

fn claude() -> Story {
    Story::of(&["create-session -s work -- claude"])
}

#[test]
fn a_state_the_agent_reports_outranks_its_title() {
    let mut story = claude();
    let idle = evidence(EvidenceSource::Title, AgentState::Idle);
    observe(
        &mut story,
        program("claude"),
        &[evidence(EvidenceSource::Osc7501, AgentState::Working), idle.clone()],
    );
    story.assert_events(&["seen a claude Osc7501 working Title idle", "agent a claude working"]);
    observe(
        &mut story,
        program("claude"),
        &[evidence(EvidenceSource::Osc7501, AgentState::Working), idle.clone()],
    );
    story.assert_events(&[]);
    observe(&mut story, program("claude"), &[idle]);
    story.assert_events(&["seen a claude Title idle", "agent a claude idle"]);
    let agent = &story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"];
    assert_eq!((&agent["source"], &agent["sure"]), (&json!("title"), &json!("likely")));
}

#[test]
fn a_permission_request_is_shown_with_its_text_and_explained() {
    let mut story = claude();
    let asks = Evidence {
        reason: Some("approve Bash: touch x".into()),
        waits_for: Some(WaitsFor::Permission),
        ..evidence(EvidenceSource::Osc7501, AgentState::Blocked)
    };
    observe(&mut story, program("claude"), &[asks, evidence(EvidenceSource::Screen, AgentState::Idle)]);
    let agent = &story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"];
    assert_eq!((&agent["state"], &agent["waits_for"]), (&json!("blocked"), &json!("permission")));
    assert_eq!(agent["reason"], json!("approve Bash: touch x"));
    let explained = story.reply(OUTSIDE, "explain %a");
    assert_eq!(
        explained["why"],
        "claude: blocked for 0 s (approve Bash: touch x), according to its state report (OSC 7501)"
    );
    let believed = |at: usize| explained["candidates"][at]["believed"].as_bool().unwrap();
    assert!(believed(0) && !believed(1));
    assert_eq!(explained["candidates"][1]["because"], "weaker than its state report (OSC 7501)");
}

#[test]
fn a_pane_that_runs_no_agent_has_no_agent_state() {
    let mut story = Story::of(&["create-session -s work"]);
    observe(&mut story, Front::Other, &[]);
    story.assert_events(&[]);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"], json!(null));
    assert_eq!(story.reply(OUTSIDE, "explain")["why"], "no agent was detected in this pane");
}

#[test]
fn an_agent_without_evidence_is_unknown_and_an_exited_one_is_removed() {
    let mut story = Story::of(&["create-session -s work"]);
    observe(&mut story, program("node /usr/bin/codex"), &[]);
    story.assert_events(&["seen a codex", "agent a codex unknown"]);
    observe(&mut story, Front::Other, &[]);
    story.assert_events(&["seen a none", "agent a none"]);
}

#[test]
fn a_state_keeps_its_start_time_when_its_source_changes() {
    let mut story = claude();
    observe(&mut story, program("claude"), &[evidence(EvidenceSource::Screen, AgentState::Working)]);
    let since = story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["since"].clone();
    observe(&mut story, program("claude"), &[evidence(EvidenceSource::Osc7501, AgentState::Working)]);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["since"], since);
}

#[test]
fn a_reported_agent_state_survives_a_restart() {
    let mut story = claude();
    observe(&mut story, program("claude"), &[evidence(EvidenceSource::Osc7501, AgentState::Working)]);
    let kept: Vec<_> = story.history.iter().filter(|event| !event.is_fleeting()).cloned().collect();
    let before = story.world().panes[&story.aliases.pane("a")].agent.view.clone();
    let world = World::fold(&kept);
    assert_eq!(world.panes[&story.aliases.pane("a")].agent.view, before);
    let mut later = Story::after(kept);
    observe(&mut later, program("claude"), &[evidence(EvidenceSource::Osc7501, AgentState::Working)]);
    later.assert_events(&["seen a claude Osc7501 working"]);
}

#[test]
fn an_exited_agent_keeps_only_the_complete_state() {
    for (state, left) in [(AgentState::Working, json!(null)), (AgentState::Complete, json!("complete"))] {
        let mut story = Story::of(&["create-session -s work --on-exit keep -- claude"]);
        observe(&mut story, program("claude"), &[evidence(EvidenceSource::Osc7501, state)]);
        story.exit("a", ExitStatus::Code(0));
        assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["state"], left);
        story.run("respawn-pane");
        assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"], json!(null));
    }
}

#[test]
fn bells_and_notifications_are_reported_but_not_stored() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane"]);
    let (open, closed) = (story.aliases.pane("a"), story.aliases.pane("b"));
    story.input(Input::BellRang { pane: open });
    story.assert_events(&["rang a"]);
    story.input(Input::Notified { pane: open, title: "build".into(), body: "done".into() });
    story.assert_events(&["notified a build: done"]);
    assert!(story.step.events.iter().all(fugue_protocol::Event::is_fleeting));
    story.input(Input::BellRang { pane: closed });
    story.assert_events(&[]);
}

#[test]
fn no_timer_is_set_unless_a_report_can_expire() {
    let mut story = claude();
    observe(&mut story, program("claude"), &[evidence(EvidenceSource::Title, AgentState::Idle)]);
    sleep(&mut story, 60_000);
    assert_eq!(story.machine.wake_at(), None);
}

/// Wakes the machine whenever it wants to be, for this long.
fn sleep(story: &mut Story, millis: u64) {
    let end = story.now().millis() + millis;
    while let Some(due) = story.machine.wake_at().filter(|due| due.millis() <= end) {
        assert!(due >= story.now(), "it is woken again and again");
        story.advance((due.millis() - story.now().millis()).max(1));
    }
    story.advance(end.saturating_sub(story.now().millis()));
}

#[test]
fn an_old_report_gives_way_in_time_whatever_else_wakes_the_daemon_meanwhile() {
    let mut story = claude();
    story.run_in("a", "report-status idle");
    observe(&mut story, program("claude"), &[evidence(EvidenceSource::Title, AgentState::Working)]);
    let state = |story: &mut Story| story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["state"].clone();
    story.run("claim build --ttl-ms 30000");
    sleep(&mut story, 100_000);
    assert_eq!(state(&mut story), "idle");
    sleep(&mut story, 21_000);
    assert_eq!(state(&mut story), "working");
    assert_eq!(story.machine.wake_at(), None, "nothing is pending");
}

#[test]
fn a_muted_pane_stays_silent_until_unmuted_even_after_a_restart() {
    let mut story = Story::of(&["create-session -s work"]);
    let pane = story.aliases.pane("a");
    let notification = |title: &str| Input::Notified { pane, title: title.into(), body: "look".into() };
    story.run("mute-pane");
    story.assert_events(&["muted a true"]);
    story.input(Input::BellRang { pane });
    story.assert_events(&[]);
    story.input(notification("one"));
    story.assert_events(&[]);
    story.run("mute-pane");
    story.assert_events(&[]);
    story.restart();
    story.input(Input::BellRang { pane });
    story.assert_events(&[]);
    story.run("mute-pane --off");
    story.assert_events(&["muted a false"]);
    story.input(notification("two"));
    story.assert_events(&["notified a two: look"]);
}

#[test]
fn the_state_that_an_agents_plugin_reports_counts_until_it_is_withdrawn() {
    let mut story = Story::of(&["create-session -s work -- opencode"]);
    observe(&mut story, program("opencode"), &[evidence(EvidenceSource::Screen, AgentState::Idle)]);
    story.run_in("a", "report-state opencode waiting_for_input --reason 'Which color?' --until 99");
    story.assert_events(&["reported a waiting_for_input", "agent a opencode waiting_for_input"]);
    let agent = story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"].clone();
    assert_eq!(
        json!([agent["reason"], agent["waits_for"], agent["until"], agent["source"]]),
        json!(["Which color?", "answer", 99, "plugin"])
    );
    story.run_in("a", "report-state opencode waiting_for_input --reason 'Which color?' --until 99");
    story.assert_events(&[]);
    story.run_in("a", "report-state opencode unknown");
    story.assert_events(&["reported a unknown", "agent a opencode idle"]);
}

/// The story as the next daemon continues it, with what the journal holds.
fn after_a_crash(story: &Story) -> Story {
    Story::after(story.history.iter().filter(|event| !event.is_fleeting()).cloned().collect())
}

#[test]
fn what_an_agent_that_has_exited_reported_does_not_come_back_after_a_crash() {
    let mut story = Story::of(&["create-session -s work"]);
    observe(&mut story, program("claude"), &[]);
    story.run_in("a", "report-status blocked 'needs a key'");
    observe(&mut story, Front::Shell, &[]);
    story.assert_events(&["reported a unknown", "seen a none", "agent a none"]);
    let mut later = after_a_crash(&story);
    observe(&mut later, Front::Shell, &[]);
    later.assert_events(&[]);
    assert_eq!(later.reply(OUTSIDE, "list-panes")["panes"][0]["agent"], json!(null));
}

#[test]
fn what_an_agent_reported_ends_though_it_exited_while_no_daemon_was_running() {
    let mut story = Story::of(&["create-session -s work"]);
    observe(&mut story, program("claude"), &[]);
    story.run_in("a", "report-status blocked 'needs a key'");
    for mut later in [after_a_crash(&story), {
        story.restart();
        story
    }] {
        observe(&mut later, Front::Hidden, &[]);
        assert_eq!(later.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["state"], "blocked");
        observe(&mut later, Front::Shell, &[]);
        assert_eq!(later.reply(OUTSIDE, "list-panes")["panes"][0]["agent"], json!(null));
    }
}

#[test]
fn what_a_program_that_is_no_known_agent_reported_outlives_a_crash() {
    let mut story = Story::of(&["create-session -s work"]);
    story.run_in("a", "report-status working");
    let mut later = after_a_crash(&story);
    observe(&mut later, Front::Other, &[]);
    assert_eq!(later.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["state"], "working");
}

#[test]
fn a_client_that_missed_events_that_are_not_stored_can_be_sent_what_they_led_to() {
    let mut story = claude();
    let pane = story.aliases.pane("a");
    observe(&mut story, program("claude"), &[evidence(EvidenceSource::Screen, AgentState::Working)]);
    story.input(Input::TitleChanged { pane, title: "building".into() });
    story.input(Input::DirectoryChanged { pane, cwd: "/tmp".into() });
    story.input(Input::ForegroundChanged { pane, program: Some("make".into()) });
    story.input(Input::CommandEnded { pane, exit: Some(3) });
    let stored: Vec<_> = story.history.iter().filter(|event| !event.is_fleeting()).cloned().collect();
    let mut missed = World::fold(&stored);
    fugue_core::current_events(story.world()).iter().for_each(|event| missed.evolve(event));
    let shown = |world: &World| {
        let pane = &world.panes[&pane];
        let (title, cwd) = (pane.title.clone(), pane.cwd().map(str::to_owned));
        (title, cwd, pane.foreground.clone(), pane.last_exit, pane.agent.view.clone())
    };
    assert_eq!(shown(&missed), shown(story.world()));
    assert_eq!(shown(&missed).0, "building");
}
