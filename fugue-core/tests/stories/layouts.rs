//! Panes: presets, sizes, swaps and focus.

use crate::story::{OUTSIDE, Story, refusal_of};

fn three() -> Story {
    Story::of(&["create-session -s work", "create-pane -R", "create-pane -D"])
}

#[test]
fn presets_arrange_all_panes() {
    for (preset, expected) in [
        ("even-horizontal", "a 26x24 | b 26x24 | c* 26x24"),
        ("even-vertical", "a 80x7 / b 80x7 / c* 80x8"),
        ("main-horizontal", "a 80x14 / (b 39x9 | c* 40x9)"),
        ("main-horizontal-mirrored", "(b 39x9 | c* 40x9) / a 80x14"),
        ("main-vertical", "a 48x24 | (b 31x11 / c* 31x12)"),
        ("main-vertical-mirrored", "(b 31x11 / c* 31x12) | a 48x24"),
        ("tiled", "(a 39x11 | b 40x11) / c* 80x12"),
    ] {
        let mut story = three();
        story.run(&format!("select-layout {preset}"));
        story.assert_tree(&format!("work*\n0 bash* 80x24: {expected}"));
    }
    assert!(refusal_of("select-layout tilde").contains("`tilde` is not a layout; did you mean `tiled`?"));
}

#[test]
fn the_main_pane_stays_the_main_pane_after_a_mirrored_preset() {
    let mut story = three();
    for _ in 0..2 {
        story.run("select-layout main-vertical-mirrored");
        story.assert_tree("work*\n0 bash* 80x24: (b 31x11 / c* 31x12) | a 48x24");
    }
    story.run("select-layout main-vertical");
    story.assert_tree("work*\n0 bash* 80x24: a 48x24 | (b 31x11 / c* 31x12)");
}

#[test]
fn a_window_remembers_the_preset_that_was_applied_last() {
    let mut story = three();
    let preset = |story: &mut Story| {
        story.reply(OUTSIDE, "list-sessions")["sessions"][0]["windows"][0]["preset"].clone()
    };
    assert!(preset(&mut story).is_null());
    story.run("select-layout tiled");
    assert_eq!(preset(&mut story), "tiled");
    story.run("resize-pane -t %a -x 20");
    assert_eq!(preset(&mut story), "tiled");
    let replayed = Story::after(story.history.clone());
    assert_eq!(replayed.world().windows, story.world().windows);
}

#[test]
fn panes_rotate_through_the_layout_and_the_focus_stays_where_it_is() {
    let mut story = three();
    story.run("rotate-panes");
    story.assert_tree("work*\n0 bash* 80x24: c 40x24 | (a 39x12 / b* 39x11)");
    story.run("rotate-panes --backward");
    story.assert_tree("work*\n0 bash* 80x24: a 40x24 | (b 39x12 / c* 39x11)");
}

#[test]
fn a_pane_is_resized_by_cells_or_to_an_exact_size() {
    let mut story = three();
    story.run("resize-pane -t %a --right --by 10");
    story.assert_tree("work*\n0 bash* 80x24: a 50x24 | (b 29x12 / c* 29x11)");
    story.run("resize-pane -t %c -x 20 -y 4");
    story.assert_tree("work*\n0 bash* 80x24: a 59x24 | (b 20x19 / c* 20x4)");
    story.run("resize-pane -t %c --above");
    story.assert_tree("work*\n0 bash* 80x24: a 59x24 | (b 20x18 / c* 20x5)");
    story.run("resize-pane -t %a --right --by 60000");
    story.assert_tree("work*\n0 bash* 80x24: a 77x24 | (b 2x18 / c* 2x5)");
}

#[test]
fn an_impossible_resize_is_refused_with_the_numbers() {
    let mut story = three();
    story.refused(
        "resize-pane -t %a -y 3",
        "layout: pane %a spans all rows of the window, so it has no border to move",
    );
    story.refused(
        "resize-pane -t %a -x 500",
        "layout: pane %a must have 2 to 77 columns in this layout, not 500",
    );
    story.refused(
        "resize-pane -t %a",
        "direction: give a direction, or a size in `cols` or `rows`\nhint: use `--direction right` to move the right border; use `--cols 80` to set the width",
    );
    story.refused(
        "resize-pane -t %a -R -x 5",
        "direction: specify either a direction or a size, not both\nhint: omit `--direction` to set a size",
    );
    story.run("resize-pane -t %a -x 77");
    story.refused(
        "resize-pane -t %a --right",
        "Not enough room: pane %a has no border that can move right: the panes there are at their minimum size\n\
         hint: close or zoom a pane, enlarge the window, or open a new window",
    );
}

