//! Drawing, when something changed.

use std::time::{Duration, Instant};

use chrono::Timelike;

use fugue_protocol::Timestamp;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::App;
use crate::draw::{self, StatusLine, ViewOrigin};
use crate::overlays::Overlay;
use crate::paint::{Canvas, TerminalCursor};

/// The time, as the status line shows it.
pub(super) fn clock() -> String {
    chrono::Local::now().format("%H:%M").to_string()
}

/// This moment.
pub(super) fn now() -> Timestamp {
    Timestamp::from_millis(u64::try_from(chrono::Utc::now().timestamp_millis()).unwrap_or_default())
}

/// How long the clock on the status line is right.
fn until_next_minute() -> Duration {
    Duration::from_secs(u64::from(60 - chrono::Local::now().second().min(59)))
}

impl App {
    pub(super) fn draw(&mut self) {
        self.tell_time();
        // The last picture is not out yet: the next one shows what is newest then.
        if !self.output.is_done() {
            return;
        }
        let all = std::mem::take(&mut self.dirty);
        if !all && !self.changed.any() {
            return;
        }
        let rows = self.rows_to_draw(all);
        let mut canvas = self.painter.begin(self.size, std::rc::Rc::clone(&self.theme), rows);
        let pointer = self.picture(&mut canvas);
        let bytes = self.painter.paint(canvas, pointer);
        if !bytes.is_empty() && self.output.put(&bytes).is_err() {
            self.leave("");
        }
    }

    /// Draws the row with the cursor as it is, which writes nothing: what a key's echo takes to be drawn lies at hand then.
    pub(super) fn rehearse(&mut self) {
        if let Some(pane) = self.tree.pane()
            && let Some(mirror) = self.mirrors.get(&pane.pane_id)
            && self.shows_only_panes()
        {
            self.changed.look_at(pane.pane_id, mirror.cursor.row);
            self.draw();
        }
    }

    /// The clock on the status line goes on.
    fn tell_time(&mut self) {
        if self.minute_until.is_none_or(|until| until <= Instant::now()) {
            self.dirty = true;
            self.minute = clock();
            self.minute_until = Some(Instant::now() + until_next_minute());
        }
    }

    /// The part of the window that is seen: the one with the cursor, or with the place to which a person looks back.
    pub(super) fn origin(&self) -> ViewOrigin {
        let Some(window) = self.tree.window() else { return ViewOrigin::default() };
        if let Some(Overlay::Copy(copy)) = &self.layer
            && let Some(pane) = window.panes.iter().find(|pane| pane.pane_id == copy.pane)
        {
            let (row, col) = copy.cursor();
            return draw::around(window, pane.place.row + row, pane.place.col + col, self.room());
        }
        draw::origin(window, &self.mirrors, self.room())
    }

    fn picture(&mut self, canvas: &mut Canvas) -> Option<TerminalCursor> {
        let room = self.room();
        let bottom = room.rows;
        let mut pointer = None;
        if let Some(window) = self.tree.window() {
            let origin = self.origin();
            draw::panes(canvas, &self.tree, window, &self.mirrors, origin, room);
            pointer = draw::pointer(window, &self.mirrors, origin, room);
            let seen = self.tree.seen();
            for copy in self.pasts.iter() {
                if let Some(pane) = seen.iter().find(|pane| pane.pane_id == copy.pane) {
                    copy.draw_past(canvas, pane.place, (origin, room));
                }
            }
        }
        if self.sidebar_seen() {
            draw::sidebar(canvas, &self.tree, room.cols, bottom, now());
        }
        if let Some((popup, place)) = self.popup.zip(self.popup_place()) {
            let title = self.tree.find_pane(popup.pane).map(draw::label).unwrap_or_default();
            pointer = draw::popup(canvas, place, &title, self.mirrors.get(&popup.pane));
        }
        self.foot(canvas);
        let (seen, inside) = ((self.origin(), room), self.popup_inside());
        let bottom = bottom.min(self.size.rows - 1);
        match &mut self.layer {
            Some(Overlay::Copy(copy)) if inside.is_some_and(|(pane, _)| pane == copy.pane) => {
                copy.draw(canvas, inside?.1, (ViewOrigin::default(), room), bottom)
            }
            Some(layer) => layer.draw(canvas, &self.tree, &self.mirrors, seen, bottom),
            None => pointer,
        }
    }

    /// The status line; without one, what must be said lies over the last row.
    fn foot(&self, canvas: &mut Canvas) {
        let line = self.line();
        if self.config.status || matches!(line, StatusLine::Message(_)) {
            let row = self.size.rows.saturating_sub(1);
            draw::status(canvas, row, &self.tree, &self.minute, &line);
        }
    }

    /// Words that are too long for the line say where the rest can be read.
    fn fitted(&self, words: &str) -> String {
        let cols = usize::from(self.size.cols);
        if words.width() <= cols {
            return words.to_owned();
        }
        let more = self.config.keys.of("show-messages").map(|key| format!(" … {key} ")).unwrap_or_default();
        let mut fitted = String::new();
        for piece in words.graphemes(true) {
            if fitted.width() + piece.width() + more.width() > cols {
                break;
            }
            fitted.push_str(piece);
        }
        fitted + &more
    }

    fn line(&self) -> StatusLine {
        if self.daemon.is_overdue() {
            return StatusLine::Message(
                " the daemon does not come back: leave, and `fugue` starts another".into(),
            );
        }
        if self.daemon.is_away() {
            return StatusLine::Message(" the daemon went away: reconnecting …".into());
        }
        if self.silent {
            return StatusLine::Message(" the daemon does not answer: what you type waits for it".into());
        }
        if self.held_long {
            return StatusLine::Message(
                " this takes long: what you type waits for it, C-c lets it go".into(),
            );
        }
        match &self.message {
            Some(said) => StatusLine::Message(self.fitted(&said.words)),
            None if self.prefix => StatusLine::Message(self.config.keys.hints()),
            None => StatusLine::Windows,
        }
    }
}
