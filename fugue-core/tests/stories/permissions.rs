//! Dialogs in which agents ask the user: who may end, answer or type into their panes, and the rules that answer them.

use fugue_agents::Front;
use fugue_core::edge_request::{EdgeRequest, PaneRequest};
use fugue_core::permission_rules::PermissionRules;
use fugue_core::scope::Scopes;
use fugue_core::{Effect, Input, Settings};
use fugue_protocol::Scope;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};
use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogChoice, DialogKind};
use fugue_protocol::permission_rules::{PermissionRule, RuleVerdict};
use fugue_protocol::verbs::AnnounceMessages;

use crate::story::{OUTSIDE, Story};

fn dialog(kind: DialogKind, command: &str) -> Dialog {
    let choice = |label: &str, effect| DialogChoice::new(label, effect);
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
    story.input(Input::DialogObserved { pane, dialog, answered: false });
}

/// The hook of the agent in pane b reports that it asks to run a command.
fn report(story: &mut Story, command: &str) {
    let line =
        format!("report-state claude blocked --hook --reason 'approve {command}' --command '{command}'");
    story.run_in("b", &line);
}

/// The number of answers that a rule has just given.
fn answers(story: &Story) -> usize {
    story.step.effects.iter().filter(|effect| matches!(effect, Effect::AnswerDialog { .. })).count()
}

