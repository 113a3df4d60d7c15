//! Windows: opened, named, selected, moved and closed.

use fugue_core::Input;
use fugue_protocol::Event;

use crate::story::{OUTSIDE, Story};

#[test]
fn a_new_window_becomes_current_unless_created_detached() {
    let mut story =
        Story::of(&["create-session -s work --size 100x30", "create-window -n logs -- tail -f log"]);
    story.assert_events(&["window opened logs at 1", "opened b", "window selected logs"]);
    story.run("create-window -d -- /bin/vi");
    story.assert_events(&["window opened /bin/vi at 2", "opened c"]);
    story.assert_tree(
        "work*
           0 bash 100x30: a* 100x30
           1 logs* 100x30: b* 100x30
           2 /bin/vi 100x30: c* 100x30",
    );
}

#[test]
fn an_agent_opens_a_window_in_its_own_session() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two"]);
    story.run_in("a", "create-window -n here");
    story.run_in("a", "create-window -s two -n there");
    story.assert_tree(
        "one
           0 bash 80x24: a* 80x24
           1 here* 80x24: c* 80x24
         two*
           0 bash 80x24: b* 80x24
           1 there* 80x24: d* 80x24",
    );
}

#[test]
fn windows_are_renamed_and_selected_by_name_number_and_id() {
    let mut story = Story::of(&["create-session -s work", "create-window -n logs", "create-window -n 0"]);
    story.run("rename-window -w 1 journal");
    story.run("select-window -w journal");
    story.assert_tree(
        "work*
           0 bash 80x24: a* 80x24
           1 journal* 80x24: b* 80x24
           2 0 80x24: c* 80x24",
    );
    story.run("select-window -w 0");
    story.assert_events(&["window selected bash"]);
    story.run("select-window -w 2");
    story.assert_events(&["window selected 0"]);
    story.run("select-window -w @bash");
    story.assert_events(&["window selected bash"]);
    story.run_in("b", "rename-window mine");
    story.assert_events(&["window renamed mine"]);
}

#[test]
fn windows_with_the_same_name_are_distinguished_only_by_id() {
    let mut story =
        Story::of(&["create-session -s work", "create-window", "create-window", "create-session -s b"]);
    let any = "`bash` matches 3 windows in the session\nhint: use the window's index";
    story.refused("kill-window -s work -w bash", any);
    story.run("kill-window -s work -w 1");
    story.refused(
        "select-window -w 7",
        "Window not found: 7\nhint: `fugue list-sessions` lists sessions and their windows",
    );
    story.refused("select-window -w bush", "Window not found: bush\nhint: did you mean `bash`?");
    let elsewhere = "Window not found: @bash\nhint: `fugue list-sessions` lists sessions and their windows";
    story.refused("select-window -s work -w @bash", elsewhere);
}

#[test]
fn closing_the_current_window_selects_the_last_current_one_or_else_a_neighbor() {
    let mut story = Story::of(&["create-session -s work -n a"]);
    ["b", "c", "d"].iter().for_each(|name| story.run(&format!("create-window -n {name}")));
    story.run("select-window -w b");
    story.run("select-window -w b");
    story.run("kill-window -w b");
    story.assert_events(&["closed b", "window closed b"]);
    story.assert_tree(
        "work*
           0 a 80x24: a* 80x24
           2 c 80x24: c* 80x24
           3 d* 80x24: d* 80x24",
    );
    story.run("kill-window");
    story.assert_tree("work*\n0 a 80x24: a* 80x24\n2 c* 80x24: c* 80x24");
}

#[test]
fn closing_the_first_window_selects_the_last_one_if_none_was_current_before() {
    let mut story =
        Story::of(&["create-session -s work -n a", "create-window -d -n b", "create-window -d -n c"]);
    story.run("kill-window -w a");
    story.assert_events(&["closed a", "window selected c", "window closed a"]);
    story.assert_tree("work*\n1 b 80x24: b* 80x24\n2 c* 80x24: c* 80x24");
}

