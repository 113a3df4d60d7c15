//! Box-drawing characters and block elements as shapes, so that borders are continuous in a picture whatever the font
//! and the height of its lines.

use std::fmt::Write;

/// The first box-drawing character.
const FIRST_BOX: u32 = 0x2500;
/// The first block element.
const FIRST_BLOCK: u32 = 0x2580;

/// The arms of each box-drawing character, in the order up, right, down, left, two bits each from the lowest:
/// 0 none, 1 light, 2 heavy, 3 double. Diagonals have no arms.
#[rustfmt::skip]
const ARMS: [u8; 128] = [
    0x44, 0x88, 0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x14, 0x18, 0x24, 0x28,
    0x50, 0x90, 0x60, 0xa0, 0x05, 0x09, 0x06, 0x0a, 0x41, 0x81, 0x42, 0x82, 0x15, 0x19, 0x16, 0x25,
    0x26, 0x1a, 0x29, 0x2a, 0x51, 0x91, 0x52, 0x61, 0x62, 0x92, 0xa1, 0xa2, 0x54, 0x94, 0x58, 0x98,
    0x64, 0xa4, 0x68, 0xa8, 0x45, 0x85, 0x49, 0x89, 0x46, 0x86, 0x4a, 0x8a, 0x55, 0x95, 0x59, 0x99,
    0x56, 0x65, 0x66, 0x96, 0x5a, 0xa5, 0x69, 0x9a, 0xa9, 0xa6, 0x6a, 0xaa, 0x44, 0x88, 0x11, 0x22,
    0xcc, 0x33, 0x1c, 0x34, 0x3c, 0xd0, 0x70, 0xf0, 0x0d, 0x07, 0x0f, 0xc1, 0x43, 0xc3, 0x1d, 0x37,
    0x3f, 0xd1, 0x73, 0xf3, 0xdc, 0x74, 0xfc, 0xcd, 0x47, 0xcf, 0xdd, 0x77, 0xff, 0x14, 0x50, 0x41,
    0x05, 0x00, 0x00, 0x00, 0x40, 0x01, 0x04, 0x10, 0x80, 0x02, 0x08, 0x20, 0x48, 0x21, 0x84, 0x12,
];

/// Thickness of a light line, in units of the picture.
const LIGHT: f64 = 1.2;
/// Thickness of a heavy line.
const HEAVY: f64 = 2.6;
/// Distance of each line of a double one from the center of its cell.
const GAP: f64 = 1.6;
/// How far lines reach into the next cell, so that no seam shows between two cells.
const OVERLAP: f64 = 0.3;

