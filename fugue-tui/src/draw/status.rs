//! The status line: the session and its windows at the left, counts and the time at the right.

use fugue_protocol::WindowId;
use fugue_protocol::views::{Life, PaneView, SessionView, WindowView};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::agents::{self, AgentCounts};
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// What the status line shows.
pub(crate) enum StatusLine {
    Windows,
    /// The rows of a message, which may be more than one.
    Message(Vec<String>),
}

/// Draws the status line into a row; a long message takes rows above it, too.
pub(crate) fn draw(canvas: &mut Canvas, row: u16, tree: &Tree, clock: &str, line: &StatusLine) {
    match line {
        StatusLine::Message(rows) => draw_message(canvas, row, rows),
        StatusLine::Windows => draw_windows(canvas, row, tree, clock),
    }
}

fn draw_message(canvas: &mut Canvas, row: u16, rows: &[String]) {
    let (cols, style) = (canvas.size().cols, canvas.style(ThemePart::Message));
    for (at, text) in rows.iter().rev().enumerate() {
        let Some(row) = row.checked_sub(at as u16) else { return };
        canvas.fill(fugue_protocol::Rect { col: 0, row, cols, rows: 1 }, &CanvasCell::blank(style));
        canvas.text(row, 0, cols, text, style);
    }
}

fn draw_windows(canvas: &mut Canvas, row: u16, tree: &Tree, clock: &str) {
    let (cols, style) = (canvas.size().cols, canvas.style(ThemePart::Bar));
    canvas.fill(fugue_protocol::Rect { col: 0, row, cols, rows: 1 }, &CanvasCell::blank(style));
    let Some(session) = tree.session() else { return };
    let bar = StatusBar::of(tree, session, cols, clock);
    for piece in &bar.items {
        let part = if piece.strong { ThemePart::BarStrong } else { ThemePart::Bar };
        canvas.text(row, piece.col, bar.end, &piece.text, canvas.style(part));
    }
    let mut col = bar.end;
    for (text, part) in &bar.right {
        col = canvas.text(row, col, cols, text, canvas.style(*part));
    }
}

/// Text for the right side, with the parts of the theme that draw it.
type RightSide = Vec<(String, ThemePart)>;

fn right_cols(right: &RightSide) -> usize {
    right.iter().map(|(text, _)| text.width()).sum()
}

/// The items of the line with their positions.
struct StatusBar {
    items: Vec<BarItem>,
    /// The column at which the right side begins.
    end: u16,
    right: RightSide,
}

/// The session's name, a window's, or the mark of a list that continues.
struct BarItem {
    col: u16,
    strong: bool,
    text: String,
    target: Option<StatusTarget>,
}

impl StatusBar {
    fn of(tree: &Tree, session: &SessionView, cols: u16, clock: &str) -> Self {
        let name = format!(" {} ", session.name);
        let list: Vec<_> =
            session.windows.iter().map(|window| (window, window_label(tree, window))).collect();
        let used = name.width() + 1 + list.iter().map(|(_, text)| text.width()).sum::<usize>();
        // The longest form of the right side that leaves room for the windows; the time is the last to go.
        let room = usize::from(cols) - used.min(usize::from(cols / 2));
        let right = right_side(tree, session, clock).into_iter().find(|right| right_cols(right) <= room);
        let right = right.unwrap_or_default();
        let end = cols - (right_cols(&right) as u16).min(cols);
        // A long session name leaves room for the list of windows.
        let most = if used > usize::from(end) { (cols / 3).max(8) } else { cols };
        let name = cut(&name, 0, usize::from(most));
        let begin = name.width() as u16 + 1;
        let mut items =
            vec![BarItem { col: 0, strong: true, text: name, target: Some(StatusTarget::Session) }];
        items.extend(window_items(&list, begin, end.saturating_sub(begin)));
        Self { items, end, right }
    }
}

/// The list of windows in this much room. Where they do not all fit, it shows the part around the current window, as in
/// tmux, with marks at the ends where it continues.
fn window_items(list: &[(&WindowView, String)], begin: u16, room: u16) -> Vec<BarItem> {
    let room = usize::from(room);
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
    let mut items = Vec::new();
    let mark = |at: usize, mark: &str| BarItem {
        col: begin + at as u16,
        strong: false,
        text: mark.into(),
        target: None,
    };
    items.extend(before.then(|| mark(0, "<")));
    for ((window, text), end) in list.iter().zip(&ends) {
        let start = end - text.width();
        let (left, right) = (start.max(from), (*end).min(to));
        if left < right {
            let target = Some(StatusTarget::Window(window.window_id));
            let (col, text) = (begin + (left - first) as u16, cut(text, left - start, right - left));
            items.push(BarItem { col, strong: window.active, text, target });
        }
    }
    items.extend((after && room > 0).then(|| mark(room - 1, ">")));
    items
}

