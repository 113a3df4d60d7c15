//! Drawing, when something changed.

use std::time::{Duration, Instant};

use chrono::Timelike;

use fugue_protocol::Timestamp;

use super::App;
use crate::draw::{self, Line};
use crate::picture::{Canvas, Pointer};

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

    /// The clock on the status line goes on.
    fn tell_time(&mut self) {
        if self.minute_until.is_none_or(|until| until <= Instant::now()) {
            self.dirty = true;
            self.minute = clock();
            self.minute_until = Some(Instant::now() + until_next_minute());
        }
    }

    fn picture(&mut self, canvas: &mut Canvas) -> Option<Pointer> {
        let room = self.room();
        let bottom = room.rows;
        let mut pointer = None;
        if let Some(window) = self.tree.window() {
            let origin = draw::origin(window, &self.mirrors, room);
            draw::panes(canvas, &self.tree, window, &self.mirrors, origin, room);
            pointer = draw::pointer(window, &self.mirrors, origin, room);
        }
        if self.sidebar_seen() {
            draw::sidebar(canvas, &self.tree, room.cols, bottom, now());
        }
        if let Some((popup, place)) = self.popup.zip(self.popup_place()) {
            let title = self.tree.find_pane(popup.pane).map(draw::label).unwrap_or_default();
            pointer = draw::popup(canvas, place, &title, self.mirrors.get(&popup.pane));
        }
        self.foot(canvas);
        match &mut self.layer {
            Some(layer) => layer.draw(canvas, &self.tree, &self.mirrors, bottom.min(self.size.rows - 1)),
            None => pointer,
        }
    }

    /// The status line; without one, what must be said lies over the last row.
    fn foot(&self, canvas: &mut Canvas) {
        let line = self.line();
        if self.config.status || matches!(line, Line::Message(_)) {
            let row = self.size.rows.saturating_sub(1);
            draw::status(canvas, row, &self.tree, &self.minute, &line);
        }
    }

    fn line(&self) -> Line {
        if self.daemon.is_away() {
            return Line::Message(" the daemon went away: reconnecting …".into());
        }
        match &self.message {
            Some((words, _)) => Line::Message(words.clone()),
            None if self.prefix => Line::Message(self.config.keys.hints()),
            None => Line::Windows,
        }
    }
}
