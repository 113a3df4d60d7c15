//! The list of windows on the status line.

use std::ops::Range;

use fugue_protocol::views::WindowView;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::content::{BarStyle, PlacedItem, StatusTarget};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// A window as the list shows it.
pub(super) struct WindowLabel<'a> {
    pub(super) window: &'a WindowView,
    /// Its number, name and marks, with blanks around them.
    pub(super) text: String,
    needs_person: bool,
}

impl<'a> WindowLabel<'a> {
    pub(super) fn of(tree: &Tree, window: &'a WindowView) -> Self {
        let needs_person = tree.needs_person(window);
        let synced = window.panes.iter().any(|pane| tree.is_synchronized(pane.pane_id));
        // What needs a person is activity as well, and says more.
        let activity = Some(tree.activity_mark(window)).filter(|mark| !(needs_person && *mark == "#"));
        let marks = [
            (window.active, "*"),
            (tree.last_window() == Some(window.window_id), "-"),
            (window.zoomed, "Z"),
            (needs_person, "!"),
            (synced, "⇉"),
        ];
        let marks: String =
            marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).chain(activity).collect();
        Self { window, text: format!(" {}:{}{marks} ", window.index, window.name), needs_person }
    }

    fn part(&self) -> ThemePart {
        match (self.window.active, self.needs_person) {
            (true, _) => ThemePart::BarStrong,
            (false, true) => ThemePart::BarAlert,
            (false, false) => ThemePart::Bar,
        }
    }
}

/// The columns of both marks.
pub(super) const MARK_COLS: usize = 2;

/// The columns of the current window that are always visible: its number and the beginning of its name. In less room it
/// takes those of the marks as well.
pub(super) const CURRENT: usize = 10;

/// The list of windows in this much room. Where they do not all fit, it shows whole windows around the current one, and
/// tmux's marks where there are more. A current window that is too long for the room is cut.
pub(super) fn window_items(list: &[WindowLabel<'_>], begin: usize, room: usize) -> Vec<PlacedItem> {
    let widths: Vec<usize> = list.iter().map(|label| label.text.width()).collect();
    let current = list.iter().position(|label| label.window.active).unwrap_or_default();
    let shown = fitting(&widths, current, room);
    let item = |at: usize, text: String, part: ThemePart, target: Option<StatusTarget>| PlacedItem {
        col: (begin + at) as u16,
        pieces: vec![(text, BarStyle::Part(part))],
        target,
    };
    let is_cut = widths.get(current).is_some_and(|cols| *cols + MARK_COLS > room);
    let (before, after) = match is_cut && room < CURRENT + MARK_COLS {
        true => (0, 0),
        false => (shown.start, list.len() - shown.end),
    };
    let (left, right) = (mark("<", before), mark(">", after));
    let (mut at, mut items) = (left.width(), Vec::new());
    items.extend((before > 0).then(|| item(0, left, ThemePart::Bar, None)));
    let end = room.saturating_sub(right.width());
    for label in &list[shown] {
        let text = cut(&label.text, 0, end.saturating_sub(at));
        let cols = text.width();
        items.push(item(at, text, label.part(), Some(StatusTarget::Window(label.window.window_id))));
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
