//! Panes: presets, sizes, swaps, and the keyboard.

use crate::story::{OUTSIDE, Story, refusal_of};

fn three() -> Story {
    Story::of(&["create-session -s work", "create-pane -R", "create-pane -D"])
}

#[test]
fn presets_arrange_all_panes() {
    for (preset, expected) in [
        ("even-horizontal", "a 26x24 | b 26x24 | c* 26x24"),
        ("even-vertical", "a 80x7 / b 80x8 / c* 80x7"),
        ("main-horizontal", "a 80x14 / (b 40x9 | c* 39x9)"),
        ("main-vertical", "a 48x24 | (b 31x12 / c* 31x11)"),
        ("tiled", "(a 40x12 | b 39x12) / c* 80x11"),
    ] {
        let mut story = three();
        story.run(&format!("select-layout {preset}"));
        story.looks(&format!("work*\n0 bash* 80x24: {expected}"));
    }
    assert!(refusal_of("select-layout tilde").contains("`tilde` is not a layout; did you mean `tiled`?"));
}

#[test]
fn panes_change_places_in_a_circle() {
    let mut story = three();
    story.run("rotate-panes");
    story.looks("work*\n0 bash* 80x24: c* 40x24 | (a 39x12 / b 39x11)");
    story.run("rotate-panes --backward");
    story.looks("work*\n0 bash* 80x24: a 40x24 | (b 39x12 / c* 39x11)");
}

#[test]
fn a_border_moves_by_cells_and_a_pane_gets_an_exact_size() {
    let mut story = three();
    story.run("resize-pane -t %a --right --by 10");
    story.looks("work*\n0 bash* 80x24: a 50x24 | (b 29x12 / c* 29x11)");
    story.run("resize-pane -t %c -x 20 -y 4");
    story.looks("work*\n0 bash* 80x24: a 59x24 | (b 20x19 / c* 20x4)");
    story.run("resize-pane -t %c --above");
    story.looks("work*\n0 bash* 80x24: a 59x24 | (b 20x18 / c* 20x5)");
    story.run("resize-pane -t %a --right --by 60000");
    story.looks("work*\n0 bash* 80x24: a 77x24 | (b 2x18 / c* 2x5)");
}

#[test]
fn a_resize_that_cannot_be_is_refused_with_the_numbers() {
    let mut story = three();
    story.refused(
        "resize-pane -t %a -y 3",
        "layout: pane %a spans all rows of the window, so it has no border to move",
    );
    story.refused("resize-pane -t %a -x 500", "layout: pane %a must have 2 to 77 columns here, not 500");
    story.refused(
        "resize-pane -t %a",
        "direction: give a direction, or a size as cols or rows\nhint: for example direction right by 5, or 80 cols",
    );
    story.refused(
        "resize-pane -t %a -R -x 5",
        "direction: give either a direction or a size, not both\nhint: omit `--direction` to set a size",
    );
    story.run("resize-pane -t %a -x 77");
    story.refused(
        "resize-pane -t %a --right",
        "No room: pane %a has no border that can move right: the panes there are at their minimum size\n\
         hint: close or zoom a pane, enlarge the window, or open a new window",
    );
}

#[test]
fn panes_of_a_window_exchange_their_places_and_keep_the_keyboard() {
    let mut story = three();
    story.run("swap-panes --with %a");
    story.looks("work*\n0 bash* 80x24: c* 40x24 | (b 39x12 / a 39x11)");
    story.wishes(&["resize a 39x11", "resize c 40x24"]);
    story.run("swap-panes -t %b --with %b");
    story.happened(&[]);
}

#[test]
fn panes_of_two_windows_exchange_their_places_and_their_keyboards() {
    let mut story = three();
    story.run("create-session -s other --size 100x30");
    story.run("swap-panes -t %c --with %d");
    story.happened(&[
        "moved d to bash",
        "layout bash",
        "moved c to bash",
        "layout bash",
        "focused d",
        "focused c",
    ]);
    story.looks(
        "work
           0 bash* 80x24: a 40x24 | (b 39x12 / d* 39x11)
         other*
           0 bash* 100x30: c* 100x30",
    );
    story.wishes(&["resize c 100x30", "resize d 39x11"]);
    story.run("close-pane -t %d");
    story.looks("work\n0 bash* 80x24: a 40x24 | b* 39x24\nother*\n0 bash* 100x30: c* 100x30");
}

#[test]
fn the_keyboard_goes_by_name_and_by_side_and_is_each_windows_own() {
    let mut story = three();
    story.run("create-window -n two");
    story.run("focus-pane -t %a");
    story.looks("work*\n0 bash 80x24: a* 40x24 | (b 39x12 / c 39x11)\n1 two* 80x24: d* 80x24");
    story.run("focus-pane -t %a --right");
    story.happened(&["focused b"]);
    story.run_in("b", "focus-pane --below");
    story.happened(&["focused c"]);
    story.refused("focus-pane -t %a --left", "direction: there is no pane on that side");
    story.refused("focus-pane --right", "direction: there is no pane on that side");
    story.run("focus-pane -t %a --left --wrap");
    story.happened(&["focused b"]);
    story.refused("focus-pane -t %d --left --wrap", "direction: there is no pane on that side");
}

#[test]
fn the_pane_used_before_has_the_keyboard_when_one_closes_else_the_one_before_it() {
    let mut story = three();
    story.run("focus-pane -t %a");
    story.run("focus-pane -t %a");
    story.run("close-pane");
    story.happened(&["closed a", "layout bash", "focused c"]);
    let mut story =
        Story::of(&["create-session -s work", "create-pane -R -d", "create-pane --pane %b -R -d"]);
    story.run("close-pane -t %a");
    story.looks("work*\n0 bash* 80x24: b* 60x24 | c 19x24");
    story.run("focus-pane -t %c");
    story.run("create-pane -d");
    story.run("close-pane -t %b");
    story.run("close-pane -t %c");
    story.looks("work*\n0 bash* 80x24: d* 80x24");
}

#[test]
fn panes_are_named_and_the_name_is_taken_away() {
    let mut story = three();
    story.run("rename-pane -t %a 建");
    story.run("rename-pane -t 建 build");
    assert_eq!(story.reply(OUTSIDE, "focus-pane -t build")["name"], "build");
    story.run("rename-pane -t build");
    story.happened(&["renamed a -"]);
    story.refused("focus-pane -t build", "Pane not found: build\nhint: `fugue list-panes` lists panes");
}

#[test]
fn nothing_happens_when_it_is_so_already() {
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
        story.happened(&[]);
        story.wishes(&[]);
    }
}
