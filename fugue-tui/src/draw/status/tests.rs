//! Lines at several widths: what stays, what goes, and where it is.

use fugue_config::StatusPart;
use fugue_protocol::events::ActivityKind;
use fugue_protocol::views::SessionView;
use fugue_protocol::{SessionId, Size};
use serde_json::json;

use super::*;

fn id(number: usize) -> String {
    format!("01a00000-0000-7000-8000-{number:012x}")
}

/// A session with windows of these names; the last one is current.
fn tree(names: &[&str]) -> Tree {
    let size = json!({"cols": 80, "rows": 24});
    let window = |(at, name): (usize, &&str)| {
        let pane = json!({
            "pane_id": id(at), "window_id": id(at), "session_id": id(0), "command": "sh", "state": "running",
            "dimensions": size, "active": true, "place": {"col": 0, "row": 0, "cols": 80, "rows": 24},
        });
        json!({
            "window_id": id(at), "session_id": id(0), "name": name, "index": at, "active": at + 1 == names.len(),
            "zoomed": false, "dimensions": size, "panes": [pane],
        })
    };
    let windows: Vec<_> = names.iter().enumerate().map(window).collect();
    let session = json!({
        "session_id": id(0), "name": "work", "created_at": 1, "tags": [], "metadata": {}, "windows": windows,
    });
    let session: SessionView = serde_json::from_value(session).expect("a session");
    let mut tree = Tree::new(session.session_id);
    tree.update(vec![session]);
    tree
}

/// Parts by name; any other word is a text.
fn parts(words: &str) -> Vec<PartContent> {
    let text = |part: StatusPart, text: &str| {
        PartContent::Text(StatusText::new(&part, vec![BarText::of(styled(text))]))
    };
    let part = |word: &str| match word {
        "session" => PartContent::Session,
        "windows" => PartContent::Windows,
        "12:00" => text(StatusPart::Clock, word),
        "host" => text(StatusPart::Host, word),
        word => text(StatusPart::Text(word.into()), word),
    };
    words.split_whitespace().map(part).collect()
}

/// The line with these sides in a terminal of this width.
fn drawn(tree: &Tree, [left, center, right]: [&str; 3], cols: u16) -> String {
    let content = LineContent { left: parts(left), center: parts(center), right: parts(right) };
    let mut canvas = Canvas::new(Size::new(cols, 1));
    line(&mut canvas, 0, tree, &content);
    canvas
        .row(0)
        .iter()
        .map(|cell| if let crate::paint::Glyph::Char(c) = cell.glyph() { c } else { '?' })
        .collect()
}

#[test]
fn parts_are_at_the_left_in_the_middle_and_at_the_right() {
    let tree = tree(&["one", "two"]);
    let sides = ["session windows", "mid", "host 12:00"];
    assert_eq!(drawn(&tree, sides, 60), " work   0:one  1:two*       mid                 host  12:00 ");
    let windows_in_the_middle = ["session", "windows", "12:00"];
    assert_eq!(drawn(&tree, windows_in_the_middle, 40), " work        0:one  1:two*        12:00 ");
    let windows_at_the_right = ["a", "", "windows"];
    assert_eq!(drawn(&tree, windows_at_the_right, 24), " a        0:one  1:two* ");
}

#[test]
fn the_least_important_parts_go_first_and_none_is_cut() {
    let tree = tree(&["one", "two"]);
    let sides = ["session windows", "", "first second host 12:00"];
    let right = |cols| drawn(&tree, sides, cols).split_once("two*").map(|(_, right)| right.trim().to_owned());
    let shown = [56, 48, 40, 26, 18].map(|cols| right(cols).unwrap_or_default());
    assert_eq!(shown, ["first  second  host  12:00", "first  second  12:00", "second  12:00", "12:00", ""]);
    assert_eq!(drawn(&tree, ["a-long-text-without-room", "", ""], 20).trim(), "");
}

#[test]
fn the_current_window_stays_visible_however_narrow_the_terminal_is() {
    let tree = tree(&["one", "two", "three", "four", "five"]);
    for cols in [16, 20, 30, 40] {
        for sides in [
            ["session windows", "", "text 12:00"],
            ["session", "windows", "12:00"],
            ["", "", "12:00 windows"],
        ] {
            let drawn = drawn(&tree, sides, cols);
            assert!(drawn.contains("five*") || drawn.contains("ive*"), "{cols}: {drawn:?}");
        }
    }
}

