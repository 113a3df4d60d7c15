//! The sidebar, to the right of the panes: one row for each agent, those that need a person first, and one for each
//! host that cannot be reached. Rows have two lines if all of them fit that way.

mod row;

use fugue_protocol::{PaneId, Rect, Timestamp};
use unicode_width::UnicodeWidthStr;

use crate::agents::{self, AgentRow};
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::{OtherHost, Tree};

/// A narrower terminal has no room for a sidebar; the list of agents takes its place.
pub(crate) const MIN_TERMINAL_COLS: u16 = 64;

/// A narrower terminal has a sidebar only if the person opens it: most programs want 80 columns.
pub(crate) const MIN_DEFAULT_COLS: u16 = 100;

/// The part of the terminal that the sidebar takes at most.
const MOST: u16 = 4;

/// The most columns for the names of a session and its agent; the rest of a longer name is cut.
const LABEL_COLS: u16 = 24;

/// The columns for an age: `now`, `59m`, `23h`.
const AGE_COLS: u16 = 3;

/// The columns around the parts of a row: the border, the symbol, and blanks between them.
const OTHER_COLS: u16 = 8;

/// A row of the sidebar.
pub(crate) enum SidebarRow<'a> {
    Agent(AgentRow<'a>),
    /// A host that cannot be reached.
    Host(&'a OtherHost),
}

impl SidebarRow<'_> {
    /// The agent's pane.
    pub(crate) fn pane(&self) -> Option<PaneId> {
        match self {
            Self::Agent(row) => Some(row.pane.pane_id),
            Self::Host(_) => None,
        }
    }
}

/// The rows of the sidebar: the agents, and then the hosts that cannot be reached.
pub(crate) fn rows(tree: &Tree) -> Vec<SidebarRow<'_>> {
    let hosts = tree.others.iter().filter(|host| host.failure().is_some());
    agents::rows(tree).into_iter().map(SidebarRow::Agent).chain(hosts.map(SidebarRow::Host)).collect()
}

/// The columns of the sidebar in a terminal of this width: as many as it needs, up to a quarter of the terminal; none if
/// there is nothing to show. They depend on names only, since every change resizes the panes.
pub(crate) fn width(tree: &Tree, terminal: u16) -> u16 {
    let Some(label) = rows(tree).iter().map(label_cols).max() else { return 0 };
    let reason = (terminal / 8).clamp(10, 24);
    let wanted = (label as u16).min(LABEL_COLS) + reason + AGE_COLS + OTHER_COLS;
    wanted.min(terminal / MOST)
}

/// The columns of place and name, with a blank between them.
fn label_cols(row: &SidebarRow<'_>) -> usize {
    let (place, name) = label(row);
    place.width() + if name.is_empty() { 0 } else { 1 + name.width() }
}

/// The agent's place, and its name unless that is the same; of a host its name.
fn label(row: &SidebarRow<'_>) -> (String, String) {
    let row = match row {
        SidebarRow::Agent(row) => row,
        SidebarRow::Host(host) => return (host.label().to_owned(), String::new()),
    };
    let (place, name) = (row.place(), row.name());
    if place == name { (place, String::new()) } else { (place, name) }
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
    /// The lines of each row.
    lines: usize,
}

impl VisibleRows {
    /// The rows from `first` on, or fewer from the end; where they do not all fit, the last line says how many there are.
    pub(crate) fn of(total: usize, first: usize, room: u16) -> Self {
        let room = usize::from(room);
        if total <= room {
            let lines = if 2 * total <= room { 2 } else { 1 };
            return Self { first: 0, count: total, below: 0, lines };
        }
        let count = room.saturating_sub(1);
        let first = first.min(total - count);
        Self { first, count, below: total - first - count, lines: 1 }
    }

