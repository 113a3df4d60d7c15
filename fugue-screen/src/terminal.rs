//! The state of one pane's terminal. What sequences do to it lives in `control`, how text gets in, in `print`.

use std::collections::VecDeque;

use crate::cell::{Cell, GUARDED, PROTECTED};
use crate::charset::Charsets;
use crate::colors::TerminalPalette;
use crate::control::Placing;
use crate::double::Double;
use crate::grid::{Area, Grid};
use crate::history::History;
use crate::look::Look;
use crate::marks::Marks;
use crate::modes::{Flag, Modes};
use crate::notice::ScreenEvent;
use crate::row::Row;
use crate::said::Said;
use crate::screen::{Cursor, CursorShape, Limits, Size};
use crate::tables::Tables;
use crate::tabs::Tabs;

/// Notices beyond this many are dropped, the oldest first; a daemon that reads them keeps far below.
const MOST_NOTICES: usize = 256;
/// Answers beyond this are dropped; what asks this much in one go does not read.
const MOST_REPLIES: usize = 16 * 1024;

/// Where text goes next, and in which style.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Caret {
    pub row: usize,
    pub col: usize,
    /// The last column was written; the next character goes to the next row first.
    pub wrap: bool,
    pub style: Look,
    pub guard: Guard,
    pub charsets: Charsets,
}

/// How characters are protected against erasing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Guard {
    #[default]
    None,
    /// DECSCA: against selective erase.
    Dec,
    /// SPA: against every erase.
    Iso,
}

impl Guard {
    pub fn flag(self) -> u16 {
        match self {
            Guard::None => 0,
            Guard::Dec => PROTECTED,
            Guard::Iso => GUARDED,
        }
    }
}

/// What DECSC keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Saved {
    pub caret: Caret,
    pub origin: bool,
}

/// What each of the two screens has for itself, apart from its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Side {
    pub saved: Saved,
    pub kitty: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    pub size: Size,
    /// The rows that are shown.
    pub grid: Grid,
    /// The rows of the other screen.
    pub other: Grid,
    pub alternate: bool,
    pub side: Side,
    pub other_side: Side,
    pub caret: Caret,
    /// Where the caret was when the alternate screen was entered.
    pub left_caret: Caret,
    /// The cell that text is written with; made anew when the style changed.
    pub pen: Cell,
    pub pen_is_old: bool,
    /// Scroll region and left and right margins.
    pub margins: Area,
    pub modes: Modes,
    pub saved_modes: Modes,
    pub shape: CursorShape,
    pub tabs: Tabs,
    pub tables: Tables,
    pub history: History,
    pub marks: Marks,
    pub said: Said,
    pub title: String,
    pub titles: Vec<String>,
    pub colors: TerminalPalette,
    /// For REP.
    pub last: Option<char>,
    /// In VT52 mode: a place that is only half told.
    pub placing: Option<Placing>,
    /// Some row may be of double width, so every move has to look.
    pub doubles: bool,
    /// 2: attribute changes apply to rectangles; 0, 1: to the text between two places (DECSACE).
    pub extent: u8,
    /// Areas were guarded the ISO way, so every erase has to look for them.
    pub guards: bool,
    /// Which level of terminal the program wants to see (DECSCL); 64 is a VT420.
    pub level: u16,
    pub notices: VecDeque<ScreenEvent>,
    pub replies: Vec<u8>,
    pub revision: u64,
    /// Since when nothing older than this can be told apart: a resize, a change of screens.
    pub whole_since: u64,
    /// The last revision before a synchronized update began.
    pub sync_from: Option<u64>,
    /// The cursor as it was then.
    pub sync_cursor: Option<Cursor>,
    pub title_revision: u64,
    /// Where the program last chose colors.
    pub colors_revision: u64,
    /// The time of what is written now, in milliseconds since 1970; not known while old output is replayed.
    pub now: Option<u64>,
}

