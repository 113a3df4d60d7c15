//! Drawing a frame, when something changed.

use std::time::{Duration, Instant};

use fugue_protocol::views::PaneView;

use super::App;
use crate::clock;
use crate::draw::{self, StatusLine, ViewOrigin};
use crate::keys::bindings::{CONFIRM_CLOSE, RESTORE};
use crate::overlays::Overlay;
use crate::paint::{Canvas, DirtyRows, TerminalCursor};

/// How long images are drawn before keys are handled.
const MOST_DRAWING: Duration = Duration::from_millis(20);

impl App {
    pub(super) fn draw(&mut self) {
        if self.awaits_first_frame() {
            return;
        }
        self.draw_once();
        // Images are written one at a time; keys are handled in between.
        let until = Instant::now() + MOST_DRAWING;
        while self.has_more_to_draw() && Instant::now() < until && self.events.exit.is_none() {
            self.draw_once();
        }
    }

    /// Whether the terminal takes more of what was not drawn yet.
    pub(super) fn has_more_to_draw(&self) -> bool {
        !self.display.damage.is_empty()
            && self.display.output.is_done()
            && self.display.first_frame_due.is_none()
    }

    fn draw_once(&mut self) {
        self.display.update_clock(Instant::now());
        // While the last frame is not written yet, none is drawn: the next one shows what is newest then.
        if !self.display.output.is_done() || self.display.damage.is_empty() {
            return;
        }
        let mut rows = self.rows_to_draw();
        let title = if rows == DirtyRows::All { self.title_change() } else { String::new() };
        let images = self.visible_images();
        let display = &mut self.display;
        let spoiled = display.images.prepare(images, display.size);
        if !spoiled.is_empty() {
            rows = DirtyRows::All;
        }
        spoiled.into_iter().for_each(|area| display.painter.forget_area(area));
        let mut canvas = display.painter.begin(display.size, std::rc::Rc::clone(&display.theme), rows);
        let cursor = self.draw_frame(&mut canvas);
        let (painter, images) = (&mut self.display.painter, &mut self.display.images);
        let mut is_incomplete = false;
        let painted = painter.paint_with(canvas, cursor, |written, is_cleared, out| {
            is_incomplete = images.show(written, is_cleared, out);
        });
        self.display.redraw_if(is_incomplete);
        let bytes = [title.into_bytes(), painted].concat();
        if !bytes.is_empty() && self.display.output.write(&bytes).is_err() {
            self.exit_with("");
        }
    }

    /// Draws the cursor's row as it is, which writes nothing: the code and data that the echo of a key needs are in the
    /// processor's caches then.
    pub(super) fn warm_up_echo(&mut self) {
        if let Some(pane) = self.tree.pane()
            && let Some(mirror) = self.panes.mirrors.get(&pane.pane_id)
            && self.overlays.is_empty()
        {
            self.display.damage.add_row(pane.pane_id, mirror.cursor.row);
            self.draw();
        }
    }

    /// The rows of the terminal to draw.
    fn rows_to_draw(&mut self) -> DirtyRows {
        let (area, origin) = (self.window_area(), self.view_origin());
        let changed = self.display.damage.take(origin);
        let window = self.tree.window().filter(|_| self.overlays.is_empty());
        let Some((changed, window)) = changed.zip(window) else { return DirtyRows::All };
        let mut rows = DirtyRows::none(self.display.size.rows);
        for (pane, row) in changed {
            let place = window.panes.iter().find(|seen| seen.pane_id == pane).map(|seen| seen.place);
            let row = place.and_then(|place| origin.onto(place.row + row, place.col.max(origin.col), area));
            row.into_iter().for_each(|(row, _)| rows.add(row));
        }
        rows
    }

    /// The part of the window that is visible: the one with the cursor, or with the cursor of copy mode.
    pub(super) fn view_origin(&self) -> ViewOrigin {
        let Some(window) = self.tree.window() else { return ViewOrigin::default() };
        if let Some(Overlay::Copy(copy)) = &self.overlays.current
            && let Some(pane) = window.panes.iter().find(|pane| pane.pane_id == copy.pane)
        {
            let (row, col) = copy.cursor();
            return draw::origin_around(
                window,
                pane.place.row + row,
                pane.place.col + col,
                self.window_area(),
            );
        }
        draw::origin(window, &self.panes.mirrors, self.window_area())
    }

