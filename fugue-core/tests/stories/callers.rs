//! Callers and their default targets.

use fugue_core::Caller;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

#[test]
fn whoami_reports_the_callers_own_pane_and_session() {
    let mut story = Story::of(&["create-session -s lead --tag boss", "create-pane -c /src"]);
    let caller = story.reply(story.inside("b"), "whoami");
    assert_eq!(
        caller,
        json!({
            "pane_id": "%b", "session_id": "$lead", "session_name": "lead", "window_id": "@bash",
            "tags": ["boss"], "cwd": "/src",
        })
    );
    let caller = story.reply(story.inside("b"), "whoami --include-tags false");
    assert_eq!(caller["tags"], json!(null));
    let claims = Caller::Claims(story.aliases.pane("a"));
    assert_eq!(story.reply(claims, "whoami")["claimed"], true);
}

#[test]
fn whoami_outside_a_pane_is_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    story.refused(
        "whoami",
        "Not running inside fugue\nhint: run it in a pane, or name a session or a pane if it takes one",
    );
}

#[test]
fn omitted_targets_default_to_the_callers_own() {
    let mut story = Story::of(&["create-session -s one", "create-window -n w", "create-session -s two"]);
    story.run_in("a", "create-pane -d");
    story.run_in("a", "rename-window mine");
    story.run_in("a", "set-tags --add busy");
    story.run_in("a", "set-metadata k v");
    story.run_in("a", "rename-session first");
    story.run_in("a", "focus-pane --below");
    story.run_in("a", "zoom-pane");
    story.run_in("a", "resize-window 60x20");
    story.run_in("d", "close-pane");
    story.assert_tree(
        "first #busy
           0 mine 60x20: a* 60x20
           1 w* 80x24: b* 80x24
         two*
           0 bash* 80x24: c* 80x24",
    );
    assert_eq!(story.reply(story.inside("a"), "get-metadata")["entries"], json!({"k": "v"}));
    assert_eq!(story.reply(OUTSIDE, "get-metadata")["entries"], json!({}));
}

#[test]
fn naming_a_session_targets_its_current_window_and_active_pane() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two", "create-window -n w"]);
    story.run_in("a", "create-pane -s two -R");
    story.run_in("a", "close-pane -s two");
    story.assert_tree(
        "one
           0 bash* 80x24: a* 80x24
         two*
           0 bash 80x24: b* 80x24
           1 w* 80x24: c* 80x24",
    );
}

#[test]
fn an_agent_whose_pane_was_closed_has_no_default_target() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane"]);
    let closed = "Pane not found\n\
        hint: the pane of this process was closed; name a session or a pane";
    for line in [
        "whoami",
        "set-tags --add mine",
        "get-tags",
        "set-metadata k v",
        "set-environment A 1",
        "rename-session mine",
        "create-window",
        "create-pane",
        "kill-window",
        "close-pane",
        "send-input ls",
    ] {
        story.refused_to(story.inside("b"), line, closed);
    }
    story.run_in("b", "create-window -s work -n named");
    story.run_in("b", "create-session -s orphan");
    story.assert_tree(
        "work*
           0 bash 80x24: a* 80x24
           1 named* 80x24: c* 80x24
         orphan
           0 bash* 80x24: d* 80x24",
    );
}

#[test]
fn the_first_session_becomes_the_users_default_even_if_an_agent_created_it() {
    let mut story = Story::of(&["create-session -s gone", "kill-session -s gone"]);
    story.run_in("a", "create-session -s left");
    story.run("create-window -n mine");
    story.assert_tree("left*\n0 bash 80x24: b* 80x24\n1 mine* 80x24: c* 80x24");
}