#[test]
fn moving_a_window_within_its_session_keeps_the_current_window() {
    let mut story = Story::of(&["create-session -s work -n a", "create-window -n b", "create-window -n c"]);
    story.run("move-window --index 0");
    story.assert_events(&["window moved c to work at 0"]);
    story.assert_tree(
        "work*
           0 c* 80x24: c* 80x24
           1 a 80x24: a* 80x24
           2 b 80x24: b* 80x24",
    );
    story.run("move-window -w b --index 1");
    story.run("move-window -w c");
    story.assert_events(&["window moved c to work at 2"]);
    story.run("move-window -w a --index 999");
    story.assert_events(&["window moved a to work at 2"]);
    story.assert_tree(
        "work*
           1 b 80x24: b* 80x24
           3 c* 80x24: c* 80x24
           999 a 80x24: a* 80x24",
    );
    story.run("kill-window -w c");
    story.assert_tree("work*\n1 b* 80x24: b* 80x24\n999 a 80x24: a* 80x24");
}

#[test]
fn a_window_keeps_its_index_and_a_new_one_gets_the_first_free_index() {
    let mut story = Story::of(&["create-session -s work -n a", "create-window -n b", "create-window -n c"]);
    story.run("kill-window -w 1");
    story.run("select-window -w 2");
    story.refused(
        "select-window -w 1",
        "Window not found: 1\nhint: `fugue list-sessions` lists sessions and their windows",
    );
    story.run("create-window -n d");
    story.run("create-window -n e --index 2");
    story.run("create-window -n f --index 6");
    story.run("swap-windows -w f --with a");
    story.assert_tree(
        "work*
           0 f* 80x24: f* 80x24
           1 d 80x24: d* 80x24
           2 e 80x24: e* 80x24
           3 c 80x24: c* 80x24
           6 a 80x24: a* 80x24",
    );
    story.run("move-window -w d --index 2");
    story.assert_tree(
        "work*
           0 f* 80x24: f* 80x24
           2 d 80x24: d* 80x24
           3 e 80x24: e* 80x24
           4 c 80x24: c* 80x24
           6 a 80x24: a* 80x24",
    );
    story.refused(
        "create-window --index 2147483648",
        "index: 2147483648 is not between 0 and 2147483647\nhint: omit `--index` to use the first free index",
    );
    story.input(Input::NumbersSet { base: 1, renumber: false });
    story.refused(
        "move-window --index 0",
        "index: window indexes start at 1\nhint: omit `--index` to use the first free index",
    );
}

#[test]
fn moving_the_last_window_to_another_session_closes_its_own() {
    let mut story = Story::of(&["create-session -s one -n a", "create-window -n b", "create-session -s two"]);
    story.run("move-window -s one -w b --to-session two --index 0");
    story.assert_tree(
        "one
           0 a* 80x24: a* 80x24
         two*
           0 b 80x24: b* 80x24
           1 bash* 80x24: c* 80x24",
    );
    story.run("move-window -s one --to-session two");
    story.assert_events(&["window moved a to two at 2", "session closed one"]);
    story.assert_tree(
        "two*
           0 b 80x24: b* 80x24
           1 bash* 80x24: c* 80x24
           2 a 80x24: a* 80x24",
    );
    story.run("move-window -w a --to-session two --index 0");
    assert_eq!(story.reply(OUTSIDE, "select-window -w a")["index"], 0);
    let not_found = "Session not found: twoo\nhint: did you mean `two`?";
    story.refused("move-window -w a --to-session twoo", not_found);
}

#[test]
fn killing_the_last_window_closes_the_session() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "kill-window"]);
    story.assert_events(&["closed a", "closed b", "window closed bash", "session closed work"]);
    story.assert_tree("");
    story.run("create-session -s work");
    story.assert_tree("work*\n0 bash* 80x24: c* 80x24");
}

