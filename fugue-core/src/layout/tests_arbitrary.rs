//! Arbitrary layouts for property tests: the results of random changes at random sizes.

use super::*;
use proptest::prelude::*;

/// One change to a window; panes are chosen by index among those that exist.
#[derive(Debug, Clone)]
enum Change {
    Split(usize, Side, Option<Share>),
    Edge(Side, Option<Share>),
    Remove(usize),
    Swap(usize, usize),
    Move(usize, usize, Side),
    Rotate(bool),
    Resize(usize, Side, u16),
    ResizeTo(usize, Option<u16>, Option<u16>),
    Preset(Preset),
}

pub(super) fn side() -> impl Strategy<Value = Side> {
    prop::sample::select(vec![Side::Right, Side::Below, Side::Left, Side::Above])
}

pub(super) fn share() -> impl Strategy<Value = Option<Share>> {
    prop_oneof![
        Just(None),
        (0..1200u16).prop_map(|permille| Some(Share::Permille(permille))),
        (0..30u16).prop_map(|cells| Some(Share::Cells(cells))),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let pane = || 0..64usize;
    let presets = Preset::ALL.map(|(preset, _)| preset).to_vec();
    prop_oneof![
        8 => (pane(), side(), share()).prop_map(|(at, side, share)| Change::Split(at, side, share)),
        2 => (side(), share()).prop_map(|(side, share)| Change::Edge(side, share)),
        3 => pane().prop_map(Change::Remove),
        1 => (pane(), pane()).prop_map(|(a, b)| Change::Swap(a, b)),
        2 => (pane(), pane(), side()).prop_map(|(a, b, side)| Change::Move(a, b, side)),
        1 => any::<bool>().prop_map(Change::Rotate),
        4 => (pane(), side(), 0..20u16).prop_map(|(at, side, by)| Change::Resize(at, side, by)),
        2 => (pane(), prop::option::of(0..90u16), prop::option::of(0..40u16))
            .prop_map(|(at, cols, rows)| Change::ResizeTo(at, cols, rows)),
        1 => prop::sample::select(presets).prop_map(Change::Preset),
    ]
}

pub(super) fn size() -> impl Strategy<Value = Size> {
    prop_oneof![
        4 => (2..200u16, 1..80u16).prop_map(|(cols, rows)| Size::new(cols, rows)),
        1 => Just(Size::new(80, 24)),
    ]
}

/// A layout after a random sequence of changes, each at a random window size.
pub(super) fn any_layout() -> impl Strategy<Value = Layout<u32>> {
    prop::collection::vec((change(), size()), 0..40).prop_map(|changes| {
        let named = (1..).zip(changes);
        named.fold(Layout::single(0), |layout, (new, (change, size))| after(&layout, new, &change, size))
    })
}

/// The layout after a change; unchanged when the change is refused.
fn after(layout: &Layout<u32>, new: u32, change: &Change, size: Size) -> Layout<u32> {
    let panes = layout.panes();
    let pane = |at: usize| panes[at % panes.len()];
    let changed = match *change {
        Change::Split(at, side, share) => layout.split(pane(at), new, side, share, size),
        Change::Edge(side, share) => layout.split_edge(new, side, share, size),
        Change::Remove(at) => layout.remove(pane(at), size).map(|rest| rest.unwrap_or(Layout::single(new))),
        Change::Swap(a, b) => layout.swap(pane(a), pane(b)),
        Change::Move(a, b, side) => layout.move_pane(pane(a), pane(b), side, None, size),
        Change::Rotate(forward) => Ok(layout.rotate(forward)),
        Change::Resize(at, side, by) => layout.resize(pane(at), side, by, size),
        Change::ResizeTo(at, cols, rows) => layout.resize_to(pane(at), cols, rows, size),
        Change::Preset(preset) => Layout::preset(preset, &panes, None, size),
    };
    changed.unwrap_or_else(|_| layout.clone())
}
