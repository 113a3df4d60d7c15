//! Properties of every layout after any sequence of changes.

use super::test_pictures::cells;
use super::tests_arbitrary::{any_layout, share, side, size};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A pane that is in no layout yet.
const NEW: u32 = 9999;

fn pick(layout: &Layout<u32>, at: usize) -> u32 {
    let panes = layout.panes();
    panes[at % panes.len()]
}

/// A size at which the layout is not cropped.
fn roomy(layout: &Layout<u32>, size: Size) -> Size {
    size.at_least(layout.least())
}

fn map(layout: &Layout<u32>, size: Size) -> BTreeMap<u32, Rect> {
    layout.places(size).into_iter().collect()
}

/// Every cell of the window belongs to exactly one pane or border.
fn tiles_exactly(layout: &Layout<u32>, size: Size) {
    let size = roomy(layout, size);
    let mut covered = vec![vec![0; size.cols.into()]; size.rows.into()];
    let panes = layout.places(size).into_iter().map(|(_, rect)| rect);
    let borders = layout.borders(size).into_iter().map(|border| border.rect);
    for (col, row) in panes.chain(borders).flat_map(cells) {
        covered[row][col] += 1;
    }
    assert!(covered.iter().flatten().all(|&times| times == 1), "{layout:?} at {size:?}");
}

fn all_have_their_least(layout: &Layout<u32>, size: Size) {
    for (pane, rect) in layout.places(size) {
        assert!(rect.cols >= LEAST_PANE.cols && rect.rows >= LEAST_PANE.rows, "{pane}: {rect:?}");
    }
}

/// All panes except these keep their positions.
fn others_stay(before: &Layout<u32>, after: &Layout<u32>, size: Size, but: &[u32]) {
    let (was, is) = (map(before, size), map(after, size));
    for pane in before.panes().into_iter().filter(|pane| !but.contains(pane)) {
        assert_eq!(was[&pane], is[&pane], "pane {pane}\n{before:?}\n{after:?}");
    }
}

/// The panes that get the space of `pane` when it closes: the previous sibling, or the next one for the first.
fn heirs(layout: &Layout<u32>, pane: u32) -> Vec<u32> {
    let path = layout.path_to(pane).expect("the pane exists");
    let (Some(parent), Some(&at)) = (layout.root.splits_on(&path).pop(), path.last()) else {
        return Vec::new();
    };
    let heir = if at == 0 { 1 } else { at - 1 };
    Layout { root: parent.children[heir].node.clone() }.panes()
}

/// The parts of the nearest split along an axis around a pane.
fn nearest_parts(layout: &Layout<u32>, pane: u32, axis: Axis) -> Vec<Vec<u32>> {
    let path = layout.path_to(pane).expect("the pane exists");
    let splits = layout.root.splits_on(&path);
    let nearest = splits.iter().rev().find(|split| split.axis == axis);
    let panes = |child: &SplitChild<u32>| Layout { root: child.node.clone() }.panes();
    nearest.map(|split| split.children.iter().map(panes).collect()).unwrap_or_default()
}

