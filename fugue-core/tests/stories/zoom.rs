//! A zoomed pane fills the window until the window is rearranged.

use fugue_protocol::verbs::ResizePane;
use fugue_protocol::{Side, Verb};

use crate::story::{OUTSIDE, Story};

fn zoomed() -> Story {
    Story::of(&["create-session -s work", "create-pane -R", "create-pane -D", "zoom-pane -t %a"])
}

#[test]
fn zoom_fills_the_window_with_a_pane_and_focuses_it() {
    let mut story = zoomed();
    story.assert_events(&["zoom bash a", "focused a"]);
    story.assert_effects(&["resize a 80x24"]);
    story.assert_tree("work*\n0 bash* 80x24: a*Z 80x24 | (b 39x12 / c 39x11)");
    story.run("zoom-pane --zoomed true");
    story.assert_events(&[]);
    story.run("zoom-pane");
    story.assert_events(&["zoom bash -"]);
    story.assert_effects(&["resize a 40x24"]);
    story.run("zoom-pane --zoomed false");
    story.assert_events(&[]);
}

#[test]
fn a_resize_of_tmux_that_moves_no_border_unzooms_too() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "zoom-pane -t %a"]);
    for events in [vec!["zoom bash -"], Vec::new()] {
        let resize = ResizePane { direction: Some(Side::Above), towards: true, ..ResizePane::default() };
        let ticket = story.request(OUTSIDE, Verb::from(resize));
        story.answer_to(ticket).expect("no error in tmux");
        story.assert_events(&events);
    }
}

#[test]
fn zooming_another_pane_replaces_the_zoomed_one() {
    let mut story = zoomed();
    story.run("zoom-pane -t %b");
    story.assert_effects(&["resize a 40x24", "resize b 80x24"]);
    story.assert_tree("work*\n0 bash* 80x24: a 40x24 | (b*Z 80x24 / c 39x11)");
}

#[test]
fn splitting_swapping_arranging_and_resizing_unzoom_and_resize_each_pane_once() {
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
            vec!["zoom bash -", "layout bash", "preset bash even-vertical"],
            vec!["resize a 80x7", "resize b 80x7", "resize c 80x8"],
        ),
    ] {
        let mut story = zoomed();
        story.run(line);
        story.assert_events(&events);
        story.assert_effects(&effects);
    }
}

#[test]
fn focusing_another_pane_in_the_window_unzooms() {
    let mut story = zoomed();
    story.run("focus-pane -t %a");
    story.assert_tree("work*\n0 bash* 80x24: a*Z 80x24 | (b 39x12 / c 39x11)");
    story.run("focus-pane -t %a --right");
    story.assert_tree("work*\n0 bash* 80x24: a 40x24 | (b 39x12 / c* 39x11)");
}

#[test]
fn closing_a_hidden_pane_keeps_the_zoom() {
    let mut story = zoomed();
    story.run("close-pane -t %c");
    story.assert_tree("work*\n0 bash* 80x24: a*Z 80x24 | b 39x24");
    story.assert_effects(&["drop c", "resize b 39x24"]);
    story.run("close-pane -t %b");
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn closing_the_zoomed_pane_unzooms_the_window() {
    let mut story = zoomed();
    story.run("close-pane -t %a");
    story.assert_tree("work*\n0 bash* 80x24: b 80x12 / c* 80x11");
    let mut story = zoomed();
    story.run("break-pane -t %a -n own");
    story.assert_tree("work*\n0 bash 80x24: b 80x12 / c* 80x11\n1 own* 80x24: a* 80x24");
}

#[test]
fn a_zoomed_pane_resizes_with_its_window_down_to_the_minimum() {
    let mut story = zoomed();
    story.run("resize-window 100x30");
    story.assert_effects(&["resize a 100x30", "resize b 49x15", "resize c 49x14"]);
    story.run("resize-window 1x1");
    story.assert_tree("work*\n0 bash* 1x1: a*Z 2x1 | (b 2x1 / c 2x1)");
}

#[test]
fn swapping_panes_between_two_zoomed_windows_unzooms_both() {
    let mut story = zoomed();
    story.run("create-window -n two");
    story.run("create-pane -R");
    story.run("zoom-pane -t %e");
    story.run("swap-panes -t %a --with %e");
    story.assert_tree(
        "work*
           0 bash 80x24: e* 40x24 | (b 39x12 / c 39x11)
           1 two* 80x24: d 40x24 | a* 39x24",
    );
    story.assert_effects(&["resize a 39x24", "resize e 40x24"]);
}

#[test]
fn zooming_the_only_pane_of_a_window_changes_nothing() {
    let mut story = Story::of(&["create-session -s work", "zoom-pane", "zoom-pane --zoomed true"]);
    story.assert_events(&[]);
    story.run("create-pane -R");
    story.assert_tree("work*\n0 bash* 80x24: a 40x24 | b* 39x24");
}
