//! The list of windows on the status line.

use fugue_protocol::views::WindowView;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::StatusTarget;
use super::content::BarStyle;
use super::layout::PlacedItem;
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The list of windows in this much room. Where they do not all fit, it shows the part around the current window, as in
/// tmux, with marks at the ends where it continues.
pub(super) fn window_items(list: &[(&WindowView, String)], begin: usize, room: usize) -> Vec<PlacedItem> {
    let ends: Vec<usize> = list
        .iter()
        .scan(0, |end, (_, text)| {
            *end += text.width();
            Some(*end)
        })
        .collect();
    let total = ends.last().copied().unwrap_or_default();
    let current = list.iter().position(|(window, _)| window.active).unwrap_or_default();
    let middle = ends.get(current).map_or(0, |end| end - list[current].1.width() / 2);
    let first = middle.saturating_sub(room / 2).min(total.saturating_sub(room));
    let (before, after) = (first > 0, first + room < total);
    // The marks take a cell each.
    let (from, to) = (first + usize::from(before), first + room - usize::from(after && room > 0));
    let item = |at: usize, text: String, strong: bool, target: Option<StatusTarget>| {
        let part = if strong { ThemePart::BarStrong } else { ThemePart::Bar };
        PlacedItem { col: (begin + at) as u16, pieces: vec![(text, BarStyle::Part(part))], target }
    };
    let mut items = Vec::new();
    items.extend(before.then(|| item(0, "<".into(), false, None)));
    for ((window, text), end) in list.iter().zip(&ends) {
        let start = end - text.width();
        let (left, right) = (start.max(from), (*end).min(to));
        if left < right {
            let target = Some(StatusTarget::Window(window.window_id));
            items.push(item(left - first, cut(text, left - start, right - left), window.active, target));
        }
    }
    items.extend((after && room > 0).then(|| item(room - 1, ">".into(), false, None)));
    items
}

/// Cuts a text to `most` cells after skipping some. Half of a wide character becomes a blank.
pub(super) fn cut(text: &str, skip: usize, most: usize) -> String {
    let (mut at, mut cut) = (0, String::new());
    for piece in text.graphemes(true) {
        let width = piece.width();
        let (inside, whole) =
            (at + width > skip && at < skip + most, at >= skip && at + width <= skip + most);
        match (inside, whole) {
            (_, true) => cut.push_str(piece),
            (true, false) => cut.push(' '),
            (false, false) => {}
        }
        at += width;
    }
    cut
}

pub(super) fn window_label(tree: &Tree, window: &WindowView) -> String {
    let synced = window.panes.iter().any(|pane| tree.synced.contains(&pane.pane_id));
    let marks = [(window.active, "*"), (window.zoomed, "Z"), (tree.needs_person(window), "!"), (synced, "⇉")];
    let marks: String = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    format!(" {}:{}{marks}{} ", window.index, window.name, tree.activity_mark(window))
}
