//! Tests of presets, descriptions, invalid layouts and navigation.

use super::test_pictures::{draw, layout, read};
use super::*;
use serde_json::{Value, json};

const WINDOW: &str = "
    | a    | b       |
    |      |---------|
    |      | c       |
    |      |         |
    |----------------|
    | d        | e   |";

#[test]
fn even_layouts_share_the_space_equally() {
    layout("| a | b  | c           |", "select-layout even-horizontal", "| a    | b    | c      |");
    let stack = "
        | a |
        |---|
        | b |
        |---|
        | c |";
    let crowded = "
        | a |
        |   |
        |   |
        |---|
        | b |";
    let even = "
        | a |
        |   |
        |---|
        | b |
        |   |";
    layout(stack, "select-layout even-vertical", stack);
    layout(crowded, "select-layout even-vertical", even);
}

#[test]
fn the_main_pane_has_more_space_than_the_others_together() {
    let even = "
        | a  | b  | c  |
        |    |    |    |
        |    |    |    |
        |    |    |    |";
    let vertical = "
        | a      | b   |
        |        |-----|
        |        | c   |
        |        |     |";
    let horizontal = "
        | a            |
        |              |
        |--------------|
        | b    | c     |";
    layout(even, "select-layout main-vertical", vertical);
    layout(even, "select-layout main-horizontal", horizontal);
    layout("| a   | b   |", "select-layout main-vertical 3", "| a | b     |");
    layout("| a   | b   |", "select-layout main-vertical 99", "| a      | b|");
}

#[test]
fn a_main_pane_has_tmuxs_size_if_the_others_are_of_use_beside_it() {
    let main = |preset, cols, rows| {
        let layout = Layout::preset(preset, &['a', 'b', 'c'], None, Size::new(cols, rows)).expect("a layout");
        layout.place('a', Size::new(cols, rows)).expect("a place").size()
    };
    assert_eq!(main(Preset::MainVertical, 200, 50), Size::new(80, 50));
    assert_eq!(main(Preset::MainHorizontal, 200, 50), Size::new(200, 24));
    assert_eq!(main(Preset::MainVertical, 100, 50), Size::new(60, 50));
    assert_eq!(main(Preset::MainHorizontal, 80, 24), Size::new(80, 14));
}

#[test]
fn sizes_are_evened_out_where_the_panes_are() {
    let before = "
        | a   | b              |
        |     |----------------|
        |     | c | d          |";
    let inner = "
        | a   | b              |
        |     |----------------|
        |     | c     | d      |";
    let outer = "
        | a        | b         |
        |          |-----------|
        |          | c  | d    |";
    layout(before, "spread c", inner);
    layout(inner, "spread c", outer);
    let both = "
        | a        | b         |
        |          |-----------|
        |          | c   | d   |";
    layout(outer, "spread c", both);
    layout(both, "spread c", both);
    layout("| a   |", "spread a", "| a   |");
}

#[test]
fn tiles_fill_rows_with_equal_columns() {
    let tiles = "
        | a  | b  | c  |
        |--------------|
        | d  | e  | f  |
        |--------------|
        | g  | h       |";
    layout(tiles, "select-layout even-horizontal", "| a| b| c| d| e| f| g| h|");
    layout("| a| b| c| d| e| f| g| h|", "select-layout tiled", tiles);
    let five = "
        | a   | b   |
        |-----------|
        | c   | d   |
        |-----------|
        | e         |";
    layout("| a| b| c| d| e|", "select-layout tiled", five);
}

#[test]
fn presets_have_their_tmux_names() {
    for (preset, name) in Preset::ALL {
        assert_eq!(preset.to_string(), name);
        assert_eq!(name.parse(), Ok(preset));
        assert_eq!(serde_json::to_value(preset).expect("serializable"), json!(name));
    }
    let unknown = "spiral".parse::<Preset>().expect_err("no such preset");
    assert!(unknown.starts_with("`spiral` is not a layout; use one of even-horizontal, "), "{unknown}");
}

#[test]
fn presets_follow_each_other_in_tmuxs_order() {
    let names = |step: fn(Option<Preset>) -> Preset| {
        let mut last = None;
        let mut names = Vec::new();
        for _ in 0..=Preset::ALL.len() {
            last = Some(step(last));
            names.extend(last.map(|preset| preset.to_string()));
        }
        names
    };
    let order = [
        "even-horizontal",
        "even-vertical",
        "main-horizontal",
        "main-horizontal-mirrored",
        "main-vertical",
        "main-vertical-mirrored",
        "tiled",
    ];
    assert_eq!(names(Preset::after), [&order[..], &order[..1]].concat());
    let back: Vec<_> = order.iter().rev().copied().collect();
    assert_eq!(names(Preset::before), [&back[..], &back[..1]].concat());
}

#[test]
fn a_described_layout_is_built_with_its_ratios() {
    let spec = json!({"split": {"axis": "row", "children": [
        {"ratio": 3, "node": {"pane": "a"}},
        {"ratio": 1, "node": {"split": {"axis": "column", "children": [
            {"node": {"pane": "b"}},
            {"node": {"split": {"axis": "column", "children": [{"node": {"pane": "c"}}]}}},
        ]}}},
    ]}});
    let picture = "
        | a         | b |
        |           |---|
        |           | c |";
    let built = from_tree(spec).expect("a valid description");
    built.validate().expect("normal form");
    assert_eq!(draw(&built, read(picture).1), draw(&read(picture).0, read(picture).1));
}

