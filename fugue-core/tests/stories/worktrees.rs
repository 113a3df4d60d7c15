//! Worktrees of sessions: who knows them, who may remove them, and what a restart keeps.

use fugue_core::scope::Scopes;
use fugue_core::{Caller, EdgeRequest, Effect, Input};
use fugue_protocol::Scope;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

fn bridge(story: &Story, pane: &str) -> Caller {
    Caller::Bridge { pane: story.aliases.pane(pane), claims: false }
}

#[test]
fn a_session_knows_its_worktree_even_after_a_restart() {
    let mut story = Story::new();
    let created = story.reply(OUTSIDE, "create-session --worktree feature/login");
    let own = json!({ "path": "/app.worktrees/feature/login", "branch": "feature/login" });
    assert_eq!(created["worktree"], own);
    story.restart();
    let session = &story.reply(OUTSIDE, "list-sessions")["sessions"][0];
    assert_eq!((&session["name"], &session["own_worktree"]), (&json!("feature-login"), &own));
}

#[test]
fn a_worktree_that_cannot_be_made_leaves_no_session() {
    let mut story = Story::new();
    story.next_start_fails();
    assert!(story.answer(OUTSIDE, "create-session --worktree fix").is_err());
    assert!(story.world().sessions.is_empty() && story.world().worktrees.is_empty());
    assert!(story.answer(OUTSIDE, "create-session {\"worktree\":{\"branch\":\"\"}}").is_err());
}

#[test]
fn an_agent_cannot_force_a_removal_and_a_person_can() {
    let mut story = Story::of(&["create-session -s work", "create-session -s w --worktree fix"]);
    let agent = bridge(&story, "a");
    story.refused_to(
        agent,
        "remove-worktree -s w --force",
        "Cannot remove worktree `/app.worktrees/fix`: agents cannot force the removal\n\
         hint: ask the user to remove it",
    );
    let EdgeRequest::RemoveWorktree(removal) = story.ask("remove-worktree /app.worktrees/fix/ --force")
    else {
        panic!("not a removal");
    };
    assert!(removal.force && !removal.delete_branch);
    story.input(Input::WorktreeRemoved { path: "/app.worktrees/fix".into() });
    assert!(story.world().worktrees.is_empty());
    story.refused(
        "remove-worktree /app.worktrees/fix",
        "Worktree not found: /app.worktrees/fix\nhint: `fugue list-worktrees` lists the worktrees that were \
         created for sessions",
    );
}

#[test]
fn an_agent_removes_worktrees_only_within_its_scope() {
    let mut story = Story::of(&["create-session -s work", "create-session -s w --worktree fix"]);
    let agent = bridge(&story, "a");
    story.reply(agent, "create-session -s own --worktree mine");
    story.machine.configure(Default::default(), Scopes::new([("*".to_owned(), Scope::Descendants)]));
    let refused = story.answer(agent, "remove-worktree -s w").expect_err("it is beyond the scope");
    assert!(refused.to_string().contains("outside the scope"), "{refused}");
    story.begin(agent, "remove-worktree -s own");
    assert!(matches!(
        story.step.effects[..],
        [Effect::Request { request: EdgeRequest::RemoveWorktree(_), .. }]
    ));
    story.run("kill-session -s own");
    story.begin(agent, "remove-worktree /app.worktrees/mine");
    assert!(matches!(
        story.step.effects[..],
        [Effect::Request { request: EdgeRequest::RemoveWorktree(_), .. }]
    ));
    story.run("kill-session -s w");
    let refused = story.answer(agent, "remove-worktree /app.worktrees/fix").expect_err("a person made it");
    let reason = "all sessions that were allowed to remove it are closed";
    assert!(refused.to_string().contains(reason), "{refused}");
    story.machine.configure(Default::default(), Scopes::new([("*".to_owned(), Scope::Observe)]));
    let refused = story.answer(agent, "create-session --worktree more").expect_err("it may only observe");
    assert!(refused.to_string().contains("outside the scope"), "{refused}");
}
