//! What the client draws with and what it knows about its terminal: size, colors, theme, painter, images, unwritten
//! output, the clock of the status line, and what must be drawn again.

use std::rc::Rc;
use std::time::{Duration, Instant};

use chrono::Timelike;
use fugue_protocol::Size;

use super::damage::Damage;
use super::terminal_colors::OuterColors;
use crate::draw::MIN_TERMINAL_COLS;
use crate::images::ImageDisplay;
use crate::paint::{ColorDepth, Painter};
use crate::theme::Theme;
use crate::tty::output::TtyOutput;

/// The time, as the status line shows it.
pub(crate) fn clock_text() -> String {
    chrono::Local::now().format("%H:%M").to_string()
}

/// The clock of the status line.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) text: String,
    /// When the text is out of date.
    pub(crate) until: Option<Instant>,
}

impl Clock {
    /// Brings the text up to date, and returns whether it had to. A clock that is not shown never wakes the client.
    fn update(&mut self, now: Instant, shown: bool) -> bool {
        if !shown {
            self.until = None;
            return !std::mem::take(&mut self.text).is_empty();
        }
        let old = self.until.is_none_or(|until| until <= now);
        if old {
            self.text = clock_text();
            let left = 60 - chrono::Local::now().second().min(59);
            self.until = Some(now + Duration::from_secs(u64::from(left)));
        }
        old
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
    pub(crate) fn update_clock(&mut self, now: Instant, shown: bool) {
        let changed = self.clock.update(now, shown);
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

    /// The room for a window, beside the sidebar and above the status line.
    pub(crate) fn window_area(&self, status_line: bool) -> Size {
        let cols = self.size.cols - self.sidebar_cols();
        let rows = if status_line { window_area(self.size).rows } else { self.size.rows };
        Size::new(cols.max(1), rows)
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
        assert_eq!(display.window_area(true), Size::new(100, 29), "it is closed");
        display.sidebar.open = true;
        assert_eq!(display.window_area(true), Size::new(100, 29), "it is empty");
        display.sidebar.width = 34;
        assert_eq!(display.window_area(true), Size::new(66, 29));
        display.size = Size::new(MIN_TERMINAL_COLS, 30);
        assert_eq!(display.window_area(false), Size::new(MIN_TERMINAL_COLS / 2, 30));
        display.size = Size::new(MIN_TERMINAL_COLS - 1, 1);
        assert_eq!(display.window_area(true), Size::new(MIN_TERMINAL_COLS - 1, 1));
    }

    #[test]
    fn the_clock_changes_once_a_minute() {
        let (mut clock, now) = (Clock::default(), Instant::now());
        assert!(clock.update(now, true) && !clock.update(now, true));
        assert!(clock.until.is_some_and(|until| until <= now + Duration::from_secs(60)));
        assert!(clock.update(now + Duration::from_secs(60), true));
        assert!(clock.update(now, false) && !clock.update(now, false));
        assert_eq!((clock.text.as_str(), clock.until), ("", None));
    }
}
