//! Tests of resizing: by a border, to a size, and with the window.

use super::test_pictures::{layout, refused};

#[test]
fn the_border_after_a_pane_moves_in_the_given_direction() {
    layout("| a     | b     | c     |", "resize-pane b right 2", "| a     | b       | c   |");
    layout("| a     | b     | c     |", "resize-pane b left 2", "| a     | b   | c       |");
    layout("| a     | b     |", "resize-pane a left 2", "| a   | b       |");
    layout("| a     | b     |", "resize-pane a right 2", "| a       | b   |");
}

#[test]
fn the_border_before_the_last_pane_moves() {
    layout("| a     | b     | c     |", "resize-pane c left 2", "| a     | b   | c       |");
    layout("| a     | b     | c     |", "resize-pane c right 2", "| a     | b       | c   |");
}

#[test]
fn when_the_neighbor_is_at_its_minimum_the_next_pane_shrinks() {
    layout("| a     | b  | c     |", "resize-pane a right 4", "| a         | b| c   |");
    layout("| a     | b  | c     |", "resize-pane a right 99", "| a            | b| c|");
    layout("| a     | b  | c     |", "resize-pane c left 4", "| a   | b| c         |");
}

#[test]
fn a_pane_grows_at_its_other_side_when_the_panes_after_it_have_their_minimum() {
    layout("| a     | b     | c|", "resize-pane b right 3", "| a  | b        | c|");
}

#[test]
fn a_size_that_does_not_fit_is_brought_into_the_limits() {
    layout("| a     | b     | c     |", "size-towards b 99 -", "| a| b               | c|");
    layout("| a     | b     | c     |", "size-towards c 1 1", "| a     | b          | c|");
    layout("| a     |", "size-towards a 3 -", "| a     |");
}

#[test]
fn the_border_is_one_of_the_nearest_split() {
    let before = "
        | a     | b         |
        |       |-----------|
        |       | c   | d   |";
    let inner = "
        | a     | b         |
        |       |-----------|
        |       | c | d     |";
    for last in ["c", "d"] {
        layout(before, &format!("resize-pane {last} left 2"), inner);
    }
    let wider = "
        | a   | b           |
        |     |-------------|
        |     | c    | d    |";
    layout(before, "resize-pane b left 2", wider);
}

#[test]
fn panes_in_a_part_that_changes_share_the_change() {
    let before = "
        | a     | b         |
        |       |-----------|
        |       | c   | d   |";
    let wider = "
        | a   | b           |
        |     |-------------|
        |     | c    | d    |";
    let narrower = "
        | a          | b    |
        |            |------|
        |            | c| d |";
    layout(before, "resize-pane a left 2", wider);
    layout(before, "resize-pane a right 5", narrower);
}

#[test]
fn a_border_that_cannot_move_says_so() {
    refused(
        "| a |",
        "resize-pane a right 1",
        "pane a spans all columns of the window, so it has no border to move",
    );
    refused(
        "| a | b |",
        "resize-pane a below 1",
        "pane a spans all rows of the window, so it has no border to move",
    );
    let stuck = "pane a has no border that can move right: the panes there are at their minimum size";
    refused("| a   | b|", "resize-pane a right 1", stuck);
}

#[test]
fn a_pane_gets_the_requested_size() {
    layout("| a     | b     | c     |", "size-pane a 10 -", "| a        | b  | c     |");
    layout("| a     | b     | c     |", "size-pane c 4 -", "| a     | b        | c  |");
    layout("| a     | b     | c     |", "size-pane b 17 -", "| a| b               | c|");
    let before = "
        | a   | b   |
        |     |     |
        |     |-----|
        |     | c   |";
    let after = "
        | a | b     |
        |   |-------|
        |   | c     |
        |   |       |";
    layout(before, "size-pane b 7 1", after);
}

#[test]
fn enclosing_splits_give_space_when_the_own_split_is_too_small() {
    let before = "
        | a     | b         |
        |       |-----------|
        |       | c   | d   |";
    let after = "
        | a   | b           |
        |     |-------------|
        |     | c        | d|";
    layout(before, "size-pane c 10 -", after);
}

#[test]
fn an_impossible_size_is_refused_with_the_possible_one() {
    refused("| a   | b   |", "size-pane a 30 -", "pane a must have 2 to 8 columns in this layout, not 30");
    refused("| a   | b   |", "size-pane a 1 -", "pane a must have 2 to 8 columns in this layout, not 1");
    let around = "
        | a   | b   |
        |     |-----|
        |     | c|d |";
    refused(around, "size-pane b 1 -", "pane b must have 5 to 8 columns in this layout, not 1");
}

#[test]
fn a_window_that_grows_and_shrinks_keeps_its_proportions() {
    let small = "
        | a | b     |
        |   |-------|
        |   | c     |";
    let large = "
        | a     | b             |
        |       |               |
        |       |---------------|
        |       | c             |
        |       |               |";
    layout(small, "look", large);
    layout(large, "look", small);
    layout("| a          | b | c |", "look", "| a  | b| c|");
}