/// A cell of the picture.
#[derive(Clone, Copy)]
pub(super) struct CellBox {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Whether a character is drawn as a shape.
pub(super) fn is_shape(c: char) -> bool {
    (FIRST_BOX..FIRST_BLOCK + 0x20).contains(&(c as u32))
}

/// Adds the SVG shapes of a character. All of it is filled with `color`.
pub(super) fn push_shape(c: char, cell: CellBox, color: &str, out: &mut String) {
    match c as u32 {
        0x2571..=0x2573 => push_diagonals(c, cell, color, out),
        0x256d..=0x2570 => push_arc(c, cell, color, out),
        code @ FIRST_BOX..FIRST_BLOCK => push_arms(arms(ARMS[(code - FIRST_BOX) as usize]), cell, color, out),
        code => push_block(code - FIRST_BLOCK, cell, color, out),
    }
}

/// The weights of the arms: up, right, down, left.
fn arms(packed: u8) -> [u8; 4] {
    [0, 2, 4, 6].map(|shift| packed >> shift & 3)
}

/// Adds a path of rectangles, given by their left, top, right and bottom edges.
fn push_rects(rects: &[[f64; 4]], color: &str, attributes: &str, out: &mut String) {
    out.push_str("<path d=\"");
    for [left, top, right, bottom] in rects {
        let _ = write!(out, "M{left:.2} {top:.2}H{right:.2}V{bottom:.2}H{left:.2}z");
    }
    let _ = writeln!(out, "\" fill=\"{color}\"{attributes}/>");
}

fn push_arms([up, right, down, left]: [u8; 4], cell: CellBox, color: &str, out: &mut String) {
    let (cx, cy) = (cell.x + cell.width / 2.0, cell.y + cell.height / 2.0);
    let (end_x, end_y) = (cell.x + cell.width + OVERLAP, cell.y + cell.height + OVERLAP);
    let mut rects = Vec::new();
    // Each arm is drawn as if it went right: along its own axis, with the arms to its left and right hand.
    for (offset, half) in lines(right) {
        let start = cx + start(offset, right, [up, down], left);
        rects.push([start, cy + offset - half, end_x, cy + offset + half]);
    }
    for (offset, half) in lines(left) {
        let start = cx - start(offset, left, [up, down], right);
        rects.push([cell.x, cy + offset - half, start, cy + offset + half]);
    }
    for (offset, half) in lines(down) {
        let start = cy + start(offset, down, [left, right], up);
        rects.push([cx + offset - half, start, cx + offset + half, end_y]);
    }
    for (offset, half) in lines(up) {
        let start = cy - start(offset, up, [left, right], down);
        rects.push([cx + offset - half, cell.y, cx + offset + half, start]);
    }
    push_rects(&rects, color, "", out);
}

/// The parallel lines of an arm: distance from its axis, and half the thickness.
fn lines(weight: u8) -> impl Iterator<Item = (f64, f64)> {
    let lines: &[(f64, f64)] = match weight {
        1 => &[(0.0, LIGHT / 2.0)],
        2 => &[(0.0, HEAVY / 2.0)],
        3 => &[(-GAP, LIGHT / 2.0), (GAP, LIGHT / 2.0)],
        _ => &[],
    };
    lines.iter().copied()
}

/// How far from the center of the cell a line begins, in the direction of its arm; negative is beyond the center.
///
/// `sides` are the weights of the perpendicular arms on the side of negative and of positive offsets, `behind` is the
/// weight of the opposite arm.
fn start(offset: f64, weight: u8, sides: [u8; 2], behind: u8) -> f64 {
    let outer = sides
        .map(|side| if side == 3 { GAP + LIGHT / 2.0 } else { lines(side).fold(0.0, |_, (_, half)| half) });
    let (near, far) = if offset < 0.0 { (sides[0], outer[1]) } else { (sides[1], outer[0]) };
    match (weight, near) {
        // A line of a double arm that meets a double arm on its own side ends at the inner corner…
        (3, 3) => GAP - LIGHT / 2.0,
        // …and one that does not reaches around the outer corner.
        (3, 0) if behind == 0 => -far,
        (3, _) => 0.0,
        // A single line does not cross the gap of a double one unless it continues on the other side.
        _ if sides == [3, 3] && behind == 0 => GAP - LIGHT / 2.0,
        _ if behind != 0 => 0.0,
        _ => -outer[0].max(outer[1]),
    }
}

/// A rounded corner.
fn push_arc(c: char, cell: CellBox, color: &str, out: &mut String) {
    let (cx, cy) = (cell.x + cell.width / 2.0, cell.y + cell.height / 2.0);
    let [up, right, ..] = arms(ARMS[(c as u32 - FIRST_BOX) as usize]);
    let end_x = if right > 0 { cell.x + cell.width } else { cell.x };
    let end_y = if up > 0 { cell.y } else { cell.y + cell.height };
    let radius = cell.width / 2.0;
    let bend = if up > 0 { cy - radius } else { cy + radius };
    let _ = writeln!(
        out,
        "<path d=\"M{cx:.2} {end_y:.2}V{bend:.2}Q{cx:.2} {cy:.2} {end_x:.2} {cy:.2}\" fill=\"none\" stroke=\"{color}\" \
         stroke-width=\"{LIGHT}\"/>"
    );
}

fn push_diagonals(c: char, cell: CellBox, color: &str, out: &mut String) {
    let CellBox { x, y, width, height } = cell;
    let (right, bottom) = (x + width, y + height);
    let rising = format!("M{x:.2} {bottom:.2}L{right:.2} {y:.2}");
    let falling = format!("M{x:.2} {y:.2}L{right:.2} {bottom:.2}");
    let path = match c {
        '╱' => rising,
        '╲' => falling,
        _ => rising + &falling,
    };
    let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{LIGHT}\"/>");
}

/// The quadrants of U+2596 to U+259F: 1 upper left, 2 upper right, 4 lower left, 8 lower right.
const QUADRANTS: [u8; 10] = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];

/// Keeps neighboring blocks from showing a seam between them.
const CRISP: &str = " shape-rendering=\"crispEdges\"";