/// Cuts a text to `most` cells after skipping some. Half of a wide character becomes a blank.
fn cut(text: &str, skip: usize, most: usize) -> String {
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

fn window_label(tree: &Tree, window: &WindowView) -> String {
    let synced = window.panes.iter().any(|pane| tree.synced.contains(&pane.pane_id));
    let marks = [(window.active, "*"), (window.zoomed, "Z"), (tree.needs_person(window), "!"), (synced, "⇉")];
    let marks: String = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    format!(" {}:{}{marks} ", window.index, window.name)
}

/// The label of the active pane, where no border above it shows it.
fn pane_title(tree: &Tree) -> String {
    /// Enough to recognize it; the rest of the line is for all panes.
    const MOST: usize = 30;
    let bare = |pane: &&PaneView| pane.place.row == 0 || tree.window().is_some_and(|window| window.zoomed);
    let Some(pane) = tree.pane().filter(bare) else { return String::new() };
    let text = match &pane.agent {
        Some(agent) => format!("{} {}", agents::state_symbol(agent.state).0, agents::name_of(agent, pane)),
        None if pane.name.is_some() || !pane.title.is_empty() => super::panes::label(pane),
        None => String::new(),
    };
    match text.width() {
        0..=MOST => text,
        _ => format!("{}…", cut(&text, 0, MOST - 1)),
    }
}

/// The counts and the time, the longest form first.
fn right_side(tree: &Tree, session: &SessionView, clock: &str) -> [RightSide; 5] {
    let panes = session.windows.iter().flat_map(|window| &window.panes);
    let ended = panes.filter(|pane| pane.state != Life::Running).count();
    let ended = if ended > 0 { format!("{ended} exited") } else { String::new() };
    let count = tree.window().map_or(0, |window| window.panes.len());
    let count = format!("{count} pane{}", if count == 1 { "" } else { "s" });
    let warnings = match tree.warnings {
        0 => String::new(),
        1 => "1 warning".to_owned(),
        count => format!("{count} warnings"),
    };
    let counts = AgentCounts::of(tree);
    let words = counts.texts();
    let marks = [(counts.waiting, "!", ThemePart::BarWaiting), (counts.failed, "✗", ThemePart::BarFailed)];
    let marks = marks.into_iter().filter(|(count, ..)| *count > 0);
    let marks: RightSide = marks.map(|(count, mark, part)| (format!("{count}{mark}"), part)).collect();
    let plain = |text: &str| (text.to_owned(), ThemePart::Bar);
    let title = pane_title(tree);
    [
        [
            vec![plain(&title), plain(&warnings)],
            words.clone(),
            vec![plain(&ended), plain(&count), plain(clock)],
        ],
        [vec![plain(&warnings)], words.clone(), vec![plain(&ended), plain(&count), plain(clock)]],
        [vec![plain(&warnings)], words, vec![plain(clock)]],
        [vec![plain(&warnings)], marks, vec![plain(clock)]],
        [Vec::new(), Vec::new(), vec![plain(clock)]],
    ]
    .map(|parts| spaced(parts.concat()))
}

/// Puts blanks around the texts. A text with a color of its own has one on each side within it.
fn spaced(texts: RightSide) -> RightSide {
    let mut spaced = vec![(" ".to_owned(), ThemePart::Bar)];
    for (text, part) in texts.into_iter().filter(|(text, _)| !text.is_empty()) {
        match part {
            ThemePart::Bar => spaced.push((format!("{text}  "), part)),
            _ => spaced.extend([(format!(" {text} "), part), (" ".to_owned(), ThemePart::Bar)]),
        }
    }
    if let Some((last, ThemePart::Bar)) = spaced.last_mut() {
        last.truncate(last.trim_end().len());
        last.push(' ');
    }
    spaced
}

/// Something on the status line that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusTarget {
    Session,
    Window(WindowId),
}

/// What is at a column of the status line.
pub(crate) fn status_target(tree: &Tree, col: u16, cols: u16, clock: &str) -> Option<StatusTarget> {
    let bar = StatusBar::of(tree, tree.session()?, cols, clock);
    let inside =
        |piece: &&BarItem| piece.col <= col && col < (piece.col + piece.text.width() as u16).min(bar.end);
    bar.items.iter().find(inside).and_then(|piece| piece.target)
}
