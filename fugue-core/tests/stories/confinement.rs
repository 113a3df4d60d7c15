//! Confinement: which programs are confined, and that no agent gets around it by what it creates or moves.

use fugue_core::scope::{ConfinementRules, Scopes};
use fugue_core::{ChildSpec, Settings};
use fugue_protocol::ConfinementName;

use crate::story::{OUTSIDE, Story};

fn settings() -> Settings {
    let name = |text: &str| text.parse::<ConfinementName>().expect("a name");
    let rules = [("worker*", Some("worktree")), ("worker-chief", None)];
    let rules = rules.map(|(pattern, profile)| (pattern.to_owned(), profile.map(name)));
    Settings { confinement: ConfinementRules::new(rules), ..Settings::default() }
}

/// The profiles of the program that a command starts.
#[track_caller]
fn profiles(story: &mut Story, pane: Option<&str>, line: &str) -> String {
    story.starts_are_slow();
    let caller = pane.map_or(OUTSIDE, |pane| story.inside(pane));
    story.begin(caller, line);
    let (_, children) = story.pending_starts.last().expect("a program is started").clone();
    let names = |child: &ChildSpec| child.confined_by.iter().map(ToString::to_string).collect::<Vec<_>>();
    let names: Vec<_> = children.iter().flat_map(names).collect();
    story.finish_starts();
    names.join(" ")
}

#[test]
fn programs_are_confined_by_the_rule_for_their_session_and_by_what_was_asked_for() {
    let mut story = Story::with(settings());
    assert_eq!(profiles(&mut story, None, "create-session -s free"), "");
    assert_eq!(profiles(&mut story, None, "create-session -s worker-1"), "worktree");
    assert_eq!(profiles(&mut story, None, "create-pane -s worker-1"), "worktree");
    assert_eq!(profiles(&mut story, None, "create-session -s worker-chief"), "");
    assert_eq!(profiles(&mut story, None, "create-session -s asked --confine read-only"), "read-only");
    assert_eq!(profiles(&mut story, None, "create-window -s asked"), "read-only");
    assert_eq!(
        profiles(&mut story, None, "create-session -s worker-2 --confine offline"),
        "offline worktree"
    );
    assert_eq!(profiles(&mut story, None, "respawn-pane -t %b -k"), "worktree");
}

#[test]
fn a_session_stays_confined_when_it_is_renamed_the_rules_change_or_the_daemon_restarts() {
    let mut story = Story::with(settings());
    story.run("create-session -s worker-1");
    story.run("rename-session -s worker-1 trusted");
    story.machine.configure(Settings::default(), Scopes::default());
    assert_eq!(profiles(&mut story, None, "create-window -s trusted"), "worktree");
    story.restart();
    assert_eq!(profiles(&mut story, None, "create-window -s trusted"), "worktree");
}

#[test]
fn what_a_confined_agent_creates_is_confined_as_it_is() {
    let mut story = Story::with(settings());
    story.run("create-session -s worker-1");
    assert_eq!(profiles(&mut story, Some("a"), "create-session -s helper"), "worktree");
    assert_eq!(profiles(&mut story, Some("b"), "create-session -s worker-chief"), "worktree");
    assert_eq!(profiles(&mut story, Some("a"), "create-window -s helper"), "worktree");
}

#[test]
fn a_confined_agent_reaches_no_session_but_those_it_created() {
    let mut story = Story::with(settings());
    story.run("create-session -s worker-1");
    story.run("create-session -s free");
    story.run_in("a", "create-session -s helper");
    story.run_in("a", "set-tags -s helper --add mine");
    for line in ["send-input -t %b ls", "create-window -s free", "set-tags -s free --add mine"] {
        let refusal = story.answer(story.inside("a"), line).expect_err("it is out of scope");
        assert!(refusal.to_string().contains("outside the scope (`descendants`)"), "{line}: {refusal}");
    }
}

#[test]
fn no_pane_is_moved_between_sessions_that_are_not_confined_in_the_same_way() {
    let mut story = Story::with(settings());
    story.run("create-session -s worker-1");
    story.run("create-session -s free");
    story.run("create-pane -s free");
    for (line, session) in [
        ("join-pane -t %b --beside %a", "worker-1"),
        ("join-pane -t %a --beside %b", "free"),
        ("swap-panes -t %b --with %a", "free"),
        ("move-window -s free -w 0 --to-session worker-1", "worker-1"),
    ] {
        let refusal = story.answer(OUTSIDE, line).expect_err("the pane must stay");
        let why =
            format!("The pane cannot be moved to session `{session}`, which is not confined in the same way");
        assert_eq!(refusal.to_string(), why, "{line}");
    }
    story.run("create-session -s worker-2");
    story.run("join-pane -t %a --beside %d");
}
