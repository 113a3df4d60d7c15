//! A popup: a window of its own that this client shows in a box over the panes. When its program ends, it is gone; a
//! client that leaves finds it among the session's windows again.

use fugue_protocol::verbs::{ClosePane, CreateWindow, PaneChoice, Program, ResizeWindow, WindowChoice};
use fugue_protocol::views::{PaneCreated, PaneView};
use fugue_protocol::{PaneId, Rect, Size, WindowId};
use fugue_screen::mouse::MouseEvent;
use serde_json::value::RawValue;

use super::App;
use super::daemon::Purpose;

/// A popup that is open.
#[derive(Debug, Clone, Copy)]
pub(super) struct Popup {
    pub(super) pane: PaneId,
    pub(super) window: WindowId,
    wanted: Size,
    /// The tree has it: when it has it no more, the program has ended.
    pub(super) known: bool,
}

/// What a popup was asked to be.
struct PopupArgs<'a> {
    size: Size,
    cwd: Option<&'a str>,
    words: &'a [&'a str],
}

/// `-w 60 -h 50% -d DIR -- program words`: the size, the directory, and the words.
fn read<'a>(words: &'a [&'a str], room: Size) -> Result<PopupArgs<'a>, String> {
    let mut size = Size::new(room.cols * 3 / 4, room.rows * 3 / 4);
    let mut cwd = None;
    let mut rest = words;
    loop {
        rest = match rest {
            ["-w" | "--width", value, rest @ ..] => {
                size.cols = cells(value, room.cols)?;
                rest
            }
            ["-h" | "--height", value, rest @ ..] => {
                size.rows = cells(value, room.rows)?;
                rest
            }
            ["-d" | "--cwd", value, rest @ ..] => {
                cwd = Some(*value);
                rest
            }
            ["--", words @ ..] => return Ok(PopupArgs { size, cwd, words }),
            [word, ..] if word.starts_with('-') => {
                return Err(format!("display-popup has no `{word}`: it takes -w, -h and -d, then a program"));
            }
            words => return Ok(PopupArgs { size, cwd, words }),
        };
    }
}

/// A number of cells, or a part of the room in percent.
fn cells(word: &str, room: u16) -> Result<u16, String> {
    let wrong = || format!("`{word}` is no size: write 60, or 50%");
    match word.strip_suffix('%') {
        Some(part) => {
            let part: u32 = part.parse().map_err(|_| wrong())?;
            u16::try_from(u32::from(room) * part.min(100) / 100).map_err(|_| wrong())
        }
        None => word.parse().map_err(|_| wrong()),
    }
}

impl App {
    pub(super) fn open_popup(&mut self, words: &[&str]) {
        let PopupArgs { size: wanted, cwd, words } = match read(words, self.room()) {
            Ok(read) => read,
            Err(why) => return self.say(why),
        };
        let argv = words.iter().map(|word| (*word).to_owned()).collect();
        let here = || self.tree.pane().and_then(|pane| pane.cwd.clone());
        let cwd = cwd.map(str::to_owned).or_else(here);
        let program = Program { argv, cwd, ..Program::default() };
        let (session, name) = (Some(self.tree.here.into()), "popup".parse().ok());
        let create = CreateWindow { session, name, background: true, program };
        self.daemon.ask(Purpose::Popup(wanted), &create);
    }

    pub(super) fn popup_opened(&mut self, wanted: Size, reply: &RawValue) {
        let Ok(made) = serde_json::from_str::<PaneCreated>(reply.get()) else { return };
        self.popup = Some(Popup { pane: made.pane_id, window: made.window_id, wanted, known: false });
        self.tree.popup = Some(made.window_id);
        self.fit_popup();
        self.watch();
    }

    /// Where its box is, the frame included.
    pub(super) fn popup_place(&self) -> Option<Rect> {
        let (popup, room) = (self.popup?, self.room());
        let cols = (popup.wanted.cols + 2).clamp(3, room.cols.max(3));
        let rows = (popup.wanted.rows + 2).clamp(3, room.rows.max(3));
        let (col, row) = (room.cols.saturating_sub(cols) / 2, room.rows.saturating_sub(rows) / 2);
        Some(Rect { col, row, cols, rows })
    }

    /// Its pane, and where that is on the terminal.
    pub(super) fn popup_inside(&self) -> Option<(PaneId, Rect)> {
        let Rect { col, row, cols, rows } = self.popup_place()?;
        Some((self.popup?.pane, Rect { col: col + 1, row: row + 1, cols: cols - 2, rows: rows - 2 }))
    }

    /// Its window gets the size of the box.
    pub(super) fn fit_popup(&mut self) {
        let Some((popup, place)) = self.popup.zip(self.popup_place()) else { return };
        let size = Size::new(place.cols - 2, place.rows - 2);
        let choice = WindowChoice { session: None, window: Some(popup.window.into()) };
        self.daemon.ask(Purpose::Quiet, &ResizeWindow { choice, size });
    }

    pub(super) fn close_popup(&mut self) {
        if let Some(popup) = self.popup {
            self.daemon.ask(Purpose::Command, &ClosePane { choice: PaneChoice::of(popup.pane) });
        }
    }

    /// A pane is gone: if it was the popup's, so is the popup, though its program ended before the tree was told of it.
    pub(super) fn popup_closed(&mut self, pane: PaneId) {
        if self.popup.is_some_and(|popup| popup.pane == pane) {
            self.popup = None;
            self.tree.popup = None;
            self.watch();
            self.dirty = true;
        }
    }

    /// The tree was told anew: a popup whose window is gone is gone.
    pub(super) fn look_for_popup(&mut self) {
        let Some(popup) = &mut self.popup else { return };
        let there = self.tree.find_window(popup.window).is_some();
        popup.known |= there;
        if popup.known && !there {
            self.popup = None;
            self.tree.popup = None;
        }
    }

    /// The mouse over the box; what lies behind it has none.
    pub(super) fn popup_mouse(&mut self, (pane, inside): (PaneId, Rect), event: MouseEvent) {
        let (row, col) = (event.row.wrapping_sub(inside.row), event.col.wrapping_sub(inside.col));
        let view = self.tree.find_pane(pane).filter(|_| row < inside.rows && col < inside.cols).cloned();
        if let Some(view) = view {
            self.mouse_in(&PaneView { active: true, ..view }, MouseEvent { row, col, ..event });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_popup_says_how_large_it_is_and_what_runs_in_it() {
        let room = Size::new(80, 24);
        let read = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            read(&words, room).map(|read| (read.size.to_string(), read.words.join(" ")))
        };
        assert_eq!(read("-w 50% -h 10 -- top -b"), Ok(("40x10".into(), "top -b".into())));
        assert_eq!(read("-d /tmp top"), Ok(("60x18".into(), "top".into())));
        assert_eq!(read("top"), Ok(("60x18".into(), "top".into())));
        assert_eq!(read("-w wide top"), Err("`wide` is no size: write 60, or 50%".into()));
    }
}
