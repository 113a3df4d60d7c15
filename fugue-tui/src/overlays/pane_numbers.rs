//! Pane numbers over the panes: a digit goes to that pane, any other key closes them. They close by themselves, too.

use std::time::Duration;

use fugue_protocol::views::PaneView;
use fugue_protocol::{Rect, Size};
use fugue_screen::keys::{Code, Key};
use unicode_width::UnicodeWidthStr;

use super::outcome::OverlayOutcome;
use crate::draw::{self, ViewOrigin};
use crate::paint::{Canvas, CanvasCell};
use crate::text_wrap::shortened;
use crate::theme::ThemePart;
use crate::tree::Tree;

/// How long the numbers stay: long enough to find one's own.
pub(crate) const SHOWN: Duration = Duration::from_secs(2);

/// The rows and columns of a large digit.
const DIGIT: u16 = 5;

/// The columns around large digits and a name, on both sides together.
const SIDES: u16 = 4;

/// The rows above and below large digits.
const ENDS: u16 = 2;

/// The large digits, row by row.
const DIGITS: [[&str; DIGIT as usize]; 10] = [
    ["█████", "█   █", "█   █", "█   █", "█████"],
    ["  █  ", " ██  ", "  █  ", "  █  ", " ███ "],
    ["█████", "    █", "█████", "█    ", "█████"],
    ["█████", "    █", "█████", "    █", "█████"],
    ["█   █", "█   █", "█████", "    █", "    █"],
    ["█████", "█    ", "█████", "    █", "█████"],
    ["█████", "█    ", "█████", "█   █", "█████"],
    ["█████", "    █", "    █", "    █", "    █"],
    ["█████", "█   █", "█████", "█   █", "█████"],
    ["█████", "█   █", "█████", "    █", "█████"],
];

pub(super) fn key(key: Key, tree: &Tree) -> OverlayOutcome {
    let digit = if let Code::Char(c) = key.code { c.to_digit(10) } else { None };
    let panes = tree.visible_panes();
    match digit.and_then(|digit| panes.iter().find(|pane| pane.index == digit as usize)) {
        Some(pane) => OverlayOutcome::Run(format!("focus-pane -t {}", pane.pane_id)),
        None if key.code == Code::Escape => OverlayOutcome::Close,
        None => OverlayOutcome::Pass,
    }
}

/// Draws the numbers, each in the middle of the visible part of its pane.
pub(super) fn draw(canvas: &mut Canvas, tree: &Tree, (origin, room): (ViewOrigin, Size)) {
    for pane in tree.visible_panes() {
        let Some((place, _)) = draw::visible_part(pane.place, origin, room) else { continue };
        let digits = digits_of(pane.index);
        let size = Size::new(large_cols(&digits) + SIDES, DIGIT + ENDS);
        match place.cols >= size.cols && place.rows >= size.rows {
            true => draw_large(canvas, pane, place, (&digits, size)),
            false => draw_small(canvas, pane, place),
        }
    }
}

/// The decimal digits of a number.
fn digits_of(number: usize) -> Vec<usize> {
    number.to_string().bytes().map(|digit| usize::from(digit - b'0')).collect()
}

/// The columns of large digits, with a column between them.
fn large_cols(digits: &[usize]) -> u16 {
    digits.len() as u16 * (DIGIT + 1) - 1
}

fn draw_small(canvas: &mut Canvas, pane: &PaneView, place: Rect) {
    let (row, col) = (place.row + place.rows / 2, place.col + (place.cols / 2).saturating_sub(1));
    let style = canvas.style(if pane.active { ThemePart::BarStrong } else { ThemePart::Message });
    canvas.text(row, col, place.col + place.cols, &format!(" {} ", pane.index), style);
}

