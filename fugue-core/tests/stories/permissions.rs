//! Dialogs in which agents ask the user: who may end, answer or type into their panes, and the rules that answer them.

use fugue_core::agents::Front;
use fugue_core::permission_rules::PermissionRules;
use fugue_core::scope::Scopes;
use fugue_core::{Effect, Input, Settings};
use fugue_protocol::Scope;
use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogChoice, DialogKind};
use fugue_protocol::permission_rules::{PermissionRule, RuleVerdict};

use crate::story::{OUTSIDE, Story};

fn dialog(kind: DialogKind, command: &str) -> Dialog {
    let choice = |label: &str, effect| DialogChoice { label: label.into(), effect };
    Dialog {
        kind,
        title: None,
        question: "Do you want to proceed?".into(),
        detail: Vec::new(),
        command: Some(command.into()),
        choices: vec![choice("Yes", ChoiceEffect::Allow), choice("No", ChoiceEffect::Deny)],
        selected: 1,
    }
}

/// An agent in pane b shows a dialog.
fn show(story: &mut Story, dialog: Option<Dialog>) {
    let pane = story.aliases.pane("b");
    story.input(Input::AgentObserved { pane, front: Front::Named("claude".into()), evidence: Vec::new() });
    story.input(Input::DialogObserved { pane, dialog });
}

/// A session `lead` with pane a, and a session `child` that was created from it, with pane b.
fn lead_and_child() -> Story {
    let mut story = Story::of(&["create-session -s lead"]);
    story.run_in("a", "create-session -s child");
    story
}

const ENDS: [&str; 4] = ["close-pane -t %b", "kill-session -s child", "respawn-pane -t %b -k", "shutdown"];

#[test]
fn no_agent_ends_a_pane_in_which_another_waits_for_the_user() {
    for line in ENDS {
        let mut story = lead_and_child();
        show(&mut story, Some(dialog(DialogKind::Permission, "make")));
        let refusal = story.answer(story.inside("a"), line).expect_err(line).to_string();
        assert!(refusal.ends_with("is waiting for the user"), "{line}: {refusal}");
        assert!(story.step.audit.take().is_some_and(|entry| entry.refusal.is_some()), "{line}");
        show(&mut story, Some(dialog(DialogKind::Question, "make")));
        story.begin(story.inside("a"), line);
        assert!(
            !matches!(story.step.answers.pop(), Some((_, Err(_)))),
            "{line}: a question is the lead's affair"
        );
    }
}

#[test]
fn the_user_may_end_it_and_so_may_its_creator_if_the_user_gave_it_a_scope() {
    for (scoped, allowed) in [(None, false), (Some(Scope::Descendants), true), (Some(Scope::All), true)] {
        let mut story = lead_and_child();
        let scopes = scoped.map(|scope| ("lead".to_owned(), scope));
        story.machine.configure(Settings::default(), Scopes::new(scopes));
        show(&mut story, Some(dialog(DialogKind::Permission, "make")));
        let answer = story.answer(story.inside("a"), "close-pane -t %b");
        assert_eq!(answer.is_ok(), allowed, "{scoped:?}: {answer:?}");
    }
    let mut story = lead_and_child();
    show(&mut story, Some(dialog(DialogKind::Startup, "make")));
    story.run("close-pane -t %b");
}

#[test]
fn only_the_user_answers_and_a_dialog_that_stays_keeps_its_id() {
    let mut story = lead_and_child();
    show(&mut story, Some(dialog(DialogKind::Permission, "make")));
    let id = |story: &mut Story| {
        let list = story.reply(OUTSIDE, "list-permissions");
        list["permissions"][0]["dialog_id"].as_str().expect("an id").to_owned()
    };
    let first = id(&mut story);
    let line = format!("answer-permission {first} yes");
    let refusal = story.answer(story.inside("a"), &line).expect_err("an agent").to_string();
    assert_eq!(refusal, "Only the user may answer an agent's dialog");
    story.advance(1_000);
    show(&mut story, Some(Dialog { selected: 2, ..dialog(DialogKind::Permission, "make") }));
    assert_eq!(id(&mut story), first, "the selection has moved");
    story.ask(&line);
    show(&mut story, None);
    story.advance(1_000);
    show(&mut story, Some(dialog(DialogKind::Permission, "make")));
    assert_ne!(id(&mut story), first, "the same question, asked again");
    let refusal = story.answer(OUTSIDE, &line).expect_err("it is gone").to_string();
    assert_eq!(refusal, format!("Dialog not found: {first}"));
}

#[test]
fn a_rule_answers_a_dialog_once_and_is_audited() {
    let mut story = lead_and_child();
    let rule = PermissionRule::parse("claude: make*", RuleVerdict::Allow);
    story.machine.set_rules(PermissionRules::new(rule));
    let answers = |story: &Story| {
        story.step.effects.iter().filter(|effect| matches!(effect, Effect::AnswerDialog { .. })).count()
    };
    show(&mut story, Some(dialog(DialogKind::Permission, "make test")));
    assert_eq!(answers(&story), 1);
    let entry = story.step.audit.take().expect("an audit entry");
    assert_eq!(entry.detail.as_deref(), Some("allow by rule `claude: make*`: make test"));
    show(&mut story, Some(Dialog { selected: 2, ..dialog(DialogKind::Permission, "make test") }));
    assert_eq!(answers(&story), 0, "it is being answered");
    show(&mut story, Some(dialog(DialogKind::Permission, "make test; id")));
    assert_eq!(answers(&story), 0, "no rule covers it");
}
