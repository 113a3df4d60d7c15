//! What the client draws with and what it knows about its terminal: size, colors, theme, painter, images, unwritten
//! output, the place and the clock of the status line, and what must be drawn again.

use std::rc::Rc;
use std::time::Instant;

use fugue_protocol::Size;

use super::damage::Damage;
use super::status_clock::Clock;
use super::terminal_colors::OuterColors;
use crate::draw::MIN_TERMINAL_COLS;
use crate::images::ImageDisplay;
use crate::paint::{ColorDepth, Painter};
use crate::theme::Theme;
use crate::tty::output::TtyOutput;

/// Where the status line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatusPlace {
    /// The number of its lines; none if it is turned off.
    pub(crate) lines: u16,
    pub(crate) at_top: bool,
}

impl StatusPlace {
    /// The rows at the top that are the status line's.
    pub(crate) fn top_rows(self) -> u16 {
        if self.at_top { self.lines } else { 0 }
    }
}

/// The sidebar.
#[derive(Debug, Default)]
pub(crate) struct Sidebar {
    pub(crate) open: bool,
    /// The columns for what it holds; none if there is nothing.
    pub(crate) width: u16,
    /// The first visible row.
    pub(crate) first: usize,
}

/// The client's own terminal, as something to draw on.
pub(crate) struct Display {
    pub(crate) size: Size,
    pub(crate) output: TtyOutput,
    pub(crate) painter: Painter,
    pub(crate) images: ImageDisplay,
    pub(crate) theme: Rc<Theme>,
    pub(crate) colors: OuterColors,
    pub(crate) clock: Clock,
    /// The title that the terminal was given.
    pub(crate) title: Option<String>,
    pub(crate) status: StatusPlace,
    pub(crate) damage: Damage,
    pub(crate) sidebar: Sidebar,
    /// Whether the terminal has the keyboard focus, as far as it reports that.
    pub(crate) focused: bool,
}

impl Display {
    pub(crate) fn new(size: Size, depth: ColorDepth) -> Self {
        let mut damage = Damage::default();
        damage.add_all();
        Self {
            size,
            output: TtyOutput::default(),
            painter: Painter::new(depth),
            images: ImageDisplay::default(),
            theme: Rc::default(),
            colors: OuterColors::default(),
            clock: Clock::default(),
            title: None,
            status: StatusPlace { lines: 1, at_top: false },
            damage,
            sidebar: Sidebar::default(),
            focused: true,
        }
    }

    /// Draws everything again with the next frame.
    pub(crate) fn redraw(&mut self) {
        self.damage.add_all();
    }

    pub(crate) fn redraw_if(&mut self, changed: bool) {
        if changed {
            self.redraw();
        }
    }

    /// Moves the clock on.
    pub(crate) fn update_clock(&mut self, now: Instant) {
        let changed = self.clock.update(now);
        self.redraw_if(changed);
    }

    /// Sends a control sequence to the terminal. A terminal that is gone is noticed when it is read.
    pub(crate) fn send(&mut self, sequence: &str) {
        let _ = self.output.write(sequence.as_bytes());
    }

    /// The columns that the sidebar takes: none if it is closed or empty, or if the terminal is too narrow.
    pub(crate) fn sidebar_cols(&self) -> u16 {
        match self.sidebar.open && self.size.cols >= MIN_TERMINAL_COLS {
            true => self.sidebar.width.min(self.size.cols / 2),
            false => 0,
        }
    }

    /// Moves the status line. Everything is drawn as if it were at the bottom; the painter moves it to the top.
    pub(crate) fn set_status(&mut self, status: StatusPlace) {
        self.status = status;
        self.painter.set_top_rows(status.top_rows());
        self.images.top_rows = status.top_rows();
    }

    /// The row that is drawn at a row of the terminal.
    pub(crate) fn drawn_row(&self, row: u16) -> u16 {
        let rows = self.size.rows.max(1);
        (row % rows + rows - self.status.top_rows() % rows) % rows
    }

    /// The room for a window, beside the sidebar and without the status line.
    pub(crate) fn window_area(&self) -> Size {
        let cols = self.size.cols - self.sidebar_cols();
        Size::new(cols.max(1), self.size.rows.saturating_sub(self.status.lines).max(1))
    }
}

/// The room for a window in a terminal: everything above the status line.
pub(crate) fn window_area(terminal: Size) -> Size {
    Size::new(terminal.cols, terminal.rows.saturating_sub(1).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sidebar_needs_a_wide_terminal_and_never_takes_more_than_half() {
        let mut display = Display::new(Size::new(100, 30), ColorDepth::True);
        assert_eq!(display.window_area(), Size::new(100, 29), "it is closed");
        display.sidebar.open = true;
        assert_eq!(display.window_area(), Size::new(100, 29), "it is empty");
        display.sidebar.width = 34;
        assert_eq!(display.window_area(), Size::new(66, 29));
        display.size = Size::new(MIN_TERMINAL_COLS, 30);
        display.set_status(StatusPlace { lines: 0, at_top: false });
        assert_eq!(display.window_area(), Size::new(MIN_TERMINAL_COLS / 2, 30));
        display.set_status(StatusPlace { lines: 1, at_top: false });
        display.size = Size::new(MIN_TERMINAL_COLS - 1, 1);
        assert_eq!(display.window_area(), Size::new(MIN_TERMINAL_COLS - 1, 1));
    }

    #[test]
    fn the_status_line_at_the_top_moves_everything_else_down() {
        let mut display = Display::new(Size::new(80, 24), ColorDepth::True);
        assert_eq!((display.drawn_row(0), display.drawn_row(23)), (0, 23));
        display.set_status(StatusPlace { lines: 2, at_top: true });
        assert_eq!(display.window_area(), Size::new(80, 22));
        assert_eq!([0, 1, 2, 23].map(|row| display.drawn_row(row)), [22, 23, 0, 21]);
        display.size = Size::new(80, 1);
        assert_eq!((display.window_area().rows, display.drawn_row(0)), (1, 0));
    }
}
