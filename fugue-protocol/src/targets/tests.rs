//! Targets in a tree of two sessions: `work` with the windows `edit` (three panes) and `logs`, and `worker` with one.

use super::*;
use crate::Rect;

fn id<T: From<uuid::Uuid>>(number: u8) -> T {
    T::from(uuid::Uuid::from_bytes([number; 16]))
}

fn pane(number: u8, place: [u16; 4], active: bool) -> TargetPane<'static> {
    let [col, row, cols, rows] = place;
    let place = Rect { col, row, cols, rows };
    TargetPane { id: id(number), number: number.into(), index: 0, name: None, active, place }
}

fn window(number: u8, name: &'static str, panes: Vec<TargetPane<'static>>) -> TargetWindow<'static> {
    let last = panes.get(2).map(|pane| pane.id);
    TargetWindow { id: id(number), number: number.into(), index: 0, name, active: number != 11, panes, last }
}

/// The tree, whose windows and panes are numbered from `base` on.
fn tree_from(base: usize) -> TargetTree<'static> {
    let mut tree = tree_without_indexes();
    for session in &mut tree.sessions {
        for (index, window) in (base..).zip(&mut session.windows) {
            window.index = index;
            (base..).zip(&mut window.panes).for_each(|(index, pane)| pane.index = index);
        }
    }
    tree
}

fn tree() -> TargetTree<'static> {
    tree_from(0)
}

fn tree_without_indexes() -> TargetTree<'static> {
    let edit = vec![
        pane(1, [0, 0, 40, 24], true),
        pane(2, [41, 0, 39, 11], false),
        pane(3, [41, 12, 39, 12], false),
    ];
    let work = vec![window(10, "edit", edit), window(11, "logs", vec![pane(4, [0, 0, 80, 24], true)])];
    let worker = vec![window(12, "shell", vec![pane(5, [0, 0, 80, 24], true)])];
    let session = |number: u8, name, windows: Vec<_>| TargetSession {
        id: id(number),
        number: number.into(),
        name,
        last: windows.get(1).map(|window: &TargetWindow<'_>| window.id),
        windows,
    };
    TargetTree { sessions: vec![session(20, "work", work), session(21, "worker", worker)] }
}

fn found(target: &str, kind: TargetKind) -> Result<u64, String> {
    let tree = tree();
    let place = tree.place_of_pane(id(1));
    let origin = TargetOrigin { place, marked: Some(id(4)), inexact: true };
    let place = tree.find(target, kind, origin).map_err(|why| why.to_string())?;
    assert_eq!(tree.place_of_pane(place.pane), Some(place), "{target}");
    let panes = tree.sessions.iter().flat_map(|session| &session.windows).flat_map(|window| &window.panes);
    Ok(panes.into_iter().find(|pane| pane.id == place.pane).expect("a pane").number)
}

#[test]
fn every_form_of_a_target_names_a_pane() {
    use TargetKind::{Pane, Session, Window};
    for (target, kind, number) in [
        ("", Pane, 1),
        ("1", Pane, 2),
        (".2", Pane, 3),
        ("work:1", Pane, 4),
        ("work:edit.1", Pane, 2),
        ("work:.2", Pane, 3),
        ("worker.0", Pane, 5),
        ("=worker:", Pane, 5),
        ("worker", Pane, 5),
        ("worke", Session, 5),
        ("*er", Session, 5),
        ("%4", Pane, 4),
        ("@11", Window, 4),
        ("$21", Session, 5),
        ("$20:@11.%4", Pane, 4),
        ("lo", Window, 4),
        ("l?gs", Window, 4),
        (":logs", Window, 4),
        ("1", Window, 4),
        ("+", Window, 4),
        ("-", Window, 4),
        (":+2", Window, 1),
        ("!", Window, 4),
        ("^", Window, 1),
        ("$", Window, 4),
        ("{end}", Window, 4),
        ("!", Pane, 3),
        ("{last}", Pane, 3),
        ("+", Pane, 2),
        ("{next}", Pane, 2),
        ("-", Pane, 3),
        (".-1", Pane, 3),
        ("{right-of}", Pane, 2),
        // Beyond the left edge is the right one.
        ("{left-of}", Pane, 2),
        ("{top-right}", Pane, 2),
        ("{bottom-right}", Pane, 3),
        ("{left}", Pane, 1),
        ("~", Pane, 4),
        ("{marked}", Pane, 4),
        ("05050505-0505-0505-0505-050505050505", Pane, 5),
    ] {
        assert_eq!(found(target, kind), Ok(number), "{target} as a {kind}");
    }
}

#[test]
fn what_nothing_matches_is_named_with_its_kind() {
    use TargetKind::{Pane, Session, Window};
    for (target, kind, why) in [
        ("none", Session, "can't find session: none"),
        ("=wor", Session, "can't find session: wor"),
        ("wor", Session, "can't find session: wor"),
        ("work:7", Window, "can't find window: 7"),
        ("work:=lo", Window, "can't find window: lo"),
        ("work:0.9", Pane, "can't find pane: 9"),
        ("%99", Pane, "can't find pane: %99"),
        ("@99", Window, "can't find window: @99"),
        ("$99:", Pane, "can't find session: $99"),
    ] {
        assert_eq!(found(target, kind), Err(why.to_owned()), "{target}");
    }
}

#[test]
fn only_people_may_abbreviate() {
    let tree = tree();
    let origin = TargetOrigin { place: tree.place_of_pane(id(1)), marked: None, inexact: false };
    assert!(tree.find("worke", TargetKind::Session, origin).is_err());
    assert!(tree.find("worker", TargetKind::Session, origin).is_ok());
}

#[test]
fn indexes_count_from_where_windows_and_panes_are_numbered() {
    let tree = tree_from(1);
    let origin = TargetOrigin { place: tree.place_of_pane(id(1)), ..TargetOrigin::default() };
    let found = |target| tree.find(target, TargetKind::Pane, origin).map(|place| place.pane);
    assert_eq!((found("work:1.1"), found("work:1.3"), found("work:2")), (Ok(id(1)), Ok(id(3)), Ok(id(4))));
    assert!(found("work:0").is_err() && found("work:1.0").is_err());
}

#[test]
fn a_session_whose_name_has_a_dot_is_found() {
    let mut tree = tree();
    tree.sessions[1].name = "fugue.dev";
    let origin = TargetOrigin { place: tree.place_of_pane(id(1)), marked: None, inexact: true };
    for (target, kind) in [("fugue.dev", TargetKind::Session), ("=fugue.dev", TargetKind::Pane)] {
        assert_eq!(tree.find(target, kind, origin).map(|place| place.pane), Ok(id(5)), "{target}");
    }
    // Also where the beginning of a window's name fits.
    tree.sessions[1].name = "ed.1";
    for kind in [TargetKind::Session, TargetKind::Pane] {
        assert_eq!(tree.find("ed.1", kind, origin).map(|place| place.pane), Ok(id(5)));
    }
    assert_eq!(tree.find("ed.2", TargetKind::Pane, origin).map(|place| place.pane), Ok(id(3)));
    // A window and a pane of exactly that name come first, unless a session is meant.
    tree.sessions[1].name = "logs.0";
    assert_eq!(tree.find("logs.0", TargetKind::Pane, origin).map(|place| place.pane), Ok(id(4)));
    assert_eq!(tree.find("logs.0", TargetKind::Session, origin).map(|place| place.pane), Ok(id(5)));
}
