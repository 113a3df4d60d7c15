//! Showing what is typed before its echo arrives, where the daemon is far away.

use std::time::Instant;

use fugue_config::PredictEcho;
use fugue_protocol::PaneId;
use fugue_screen::Underline;
use fugue_screen::keys::Key;

use super::App;
use crate::draw::ViewOrigin;
use crate::paint::{Canvas, CanvasCell, TerminalCursor};

impl App {
    /// Predicts the echo of a key that was typed into a pane.
    pub(super) fn predict_echo(&mut self, pane: PaneId, key: Key) {
        let is_alone = self.overlays.popup.is_none()
            && !self.tree.is_synchronized(pane)
            && !self.pastes.queues.has(pane);
        let mirror = self.panes.mirrors.get(&pane).filter(|_| is_alone && self.may_predict());
        let row = match mirror {
            Some(mirror) => self.prediction.type_key(pane, key, mirror, Instant::now()),
            None => self.prediction.reset(),
        };
        self.redraw_predicted(pane, row);
    }

    /// Compares what was predicted with a new screen of a pane.
    pub(super) fn check_prediction(&mut self, pane: PaneId) {
        if let Some(mirror) = self.panes.mirrors.get(&pane) {
            let row = self.prediction.check(pane, mirror, Instant::now());
            self.redraw_predicted(pane, row);
        }
    }

    /// Drops the predictions, because an echo does not arrive or something other than a key was sent.
    pub(super) fn drop_prediction(&mut self) {
        if let Some(pane) = self.prediction.pane() {
            let row = self.prediction.reset();
            self.redraw_predicted(pane, row);
        }
    }

    fn redraw_predicted(&mut self, pane: PaneId, row: Option<u16>) {
        if let Some(row) = row {
            self.display.damage.add_row(pane, row);
        }
    }

    /// Whether predictions are made at all. On this host, an echo takes less than a millisecond.
    fn may_predict(&self) -> bool {
        match self.config.settings.predict_echo {
            _ if self.options.read_only => false,
            PredictEcho::Auto => self.daemon.host().is_some(),
            PredictEcho::Always => true,
            PredictEcho::Never => false,
        }
    }

    /// Draws the predictions over the active pane, underlined. Returns where the cursor is then.
    pub(super) fn draw_prediction(
        &self,
        canvas: &mut Canvas,
        cursor: Option<TerminalCursor>,
        origin: ViewOrigin,
    ) -> Option<TerminalCursor> {
        let always = self.config.settings.predict_echo == PredictEcho::Always;
        let pane = self.tree.pane().filter(|_| always || self.prediction.is_slow());
        let Some((pane, text)) = pane.and_then(|pane| Some((pane, self.prediction.shown(pane.pane_id)?)))
        else {
            return cursor;
        };
        let area = self.window_area();
        let place = |col: u16| origin.onto(pane.place.row + text.row, pane.place.col + col, area);
        let mut col = text.col;
        for c in text.text.chars() {
            if let Some((row, at)) = place(col) {
                let under = canvas.row(row).get(usize::from(at)).map(|cell| cell.style).unwrap_or_default();
                let style = fugue_screen::Style { underline: Underline::Single, ..under };
                canvas.put(row, at, area.cols, CanvasCell::of(c, style));
            }
            col += 1;
        }
        cursor.and_then(|cursor| place(col).map(|(row, col)| TerminalCursor { row, col, ..cursor }))
    }
}
