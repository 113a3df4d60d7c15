//! The sidebar, to the right of the panes: one row for each agent, who needs a person first, and one for each host that
//! cannot be reached.

use fugue_protocol::{Rect, Timestamp};
use fugue_screen::Attrs;
use unicode_width::UnicodeWidthStr;

use crate::agents::{self, AgentRow, Need};
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::{OtherHost, Tree};

/// A narrower terminal has no room for a sidebar; the list of agents takes its place.
pub(crate) const MIN_TERMINAL_COLS: u16 = 64;

/// A narrower terminal has a sidebar only if the person opens it: most programs want 80 columns.
pub(crate) const MIN_DEFAULT_COLS: u16 = 100;

/// The part of the terminal that the sidebar takes at most.
const MOST: u16 = 4;

/// A narrower sidebar shows no ages: the room is for names and reasons.
const MIN_AGE_COLS: u16 = 28;

/// The most columns for the names of a session and its agent; the rest of a longer name is cut.
const LABEL_COLS: u16 = 24;

/// The columns for an age: `now`, `59m`, `23h`.
const AGE_COLS: u16 = 3;

/// The columns around the parts of a row: the border, the symbol, and blanks between them.
const OTHER_COLS: u16 = 8;

/// A reason in fewer columns says nothing.
const MIN_REASON_COLS: u16 = 6;

/// A reason with this many columns leaves room for the agent's name.
const GOOD_REASON_COLS: u16 = 10;

/// A row of the sidebar.
pub(crate) enum SidebarRow<'a> {
    Agent(AgentRow<'a>),
    /// A host that cannot be reached.
    Host(&'a OtherHost),
}

/// The rows of the sidebar: the agents, and then the hosts that cannot be reached.
pub(crate) fn rows(tree: &Tree) -> Vec<SidebarRow<'_>> {
    let hosts = tree.others.iter().filter(|host| host.failure().is_some());
    agents::rows(tree).into_iter().map(SidebarRow::Agent).chain(hosts.map(SidebarRow::Host)).collect()
}

/// The columns of the sidebar in a terminal of this width: as many as it needs, up to a quarter of the terminal; none if
/// there is nothing to show. They depend on names only, since every change resizes the panes.
pub(crate) fn width(tree: &Tree, terminal: u16) -> u16 {
    let label = rows(tree).iter().map(|row| label(row).0.width() + label(row).1.width()).max();
    let Some(label) = label else { return 0 };
    let reason = (terminal / 8).clamp(10, 24);
    let wanted = (label as u16).min(LABEL_COLS) + reason + AGE_COLS + OTHER_COLS;
    wanted.min(terminal / MOST)
}

/// The agent's place, and its name unless that is the same; of a host its name.
fn label(row: &SidebarRow<'_>) -> (String, String) {
    let row = match row {
        SidebarRow::Agent(row) => row,
        SidebarRow::Host(host) => return (host.label().to_owned(), String::new()),
    };
    let (place, name) = (row.place(), row.name());
    if place == name { (place, String::new()) } else { (place, format!(" {name}")) }
}

/// The part of the rows that is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VisibleRows {
    /// The first visible row.
    pub(crate) first: usize,
    /// The number of visible rows.
    pub(crate) count: usize,
    /// The number of rows below them.
    below: usize,
}

impl VisibleRows {
    /// The rows from `first` on, or fewer from the end; where they do not all fit, the last line says how many there are.
    pub(crate) fn of(total: usize, first: usize, room: u16) -> Self {
        let room = usize::from(room);
        if total <= room {
            return Self { first: 0, count: total, below: 0 };
        }
        let count = room.saturating_sub(1);
        let first = first.min(total - count);
        Self { first, count, below: total - first - count }
    }

    fn rest(self) -> Option<String> {
        match (self.first, self.below) {
            (0, 0) => None,
            (0, below) => Some(format!("{below} more")),
            (above, 0) => Some(format!("{above} above")),
            (above, below) => Some(format!("{above} above, {below} below")),
        }
    }
}