    /// Draws everything onto the canvas, and returns the cursor.
    fn draw_frame(&mut self, canvas: &mut Canvas) -> Option<TerminalCursor> {
        let area = self.window_area();
        let mut cursor = self.draw_window(canvas);
        if self.display.sidebar_cols() > 0 {
            let first = self.display.sidebar.first;
            draw::sidebar(canvas, &self.tree, area.cols, area.rows, (first, clock::now()));
            if let Some(window) = self.tree.window() {
                draw::join_sidebar(canvas, window, self.view_origin(), area);
            }
        }
        if let Some(popup) = self.overlays.popup {
            let texts = self.popup_texts(popup.pane);
            let mirror = self.panes.mirrors.get(&popup.pane);
            cursor = draw::popup(canvas, popup.frame.place(area), &texts, mirror);
        }
        if self.messages.shows_welcome() {
            draw::welcome(canvas, area, &self.welcome_keys());
        }
        self.draw_status_line(canvas);
        let (seen, inside) = ((self.view_origin(), area), self.popup_inside());
        let bottom = area.rows.min(self.display.size.rows - 1);
        if let Some(list) = self.overlays.behind.as_mut().filter(|_| self.overlays.current.is_some()) {
            list.draw(canvas, &self.tree, &self.panes.mirrors, seen, bottom);
        }
        match &mut self.overlays.current {
            Some(Overlay::Copy(copy)) if inside.is_some_and(|(pane, _)| pane == copy.pane) => {
                copy.draw(canvas, inside?.1, (ViewOrigin::default(), area), bottom)
            }
            Some(overlay) => overlay.draw(canvas, &self.tree, &self.panes.mirrors, seen, bottom),
            None => cursor,
        }
    }

    /// Draws the window's panes, and the copy modes that wait in them.
    fn draw_window(&self, canvas: &mut Canvas) -> Option<TerminalCursor> {
        let window = self.tree.window()?;
        let (origin, area) = (self.view_origin(), self.window_area());
        draw::panes(canvas, &self.tree, window, &self.panes.mirrors, origin, area);
        self.draw_placeholders(canvas);
        let restore_key = self.config.keys.of(RESTORE);
        draw::lost(canvas, window, restore_key.as_deref(), origin, area);
        let close_key = self.config.keys.of(CONFIRM_CLOSE);
        draw::exited(canvas, window, close_key.as_deref(), origin, area);
        let visible = self.tree.visible_panes();
        for copy in self.overlays.copy_views.iter() {
            if let Some(pane) = visible.iter().find(|pane| pane.pane_id == copy.pane) {
                copy.draw_rows(canvas, pane.place, (origin, area));
            }
        }
        let cursor = draw::cursor(window, &self.panes.mirrors, origin, area);
        self.draw_prediction(canvas, cursor, origin)
    }

    /// Draws the status line; where it is turned off, messages are drawn over the last row.
    fn draw_status_line(&self, canvas: &mut Canvas) {
        let rows = self.display.size.rows;
        let first = self.window_area().rows.min(rows.saturating_sub(1));
        let own = first..first.saturating_add(self.display.status.lines).min(rows);
        if own.clone().any(|row| canvas.draws(row)) {
            for (row, line) in own.zip(self.status_content()) {
                draw::status_line(canvas, row, &self.tree, &line);
            }
        }
        if let StatusLine::Message(texts, kind) = self.status_line() {
            // A long message takes rows of the panes: those next to the status line.
            let count = texts.len() as u16;
            draw::message(canvas, &texts, kind, |at| match self.display.status.top_rows() {
                0 => (first + 1 + at).checked_sub(count),
                _ => Some((first + at) % rows),
            });
        }
    }
}

impl App {
    /// Whether nothing is drawn yet, because the first frame would not show the panes.
    pub(super) fn awaits_first_frame(&mut self) -> bool {
        let Some(due) = self.display.first_frame_due else { return false };
        let awaits = Instant::now() < due && !self.knows_panes();
        if !awaits {
            self.display.first_frame_due = None;
        }
        awaits
    }

    /// Whether all visible panes are known, each in the size of its place.
    fn knows_panes(&self) -> bool {
        let is_known = |pane: &&PaneView| {
            let mirror = self.panes.mirrors.get(&pane.pane_id);
            let size = pane.place.size();
            mirror.is_some_and(|mirror| (mirror.size.cols, mirror.size.rows) == (size.cols, size.rows))
        };
        let visible = self.tree.visible_panes();
        !visible.is_empty() && !self.panes.sizing.is_requested() && visible.iter().all(is_known)
    }
}

/// The characters of the longest title of the person's terminal: terminals show less.
const TITLE_CHARS: usize = 256;

impl App {
    /// The sequence that gives the person's terminal another title; nothing if it has the right one. The terminal's own is
    /// kept on its stack of titles.
    fn title_change(&mut self) -> String {
        let settings = &self.config.settings;
        let wanted = settings.set_titles.then(|| plain(&self.expanded(&settings.titles_format)));
        if wanted == self.display.title {
            return String::new();
        }
        let sequence = match &wanted {
            Some(title) => format!("\x1b]2;{title}\x1b\\"),
            // Back to the terminal's own, which stays on the stack for the end.
            None => "\x1b[23;2t\x1b[22;2t".to_owned(),
        };
        self.display.title = wanted;
        sequence
    }
}

fn plain(title: &str) -> String {
    title.chars().filter(|c| !c.is_control()).take(TITLE_CHARS).collect()
}
