//! A popup: its window, its place on the terminal, and the arguments that open it.

use fugue_protocol::verbs::{KeyValue, Program};
use fugue_protocol::views::OnExit;
use fugue_protocol::{PaneId, Rect, Size, WindowId};

/// A popup that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Popup {
    pub(crate) pane: PaneId,
    pub(crate) window: WindowId,
    pub(crate) frame: PopupBox,
    /// The tree has listed it. When it is no longer listed after that, its program has ended.
    pub(crate) listed: bool,
}

/// The box of a popup, as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PopupBox {
    /// Its size, without the frame.
    pub(crate) size: Size,
    /// Its left column, and the row below it; in the middle without them.
    pub(crate) col: Option<u16>,
    pub(crate) end: Option<u16>,
}

impl PopupBox {
    /// The place of the box, frame included; never larger than the room.
    pub(crate) fn place(&self, area: Size) -> Rect {
        let cols = self.size.cols.saturating_add(2).clamp(3, area.cols.max(3));
        let rows = self.size.rows.saturating_add(2).clamp(3, area.rows.max(3));
        let (most_col, most_row) = (area.cols.saturating_sub(cols), area.rows.saturating_sub(rows));
        let col = self.col.map_or(most_col / 2, |col| col.min(most_col));
        let row = self.end.map_or(most_row / 2, |end| end.saturating_sub(rows).min(most_row));
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
pub(crate) struct PopupArgs {
    pub(crate) frame: PopupBox,
    pub(crate) content: PopupContent,
}

/// What a popup shows.
#[derive(Debug)]
pub(crate) enum PopupContent {
    /// The popup is closed.
    Nothing,
    /// A program that is to be started.
    Program { program: Program },
    /// The program that another one started in this window, which is a popup.
    Window { pane: PaneId, window: WindowId },
}

impl PopupArgs {
    /// Parses `-w 60 -h 50% -x 0 -y 20 -d DIR -e NAME=VALUE -E -- PROGRAM ARGS`, `-C`, or `--pane ID --window ID`.
    pub(crate) fn parse(words: &[&str], area: Size) -> Result<Self, String> {
        let size = Size::new(area.cols * 3 / 4, area.rows * 3 / 4);
        let mut frame = PopupBox { size, col: None, end: None };
        let mut program = Program { on_exit: Some(OnExit::Keep), ..Program::default() };
        let (mut pane, mut window) = (None, None);
        let mut rest = words;
        loop {
            match rest {
                ["-C", ..] => return Ok(Self { frame, content: PopupContent::Nothing }),
                ["-w" | "--width", value, ..] => frame.size.cols = cells(value, area.cols)?,
                ["-h" | "--height", value, ..] => frame.size.rows = cells(value, area.rows)?,
                ["-x", value, ..] => frame.col = value.parse().ok(),
                ["-y", value, ..] => frame.end = value.parse().ok(),
                ["-d" | "--cwd", value, ..] => program.cwd = Some((*value).to_owned()),
                ["-e", entry, ..] => program.env.extend(variable(entry)),
                ["--pane", id, ..] => pane = id.parse().ok(),
                ["--window", id, ..] => window = id.parse().ok(),
                ["-E", after @ ..] => {
                    let once = program.on_exit == Some(OnExit::Keep);
                    program.on_exit = Some(if once { OnExit::Close } else { OnExit::KeepFailed });
                    rest = after;
                    continue;
                }
                [word, ..] if word.starts_with('-') && *word != "--" => {
                    return Err(format!(
                        "display-popup has no option `{word}`: use -w, -h, -x, -y, -d, -e or -E, followed by a \
                         program"
                    ));
                }
                _ => break,
            }
            rest = &rest[2..];
        }
        let argv = rest.strip_prefix(&["--"]).unwrap_or(rest);
        program.argv = argv.iter().map(|word| (*word).to_owned()).collect();
        let content = match pane.zip(window) {
            Some((pane, window)) => PopupContent::Window { pane, window },
            None => PopupContent::Program { program },
        };
        Ok(Self { frame, content })
    }
}

fn variable(entry: &str) -> Option<KeyValue> {
    entry.split_once('=').map(|(name, value)| KeyValue(name.to_owned(), value.to_owned()))
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
            PopupArgs::parse(&words, area).map(|args| match args.content {
                PopupContent::Program { program } => (args.frame.size.to_string(), program.argv.join(" ")),
                content => (args.frame.size.to_string(), format!("{content:?}")),
            })
        };
        assert_eq!(parse("-w 50% -h 10 -- top -b"), Ok(("40x10".into(), "top -b".into())));
        assert_eq!(parse("-d /tmp top"), Ok(("60x18".into(), "top".into())));
        assert_eq!(parse("top"), Ok(("60x18".into(), "top".into())));
        assert_eq!(parse("-E -w 50% -- top"), Ok(("40x18".into(), "top".into())));
        assert_eq!(parse("-C"), Ok(("60x18".into(), "Nothing".into())));
        assert_eq!(
            parse("-w wide top"),
            Err("Invalid size `wide`: use cells (60) or a percentage (50%)".into())
        );
    }

    #[test]
    fn a_popup_stays_after_its_program_unless_it_is_to_close() {
        let parse = |words: &[&str]| match PopupArgs::parse(words, Size::new(80, 24)).map(|args| args.content)
        {
            Ok(PopupContent::Program { program }) => program.on_exit,
            other => panic!("{other:?}"),
        };
        assert_eq!(parse(&["top"]), Some(OnExit::Keep));
        assert_eq!(parse(&["-E", "top"]), Some(OnExit::Close));
        assert_eq!(parse(&["-E", "-E", "top"]), Some(OnExit::KeepFailed));
    }

    #[test]
    fn a_popup_is_centered_or_where_it_is_asked_for_and_fits_its_area() {
        let frame = PopupBox { size: Size::new(20, 6), col: None, end: None };
        assert_eq!(frame.place(Size::new(80, 24)), Rect { col: 29, row: 8, cols: 22, rows: 8 });
        assert_eq!(frame.inside(Size::new(10, 4)), Rect { col: 1, row: 1, cols: 8, rows: 2 });
        let largest = PopupBox { size: Size::new(u16::MAX, u16::MAX), ..frame };
        assert_eq!(largest.place(Size::new(80, 24)), Rect { col: 0, row: 0, cols: 80, rows: 24 });
        let frame = PopupBox { col: Some(3), end: Some(10), ..frame };
        assert_eq!(frame.place(Size::new(80, 24)), Rect { col: 3, row: 2, cols: 22, rows: 8 });
        let frame = PopupBox { col: Some(300), end: Some(300), ..frame };
        assert_eq!(frame.place(Size::new(80, 24)), Rect { col: 58, row: 16, cols: 22, rows: 8 });
    }
}