#[test]
fn swapping_panes_in_a_window_keeps_the_focus() {
    let mut story = three();
    story.run("swap-panes --with %a");
    story.assert_tree("work*\n0 bash* 80x24: c* 40x24 | (b 39x12 / a 39x11)");
    story.assert_effects(&["resize a 39x11", "resize c 40x24"]);
    story.run("swap-panes -t %b --with %b");
    story.assert_events(&[]);
}

#[test]
fn swapping_panes_between_windows_moves_the_focus_with_the_position() {
    let mut story = three();
    story.run("create-session -s other --size 100x30");
    story.run("swap-panes -t %c --with %d");
    story.assert_events(&[
        "moved d to bash",
        "layout bash",
        "moved c to bash",
        "layout bash",
        "focused d",
        "focused c",
    ]);
    story.assert_tree(
        "work
           0 bash* 80x24: a 40x24 | (b 39x12 / d* 39x11)
         other*
           0 bash* 100x30: c* 100x30",
    );
    story.assert_effects(&["resize c 100x30", "resize d 39x11"]);
    story.run("close-pane -t %d");
    story.assert_tree("work\n0 bash* 80x24: a 40x24 | b* 39x24\nother*\n0 bash* 100x30: c* 100x30");
}

#[test]
fn a_pane_is_focused_by_name_or_direction_within_its_own_window() {
    let mut story = three();
    story.run("create-window -n two");
    story.run("focus-pane -t %a");
    story.assert_tree("work*\n0 bash 80x24: a* 40x24 | (b 39x12 / c 39x11)\n1 two* 80x24: d* 80x24");
    // Both panes on the right touch it: the one that was active last is meant.
    story.run("focus-pane -t %a --right");
    story.assert_events(&["focused c"]);
    story.run_in("c", "focus-pane --above");
    story.assert_events(&["focused b"]);
    story.refused("focus-pane -t %a --left", "direction: there is no pane on that side");
    story.refused("focus-pane --right", "direction: there is no pane on that side");
    story.run("focus-pane -t %a");
    story.run("focus-pane -t %a --left --wrap");
    story.assert_events(&["focused b"]);
    story.refused("focus-pane -t %d --left --wrap", "direction: there is no pane on that side");
}

#[test]
fn closing_the_active_pane_focuses_the_last_active_one_or_else_a_neighbor() {
    let mut story = three();
    story.run("focus-pane -t %a");
    story.run("focus-pane -t %a");
    story.run("close-pane");
    story.assert_events(&["closed a", "layout bash", "focused c"]);
    let mut story =
        Story::of(&["create-session -s work", "create-pane -R -d", "create-pane --pane %b -R -d"]);
    story.run("close-pane -t %a");
    story.assert_tree("work*\n0 bash* 80x24: b* 60x24 | c 19x24");
    story.run("focus-pane -t %c");
    story.run("create-pane -d");
    story.run("close-pane -t %b");
    story.run("close-pane -t %c");
    story.assert_tree("work*\n0 bash* 80x24: d* 80x24");
}

#[test]
fn a_pane_can_be_named_and_unnamed() {
    let mut story = three();
    story.run("rename-pane -t %a 建");
    story.run("rename-pane -t 建 build");
    assert_eq!(story.reply(OUTSIDE, "focus-pane -t build")["name"], "build");
    story.run("rename-pane -t build");
    story.assert_events(&["renamed a -"]);
    story.refused("focus-pane -t build", "Pane not found: build\nhint: `fugue list-panes` lists panes");
}

#[test]
fn a_change_to_the_present_value_causes_no_event() {
    let mut story = three();
    story.run("set-metadata k v");
    story.run("set-environment A 1");
    for line in [
        "focus-pane -t %c",
        "select-window",
        "resize-window 80x24",
        "select-session work",
        "rename-session work",
        "rename-window bash",
        "rename-pane",
        "set-metadata k v",
        "set-metadata other",
        "set-environment A 1",
        "set-environment B",
    ] {
        story.run(line);
        story.assert_events(&[]);
        story.assert_effects(&[]);
    }
}
