//! The status line: the session, its windows, and at the right the counts and the time.

use fugue_protocol::WindowId;
use fugue_protocol::views::{Life, SessionView, WindowView};

use unicode_width::UnicodeWidthStr;

use crate::agents::Counts;
use crate::picture::{Canvas, Cell};
use crate::theme::Part;
use crate::tree::Tree;

/// What the line says instead of the windows, if anything.
pub(crate) enum Line {
    Windows,
    Message(String),
}

/// Draws it into a row.
pub(crate) fn draw(canvas: &mut Canvas, row: u16, tree: &Tree, clock: &str, line: &Line) {
    let size = canvas.size();
    let style =
        if matches!(line, Line::Message(_)) { canvas.look(Part::Message) } else { canvas.look(Part::Bar) };
    canvas.fill(fugue_protocol::Rect { col: 0, row, cols: size.cols, rows: 1 }, &Cell::blank(style));
    if let Line::Message(words) = line {
        canvas.text(row, 0, size.cols, words, style);
        return;
    }
    let Some(session) = tree.session() else { return };
    let windows = windows(tree, session);
    let used = windows.last().map_or(0, |(col, _, text)| col + text.width() as u16);
    // The longest form that leaves the windows their room; the time gives way last of all.
    let room = size.cols.saturating_sub(used.min(size.cols / 2));
    let right = right(tree, session, clock).into_iter().find(|text| text.width() as u16 <= room);
    let right = right.unwrap_or_default();
    let end = size.cols - (right.width() as u16).min(size.cols);
    for (place, strong, text) in windows {
        let style = if strong { canvas.look(Part::BarStrong) } else { canvas.look(Part::Bar) };
        canvas.text(row, place, end, &text, style);
    }
    canvas.text(row, end, size.cols, &right, canvas.look(Part::Bar));
}

/// The windows that are listed: all but a popup.
fn shown<'a>(tree: &'a Tree, session: &'a SessionView) -> impl Iterator<Item = &'a WindowView> {
    session.windows.iter().filter(|window| Some(window.window_id) != tree.popup)
}

/// The pieces of the left side, each with its column.
fn windows(tree: &Tree, session: &SessionView) -> Vec<(u16, bool, String)> {
    let name = (true, format!(" {} ", session.name));
    let windows = shown(tree, session).map(|window| (window.active, label(tree, window)));
    let mut col = 0;
    let mut pieces = Vec::new();
    for (strong, text) in std::iter::once(name).chain(windows) {
        let width = text.width() as u16;
        pieces.push((col, strong, text));
        col += width + u16::from(pieces.len() == 1);
    }
    pieces
}

fn label(tree: &Tree, window: &WindowView) -> String {
    let marks = [(window.active, "*"), (window.zoomed, "Z"), (tree.calls(window), "!")];
    let marks: String = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    format!(" {}:{}{marks} ", window.index, window.name)
}

/// Counts and the time, the longest form first.
fn right(tree: &Tree, session: &SessionView, clock: &str) -> [String; 4] {
    let counts = Counts::of(tree);
    let panes = || shown(tree, session).flat_map(|window| &window.panes);
    let ended = panes().filter(|pane| pane.state != Life::Running).count();
    let ended = if ended > 0 { format!("{ended} ended  ") } else { String::new() };
    let (count, s) = (panes().count(), if panes().count() == 1 { "" } else { "s" });
    let needs = if counts.waiting > 0 { format!("{}! ", counts.waiting) } else { String::new() };
    let words = counts.words();
    [
        format!(" {words}{ended}{count} pane{s}  {clock} "),
        format!(" {words}{clock} "),
        format!(" {needs}{clock} "),
        format!(" {clock} "),
    ]
}

/// What was clicked on the status line.
pub(crate) enum Clicked {
    Session,
    Window(WindowId),
}

/// What stands at a column.
pub(crate) fn clicked(tree: &Tree, col: u16) -> Option<Clicked> {
    let session = tree.session()?;
    let pieces = windows(tree, session);
    let at = pieces.iter().rposition(|(begin, ..)| *begin <= col)?;
    let (begin, _, text) = &pieces[at];
    let inside = col < begin + text.width() as u16;
    match at.checked_sub(1).filter(|_| inside) {
        Some(at) => shown(tree, session).nth(at).map(|window| Clicked::Window(window.window_id)),
        None => inside.then_some(Clicked::Session),
    }
}
