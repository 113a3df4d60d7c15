//! Who asks, and what is theirs.

use fugue_core::Caller;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

#[test]
fn an_agent_knows_where_it_is() {
    let mut story = Story::of(&["create-session -s lead --tag boss", "create-pane -c /src"]);
    let who = story.reply(story.inside("b"), "whoami");
    assert_eq!(
        who,
        json!({
            "pane_id": "%b", "session_id": "$lead", "session_name": "lead", "window_id": "@bash",
            "tags": ["boss"], "cwd": "/src",
        })
    );
    let who = story.reply(story.inside("b"), "whoami --include-tags false");
    assert_eq!(who["tags"], json!(null));
    let claims = Caller::Claims(story.aliases.pane("a"));
    assert_eq!(story.reply(claims, "whoami")["claimed"], true);
}

#[test]
fn a_person_outside_is_told_so() {
    let mut story = Story::of(&["create-session -s work"]);
    story.refused("whoami", "Not running inside fugue\nhint: name a session or a pane");
}

#[test]
fn what_is_left_out_is_the_callers_own() {
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
    story.looks(
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
fn a_named_session_means_its_current_window_and_pane_for_agents_too() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two", "create-window -n w"]);
    story.run_in("a", "create-pane -s two -R");
    story.run_in("a", "close-pane -s two");
    story.looks(
        "one
           0 bash* 80x24: a* 80x24
         two*
           0 bash 80x24: b* 80x24
           1 w* 80x24: c* 80x24",
    );
}

#[test]
fn an_agent_whose_pane_is_closed_acts_on_nobody_elses() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane"]);
    let gone = "Pane not found\n\
        hint: this process's pane was closed; name a session or a pane";
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
        story.refused_to(story.inside("b"), line, gone);
    }
    story.run_in("b", "create-window -s work -n named");
    story.run_in("b", "create-session -s orphan");
    story.looks(
        "work*
           0 bash 80x24: a* 80x24
           1 named* 80x24: c* 80x24
         orphan
           0 bash* 80x24: d* 80x24",
    );
}

#[test]
fn the_first_session_is_the_persons_own_even_when_an_agent_elsewhere_made_it() {
    let mut story = Story::of(&["create-session -s gone", "kill-session -s gone"]);
    story.run_in("a", "create-session -s left");
    story.run("create-window -n mine");
    story.looks("left*\n0 bash 80x24: b* 80x24\n1 mine* 80x24: c* 80x24");
}
