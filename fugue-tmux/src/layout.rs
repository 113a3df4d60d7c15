//! Layouts as tmux writes them: `8205,80x24,0,0{40x24,0,0,0,39x24,41,0,1}`. Programs save a window's layout in this form
//! and restore it later.

use fugue_protocol::layout::{LayoutChild, Node, Split};
use fugue_protocol::views::WindowView;
use fugue_protocol::{Axis, PaneId, Rect};

/// The deepest nesting that is read; windows are not split that often.
const DEPTH: usize = 64;

/// A pane's number and its place.
type Placed = (u64, Rect);

/// Returns the layout of a window; nothing while a pane is zoomed, because the places are not those of the layout then.
pub fn text(window: &WindowView) -> Option<String> {
    let panes: Vec<Placed> = window.panes.iter().map(|pane| (pane.number, pane.place)).collect();
    let whole = Rect { col: 0, row: 0, cols: window.dimensions.cols, rows: window.dimensions.rows };
    let cell = cell(&panes, whole).filter(|_| !window.zoomed)?;
    Some(format!("{:04x},{cell}", checksum(&cell)))
}

/// The sum that precedes a layout.
fn checksum(text: &str) -> u16 {
    text.bytes().fold(0_u16, |sum, byte| sum.rotate_right(1).wrapping_add(byte.into()))
}

/// The text of a part that these panes fill.
fn cell(panes: &[Placed], area: Rect) -> Option<String> {
    let place = format!("{}x{},{},{}", area.cols, area.rows, area.col, area.row);
    if let [(number, _)] = panes {
        return Some(format!("{place},{number}"));
    }
    [(Axis::Row, '{', '}'), (Axis::Column, '[', ']')].into_iter().find_map(|(axis, open, close)| {
        let parts = parts(panes, area, axis);
        if parts.len() < 2 {
            return None;
        }
        let cells: Option<Vec<String>> = parts.iter().map(|(panes, area)| cell(panes, *area)).collect();
        Some(format!("{place}{open}{}{close}", cells?.join(",")))
    })
}

/// The parts along an axis, between the borders that no pane crosses.
fn parts(panes: &[Placed], area: Rect, axis: Axis) -> Vec<(Vec<Placed>, Rect)> {
    let span = |place: Rect| match axis {
        Axis::Row => (place.col, place.col + place.cols),
        Axis::Column => (place.row, place.row + place.rows),
    };
    let (mut start, end) = span(area);
    let mut borders: Vec<u16> = panes.iter().map(|(_, place)| span(*place).1).collect();
    borders.sort_unstable();
    borders.dedup();
    let crossed = |at: u16| panes.iter().any(|(_, place)| span(*place).0 <= at && at < span(*place).1);
    let mut parts = Vec::new();
    for border in borders.into_iter().filter(|border| *border == end || !crossed(*border)) {
        let inside = |(_, place): &&Placed| span(*place).0 >= start && span(*place).1 <= border;
        let part = match axis {
            Axis::Row => Rect { col: start, cols: border - start, ..area },
            Axis::Column => Rect { row: start, rows: border - start, ..area },
        };
        parts.push((panes.iter().filter(inside).copied().collect(), part));
        start = border + 1;
    }
    parts
}

/// Reads a layout for these panes, in their order. If it has more places than there are panes, the last ones are left out,
/// as in tmux.
pub fn parse(text: &str, panes: &[PaneId]) -> Result<Node, String> {
    let invalid = || format!("invalid layout: {text}");
    let (sum, cells) = text.split_once(',').ok_or_else(invalid)?;
    if u16::from_str_radix(sum, 16).ok() != Some(checksum(cells)) {
        return Err(invalid());
    }
    let mut reader = LayoutReader { rest: cells, panes: panes.iter() };
    let (_, node) = reader.cell(DEPTH).ok_or_else(invalid)?;
    match (reader.rest.is_empty(), reader.panes.next(), node) {
        (true, None, Some(node)) => Ok(node),
        (true, Some(_), _) => Err(format!("the window has more panes than the layout: {text}")),
        _ => Err(invalid()),
    }
}

