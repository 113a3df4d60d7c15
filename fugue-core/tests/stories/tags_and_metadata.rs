//! Tags, metadata and environment of a session.

use fugue_protocol::limits;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

#[test]
fn tags_are_added_and_removed_and_unchanged_tags_cause_no_event() {
    let mut story = Story::of(&["create-session -s work --tag a"]);
    story.run("set-tags --add b b c --remove a");
    story.assert_events(&["tags work +b +c -a"]);
    story.run("set-tags --add b --remove a");
    story.assert_events(&[]);
    story.run("set-tags --add b --remove b");
    story.assert_events(&[]);
    story.run("set-tags --add d --remove d");
    story.assert_events(&["tags work +d"]);
    let tags = story.reply(OUTSIDE, "get-tags -t work");
    assert_eq!(tags, json!({"session_id": "$work", "session_name": "work", "tags": ["b", "c", "d"]}));
}

#[test]
fn the_number_of_tags_is_limited() {
    let tags: Vec<_> = (0..limits::TAGS).map(|number| format!("t{number}")).collect();
    let mut story = Story::of(&["create-session -s work"]);
    story.run(&format!("set-tags --add {}", tags.join(" ")));
    let full = "Too many tags on a session: the limit is 64\nhint: remove any that are no longer needed";
    story.refused("set-tags --add more", full);
    story.run("set-tags --add more --remove t0");
    let flags: String = tags.iter().map(|tag| format!(" --tag {tag}")).collect();
    story.refused_to(story.inside("a"), &format!("create-session{flags}"), full);
}

#[test]
fn metadata_is_stored_and_removed_by_key() {
    let mut story = Story::of(&["create-session -s work"]);
    story.run("set-metadata goal 'ship it'");
    story.run("set-metadata owner 人");
    assert_eq!(story.reply(OUTSIDE, "get-metadata goal")["entries"], json!({"goal": "ship it"}));
    story.run("set-metadata goal");
    story.assert_events(&["metadata work goal=-"]);
    assert_eq!(story.reply(OUTSIDE, "get-metadata")["entries"], json!({"owner": "人"}));
    assert_eq!(story.reply(OUTSIDE, "list-sessions")["sessions"][0]["metadata"], json!({"owner": "人"}));
    story.refused(
        "set-metadata {\"key\":\"\",\"value\":\"x\"}",
        "key: must not be empty\nhint: use a word such as `task`",
    );
    let long = "x".repeat(limits::VALUE_BYTES);
    let full = "Too many bytes in a metadata entry: the limit is 32768\nhint: make it shorter";
    story.refused(&format!("set-metadata k {long}"), full);
}

#[test]
fn metadata_entries_are_limited_but_existing_ones_can_still_change() {
    let mut story = Story::of(&["create-session -s work"]);
    for number in 0..limits::ENTRIES {
        story.run(&format!("set-metadata k{number} v"));
    }
    let full = "Too many metadata entries in a session: the limit is 256\nhint: remove any that are no longer needed";
    story.refused("set-metadata more v", full);
    story.run("set-metadata k7 other");
    story.run("set-metadata k8");
    story.run("set-metadata more v");
}

#[test]
fn new_programs_get_the_session_environment_and_the_panes_own_variables() {
    let mut story = Story::of(&["create-session -s work -e A=1"]);
    story.run("set-environment B 2");
    story.starts_are_slow();
    story.begin(OUTSIDE, "create-pane -e A=3");
    let child = &story.pending_starts[0].1[0];
    assert_eq!(json!(child.environment), json!({"A": "1", "B": "2"}));
    assert_eq!(json!(child.launch.environment), json!({"A": "3"}));
    assert_eq!(child.session_name.as_str(), "work");
    story.run("set-environment A");
    assert_eq!(story.reply(OUTSIDE, "get-environment")["entries"], json!({"B": "2"}));
}

#[test]
fn invalid_environment_variables_are_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    story.refused("set-environment A=B 1", "env: \"A=B\" is not a valid environment variable\nhint: names must not be empty or contain `=`; names and values must not contain NUL");
    story.refused("set-environment {\"name\":\"\",\"value\":\"x\"}", "env: the variable name is empty\nhint: names must not be empty or contain `=`; names and values must not contain NUL");
    story.refused("create-pane {\"env\":{\"A\":\"nul\\u0000\"}}", "env: \"A\" is not a valid environment variable\nhint: names must not be empty or contain `=`; names and values must not contain NUL");
    let long = "x".repeat(limits::VALUE_BYTES);
    story.refused(
        &format!("set-environment A {long}"),
        "Too many bytes in a variable: the limit is 32768\nhint: make it shorter",
    );
}

#[test]
fn a_global_variable_applies_to_all_sessions_unless_a_session_has_its_own() {
    let mut story = Story::of(&["create-session -s work", "set-environment A own"]);
    story.run("set-global-environment A shared");
    story.run("set-global-environment B shared");
    assert_eq!(story.reply(OUTSIDE, "get-global-environment")["entries"]["B"], "shared");
    story.starts_are_slow();
    story.begin(OUTSIDE, "create-pane");
    let child = story.pending_starts[0].1[0].environment.clone();
    assert_eq!((child["A"].as_str(), child["B"].as_str()), ("own", "shared"));
    story.finish_starts();
    story.restart();
    story.run("set-global-environment B");
    assert_eq!(story.reply(OUTSIDE, "get-global-environment")["entries"].get("B"), None);
}