#[test]
fn the_windows_used_before_a_closed_one_are_remembered_in_order() {
    let mut story = Story::of(&[
        "create-session -s work -n a",
        "create-window -n b",
        "create-window -n c",
        "create-window -n d",
        "select-window -w a",
    ]);
    let mut closed = |window: &str, current: &str, last: &str| {
        story.run(&format!("kill-window -w {window}"));
        let session = &story.reply(OUTSIDE, "list-sessions")["sessions"][0];
        let marked = |mark: &str| {
            let windows = session["windows"].as_array().expect("windows");
            let found = windows.iter().find(|window| window[mark] == true);
            found.map(|window| window["name"].as_str().expect("a name").to_owned()).unwrap_or_default()
        };
        assert_eq!((marked("active"), marked("last")), (current.into(), last.into()), "without {window}");
    };
    closed("a", "d", "c");
    closed("c", "d", "b");
    closed("d", "b", "");
    story.refused(
        "select-window -w !",
        "Window not found: !\nhint: `fugue list-sessions` lists sessions and their windows",
    );
}

#[test]
fn two_windows_swap_places_and_the_current_one_stays_current() {
    let mut story = Story::of(&[
        "create-session -s work -n a",
        "create-window -n b",
        "create-window -n c",
        "create-window -n d",
    ]);
    story.run("swap-windows -w c --with a");
    story.assert_events(&["window moved a to work at 2", "window moved c to work at 0"]);
    story.assert_tree(
        "work*
           0 c 80x24: c* 80x24
           1 b 80x24: b* 80x24
           2 a 80x24: a* 80x24
           3 d* 80x24: d* 80x24",
    );
    story.run("swap-windows -w d --with d");
    story.assert_events(&[]);
    story.refused(
        "swap-windows -w d --with x",
        "Window not found: x\nhint: `fugue list-sessions` lists sessions and their windows",
    );
}

#[test]
fn windows_of_different_sessions_are_not_swapped() {
    let mut story = Story::of(&["create-session -s one -n a", "create-session -s two -n b"]);
    story.refused(
        "swap-windows -s one --with @b",
        "Windows `a` and `b` are in different sessions\n\
         hint: `fugue move-window` moves a window to another session",
    );
}

#[test]
fn a_window_can_be_created_at_an_index() {
    let mut story = Story::of(&["create-session -s work", "create-window -n last"]);
    story.run("create-window -n middle --index 1");
    assert_eq!(story.reply(OUTSIDE, "select-window -w middle")["index"], 1);
    assert_eq!(story.reply(OUTSIDE, "select-window -w last")["index"], 2);
}

/// The story as the next daemon continues it, with what the journal holds.
fn after_a_crash(story: &Story) -> Story {
    Story::after(story.history.iter().filter(|event| !event.is_fleeting()).cloned().collect())
}

#[test]
fn windows_that_are_renumbered_keep_their_order_and_indexes_after_a_crash() {
    let mut story = Story::new();
    story.input(Input::NumbersSet { base: 0, renumber: true });
    for line in ["create-session -s work -n a", "create-window -n b", "create-window -n c"] {
        story.run(line);
    }
    story.run("kill-window -w b");
    story.run("create-window -n d");
    let tree = "work*
           0 a 80x24: a* 80x24
           1 c 80x24: c* 80x24
           2 d* 80x24: d* 80x24";
    story.assert_tree(tree);
    let mut later = after_a_crash(&story);
    later.assert_tree(tree);
    later.input(Input::NumbersSet { base: 0, renumber: false });
    later.run("kill-window -w a");
    let kept = "work*
           1 c 80x24: c* 80x24
           2 d* 80x24: d* 80x24";
    later.assert_tree(kept);
    after_a_crash(&later).assert_tree(kept);
}

#[test]
fn a_journal_of_a_version_that_did_not_store_the_setting_keeps_the_order_of_windows() {
    let mut story = Story::of(&["create-session -s work -n a", "create-window -n b", "create-window -n c"]);
    story.run("kill-window -w b");
    story.run("create-window -n d --index 2");
    let mut events = story.history.clone();
    let opened = events.iter_mut().rev().find_map(|event| match event {
        Event::WindowOpened(opened) => Some(opened),
        _ => None,
    });
    // Without gaps, the windows a and c are 0 and 1, and the next one is 2.
    let opened = opened.expect("window d");
    (opened.index, opened.slot) = (2, Some(2));
    Story::after(events).assert_tree(
        "work*
           0 a 80x24: a* 80x24
           2 c 80x24: c* 80x24
           3 d* 80x24: d* 80x24",
    );
}