proptest! {
    #[test]
    fn any_sequence_of_changes_keeps_the_normal_form_and_tiles_the_window(layout in any_layout(), size in size()) {
        prop_assert_eq!(layout.validate(), Ok(()));
        tiles_exactly(&layout, size);
        tiles_exactly(&layout, layout.least());
        all_have_their_least(&layout, size);
    }

    #[test]
    fn a_window_below_the_minimum_size_is_laid_out_at_the_minimum(layout in any_layout()) {
        prop_assert_eq!(layout.places(Size::new(0, 0)), layout.places(layout.least()));
    }

    #[test]
    fn the_largest_window_is_tiled_too(layout in any_layout()) {
        let size = Size::new(u16::MAX, u16::MAX);
        let area = |rect: Rect| u64::from(rect.cols) * u64::from(rect.rows);
        let panes: u64 = layout.places(size).into_iter().map(|(_, rect)| area(rect)).sum();
        let borders: u64 = layout.borders(size).into_iter().map(|border| area(border.rect)).sum();
        prop_assert_eq!(panes + borders, u64::from(u16::MAX).pow(2));
    }

    #[test]
    fn a_layout_round_trips_through_json(layout in any_layout()) {
        let text = serde_json::to_string(&layout).expect("serializable");
        prop_assert_eq!(serde_json::from_str::<Layout<u32>>(&text).expect("deserializable"), layout);
    }

    #[test]
    fn a_split_takes_space_only_from_the_split_pane(
        layout in any_layout(), at in 0..64usize, side in side(), share in share(), size in size(),
    ) {
        let (at, size) = (pick(&layout, at), roomy(&layout, size));
        if let Ok(split) = layout.split(at, NEW, side, share, size) {
            others_stay(&layout, &split, size, &[at]);
            let (room, rest, new) = (map(&layout, size)[&at], map(&split, size)[&at], map(&split, size)[&NEW]);
            let axis = side.axis();
            let sum = rest.size().along(axis) + 1 + new.size().along(axis);
            prop_assert_eq!(sum, room.size().along(axis));
            if let Some(Share::Cells(cells)) = share {
                prop_assert_eq!(new.size().along(axis), cells.max(LEAST_PANE.along(axis)));
            }
        }
    }

    #[test]
    fn a_change_at_one_size_moves_no_other_border_at_another_size(
        count in 2..10usize, at in 0..64usize, here in 200..600u16, there in 200..600u16,
    ) {
        let panes: Vec<u32> = (0..10).take(count).collect();
        let (here, there) = (Size::new(here, 24), Size::new(there, 24));
        let even = Layout::preset(Preset::EvenHorizontal, &panes, None, here).expect("a layout");
        let at = pick(&even, at);
        let split = even.split(at, NEW, Side::Right, None, here).expect("there is space");
        others_stay(&even, &split, there, &[at]);
        let closed = split.remove(NEW, here).expect("the pane exists").expect("other panes are left");
        prop_assert_eq!(closed.places(there), even.places(there));
    }

    #[test]
    fn closing_a_new_split_restores_the_layout(layout in any_layout(), at in 0..64usize, size in size()) {
        let (at, size) = (pick(&layout, at), roomy(&layout, size));
        for side in [Side::Right, Side::Below] {
            if let Ok(split) = layout.split(at, NEW, side, None, size) {
                let back = split.remove(NEW, size).expect("the pane exists").expect("other panes are left");
                prop_assert_eq!(back.places(size), layout.places(size));
            }
        }
    }

    #[test]
    fn closing_a_pane_changes_only_its_heirs(layout in any_layout(), at in 0..64usize, size in size()) {
        let (pane, size) = (pick(&layout, at), roomy(&layout, size));
        if let Some(rest) = layout.remove(pane, size).expect("the pane exists") {
            let but: Vec<u32> = heirs(&layout, pane).into_iter().chain([pane]).collect();
            others_stay(&layout, &rest, size, &but);
        }
    }

    #[test]
    fn moving_a_border_changes_only_the_parts_of_its_split(
        layout in any_layout(), at in 0..64usize, side in side(), by in 0..30u16, size in size(),
    ) {
        let (pane, size) = (pick(&layout, at), roomy(&layout, size));
        let Ok(resized) = layout.resize(pane, side, by, size) else { return Ok(()) };
        all_have_their_least(&resized, size);
        tiles_exactly(&resized, size);
        let (was, is, axis) = (map(&layout, size), map(&resized, size), side.axis());
        let inside: Vec<u32> = nearest_parts(&layout, pane, axis).concat();
        others_stay(&layout, &resized, size, &inside);
        for other in layout.panes() {
            prop_assert_eq!(was[&other].with(axis, 0, 0), is[&other].with(axis, 0, 0), "only one axis changes");
        }
    }

    #[test]
    fn a_border_moves_as_far_as_requested_if_there_is_space(
        layout in any_layout(), at in 0..64usize, side in side(), size in size(),
    ) {
        let (pane, size) = (pick(&layout, at), roomy(&layout, size));
        let Ok(there) = layout.resize(pane, side, 1, size) else { return Ok(()) };
        let (was, is, axis) = (map(&layout, size), map(&there, size), side.axis());
        let length = |map: &BTreeMap<u32, Rect>, part: &Vec<u32>| {
            let start = part.iter().map(|pane| map[pane].start(axis)).min().unwrap_or_default();
            let end = part.iter().map(|pane| map[pane].end(axis)).max().unwrap_or_default();
            i32::from(end - start)
        };
        let parts = nearest_parts(&layout, pane, axis);
        let mut changes: Vec<i32> = parts.iter().map(|part| length(&is, part) - length(&was, part)).collect();
        changes.retain(|change| *change != 0);
        changes.sort_unstable();
        prop_assert_eq!(changes, [-1, 1], "one part gains a cell, and one loses it");
    }

    #[test]
    fn a_pane_has_exactly_the_requested_size(
        layout in any_layout(), at in 0..64usize, cols in 0..120u16, rows in 0..60u16, size in size(),
    ) {
        let (pane, size) = (pick(&layout, at), roomy(&layout, size));
        match layout.resize_to(pane, Some(cols), Some(rows), size) {
            Ok(resized) => {
                prop_assert_eq!(map(&resized, size)[&pane].size(), Size::new(cols, rows));
                prop_assert_eq!(resized.validate(), Ok(()));
                all_have_their_least(&resized, size);
            }
            Err(LayoutError::OutOfRange { axis, wanted, least, most, .. }) => {
                prop_assert!(wanted < least || wanted > most);
                prop_assert!(least <= most);
                let at_most = |axis_is| (axis == axis_is).then_some(most);
                let fits = layout.resize_to(pane, at_most(Axis::Row), at_most(Axis::Column), size);
                prop_assert!(fits.is_ok(), "the suggested maximum size is possible");
            }
            Err(refusal) => {
                let is_full = matches!(refusal, LayoutError::NoBorder { .. });
                prop_assert!(is_full, "{refusal}");
            }
        }
    }
}