/// A lead and a child, with rules of the user.
fn with_rules(texts: &[(&str, RuleVerdict)]) -> Story {
    let mut story = lead_and_child();
    let rules = texts.iter().filter_map(|(text, verdict)| PermissionRule::parse(text, *verdict));
    story.machine.set_rules(PermissionRules::new(rules));
    story
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
fn an_answer_of_ones_own_is_one_line_for_a_field() {
    let mut story = lead_and_child();
    let mut asked = Dialog { command: None, ..dialog(DialogKind::Question, "") };
    let field = DialogChoice::new("Type something.", ChoiceEffect::Other);
    asked.choices.push(DialogChoice { takes_text: true, ..field });
    show(&mut story, Some(asked));
    let list = story.reply(OUTSIDE, "list-permissions");
    let id = list["permissions"][0]["dialog_id"].as_str().expect("an id").to_owned();
    let refused = |story: &mut Story, words: &str| {
        let answer = story.answer(OUTSIDE, &format!("answer-permission {id} {words}"));
        answer.expect_err(words).to_string()
    };
    assert_eq!(refused(&mut story, "3"), "`Type something.` is a field for an answer of your own");
    assert_eq!(refused(&mut story, "1 --text green"), "The choice `Yes` takes no text");
    for text in ["' '".to_owned(), "'a\nb'".to_owned(), "a".repeat(401)] {
        let why = refused(&mut story, &format!("3 --text {text}"));
        assert!(why.ends_with("must be one line of 1 to 400 visible characters"), "{why}");
    }
    let request = story.ask(&format!("answer-permission {id} 3 --text ' like grass '"));
    let EdgeRequest::Pane(_, PaneRequest::Answer(answer)) = request else { panic!("{request:?}") };
    assert_eq!((answer.choice, answer.text.as_deref()), (3, Some("like grass")));
    story.ask(&format!("answer-permission {id} 3 --text {}", "a".repeat(400)));
}

#[test]
fn the_question_that_is_open_now_is_explained() {
    let mut story = lead_and_child();
    let pane = story.aliases.pane("b");
    let mut report = Evidence::new(EvidenceSource::Osc7501, AgentState::WaitingForInput);
    report.reason = Some("answer: Which color?".into());
    story.input(Input::AgentObserved { pane, front: Front::Named("claude".into()), evidence: vec![report] });
    let shown = |story: &mut Story, question: &str| {
        let asked = Dialog { question: question.into(), command: None, ..dialog(DialogKind::Question, "") };
        story.input(Input::DialogObserved { pane, dialog: Some(asked), answered: false });
        story.reply(OUTSIDE, "explain %b")["why"].as_str().expect("a text").to_owned()
    };
    let first = shown(&mut story, "Which color?");
    assert!(first.ends_with("according to its state report (OSC 7501)"), "{first}");
    let second = shown(&mut story, "Which size?");
    assert!(second.ends_with("; its screen asks: Which size?"), "{second}");
}

#[test]
fn a_rule_answers_a_dialog_once_and_is_audited() {
    let mut story = with_rules(&[("claude: make*", RuleVerdict::Allow)]);
    show(&mut story, None);
    report(&mut story, "make test");
    show(&mut story, Some(dialog(DialogKind::Permission, "make test")));
    assert_eq!(answers(&story), 1);
    let entry = story.step.audit.take().expect("an audit entry");
    assert_eq!(entry.detail.as_deref(), Some("allow by rule `claude: make*`: make test"));
    assert_eq!(entry.refusal, None);
    show(&mut story, Some(Dialog { selected: 2, ..dialog(DialogKind::Permission, "make test") }));
    assert_eq!(answers(&story), 0, "it is being answered");
    show(&mut story, Some(dialog(DialogKind::Permission, "make test; id")));
    assert_eq!(answers(&story), 0, "no rule covers it");
}

#[test]
fn a_dialog_that_only_the_screen_shows_is_answered_by_no_rule() {
    for verdict in [RuleVerdict::Allow, RuleVerdict::Deny] {
        let mut story = with_rules(&[("claude: git status*", verdict)]);
        show(&mut story, Some(dialog(DialogKind::Permission, "git status")));
        assert_eq!(answers(&story), 0);
        let entry = story.step.audit.take().expect("an audit entry");
        assert!(entry.refusal.is_some_and(|why| why.starts_with("only the screen shows this command")));
        let why = "rule `claude: git status*` does not answer: only the screen shows this command, and the agent \
                   has not reported it";
        assert_eq!(story.reply(OUTSIDE, "list-permissions")["permissions"][0]["rule"], why);
        let explained = story.reply(OUTSIDE, "explain %b")["why"].to_string();
        assert!(explained.contains(why), "{explained}");
        report(&mut story, "git status");
        assert_eq!(answers(&story), 1, "the agent reports it a moment later");
        assert_eq!(
            story.reply(OUTSIDE, "list-permissions")["permissions"][0]["rule"],
            serde_json::json!(null)
        );
    }
}

#[test]
fn a_rule_sees_the_whole_command_that_the_agent_asks_to_run() {
    for reported in ["git status\ntouch made-it", "touch made-it", "git status -s"] {
        let mut story = with_rules(&[("claude: git status*", RuleVerdict::Allow)]);
        show(&mut story, None);
        report(&mut story, reported);
        show(&mut story, Some(dialog(DialogKind::Permission, "git status")));
        assert_eq!(answers(&story), 0, "{reported}");
        let refusal = story.step.audit.take().and_then(|entry| entry.refusal).expect("an audit entry");
        assert_eq!(refusal, "the agent has reported another command than its screen shows");
    }
}

#[test]
fn no_rule_answers_while_the_agent_asks_more_than_one_thing() {
    let mut story = with_rules(&[("claude: git status*", RuleVerdict::Allow)]);
    show(&mut story, None);
    report(&mut story, "touch made-it");
    report(&mut story, "git status");
    show(&mut story, Some(dialog(DialogKind::Permission, "git status")));
    assert_eq!(answers(&story), 0);
}

#[test]
fn a_rule_that_cannot_be_read_keeps_the_others_from_allowing() {
    for (verdict, expected) in [(RuleVerdict::Allow, 0), (RuleVerdict::Deny, 1)] {
        let mut story = lead_and_child();
        let rules = PermissionRules::new(PermissionRule::parse("claude: make*", verdict));
        story.machine.set_rules(rules.incomplete(true));
        show(&mut story, None);
        report(&mut story, "make");
        show(&mut story, Some(dialog(DialogKind::Permission, "make")));
        assert_eq!(answers(&story), expected, "{verdict:?}");
    }
}

/// An agent that reports that it asks, and whose terminal says that it is idle: another program may have drawn that.
fn painted_over() -> Story {
    let mut story = lead_and_child();
    show(&mut story, None);
    report(&mut story, "touch made-it");
    show(&mut story, Some(dialog(DialogKind::Permission, "touch made-it")));
    let pane = story.aliases.pane("b");
    let idle = [EvidenceSource::Osc7501, EvidenceSource::Title, EvidenceSource::Screen];
    let evidence = idle.map(|source| Evidence::new(source, AgentState::Idle)).to_vec();
    story.input(Input::AgentObserved { pane, front: Front::Named("claude".into()), evidence });
    story.input(Input::DialogObserved { pane, dialog: None, answered: false });
    story
}

const TYPES: [&str; 3] = ["send-input -t %b -k Enter", "send-input -t %b 1 --submit", "run -t %b true"];

#[test]
fn no_program_types_where_an_agent_reports_that_it_asks_whatever_the_screen_shows() {
    for line in TYPES {
        let mut story = painted_over();
        let refusal = story.answer(story.inside("a"), line).expect_err(line).to_string();
        assert!(refusal.ends_with("is asking the user for permission"), "{line}: {refusal}");
        story.begin(OUTSIDE, line);
        assert!(story.step.answers.is_empty(), "{line}: a person may");
    }
}

#[test]
fn a_request_is_over_when_it_was_answered_or_a_hook_says_so() {
    let ends: [&dyn Fn(&mut Story); 4] = [
        &|story| story.run_in("b", "report-state claude unknown --hook"),
        &|story| {
            let over = AnnounceMessages { over: Some("approve touch made-it".into()), ..Default::default() };
            story.request(story.inside("b"), over.into());
        },
        &|story| {
            let pane = story.aliases.pane("b");
            let dialog = Some(dialog(DialogKind::Permission, "touch made-it"));
            story.input(Input::DialogObserved { pane, dialog, answered: false });
            story.input(Input::DialogObserved { pane, dialog: None, answered: true });
        },
        &|story| {
            let pane = story.aliases.pane("b");
            story.input(Input::AgentObserved { pane, front: Front::Shell, evidence: Vec::new() });
        },
    ];
    for (number, end) in ends.iter().enumerate() {
        let mut story = painted_over();
        end(&mut story);
        story.begin(story.inside("a"), TYPES[0]);
        assert!(story.step.answers.is_empty(), "{number}: {:?}", story.step.answers);
    }
    let mut story = painted_over();
    let other = AnnounceMessages { over: Some("approve Read".into()), ..Default::default() };
    story.request(story.inside("b"), other.into());
    assert!(story.answer(story.inside("a"), TYPES[0]).is_err(), "another tool has run");
}
