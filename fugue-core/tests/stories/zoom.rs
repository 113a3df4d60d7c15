//! A zoomed pane has the whole window, until the window is rearranged.

use crate::story::Story;

fn zoomed() -> Story {
    Story::of(&["create-session -s work", "create-pane -R", "create-pane -D", "zoom-pane -t %a"])
}

#[test]
fn a_pane_fills_its_window_and_gets_the_keyboard_and_goes_back() {
    let mut story = zoomed();
    story.happened(&["zoom bash a", "focused a"]);
    story.wishes(&["resize a 80x24"]);
    story.looks("work*\n0 bash* 80x24: a*Z 80x24 | (b 39x12 / c 39x11)");
    story.run("zoom-pane --zoomed true");
    story.happened(&[]);
    story.run("zoom-pane");
    story.happened(&["zoom bash -"]);
    story.wishes(&["resize a 40x24"]);
    story.run("zoom-pane --zoomed false");
    story.happened(&[]);
}

#[test]
fn another_pane_can_be_zoomed_in_its_place() {
    let mut story = zoomed();
    story.run("zoom-pane -t %b");
    story.wishes(&["resize a 40x24", "resize b 80x24"]);
    story.looks("work*\n0 bash* 80x24: a 40x24 | (b*Z 80x24 / c 39x11)");
}

#[test]
fn a_split_a_swap_a_preset_and_a_resize_put_it_back_and_each_pane_is_resized_once() {
    for (line, events, effects) in [
        (
            "create-pane -R",
            vec!["zoom bash -", "layout bash", "opened d", "focused d"],
            vec!["host d 19x24", "resize a 20x24"],
        ),
        (
            "swap-panes -t %a --with %b",
            vec!["zoom bash -", "layout bash"],
            vec!["resize a 39x12", "resize b 40x24"],
        ),
        (
            "resize-pane -t %a -x 50",
            vec!["zoom bash -", "layout bash"],
            vec!["resize a 50x24", "resize b 29x12", "resize c 29x11"],
        ),
        (
            "select-layout even-vertical",
            vec!["zoom bash -", "layout bash"],
            vec!["resize a 80x7", "resize b 80x8", "resize c 80x7"],
        ),
    ] {
        let mut story = zoomed();
        story.run(line);
        story.happened(&events);
        story.wishes(&effects);
    }
}

#[test]
fn the_keyboard_elsewhere_in_the_window_puts_it_back() {
    let mut story = zoomed();
    story.run("focus-pane -t %a");
    story.looks("work*\n0 bash* 80x24: a*Z 80x24 | (b 39x12 / c 39x11)");
    story.run("focus-pane -t %a --right");
    story.looks("work*\n0 bash* 80x24: a 40x24 | (b* 39x12 / c 39x11)");
}

#[test]
fn a_hidden_pane_that_goes_does_not_disturb_the_zoomed_one() {
    let mut story = zoomed();
    story.run("close-pane -t %c");
    story.looks("work*\n0 bash* 80x24: a*Z 80x24 | b 39x24");
    story.wishes(&["drop c", "resize b 39x24"]);
    story.run("close-pane -t %b");
    story.looks("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn the_zoomed_pane_itself_leaves_a_window_that_is_whole_again() {
    let mut story = zoomed();
    story.run("close-pane -t %a");
    story.looks("work*\n0 bash* 80x24: b 80x12 / c* 80x11");
    let mut story = zoomed();
    story.run("break-pane -t %a -n own");
    story.looks("work*\n0 bash 80x24: b 80x12 / c* 80x11\n1 own* 80x24: a* 80x24");
}

#[test]
fn a_zoomed_pane_follows_its_window_down_to_its_least() {
    let mut story = zoomed();
    story.run("resize-window 100x30");
    story.wishes(&["resize a 100x30", "resize b 49x15", "resize c 49x14"]);
    story.run("resize-window 1x1");
    story.looks("work*\n0 bash* 1x1: a*Z 2x1 | (b 2x1 / c 2x1)");
}

#[test]
fn panes_swapped_between_two_zoomed_windows_put_both_back() {
    let mut story = zoomed();
    story.run("create-window -n two");
    story.run("create-pane -R");
    story.run("zoom-pane -t %e");
    story.run("swap-panes -t %a --with %e");
    story.looks(
        "work*
           0 bash 80x24: e* 40x24 | (b 39x12 / c 39x11)
           1 two* 80x24: d 40x24 | a* 39x24",
    );
    story.wishes(&["resize a 39x24", "resize e 40x24"]);
}

#[test]
fn a_pane_that_is_alone_fills_its_window_already() {
    let mut story = Story::of(&["create-session -s work", "zoom-pane", "zoom-pane --zoomed true"]);
    story.happened(&[]);
    story.run("create-pane -R");
    story.looks("work*\n0 bash* 80x24: a 40x24 | b* 39x24");
}
