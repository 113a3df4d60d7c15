//! Conversations of agents: how they are learnt, where they are shown, and how they are resumed.

use fugue_agents::Front;
use fugue_core::Input;
use fugue_protocol::PaneId;
use fugue_protocol::views::ExitStatus;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

const ID: &str = "019a0000-0000-7000-8000-000000000001";

fn pane(story: &Story) -> PaneId {
    story.aliases.pane("a")
}

fn see(story: &mut Story, words: &[&str]) {
    let front = match words {
        [] => Front::Other,
        words => Front::Program(words.iter().map(|word| (*word).to_owned()).collect()),
    };
    let pane = pane(story);
    story.input(Input::AgentObserved { pane, front, evidence: Vec::new() });
}

fn shown(story: &mut Story) -> serde_json::Value {
    story.reply(OUTSIDE, "list-panes")["panes"][0]["conversation"].clone()
}

#[test]
fn a_conversation_is_known_from_the_command_line_and_shown_with_the_pane() {
    let mut story = Story::of(&[&format!("create-session --name work --command 'claude --resume {ID}'")]);
    assert_eq!(shown(&mut story), json!({ "agent": "claude", "id": ID }));
    assert_eq!(story.reply(OUTSIDE, "explain")["conversation"], json!({ "agent": "claude", "id": ID }));
    story.run_in("a", "report-conversation claude newer-1");
    assert_eq!(shown(&mut story)["id"], "newer-1", "the agent has begun another one");
}

#[test]
fn an_agent_started_from_a_shell_names_its_conversation_once() {
    let mut story = Story::of(&["create-session --name work"]);
    see(&mut story, &["opencode", "-s", "ses_1"]);
    assert_eq!(shown(&mut story), json!({ "agent": "opencode", "id": "ses_1" }));
    story.run_in("a", "report-conversation opencode ses_2");
    see(&mut story, &["opencode", "-s", "ses_1"]);
    assert_eq!(shown(&mut story)["id"], "ses_2");
}

#[test]
fn an_agent_that_exited_continues_its_conversation_in_its_pane() {
    let mut story =
        Story::of(&["create-session --name work --on-exit keep --command 'codex --model x hello'"]);
    story.run_in("a", &format!("report-conversation codex {ID}"));
    let refusal = story.answer(OUTSIDE, "resume-agent").expect_err("it is running");
    assert!(refusal.to_string().ends_with("is still running"), "{refusal}");
    let run = story.run_of("a");
    story.input(Input::Exited { run, exit: ExitStatus::Code(0) });
    let reply = story.reply(OUTSIDE, "resume-agent");
    assert_eq!(reply["restored"][0]["command"], format!("codex resume {ID} --model x"));
    assert_eq!(reply["restored"][0]["resumed"], true);
    assert!(story.run_of("a") != run);
    assert_eq!(shown(&mut story)["id"], ID, "it is still the same conversation");
}

#[test]
fn the_conversation_of_an_agent_that_ended_in_a_shell_is_kept_and_named() {
    let mut story = Story::of(&["create-session --name work"]);
    see(&mut story, &["claude"]);
    story.run_in("a", &format!("report-conversation claude {ID}"));
    see(&mut story, &[]);
    assert_eq!(shown(&mut story)["id"], ID);
    let refusal = story.answer(OUTSIDE, "resume-agent").expect_err("it is a shell");
    assert_eq!(
        refusal.to_string(),
        format!("The agent in pane {} was not started as the pane's program", pane(&story))
    );
    let hints = format!("{:?}", refusal.hints());
    assert!(hints.contains(&format!("claude --resume {ID}")), "{hints}");
}

#[test]
fn an_unknown_conversation_is_not_guessed() {
    let mut story = Story::of(&["create-session --name work --on-exit keep --command claude"]);
    let run = story.run_of("a");
    story.input(Input::Exited { run, exit: ExitStatus::Code(0) });
    let refusal = story.answer(OUTSIDE, "resume-agent").expect_err("it is unknown");
    assert!(refusal.to_string().starts_with("The conversation id of the agent in pane"), "{refusal}");
}

#[test]
fn the_conversation_of_a_closed_pane_is_named_to_people_only() {
    let mut story =
        Story::of(&["create-session --name work --command claude", "create-session --name other"]);
    story.run_in("a", &format!("report-conversation claude {ID}"));
    let resume = format!("resume-agent {}", pane(&story));
    story.run("close-pane -t %a");
    story.restart();
    let refusal = story.answer(OUTSIDE, &resume).expect_err("it is closed");
    assert!(refusal.to_string().ends_with("is closed"), "{refusal}");
    let hints = format!("{:?}", refusal.hints());
    assert!(hints.contains(&format!("claude --resume {ID}")), "{hints}");
    let agent = story.inside("b");
    let refusal = story.answer(agent, &resume).expect_err("it is closed");
    assert!(refusal.to_string().contains("not found"), "{refusal}");
}

#[test]
fn an_agent_is_resumed_in_its_pane_though_another_one_is_selected_meanwhile() {
    let start = format!("create-session --name work --on-exit keep --command 'claude --resume {ID}'");
    let mut story = Story::of(&[&start, "create-pane -d"]);
    story.exit("a", ExitStatus::Code(0));
    story.starts_are_slow();
    let ticket = story.begin(OUTSIDE, "resume-agent");
    story.begin(OUTSIDE, "focus-pane -t %b");
    story.start_next();
    let answer = story.answer_to(ticket);
    assert!(answer.is_ok(), "{answer:?}");
    assert!(story.world().panes[&pane(&story)].run().is_some());
}