/// A block element by its number from U+2580 on.
fn push_block(number: u32, cell: CellBox, color: &str, out: &mut String) {
    let CellBox { x, y, width, height } = cell;
    let part = |left: f64, top: f64, right: f64, bottom: f64| {
        [x + left * width, y + top * height, x + right * width, y + bottom * height]
    };
    let eighths = |n: u32| f64::from(n) / 8.0;
    let whole = part(0.0, 0.0, 1.0, 1.0);
    let shade = |opacity: f64| format!("{CRISP} opacity=\"{opacity}\"");
    match number {
        0x00 => push_rects(&[part(0.0, 0.0, 1.0, 0.5)], color, CRISP, out),
        0x01..=0x08 => push_rects(&[part(0.0, 1.0 - eighths(number), 1.0, 1.0)], color, CRISP, out),
        0x09..=0x0f => push_rects(&[part(0.0, 0.0, eighths(0x10 - number), 1.0)], color, CRISP, out),
        0x10 => push_rects(&[part(0.5, 0.0, 1.0, 1.0)], color, CRISP, out),
        0x11 => push_rects(&[whole], color, &shade(0.25), out),
        0x12 => push_rects(&[whole], color, &shade(0.5), out),
        0x13 => push_rects(&[whole], color, &shade(0.75), out),
        0x14 => push_rects(&[part(0.0, 0.0, 1.0, 0.125)], color, CRISP, out),
        0x15 => push_rects(&[part(0.875, 0.0, 1.0, 1.0)], color, CRISP, out),
        _ => {
            let quadrants = QUADRANTS[(number - 0x16) as usize % QUADRANTS.len()];
            let corners = [(1, 0.0, 0.0), (2, 0.5, 0.0), (4, 0.0, 0.5), (8, 0.5, 0.5)];
            let chosen = corners.iter().filter(|(bit, ..)| quadrants & bit != 0);
            let rects: Vec<_> =
                chosen.map(|&(_, left, top)| part(left, top, left + 0.5, top + 0.5)).collect();
            push_rects(&rects, color, CRISP, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: CellBox = CellBox { x: 0.0, y: 0.0, width: 8.0, height: 16.0 };

    fn shape(c: char) -> String {
        let mut out = String::new();
        push_shape(c, CELL, "red", &mut out);
        out
    }

    #[test]
    fn lines_reach_the_edges_of_their_cell() {
        assert_eq!(
            shape('│'),
            "<path d=\"M3.40 8.00H4.60V16.30H3.40zM3.40 0.00H4.60V8.00H3.40z\" fill=\"red\"/>\n"
        );
        assert_eq!(
            shape('━'),
            "<path d=\"M4.00 6.70H8.30V9.30H4.00zM0.00 6.70H4.00V9.30H0.00z\" fill=\"red\"/>\n"
        );
    }

    #[test]
    fn a_corner_is_closed_and_a_rounded_one_is_a_curve() {
        assert_eq!(
            shape('┌'),
            "<path d=\"M3.40 7.40H8.30V8.60H3.40zM3.40 7.40H4.60V16.30H3.40z\" fill=\"red\"/>\n"
        );
        assert!(shape('╭').contains("V12.00Q4.00 8.00 8.00 8.00"), "{}", shape('╭'));
    }

    #[test]
    fn block_elements_fill_their_part_of_the_cell() {
        assert_eq!(
            shape('█'),
            "<path d=\"M0.00 0.00H8.00V16.00H0.00z\" fill=\"red\" shape-rendering=\"crispEdges\"/>\n"
        );
        assert_eq!(
            shape('▄'),
            "<path d=\"M0.00 8.00H8.00V16.00H0.00z\" fill=\"red\" shape-rendering=\"crispEdges\"/>\n"
        );
        assert_eq!(
            shape('▌'),
            "<path d=\"M0.00 0.00H4.00V16.00H0.00z\" fill=\"red\" shape-rendering=\"crispEdges\"/>\n"
        );
        assert!(shape('░').contains("opacity=\"0.25\""));
        assert_eq!(shape('▚').matches('M').count(), 2);
    }

    #[test]
    fn every_character_of_both_ranges_has_a_shape() {
        for c in (FIRST_BOX..FIRST_BLOCK + 0x20).filter_map(char::from_u32) {
            assert!(is_shape(c) && shape(c).contains('M'), "{c}");
        }
        assert!(!is_shape('a') && !is_shape('■'));
    }
}