impl Terminal {
    pub fn new(size: Size, limits: Limits) -> Terminal {
        let size = size.within_limits();
        Terminal {
            size,
            grid: Grid::new(size),
            other: Grid::new(size),
            alternate: false,
            side: Side::default(),
            other_side: Side::default(),
            caret: Caret::default(),
            left_caret: Caret::default(),
            pen: Cell::BLANK,
            pen_is_old: false,
            margins: Area::whole(size),
            modes: Modes::default(),
            saved_modes: Modes::default(),
            shape: CursorShape::default(),
            tabs: Tabs::new(size.cols),
            tables: Tables::default(),
            history: History::new(limits),
            marks: Marks::default(),
            said: Said::default(),
            title: String::new(),
            titles: Vec::new(),
            colors: TerminalPalette::default(),
            last: None,
            placing: None,
            doubles: false,
            extent: 0,
            guards: false,
            level: 64,
            notices: VecDeque::new(),
            replies: Vec::new(),
            revision: 1,
            whole_since: 1,
            sync_from: None,
            sync_cursor: None,
            title_revision: 0,
            colors_revision: 0,
            now: None,
        }
    }

    /// The viewer's colors; what the program changed for itself stays.
    pub fn set_colors(&mut self, colors: TerminalPalette) {
        let was_dark = self.colors.is_dark();
        let changed = std::mem::take(&mut self.colors.changed);
        self.colors = TerminalPalette { changed, ..colors };
        if self.has(Flag::ColorSchemeReports) && was_dark != self.colors.is_dark() {
            self.report_color_scheme();
        }
    }

    pub fn cols(&self) -> usize {
        self.grid.cols
    }

    pub fn rows(&self) -> usize {
        usize::from(self.size.rows)
    }

    /// The row the caret is in, about to change.
    #[inline]
    pub fn row(&mut self) -> &mut Row {
        let row = &mut self.grid.rows[self.caret.row];
        row.revision = self.revision;
        row
    }

    /// What erasing leaves: blanks in the current background.
    pub fn blank(&mut self) -> Cell {
        match self.caret.style.bg {
            0 => Cell::BLANK,
            _ => Cell::blank(self.tables.style_number(self.caret.style.erased())),
        }
    }

    /// The cell text is written with.
    #[inline]
    pub fn pen(&mut self) -> Cell {
        if self.pen_is_old {
            self.renew_pen();
        }
        self.pen
    }

    fn renew_pen(&mut self) {
        if self.tables.want_tidying() {
            self.tidy();
        }
        let style = self.tables.style_number(self.caret.style);
        self.pen = Cell::new(0, style, self.caret.guard.flag());
        self.pen_is_old = false;
    }

    pub fn reply(&mut self, answer: &str) {
        if self.replies.len() + answer.len() <= MOST_REPLIES {
            self.replies.extend_from_slice(answer.as_bytes());
        }
    }

    pub fn notice(&mut self, notice: ScreenEvent) {
        if self.notices.len() == MOST_NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back(notice);
    }

    /// The rows of the primary screen, shown or not.
    pub fn primary(&self) -> &Grid {
        if self.alternate { &self.other } else { &self.grid }
    }

    /// Where the caret of the primary screen is.
    pub fn primary_caret(&self) -> (usize, usize) {
        let caret = if self.alternate { &self.left_caret } else { &self.caret };
        (caret.row.min(self.rows() - 1), caret.col.min(self.cols() - 1) + usize::from(caret.wrap))
    }

    pub fn cursor(&self) -> Cursor {
        let double = self.grid.rows[self.caret.row].double != Double::Single;
        let col = if double { (2 * self.caret.col).min(self.cols() - 1) } else { self.caret.col };
        Cursor {
            row: self.caret.row as u16,
            col: col as u16,
            visible: self.has(Flag::CursorVisible),
            shape: self.shape,
            blinking: self.has(Flag::CursorBlink),
        }
    }

    pub fn has(&self, flag: Flag) -> bool {
        self.modes.has(flag)
    }
}