struct LayoutReader<'a> {
    rest: &'a str,
    panes: std::slice::Iter<'a, PaneId>,
}

impl LayoutReader<'_> {
    fn number(&mut self) -> Option<u32> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok()
    }

    fn skip(&mut self, sign: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(sign)?;
        Some(())
    }

    /// A part: its columns and rows, and what is in it, if there are panes left for it.
    fn cell(&mut self, depth: usize) -> Option<((u32, u32), Option<Node>)> {
        let cols = self.number()?;
        self.skip('x')?;
        let rows = self.number()?;
        for _ in 0..2 {
            self.skip(',')?;
            self.number()?;
        }
        let node = match self.rest.chars().next() {
            Some('{') => self.split(Axis::Row, '}', depth.checked_sub(1)?)?,
            Some('[') => self.split(Axis::Column, ']', depth.checked_sub(1)?)?,
            _ => {
                // The number of a pane; a place that follows has a width instead.
                let before = self.rest;
                if self.skip(',').is_none() || self.number().is_none() || self.rest.starts_with('x') {
                    self.rest = before;
                }
                self.panes.next().copied().map(Node::Pane)
            }
        };
        Some(((cols, rows), node))
    }

    fn split(&mut self, axis: Axis, close: char, depth: usize) -> Option<Option<Node>> {
        let mut children = Vec::new();
        self.rest = &self.rest[1..];
        loop {
            let ((cols, rows), node) = self.cell(depth)?;
            let weight = if axis == Axis::Row { cols } else { rows };
            children.extend(node.map(|node| LayoutChild { weight, node }));
            if self.skip(close).is_some() {
                return Some((!children.is_empty()).then_some(Node::Split(Split { axis, children })));
            }
            self.skip(',')?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    fn rect(col: u16, row: u16, cols: u16, rows: u16) -> Rect {
        Rect { col, row, cols, rows }
    }

    /// A layout that tmux printed: two panes beside each other, the right one split again.
    const PRINTED: &str = "d67e,80x24,0,0{40x24,0,0,0,39x24,41,0[39x12,41,0,1,39x11,41,13,2]}";

    #[test]
    fn a_layout_is_written_as_tmux_writes_it() {
        let panes = [(0, rect(0, 0, 40, 24)), (1, rect(41, 0, 39, 12)), (2, rect(41, 13, 39, 11))];
        let cell = cell(&panes, rect(0, 0, 80, 24)).expect("a layout");
        assert_eq!(format!("{:04x},{cell}", checksum(&cell)), PRINTED);
    }

    #[test]
    fn a_layout_is_read_for_the_panes_of_a_window() {
        let panes = [pane(1), pane(2), pane(3)];
        let Ok(Node::Split(Split { axis: Axis::Row, children })) = parse(PRINTED, &panes) else {
            panic!("a row")
        };
        assert_eq!((children[0].weight, &children[0].node), (40, &Node::Pane(pane(1))));
        let Node::Split(Split { axis: Axis::Column, children }) = &children[1].node else {
            panic!("a column")
        };
        assert_eq!(children.iter().map(|child| child.weight).collect::<Vec<_>>(), [12, 11]);
        let Ok(Node::Split(Split { children, .. })) = parse(PRINTED, &panes[..1]) else { panic!("a row") };
        assert_eq!(children.len(), 1, "places without a pane are left out");
        let one = "b25d,80x24,0,0,0";
        assert_eq!(parse(one, &panes[..1]), Ok(Node::Pane(pane(1))));
        assert!(parse(one, &panes).is_err() && parse("0000,80x24,0,0,0", &panes[..1]).is_err());
        for broken in ["", "x", "d67e,80x24", "d67e,80x24,0,0{", &"{".repeat(1_000)] {
            assert!(parse(broken, &panes).is_err(), "{broken}");
        }
    }
}
