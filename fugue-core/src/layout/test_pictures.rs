//! Layouts as text pictures for tests: the window before, the command, and the window after.
//!
//! A picture is between two bars. In it `|` and `-` are borders, a letter is a pane; cells are characters.

use super::*;

type Window = Layout<char>;
type Edited = Result<Window, LayoutError<char>>;

/// Asserts that `verb` turns the window `before` into `after`, whose size it then has.
#[track_caller]
pub(super) fn layout(before: &str, verb: &str, after: &str) {
    let (window, size) = read(before);
    let done = perform(&window, verb, size).expect("the verb succeeds");
    done.validate().expect("the layout is valid");
    assert_eq!(draw(&done, read(after).1), tidy(after), "after `{verb}`");
}

/// Asserts that `verb` is refused with this message.
#[track_caller]
pub(super) fn refused(before: &str, verb: &str, sentence: &str) {
    let (window, size) = read(before);
    let error = perform(&window, verb, size).expect_err("the operation should fail");
    assert_eq!(error.to_string(), sentence);
}

/// Runs `verb` on a window.
pub(super) fn perform(window: &Window, verb: &str, size: Size) -> Edited {
    let words: Vec<&str> = verb.split_whitespace().collect();
    match words[..] {
        ["look"] => Ok(window.clone()),
        ["close-pane", a] => window.remove(pane(a), size).map(|rest| rest.expect("another pane is left")),
        ["split-pane", a, to, new] => window.split(pane(a), pane(new), side(to), None, size),
        ["split-pane", a, to, new, by] => window.split(pane(a), pane(new), side(to), Some(share(by)), size),
        ["split-window", to, new] => window.split_edge(pane(new), side(to), None, size),
        ["split-window", to, new, by] => window.split_edge(pane(new), side(to), Some(share(by)), size),
        ["swap-pane", a, b] => window.swap(pane(a), pane(b)),
        ["replace-pane", a, b] => window.replace(pane(a), pane(b)),
        ["move-pane", a, to, b] => window.move_pane(pane(a), pane(b), side(to), None, size),
        ["rotate-window", way] => Ok(window.rotate(way == "forward")),
        ["resize-pane", a, to, by] => window.resize(pane(a), side(to), by.parse().expect("cells"), size),
        ["size-pane", a, cols, rows] => window.resize_to(pane(a), cols.parse().ok(), rows.parse().ok(), size),
        ["spread", a] => window.spread(pane(a), size),
        ["size-towards", a, cols, rows] => {
            window.resize_towards(pane(a), cols.parse().ok(), rows.parse().ok(), size)
        }
        ["select-layout", name] => {
            Layout::preset(name.parse().expect("a preset"), &window.panes(), None, size)
        }
        ["select-layout", name, by] => {
            Layout::preset(name.parse().expect("a preset"), &window.panes(), Some(share(by)), size)
        }
        _ => panic!("unknown verb `{verb}`"),
    }
}

/// The layout of a picture, and the size of its window.
pub(super) fn read(picture: &str) -> (Window, Size) {
    let tidy = tidy(picture);
    let grid: Vec<Vec<char>> = tidy.lines().map(|line| line[1..line.len() - 1].chars().collect()).collect();
    let size = Size::new(grid[0].len() as u16, grid.len() as u16);
    (Layout { root: part(&grid, Rect::whole(size)) }, size)
}

/// The picture of a window.
pub(super) fn draw(window: &Window, size: Size) -> String {
    let mut grid = vec![vec![' '; size.cols.into()]; size.rows.into()];
    for border in window.borders(size) {
        cells(border.rect).for_each(|(col, row)| grid[row][col] = mark(border.axis));
    }
    for (pane, rect) in window.places(size) {
        grid[usize::from(rect.row)][usize::from(rect.col) + 1] = pane;
    }
    grid.iter().map(|row| format!("|{}|\n", row.iter().collect::<String>())).collect()
}

/// The cells of a position, as column and row.
pub(super) fn cells(rect: Rect) -> impl Iterator<Item = (usize, usize)> {
    let rows = rect.row..rect.end(Axis::Column);
    rows.flat_map(move |row| (rect.col..rect.end(Axis::Row)).map(move |col| (col.into(), row.into())))
}

fn tidy(picture: &str) -> String {
    picture.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

fn mark(axis: Axis) -> char {
    if axis == Axis::Row { '|' } else { '-' }
}

fn part(grid: &[Vec<char>], rect: Rect) -> LayoutNode<char> {
    for axis in [Axis::Row, Axis::Column] {
        let is_border =
            |&at: &u16| cells(rect.with(axis, at, 1)).all(|(col, row)| grid[row][col] == mark(axis));
        let borders: Vec<u16> = (rect.start(axis)..rect.end(axis)).filter(is_border).collect();
        if !borders.is_empty() {
            return split(grid, rect, axis, borders);
        }
    }
    let label = cells(rect).map(|(col, row)| grid[row][col]).find(|c| c.is_alphabetic());
    LayoutNode::Pane(label.expect("every part of the picture has a letter"))
}

fn split(grid: &[Vec<char>], rect: Rect, axis: Axis, mut borders: Vec<u16>) -> LayoutNode<char> {
    borders.push(rect.end(axis));
    let mut start = rect.start(axis);
    let parts = borders.into_iter().map(|end| {
        let rect = rect.with(axis, start, end - start);
        start = end + 1;
        (u64::from(rect.size().along(axis)) + 1, part(grid, rect))
    });
    LayoutNode::of(axis, parts.collect())
}

fn pane(word: &str) -> char {
    word.chars().next().expect("a pane")
}

fn side(word: &str) -> Side {
    let all = [Side::Right, Side::Below, Side::Left, Side::Above];
    all.into_iter().find(|side| side.to_string() == word).expect("a side")
}

fn share(word: &str) -> Share {
    match word.strip_suffix('%') {
        Some(percent) => Share::Permille(percent.parse::<u16>().expect("percent") * 10),
        None => Share::Cells(word.parse().expect("cells")),
    }
}
