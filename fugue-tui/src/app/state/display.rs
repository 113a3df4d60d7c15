//! What the client draws with and what it knows about its terminal: size, colors, theme, painter, images, unwritten
//! output, the place and the clock of the status line, and what must be drawn again.

use std::rc::Rc;
use std::time::{Duration, Instant};

use fugue_config::StatusPosition;
use fugue_protocol::{PaneId, Size, Timestamp};

use super::damage::Damage;
use super::status_clock::Clock;
use super::terminal_colors::OuterColors;
use crate::clock;
use crate::config::ClientConfig;
use crate::draw::{MIN_DEFAULT_COLS, MIN_TERMINAL_COLS};
use crate::images::ImageDisplay;
use crate::paint::{ColorDepth, Painter};
use crate::theme::Theme;
use crate::tty::output::TtyOutput;
use crate::tty::raw_mode;

/// Where the status line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatusPlace {
    /// The number of its lines; none if it is turned off.
    pub(crate) lines: u16,
    pub(crate) at_top: bool,
}

impl StatusPlace {
    pub(crate) fn of(config: &ClientConfig) -> Self {
        let lines = if config.settings.status { config.status.lines().len() as u16 } else { 0 };
        Self { lines, at_top: config.status.position == StatusPosition::Top }
    }

    /// The rows at the top that are the status line's.
    pub(crate) fn top_rows(self) -> u16 {
        if self.at_top { self.lines } else { 0 }
    }
}

/// Whether the sidebar is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum SidebarState {
    #[default]
    Closed,
    /// The configuration opened it: it is hidden while the terminal is too narrow for panes beside it.
    ByDefault,
    /// The person opened it.
    Asked,
}

/// The sidebar.
#[derive(Debug, Default)]
pub(crate) struct Sidebar {
    pub(crate) state: SidebarState,
    /// The columns for what it holds; none if there is nothing.
    pub(crate) width: u16,
    /// The first visible row.
    pub(crate) first: usize,
    pub(crate) order: RowOrder,
}

/// The order of the sidebar's rows. It changes whenever an agent needs somebody, also under a finger that is about to
/// click: for a moment, a click on a row that has moved acts on nothing.
#[derive(Debug, Default)]
pub(crate) struct RowOrder {
    panes: Vec<Option<PaneId>>,
    /// The order before, and until when a click may be meant for it.
    former: Option<(Vec<Option<PaneId>>, Instant)>,
}

impl RowOrder {
    /// Longer than a person needs to see that rows have moved.
    const SETTLING: Duration = Duration::from_millis(500);

    /// Notes the order that is drawn from now on; `None` is a row without a pane.
    pub(crate) fn note(&mut self, panes: Vec<Option<PaneId>>, now: Instant) {
        if self.panes == panes {
            return;
        }
        let shown = std::mem::replace(&mut self.panes, panes);
        // Of several changes in a row, the person may have aimed at what was there before the first.
        if self.former.as_ref().is_none_or(|(_, until)| *until <= now) {
            self.former = Some((shown, now + Self::SETTLING));
        }
    }

    /// Whether another row was at the place of a click a moment ago. `at` finds the row in an order of this length.
    pub(crate) fn has_moved(&self, at: impl Fn(usize) -> Option<usize>, now: Instant) -> bool {
        let row = |panes: &[Option<PaneId>]| at(panes.len()).and_then(|row| panes.get(row).copied());
        let former = self.former.as_ref().filter(|(_, until)| now < *until);
        former.is_some_and(|(panes, _)| row(panes) != row(&self.panes))
    }
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
    /// The terminal's device, and when the client started.
    pub(crate) device: Option<String>,
    pub(crate) since: Timestamp,
    /// The title that the terminal was given.
    pub(crate) title: Option<String>,
    pub(crate) status: StatusPlace,
    pub(crate) damage: Damage,
    /// Until then, the first frame waits for the panes; none once it was drawn.
    pub(crate) first_frame_due: Option<Instant>,
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
            device: raw_mode::device(),
            since: clock::now(),
            title: None,
            status: StatusPlace { lines: 1, at_top: false },
            damage,
            first_frame_due: None,
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
        if self.has_room_for_sidebar() { self.sidebar.width } else { 0 }
    }

    fn has_room_for_sidebar(&self) -> bool {
        match self.sidebar.state {
            SidebarState::Closed => false,
            SidebarState::ByDefault => self.size.cols >= MIN_DEFAULT_COLS,
            SidebarState::Asked => self.size.cols >= MIN_TERMINAL_COLS,
        }
    }

    /// Opens the sidebar, or closes it if there is room for it now.
    pub(crate) fn toggle_sidebar(&mut self) {
        let is_open = self.has_room_for_sidebar();
        self.sidebar.state = if is_open { SidebarState::Closed } else { SidebarState::Asked };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_on_a_row_that_has_just_moved_is_known() {
        let [one, two] = [1, 2].map(|number| Some(PaneId::from_bytes([number; 16])));
        let (mut order, start) = (RowOrder::default(), Instant::now());
        let second = Duration::from_secs(1);
        order.note(vec![one, two, None], start);
        let at = |row| move |_| Some(row);
        assert!(!order.has_moved(at(0), start + second), "it was there long enough");
        order.note(vec![two, one, None], start + second);
        assert!(order.has_moved(at(0), start + second) && order.has_moved(at(1), start + second));
        assert!(!order.has_moved(at(2), start + second), "this one is where it was");
        order.note(vec![one, two, None], start + second + RowOrder::SETTLING / 2);
        assert!(!order.has_moved(at(0), start + second + RowOrder::SETTLING / 2), "it is back");
        assert!(!order.has_moved(at(0), start + second + RowOrder::SETTLING), "the person has seen it");
    }

    #[test]
    fn the_sidebar_is_hidden_in_a_narrow_terminal_unless_the_person_opens_it() {
        let mut display = Display::new(Size::new(MIN_DEFAULT_COLS, 30), ColorDepth::True);
        let cols = |display: &Display| display.size.cols - display.window_area().cols;
        assert_eq!(cols(&display), 0, "it is closed");
        display.sidebar.state = SidebarState::ByDefault;
        assert_eq!(cols(&display), 0, "it is empty");
        display.sidebar.width = 20;
        assert_eq!(cols(&display), 20);
        display.size.cols = MIN_DEFAULT_COLS - 1;
        assert_eq!(cols(&display), 0, "panes need the room");
        display.toggle_sidebar();
        assert_eq!(cols(&display), 20, "the person opened it");
        display.toggle_sidebar();
        assert_eq!(cols(&display), 0, "the person closed it");
        display.toggle_sidebar();
        display.size.cols = MIN_TERMINAL_COLS - 1;
        assert_eq!(cols(&display), 0, "there is no room at all");
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