/// Draws large digits on a blank area, and the name of the pane below them if it has one and there is room.
fn draw_large(canvas: &mut Canvas, pane: &PaneView, place: Rect, (digits, size): (&[usize], Size)) {
    // A blank row is above the name.
    let has_room = place.rows >= size.rows + 2;
    let name = pane.name.as_ref().filter(|_| has_room).map(ToString::to_string);
    let name = name.map(|name| shortened(&name, usize::from(place.cols - SIDES)));
    let name_cols = name.as_ref().map_or(0, |name| name.width() as u16 + SIDES).min(place.cols);
    let rows = size.rows + if name.is_some() { 2 } else { 0 };
    let area = middle(place, Size::new(size.cols.max(name_cols), rows));
    canvas.fill(area, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    // Not every theme has colors: the active pane's number is also fuller.
    let (part, fill) = if pane.active { (ThemePart::ActiveBorder, "█") } else { (ThemePart::Faint, "▓") };
    let style = canvas.style(part);
    let begin = area.col + (area.cols - large_cols(digits)) / 2;
    for (at, digit) in (0..).zip(digits) {
        for (row, cells) in (area.row + 1..).zip(DIGITS[*digit]) {
            let cells = cells.replace('█', fill);
            canvas.text(row, begin + at * (DIGIT + 1), area.col + area.cols, &cells, style);
        }
    }
    if let Some(name) = name {
        let col = area.col + area.cols.saturating_sub(name.width() as u16) / 2;
        canvas.text(area.row + area.rows - 2, col, area.col + area.cols, &name, style);
    }
}

/// An area of this size in the middle of a place that has room for it.
fn middle(place: Rect, size: Size) -> Rect {
    let (rows, cols) = (place.rows.saturating_sub(size.rows), place.cols.saturating_sub(size.cols));
    let (row, col) = (place.row + rows / 2, place.col + cols / 2);
    Rect { row, col, rows: size.rows, cols: size.cols }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;

    /// The rows of a window with one pane of this size.
    fn drawn(cols: u16, rows: u16, index: usize, name: &str) -> Vec<String> {
        drawn_pane(cols, rows, (index, name, true))
    }

    fn drawn_pane(cols: u16, rows: u16, (index, name, active): (usize, &str, bool)) -> Vec<String> {
        let mut session = session(1, None, 0);
        let mut tree = Tree::new(session.session_id);
        let pane = &mut session.windows[0].panes[0];
        pane.place = Rect { row: 0, col: 0, cols, rows };
        (pane.index, pane.name, pane.active) = (index, name.parse().ok(), active);
        tree.update(vec![session]);
        let mut canvas = Canvas::new(Size::new(cols, rows));
        canvas
            .fill(Rect { row: 0, col: 0, cols, rows }, &CanvasCell::of('.', fugue_screen::Style::default()));
        draw(&mut canvas, &tree, (ViewOrigin::default(), Size::new(cols, rows)));
        (0..rows).map(|row| canvas.text_of(row)).collect()
    }

    #[test]
    fn a_name_of_any_characters_stays_within_its_pane() {
        for cols in 9..40 {
            let rows = drawn(cols, 12, 3, &"1\u{fe0f}\u{20e3}".repeat(20));
            assert_eq!(rows.len(), 12);
        }
    }

    #[test]
    fn numbers_are_large_where_there_is_room() {
        let large =
            ["         ", "  █████  ", "      █  ", "  █████  ", "  █      ", "  █████  ", "         "];
        assert_eq!(drawn(9, 7, 2, ""), large);
        assert_eq!(
            drawn_pane(9, 7, (2, "", false)),
            large.map(|row| row.replace('█', "▓")),
            "not the active one"
        );
        assert_eq!(drawn(8, 7, 2, "")[3], "... 2 ..");
        assert_eq!(drawn(14, 7, 12, "")[3], "...... 12 ....");
        assert_eq!(drawn(15, 7, 12, "")[1], "    █   █████  ");
    }

    #[test]
    fn a_name_is_below_the_number_where_there_is_room() {
        let shown = drawn(17, 9, 0, "a-longer-name");
        assert_eq!(shown[1], "      █████      ");
        assert_eq!(shown[7], "  a-longer-name  ");
        assert_eq!(drawn(12, 10, 0, "a-longer-name")[7], "  a-longe…  ");
        assert!(!drawn(17, 8, 0, "a-longer-name").concat().contains("longer"));
    }
}
