//! The state of one pane's terminal, made of parts that each own what changes together.
//!
//! What sequences do to it is in `control`, how text gets onto the screen in `text_output`, a new size in `reflow`. They
//! all add methods to [`Terminal`] from above; nothing here knows about them.

mod buffers;
mod device_settings;
mod replies_and_events;
mod revisions;

pub(crate) use buffers::{ScreenBuffers, ScreenState};
pub(crate) use device_settings::{DeviceSettings, VT420, Vt52Address};
pub(crate) use revisions::{Revisions, SyncUpdate};

use replies_and_events::TerminalOutput;

use crate::cell::Cell;
use crate::cursor::{Caret, Cursor};
use crate::events::ScreenEvent;
use crate::geometry::Size;
use crate::grid::Grid;
use crate::history::{History, Limits};
use crate::images::Images;
use crate::interner::{Compactor, Interner};
use crate::modes::{ModeFlag, Modes};
use crate::palette::PaneColors;
use crate::program_reports::ProgramReports;
use crate::prompt_marks::PromptMarks;
use crate::row::{Row, RowSize};
use crate::work_budget::WorkBudget;

/// The cell that text is written with, derived from the caret's style.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pen {
    pub cell: Cell,
    /// The caret's style has changed, so the cell must be derived again.
    pub stale: bool,
    /// The last character that was printed, for REP.
    pub last_char: Option<char>,
}

#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    pub buffers: ScreenBuffers,
    pub caret: Caret,
    pub pen: Pen,
    pub modes: Modes,
    pub settings: DeviceSettings,
    pub interner: Interner,
    pub history: History,
    pub images: Images,
    pub marks: PromptMarks,
    pub reports: ProgramReports,
    pub colors: PaneColors,
    pub output: TerminalOutput,
    pub revisions: Revisions,
    pub work: WorkBudget,
}

impl Terminal {
    pub(crate) fn new(size: Size, limits: Limits) -> Self {
        let size = size.within_limits();
        Self {
            buffers: ScreenBuffers::new(size),
            caret: Caret::default(),
            pen: Pen::default(),
            modes: Modes::default(),
            settings: DeviceSettings::new(size.cols),
            interner: Interner::default(),
            history: History::new(limits),
            images: Images::default(),
            marks: PromptMarks::default(),
            reports: ProgramReports::default(),
            colors: PaneColors::default(),
            output: TerminalOutput::default(),
            revisions: Revisions::starting_at(1),
            work: WorkBudget::default(),
        }
    }

    pub(crate) fn cols(&self) -> usize {
        self.buffers.grid.cols
    }

    pub(crate) fn rows(&self) -> usize {
        usize::from(self.buffers.size.rows)
    }

    pub(crate) fn has(&self, flag: ModeFlag) -> bool {
        self.modes.has(flag)
    }

    /// The caret's row, marked as changed.
    #[inline]
    pub(crate) fn row(&mut self) -> &mut Row {
        let row = &mut self.buffers.grid.rows[self.caret.row];
        row.revision = self.revisions.current;
        row
    }

    /// The cell that erasing leaves behind: a blank in the current background.
    pub(crate) fn blank(&mut self) -> Cell {
        match self.caret.style.bg {
            0 => Cell::BLANK,
            _ => Cell::blank(self.interner.style_number(self.caret.style.erased())),
        }
    }

    /// The cell that text is written with.
    #[inline]
    pub(crate) fn pen(&mut self) -> Cell {
        if self.pen.stale {
            self.renew_pen();
        }
        self.pen.cell
    }

    fn renew_pen(&mut self) {
        self.compact_interner_if_full();
        let style = self.interner.style_number(self.caret.style);
        self.pen.cell = Cell::new(0, style, self.caret.protection.flag());
        self.pen.stale = false;
    }

    #[inline]
    pub(crate) fn compact_interner_if_full(&mut self) {
        if self.interner.needs_compaction() {
            self.compact_interner();
        }
    }

    /// Gives back the memory that an idle pane does not need.
    pub(crate) fn pack(&mut self) {
        self.history.compact();
        if self.interner.is_large() {
            self.compact_interner();
            self.interner.shrink();
        }
    }

    /// Drops the styles, clusters and links that no cell and no caret uses any more.
    fn compact_interner(&mut self) {
        let mut compactor = Compactor::new(std::mem::take(&mut self.interner));
        let buffers = &mut self.buffers;
        let [shown, hidden] = [&mut buffers.grid, &mut buffers.hidden].map(Grid::written_rows);
        for row in shown.chain(hidden) {
            row.cells.iter_mut().for_each(|cell| *cell = compactor.cell(*cell));
        }
        let saved = [&mut buffers.state.saved.caret, &mut buffers.hidden_state.saved.caret];
        for caret in saved.into_iter().chain([&mut self.caret, &mut buffers.parked_caret]) {
            caret.style = compactor.style(caret.style);
        }
        self.interner = compactor.finish();
        self.history.forget_styles();
        self.pen.stale = true;
    }

    /// Sends an answer to the program.
    pub(crate) fn reply(&mut self, answer: &str) {
        self.output.reply(answer);
    }

    /// Records an event for the daemon.
    pub(crate) fn event(&mut self, event: ScreenEvent) {
        self.output.event(event);
    }

    /// The rows of the primary screen, shown or not.
    pub(crate) fn primary(&self) -> &Grid {
        self.buffers.primary()
    }

    /// The row and column of the caret of the primary screen. A pending wrap counts as one column more.
    pub(crate) fn primary_caret(&self) -> (usize, usize) {
        let caret = if self.buffers.alternate { &self.buffers.parked_caret } else { &self.caret };
        (caret.row.min(self.rows() - 1), caret.col.min(self.cols() - 1) + usize::from(caret.wrap_pending))
    }

    pub(crate) fn cursor(&self) -> Cursor {
        let double = self.buffers.grid.rows[self.caret.row].size != RowSize::Single;
        let col = if double { (2 * self.caret.col).min(self.cols() - 1) } else { self.caret.col };
        Cursor {
            row: self.caret.row as u16,
            col: col as u16,
            visible: self.has(ModeFlag::CursorVisible),
            shape: self.settings.cursor_shape,
            blinking: self.has(ModeFlag::CursorBlink),
        }
    }

    /// Brings the visible images up to date after output.
    #[inline]
    pub(crate) fn refresh_images(&mut self) {
        if !self.images.is_idle() {
            self.images.refresh(&self.buffers, self.revisions.current);
        }
    }

    /// Ends a synchronized update, if one is open.
    pub(crate) fn end_sync(&mut self) {
        self.modes.set(ModeFlag::Synchronized, false);
        self.revisions.sync = None;
    }
}