#[test]
fn a_part_without_a_ratio_gets_the_average_of_its_siblings() {
    let spec = json!({"split": {"axis": "row", "children": [
        {"ratio": 1, "node": {"pane": "a"}},
        {"ratio": 3, "node": {"pane": "b"}},
        {"node": {"pane": "c"}},
    ]}});
    let built = from_tree(spec).expect("a valid description");
    assert_eq!(draw(&built, Size::new(23, 1)), "| a | b         | c     |\n");
}

#[test]
fn a_single_ratio_is_a_percentage_or_relative_to_one_sibling() {
    let parts = |ratio: u32| {
        json!({"split": {"axis": "row", "children": [
            {"ratio": ratio, "node": {"pane": "a"}}, {"node": {"pane": "b"}}, {"node": {"pane": "c"}},
        ]}})
    };
    let drawn = |ratio| draw(&from_tree(parts(ratio)).expect("a valid description"), Size::new(22, 1));
    assert_eq!(drawn(60), "| a           | b | c  |\n");
    assert_eq!(drawn(2), "| a         | b  | c   |\n");
}

#[test]
fn an_invalid_description_is_refused_with_the_path_to_the_error() {
    let inner = |node: Value| json!({"split": {"axis": "row", "children": [{"node": {"pane": "a"}}, node]}});
    let cases = [
        (json!({"node": {"pane": "a"}}), "layout.children[1]: pane a appears twice"),
        (json!({"ratio": 0, "node": {"pane": "b"}}), "layout.children[1]: ratio must be greater than 0"),
        (
            json!({"node": {"split": {"axis": "column", "children": []}}}),
            "layout.children[1]: a split needs two or more children, not 0",
        ),
    ];
    for (node, sentence) in cases {
        assert_eq!(from_tree(inner(node)).map_err(|flaw| flaw.to_string()), Err(sentence.to_owned()));
    }
}

#[test]
fn an_invalid_layout_from_a_damaged_journal_is_detected() {
    let pair = |a: Value, b: Value, weights: [u32; 2]| {
        let children = json!([{"weight": weights[0], "node": a}, {"weight": weights[1], "node": b}]);
        json!({"split": {"axis": "row", "children": children}})
    };
    let (a, b) = (json!({"pane": "a"}), json!({"pane": "b"}));
    let inner = pair(b.clone(), json!({"pane": "c"}), [500_000; 2]);
    let cases = [
        (pair(a.clone(), b.clone(), [500_000; 2]), None),
        (pair(a.clone(), b.clone(), [1, 2]), Some("layout: the weights add up to 3, not 1000000")),
        (pair(a.clone(), a.clone(), [500_000; 2]), Some("layout.children[1]: pane a appears twice")),
        (pair(a.clone(), b, [WHOLE, 0]), Some("layout.children[1]: ratio must be greater than 0")),
        (pair(a, inner, [500_000; 2]), Some("layout.children[1]: a split has the same axis as its parent")),
    ];
    for (text, flaw) in cases {
        let read: Layout<char> = serde_json::from_value(text).expect("it has the right form");
        assert_eq!(read.validate().map_err(|flaw| flaw.to_string()).err().as_deref(), flaw);
    }
}

#[test]
fn focus_moves_to_the_first_neighbor_if_none_is_preferred() {
    let (window, size) = read(WINDOW);
    let to = |pane, side| window.neighbor(pane, side, size, |_| 0);
    assert_eq!(to('a', Side::Right), Some('b'));
    assert_eq!(to('c', Side::Left), Some('a'));
    assert_eq!(to('c', Side::Below), Some('d'));
    assert_eq!(to('d', Side::Above), Some('a'));
    assert_eq!(to('a', Side::Left), None);
    assert_eq!(window.neighbors('a', Side::Right, size), ['b', 'c']);
}

#[test]
fn focus_can_prefer_the_last_active_pane_and_wrap_around() {
    let (window, size) = read(WINDOW);
    assert_eq!(window.neighbor('a', Side::Right, size, |pane| pane == 'c'), Some('c'));
    assert_eq!(window.around('a', Side::Left, size, |pane| pane == 'c'), Some('c'));
    assert_eq!(window.around('a', Side::Left, size, |_| 0), Some('b'));
    assert_eq!(window.around('e', Side::Below, size, |_| 0), Some('b'));
    assert_eq!(window.around('e', Side::Right, size, |_| 0), Some('d'));
}

#[test]
fn next_and_previous_pane_wrap_around() {
    let (window, _) = read(WINDOW);
    assert_eq!(window.panes(), ['a', 'b', 'c', 'd', 'e']);
    assert_eq!((window.next('e'), window.previous('a'), window.next('x')), (Some('a'), Some('e'), None));
}

fn from_tree(spec: Value) -> Result<Layout<char>, Flaw<char>> {
    Layout::from_tree(&serde_json::from_value(spec).expect("it has the right form"))
}
