//! Tests of inserting, removing and swapping panes.

use super::test_pictures::{layout, perform, read, refused};
use super::*;

#[test]
fn closing_a_pane_gives_its_space_to_its_neighbor() {
    layout("| a | b |", "close-pane b", "| a     |");
    layout("| a | b |", "close-pane a", "| b     |");
    layout("| a | b | c |", "close-pane b", "| a     | c |");
    layout("| a | b | c |", "close-pane a", "| b     | c |");
}

#[test]
fn closing_the_last_pane_leaves_no_layout() {
    let window = Layout::single('a');
    assert_eq!(window.remove('a', Size::new(80, 24)), Ok(None));
}

#[test]
fn closing_a_pane_merges_nested_splits_and_moves_no_border() {
    let nested = "
        | a   | b        |
        |     |----------|
        |     | c    | d |";
    let flat = "
        | a   | c    | d |
        |     |      |   |
        |     |      |   |";
    layout(nested, "close-pane b", flat);
    assert_eq!(
        perform(&read(nested).0, "close-pane b", read(nested).1).map(|l| l.root.depth()),
        Ok(1),
        "one row of three"
    );
}

#[test]
fn a_new_pane_takes_half_the_space_on_the_requested_side() {
    layout("| a       |", "split-pane a right n", "| a  | n  |");
    layout("| a       |", "split-pane a left n", "| n  | a  |");
    let tall = "
        | a |
        |   |
        |   |";
    let halves = "
        | a |
        |---|
        | n |";
    layout(tall, "split-pane a below n", halves);
    let other_way = "
        | n |
        |---|
        | a |";
    layout(tall, "split-pane a above n", other_way);
}

#[test]
fn only_the_split_pane_gives_up_space() {
    layout("| a   | b       | c  |", "split-pane b right n", "| a   | b  | n  | c  |");
    layout("| a   | b       | c  |", "split-pane b left n 3", "| a   | n | b   | c  |");
    let before = "
        | a     | b   |
        |-------|     |
        | c     |     |";
    let after = "
        | a     | b   |
        |-------|     |
        | c | n |     |";
    layout(before, "split-pane c right n", after);
}

#[test]
fn a_split_takes_the_requested_percentage_or_cells() {
    layout("| a                 |", "split-pane a right n 25%", "| a            | n  |");
    layout("| a                 |", "split-pane a right n 7", "| a         | n     |");
    layout("| a                 |", "split-pane a left n 99%", "| n              | a|");
    layout("| a                 |", "split-pane a left n 1%", "| n| a              |");
}

#[test]
fn a_full_width_pane_takes_space_from_all_in_proportion() {
    layout("| a       | b       |", "split-window right n 20%", "| a     | b     | n |");
    let before = "
        | a | b |
        |   |   |
        |   |   |";
    let after = "
        | n     |
        |-------|
        | a | b |";
    layout(before, "split-window above n", after);
    layout(after, "close-pane n", before);
}

#[test]
fn a_split_that_does_not_fit_names_the_missing_space() {
    refused("| a  | b |", "split-pane a right n", "pane a has only 4 of the 5 columns needed");
    refused("| a  | b |", "split-pane a below n", "pane a has only 1 of the 3 rows needed");
    refused("| a    | b |", "split-pane a right n 9", "pane a has only 6 of the 12 columns needed");
    refused("| a| b|", "split-window left n", "the window has only 5 of the 8 columns needed");
}

#[test]
fn a_missing_or_duplicate_pane_is_named() {
    refused("| a | b |", "close-pane x", "pane x is not in this window");
    refused("| a | b |", "split-pane a right b", "pane b is already in this window");
    refused("| a | b |", "replace-pane a b", "pane b is already in this window");
    refused("| a | b |", "move-pane a right a", "pane a cannot be placed next to itself");
}

#[test]
fn swapping_panes_moves_no_border() {
    layout("| a   | b | c     |", "swap-pane a c", "| c   | b | a     |");
    layout("| a   | b | c     |", "replace-pane b x", "| a   | x | c     |");
    layout("| a   | b | c     |", "rotate-window forward", "| c   | a | b     |");
    layout("| a   | b | c     |", "rotate-window backward", "| b   | c | a     |");
}

#[test]
fn a_pane_moves_next_to_another() {
    let before = "
        | a   | b   |
        |     |     |
        |     |     |";
    let after = "
        | b         |
        |-----------|
        | a         |";
    layout(before, "move-pane a below b", after);
    layout("| a   | b   | c   |", "move-pane a right c", "| b         | c| a|");
}

#[test]
fn splits_cannot_nest_deeper_than_the_journal_can_read() {
    let huge = Size::new(20_000, 20_000);
    let mut window = Layout::single(0);
    for new in 1.. {
        let side = if new % 2 == 0 { Side::Right } else { Side::Below };
        match window.split(new - 1, new, side, Some(Share::Permille(900)), huge) {
            Ok(deeper) => window = deeper,
            Err(refusal) => {
                assert_eq!(refusal, LayoutError::TooDeep { most: MOST_DEPTH });
                break;
            }
        }
    }
    let text = serde_json::to_string(&window).expect("serializable");
    assert_eq!(serde_json::from_str::<Layout<i32>>(&text).expect("deserializable"), window);
}