    /// The row that a line of the sidebar belongs to.
    pub(crate) fn row_at(self, line: usize) -> Option<usize> {
        let row = line / self.lines;
        (row < self.count).then_some(self.first + row)
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
    let shown = rows.iter().skip(visible.first).take(visible.count);
    for (at, row) in (0..bottom).step_by(visible.lines).zip(shown) {
        let is_current = matches!(row, SidebarRow::Agent(row) if here == Some(row.pane.pane_id));
        let lines = visible.lines as u16;
        let place = Rect { col: col + 1, row: at, cols: size.cols.saturating_sub(col + 1), rows: lines };
        row::draw(canvas, row, place, (is_current, now));
    }
    if let Some(rest) = visible.rest() {
        canvas.text(bottom.saturating_sub(1), col + 4, size.cols, &rest, canvas.style(ThemePart::Faint));
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Size;

    use super::*;
    use crate::agents::tests::{session, tree};

    #[test]
    fn more_rows_than_fit_are_counted() {
        let rest = |total, first, room| VisibleRows::of(total, first, room).rest();
        assert_eq!(rest(5, 0, 5), None);
        assert_eq!(rest(5, 0, 10), None);
        assert_eq!(rest(6, 0, 5).as_deref(), Some("2 more"));
        assert_eq!(rest(20, 3, 5).as_deref(), Some("3 above, 13 below"));
        assert_eq!(rest(20, 99, 5).as_deref(), Some("16 above"));
        assert_eq!(rest(200, 0, 50).as_deref(), Some("151 more"));
        assert_eq!(VisibleRows::of(200, 500, 1).count, 0);
    }

    #[test]
    fn a_click_finds_the_row_that_the_line_belongs_to() {
        let rows_at = |total, first, room| {
            let visible = VisibleRows::of(total, first, room);
            [0, 1, 2, 39, 48, 49].map(|line| visible.row_at(line))
        };
        assert_eq!(rows_at(20, 0, 50), [Some(0), Some(0), Some(1), Some(19), None, None], "two lines each");
        assert_eq!(rows_at(20, 0, 39), [Some(0), Some(1), Some(2), None, None, None], "one line each");
        let crowd = [Some(100), Some(101), Some(102), Some(139), Some(148), None];
        assert_eq!(rows_at(200, 100, 50), crowd, "the last line counts the rest");
    }

    /// The sidebar of a terminal with this many rows, without its line at the left.
    fn drawn(tree: &Tree, cols: u16, rows: u16) -> Vec<String> {
        let mut canvas = Canvas::new(Size::new(cols, rows));
        draw(&mut canvas, tree, 0, rows, (0, Timestamp::from_millis(60_000)));
        (0..rows).map(|row| canvas.text_of(row).replace('│', "").trim_end().to_owned()).collect()
    }

    #[test]
    fn a_reason_has_the_color_of_the_state_if_it_calls_for_a_person() {
        let tree = tree(vec![session(1, Some("error"), 0), session(2, Some("working"), 0)]);
        let mut canvas = Canvas::new(Size::new(30, 4));
        draw(&mut canvas, &tree, 0, 4, (0, Timestamp::default()));
        let color = |row: u16, col: usize| canvas.row(row)[col].style.fg;
        let of = |part: ThemePart| canvas.style(part).fg;
        assert_eq!([color(1, 4), color(1, 12)], [of(ThemePart::Faint), of(ThemePart::Failed)]);
        assert_eq!([color(3, 4), color(3, 12)], [of(ThemePart::Faint); 2]);
    }

    #[test]
    fn an_age_of_less_than_a_minute_is_left_out() {
        let tree = tree(vec![session(1, Some("blocked"), 0), session(2, Some("working"), 60_000)]);
        assert_eq!(drawn(&tree, 29, 2), [" ! s1 codex blocked      1m", " ▸ s2 codex working"]);
    }

    #[test]
    fn a_row_has_two_lines_if_there_is_room_for_that_in_all_rows() {
        let mut sessions = vec![session(1, Some("blocked"), 0), session(2, Some("working"), 0)];
        let agent = sessions[0].windows[0].panes[0].agent.as_mut().expect("an agent");
        agent.reason = Some("approve Bash: touch x".into());
        let tree = tree(sessions);
        let wide = [
            " ! s1                    1m",
            "   approve Bash: touch x",
            " ▸ s2                    1m",
            "   codex · working",
        ];
        assert_eq!(drawn(&tree, 29, 4), wide);
        assert_eq!(drawn(&tree, 29, 3), [" ! s1 codex approve Bas… 1m", " ▸ s2 codex working      1m", ""]);
        let narrow = [" ! s1         1m", "   approve Bash…", " ▸ s2         1m", "   working"];
        assert_eq!(drawn(&tree, 18, 4), narrow, "the name gives way to the reason");
        assert_eq!(drawn(&tree, 35, 4)[1], "   codex · approve Bash: touch x", "there is room for both");
    }
}
