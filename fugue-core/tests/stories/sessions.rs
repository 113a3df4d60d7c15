//! Sessions: created, named, selected and killed; parents and children.

use crate::story::{Story, refusal_of};

#[test]
fn a_new_session_has_one_window_with_one_pane_and_is_the_default() {
    let story = Story::of(&["create-session -s work -- bash"]);
    story.assert_events(&[
        "session created work",
        "window opened bash at 0",
        "opened a",
        "session selected work",
    ]);
    story.assert_effects(&["host a 80x24"]);
    story.assert_tree(
        "work*
           0 bash* 80x24: a* 80x24",
    );
}

#[test]
fn an_unnamed_session_gets_the_next_free_number() {
    let mut story = Story::of(&["create-session", "create-session", "create-session -s 2", "create-session"]);
    story.run("kill-session -t 1");
    story.run("create-session -n logs --size 100x30");
    story.assert_tree(
        "0
           0 bash* 80x24: a* 80x24
         2
           0 bash* 80x24: c* 80x24
         3
           0 bash* 80x24: d* 80x24
         1*
           0 logs* 100x30: e* 100x30",
    );
}

#[test]
fn a_session_name_in_use_is_refused() {
    let mut story = Story::of(&["create-session -s work", "create-session -s play"]);
    let taken = "Session already exists: work\n\
        hint: `fugue attach work` attaches to it; otherwise, choose another name";
    story.refused("create-session -s work", taken);
    story.refused("rename-session work", taken);
    story.refused("rename-session -t play work", taken);
    story.run("rename-session -t work work");
    story.run("rename-session -t work 仕事");
    story.refused("rename-session -t 仕事場 x", "Session not found: 仕事場\nhint: did you mean `仕事`?");
    story.assert_tree(
        "仕事
           0 bash* 80x24: a* 80x24
         play*
           0 bash* 80x24: b* 80x24",
    );
}

#[test]
fn deceptive_names_are_refused_before_anything_is_created() {
    let name = |name: &str| refusal_of(&format!("create-session {}", serde_json::json!({ "name": name })));
    assert_eq!(
        name("a\u{202e}b"),
        "Invalid arguments for `create-session`: name: a session name cannot contain the character '\\u{202e}'"
    );
    assert_eq!(
        name("a\u{7}"),
        "Invalid arguments for `create-session`: name: a session name cannot contain the character '\\u{7}'"
    );
    assert_eq!(name(""), "Invalid arguments for `create-session`: name: a session name cannot be empty");
    assert_eq!(
        name("-d"),
        "Invalid arguments for `create-session`: name: a session name cannot begin with `-`"
    );
    assert_eq!(
        name(" x"),
        "Invalid arguments for `create-session`: name: a session name cannot begin or end with a space"
    );
}

#[test]
fn outside_a_pane_the_last_used_session_is_the_default() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two", "select-session one"]);
    story.run("create-window -n here");
    story.run("kill-session -t one");
    story.run("create-window -n there");
    story.assert_tree(
        "two*
           0 bash 80x24: b* 80x24
           1 there* 80x24: d* 80x24",
    );
    story.run("kill-session -t two");
    story.assert_events(&[
        "closed b",
        "closed d",
        "window closed bash",
        "window closed there",
        "session closed two",
    ]);
    story.assert_tree("");
    story.refused("create-window", "No sessions\nhint: `fugue create-session` creates one");
}

#[test]
fn a_session_created_by_an_agent_is_its_child_and_not_the_users_default() {
    let mut story = Story::of(&["create-session -s lead --size 100x30 --tag boss"]);
    story.run_in("a", "create-session -s worker --tag fast");
    story.run_in("b", "create-session -s helper");
    story.assert_tree(
        "lead* #boss
           0 bash* 100x30: a* 100x30
         worker #child:lead #fast
           0 bash* 100x30: b* 100x30
         helper #child:worker
           0 bash* 100x30: c* 100x30",
    );
    story.run("create-window -n mine");
    story.run("kill-session -t worker");
    let helper = &story.reply(story.inside("c"), "list-sessions")["sessions"][1];
    assert_eq!(helper["parent_id"], "$worker", "a session remembers its parent when that is gone");
    story.assert_tree(
        "lead* #boss
           0 bash 100x30: a* 100x30
           1 mine* 100x30: d* 100x30
         helper #child:worker
           0 bash* 100x30: c* 100x30",
    );
}

#[test]
fn a_child_is_tagged_even_if_its_parent_has_the_longest_name() {
    let name = "x".repeat(fugue_protocol::limits::NAME_CHARS);
    let mut story = Story::of(&[&format!("create-session -s {name}")]);
    story.run_in("a", "create-session -s worker");
    let tags = &story.reply(story.inside("b"), "get-tags")["tags"];
    assert_eq!(*tags, serde_json::json!([format!("child:{name}")]));
}

#[test]
fn empty_and_huge_window_sizes_are_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    let hint = "\nhint: columns and rows must be between 1 and 1000";
    for size in ["0x24", "80x0", "10000x24", "80x2001"] {
        let (cols, rows) = size.split_once('x').unwrap();
        let json = format!("{{\"size\":{{\"cols\":{cols},\"rows\":{rows}}}}}");
        story.refused(&format!("create-session {json}"), &format!("Invalid size: {size}{hint}"));
        story.refused(&format!("resize-window {json}"), &format!("Invalid size: {size}{hint}"));
    }
    assert!(
        refusal_of("resize-window 0x24")
            .contains("`0x24` is not a size: use COLSxROWS, such as 80x24, each from 1 to 1000")
    );
    story.run("resize-window 1x1");
    story.run("resize-window 1000x1000");
    story.assert_tree(
        "work*
           0 bash* 1000x1000: a* 1000x1000",
    );
}
