//! A popup: its window, its place on the terminal, and the arguments that open it.

use fugue_protocol::{PaneId, Rect, Size, WindowId};

/// A popup that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Popup {
    pub(crate) pane: PaneId,
    pub(crate) window: WindowId,
    /// The size that was asked for, without the frame.
    pub(crate) size: Size,
    /// The tree has listed it. When it is no longer listed after that, its program has ended.
    pub(crate) listed: bool,
}

impl Popup {
    /// The place of its box, frame included: in the middle, and never larger than the room.
    pub(crate) fn place(&self, area: Size) -> Rect {
        let cols = (self.size.cols + 2).clamp(3, area.cols.max(3));
        let rows = (self.size.rows + 2).clamp(3, area.rows.max(3));
        let (col, row) = (area.cols.saturating_sub(cols) / 2, area.rows.saturating_sub(rows) / 2);
        Rect { col, row, cols, rows }
    }

    /// The place of its screen, inside the frame.
    pub(crate) fn inside(&self, area: Size) -> Rect {
        let Rect { col, row, cols, rows } = self.place(area);
        Rect { col: col + 1, row: row + 1, cols: cols - 2, rows: rows - 2 }
    }
}

/// The arguments of `display-popup`.
#[derive(Debug)]
pub(crate) struct PopupArgs<'a> {
    pub(crate) size: Size,
    pub(crate) cwd: Option<&'a str>,
    pub(crate) program: &'a [&'a str],
}

impl<'a> PopupArgs<'a> {
    /// Parses `-w 60 -h 50% -d DIR -- PROGRAM ARGS`.
    pub(crate) fn parse(words: &'a [&'a str], area: Size) -> Result<Self, String> {
        let mut size = Size::new(area.cols * 3 / 4, area.rows * 3 / 4);
        let mut cwd = None;
        let mut rest = words;
        loop {
            rest = match rest {
                ["-w" | "--width", value, rest @ ..] => {
                    size.cols = cells(value, area.cols)?;
                    rest
                }
                ["-h" | "--height", value, rest @ ..] => {
                    size.rows = cells(value, area.rows)?;
                    rest
                }
                ["-d" | "--cwd", value, rest @ ..] => {
                    cwd = Some(*value);
                    rest
                }
                ["--", program @ ..] => return Ok(Self { size, cwd, program }),
                [word, ..] if word.starts_with('-') => {
                    return Err(format!(
                        "display-popup has no option `{word}`: use -w, -h or -d, followed by a program"
                    ));
                }
                program => return Ok(Self { size, cwd, program }),
            };
        }
    }
}

/// A number of cells, or a percentage of the room.
fn cells(word: &str, room: u16) -> Result<u16, String> {
    let wrong = || format!("Invalid size `{word}`: use cells (60) or a percentage (50%)");
    match word.strip_suffix('%') {
        Some(part) => {
            let part: u32 = part.parse().map_err(|_| wrong())?;
            u16::try_from(u32::from(room) * part.min(100) / 100).map_err(|_| wrong())
        }
        None => word.parse().map_err(|_| wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_give_the_size_and_the_program() {
        let area = Size::new(80, 24);
        let parse = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            PopupArgs::parse(&words, area).map(|args| (args.size.to_string(), args.program.join(" ")))
        };
        assert_eq!(parse("-w 50% -h 10 -- top -b"), Ok(("40x10".into(), "top -b".into())));
        assert_eq!(parse("-d /tmp top"), Ok(("60x18".into(), "top".into())));
        assert_eq!(parse("top"), Ok(("60x18".into(), "top".into())));
        assert_eq!(
            parse("-w wide top"),
            Err("Invalid size `wide`: use cells (60) or a percentage (50%)".into())
        );
    }

    #[test]
    fn a_popup_is_centered_and_fits_its_area() {
        let ids = (PaneId::from_bytes([1; 16]), WindowId::from_bytes([2; 16]));
        let popup = Popup { pane: ids.0, window: ids.1, size: Size::new(20, 6), listed: false };
        assert_eq!(popup.place(Size::new(80, 24)), Rect { col: 29, row: 8, cols: 22, rows: 8 });
        assert_eq!(popup.inside(Size::new(10, 4)), Rect { col: 1, row: 1, cols: 8, rows: 2 });
    }
}
