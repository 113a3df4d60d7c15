//! The list of windows on the status line.

use std::ops::Range;

use fugue_protocol::views::WindowView;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::StatusTarget;
use super::content::BarStyle;
use super::layout::PlacedItem;
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The columns of both marks.
pub(super) const MARK_COLS: usize = 2;

/// The list of windows in this much room. Where they do not all fit, it shows whole windows around the current one, and
/// tmux's marks where there are more.
pub(super) fn window_items(list: &[(&WindowView, String)], begin: usize, room: usize) -> Vec<PlacedItem> {
    let widths: Vec<usize> = list.iter().map(|(_, text)| text.width()).collect();
    let current = list.iter().position(|(window, _)| window.active).unwrap_or_default();
    let shown = fitting(&widths, current, room);
    let item = |at: usize, text: String, part: ThemePart, target: Option<StatusTarget>| PlacedItem {
        col: (begin + at) as u16,
        pieces: vec![(text, BarStyle::Part(part))],
        target,
    };
    let (before, after) = match widths.get(current).is_some_and(|cols| *cols + MARK_COLS > room) {
        // There is no room but for the current window.
        true => (0, 0),
        false => (shown.start, list.len() - shown.end),
    };
    let (left, right) = (mark("<", before), mark(">", after));
    let (mut at, mut items) = (left.width(), Vec::new());
    items.extend((before > 0).then(|| item(0, left, ThemePart::Bar, None)));
    let end = room.saturating_sub(right.width());
    for (window, text) in &list[shown] {
        let part = if window.active { ThemePart::BarStrong } else { ThemePart::Bar };
        let text = cut(text, 0, end.saturating_sub(at));
        let cols = text.width();
        items.push(item(at, text, part, Some(StatusTarget::Window(window.window_id))));
        at += cols;
    }
    items.extend((after > 0 && room > 0).then(|| item(at, right, ThemePart::Bar, None)));
    items
}

/// The mark at an end of the list, if more windows are beyond it.
fn mark(arrow: &str, more: usize) -> String {
    if more == 0 { String::new() } else { arrow.to_owned() }
}

/// The windows around the current one that fit into this much room together with the marks; always the current one.
fn fitting(widths: &[usize], current: usize, room: usize) -> Range<usize> {
    let fits = |shown: &Range<usize>| {
        let marks = mark("<", shown.start).width() + mark(">", widths.len() - shown.end).width();
        widths[shown.clone()].iter().sum::<usize>() + marks <= room
    };
    let mut shown = current..(current + 1).min(widths.len());
    loop {
        let later = shown.start..shown.end + 1;
        let earlier = shown.start.saturating_sub(1)..shown.end;
        // The side with fewer windows is next, so that the current one stays in the middle.
        let prefers_later = shown.end - current <= current - shown.start + 1;
        let next = [(prefers_later, later.clone()), (true, earlier), (true, later)]
            .into_iter()
            .find(|(asked, next)| *asked && *next != shown && next.end <= widths.len() && fits(next));
        match next {
            Some((_, next)) => shown = next,
            None => return shown,
        }
    }
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
    let synced = window.panes.iter().any(|pane| tree.is_synchronized(pane.pane_id));
    let marks = [
        (window.active, "*"),
        (tree.last_window() == Some(window.window_id), "-"),
        (window.zoomed, "Z"),
        (tree.needs_person(window), "!"),
        (synced, "⇉"),
    ];
    let marks: String = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    format!(" {}:{}{marks}{} ", window.index, window.name, tree.activity_mark(window))
}