#[test]
fn a_zoomed_pane_is_told_in_short_form_before_a_window_is_left_out() {
    let mut tree = tree(&["one", "two", "three", "four"]);
    let window = &mut tree.sessions[0].windows[3];
    (window.zoomed, window.panes) = (true, vec![window.panes[0].clone(); 3]);
    let zoom = tree_part(&StatusPart::Zoom, &tree);
    let shown = |cols| {
        let right = vec![zoom.clone(), parts("12:00").remove(0)];
        let content = LineContent { left: parts("session windows"), right, ..LineContent::default() };
        let mut canvas = Canvas::new(Size::new(cols, 1));
        line(&mut canvas, 0, &tree, &content);
        canvas.text_of(0)
    };
    assert_eq!(shown(60), " work   0:one  1:two  2:three  3:four*Z    zoomed +2  12:00 ");
    assert_eq!(shown(52), " work   0:one  1:two  2:three  3:four*Z   +2  12:00 ");
    assert_eq!(shown(46), " work  < 1:two  2:three  3:four*Z   +2  12:00 ");
}

#[test]
fn windows_are_shown_whole_between_marks_where_there_are_more() {
    let tree = tree(&["one", "two", "three", "four", "five", "six"]);
    let windows = |cols| drawn(&tree, ["windows", "", ""], cols).trim().to_owned();
    assert_eq!(windows(60), "0:one  1:two  2:three  3:four  4:five  5:six*");
    assert_eq!(windows(40), "< 2:three  3:four  4:five  5:six*");
    assert_eq!(windows(20), "< 4:five  5:six*");
    assert_eq!(windows(9), "5:six*");
}

#[test]
fn a_current_window_as_long_as_the_line_is_cut_between_the_marks() {
    let long = "a-name-that-is-as-long-as-the-line-or-longer";
    let mut tree = tree(&["one", long, "three"]);
    tree.sessions[0].windows.iter_mut().for_each(|window| window.active = window.name.as_str() == long);
    let windows = |cols| drawn(&tree, ["windows", "", ""], cols);
    assert_eq!(windows(52), "< 1:a-name-that-is-as-long-as-the-line-or-longer* > ");
    assert_eq!(windows(30), "< 1:a-name-that-is-as-long-as>");
    assert_eq!(windows(12), "< 1:a-name->");
    assert_eq!(windows(11), " 1:a-name-t", "all of the room is for its name");
}

#[test]
fn a_window_that_needs_a_person_has_a_color_of_its_own_and_no_mark_of_activity() {
    let mut tree = tree(&["one", "two", "three"]);
    let windows = tree.sessions[0].windows.clone();
    windows[..2].iter().for_each(|window| {
        tree.activity.insert(window.window_id, ActivityKind::Output);
    });
    tree.alerts.extend(windows[1..].iter().map(|window| window.panes[0].pane_id));
    let content = LineContent { left: parts("windows"), ..LineContent::default() };
    let mut canvas = Canvas::new(Size::new(30, 1));
    line(&mut canvas, 0, &tree, &content);
    assert_eq!(canvas.text_of(0).trim_end(), " 0:one#  1:two!  2:three*!");
    let style = |col: usize| canvas.row(0)[col].style;
    let expected = [ThemePart::Bar, ThemePart::BarAlert, ThemePart::BarStrong];
    assert_eq!([style(1), style(9), style(17)], expected.map(|part| canvas.style(part)));
}

#[test]
fn a_click_finds_the_session_and_the_windows_wherever_they_are() {
    let tree = tree(&["one", "two"]);
    let content = LineContent { left: parts("windows"), center: Vec::new(), right: parts("12:00 session") };
    let at = |col| status_target(&tree, &content, col, 40);
    assert_eq!(at(1), Some(StatusTarget::Window(tree.sessions[0].windows[0].window_id)));
    assert_eq!((at(20), at(36)), (None, Some(StatusTarget::Session)));
    let nobody = Tree::new(SessionId::from_bytes([9; 16]));
    assert_eq!(status_target(&nobody, &content, 1, 40), None);
}