/// Draws the sidebar from a column on, in the rows above `bottom`, scrolled down to row `first`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    tree: &Tree,
    col: u16,
    bottom: u16,
    (first, now): (usize, Timestamp),
) {
    let size = canvas.size();
    let area = Rect { col, row: 0, cols: size.cols.saturating_sub(col), rows: bottom };
    canvas.fill(area, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    let border = CanvasCell::of('│', canvas.style(ThemePart::Border));
    canvas.fill(Rect { cols: 1, ..area }, &border);
    let rows = rows(tree);
    let visible = VisibleRows::of(rows.len(), first, bottom);
    let here = tree.pane().map(|pane| pane.pane_id);
    for (at, row) in (0..bottom).zip(rows.iter().skip(visible.first).take(visible.count)) {
        let current = matches!(row, SidebarRow::Agent(row) if here == Some(row.pane.pane_id));
        draw_row(canvas, row, at, (col + 1, size.cols), (current, now));
    }
    if let Some(rest) = visible.rest() {
        canvas.text(bottom.saturating_sub(1), col + 4, size.cols, &rest, canvas.style(ThemePart::Faint));
    }
}

/// Draws symbol, session, agent and reason from the left, and the age at the right.
fn draw_row(
    canvas: &mut Canvas,
    row: &SidebarRow<'_>,
    at: u16,
    (begin, end): (u16, u16),
    (current, now): (bool, Timestamp),
) {
    let style = |canvas: &Canvas, part| canvas.style(if current { ThemePart::Chosen } else { part });
    if current {
        let line = Rect { col: begin, row: at, cols: end.saturating_sub(begin), rows: 1 };
        canvas.fill(line, &CanvasCell::blank(canvas.style(ThemePart::Chosen)));
    }
    let (age, (sign, part), reason) = match row {
        SidebarRow::Agent(row) => (row.age(now), row.sign(), row.reason()),
        SidebarRow::Host(host) => host_parts(host, now),
    };
    let age = if end - begin < MIN_AGE_COLS { String::new() } else { age };
    let age_col = end.saturating_sub(age.width() as u16 + 1);
    canvas.text(at, age_col, end, &age, style(canvas, ThemePart::Faint));
    let end = age_col.saturating_sub(u16::from(!age.is_empty()));
    canvas.text(at, begin + 1, end, &sign.to_string(), style(canvas, part));
    let (place, name) = label(row);
    // A long name leaves a third of the room to the reason.
    let wanted = (reason.width() as u16).min(MIN_REASON_COLS.max(end.saturating_sub(begin + 3) / 3)) + 1;
    let label_end = end.saturating_sub(wanted).min(begin + 3 + LABEL_COLS);
    let mut strong = style(canvas, ThemePart::Panel);
    if matches!(row, SidebarRow::Agent(row) if row.need == Need::Person) {
        strong.attrs.insert(Attrs::BOLD);
    }
    let after = canvas.truncated_text(at, begin + 3, label_end, &place, strong);
    // The place tells agents apart; the name gives way to the reason.
    let most = (reason.width() as u16).min(GOOD_REASON_COLS) + 1;
    let name = if after + name.width() as u16 + most <= end { name.as_str() } else { "" };
    let after = canvas.text(at, after, label_end, name, style(canvas, ThemePart::Faint));
    canvas.truncated_text(at, after + 1, end, &reason, style(canvas, ThemePart::Panel));
}

/// Since when a host cannot be reached, its symbol, and why.
fn host_parts(host: &OtherHost, now: Timestamp) -> (String, (char, ThemePart), String) {
    let since = host.failure().map(|(since, _)| agents::ago(now, since)).unwrap_or_default();
    (since, ('⊘', ThemePart::Failed), "unreachable".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rows_than_fit_are_counted() {
        let rest = |total, first, room| VisibleRows::of(total, first, room).rest();
        assert_eq!(rest(5, 0, 5), None);
        assert_eq!(rest(6, 0, 5).as_deref(), Some("2 more"));
        assert_eq!(rest(20, 3, 5).as_deref(), Some("3 above, 13 below"));
        assert_eq!(rest(20, 99, 5).as_deref(), Some("16 above"));
        assert_eq!(VisibleRows::of(200, 500, 1).count, 0);
    }
}
