//! The public interface: one pane's terminal.

use std::num::NonZeroU64;

use crate::cursor::Cursor;
use crate::events::{ProgramStatus, ProgressReport, ScreenEvent};
use crate::geometry::{Position, Size, TextLine};
use crate::history::{DropReason, Limits};
use crate::modes::Modes;
use crate::palette::TerminalPalette;
use crate::parser::Parser;
use crate::terminal::Terminal;

/// As many lines as a block of history has, so that no block is decompressed often.
const LINES_AT_ONCE: usize = 256;

/// One pane's terminal: the bytes of a program go in, a screen and its history come out.
#[derive(Clone, Debug)]
pub struct Screen {
    pub(crate) parser: Parser,
    pub(crate) terminal: Terminal,
}

impl Screen {
    /// Creates an empty screen.
    pub fn new(size: Size, limits: Limits) -> Self {
        Self { parser: Parser::default(), terminal: Terminal::new(size, limits) }
    }

    /// Processes output of the program. A chunk may end anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.terminal.work.begin(usize::MAX);
            rest = &rest[self.process(rest)..];
        }
    }

    /// Processes one turn of output: as much as can be done in bounded time, and no further than the end of a command whose
    /// text the next output may overwrite. Returns how many bytes were processed, at
    /// least one; the others are to be passed again.
    #[must_use]
    pub fn feed_turn(&mut self, bytes: &[u8]) -> usize {
        self.terminal.work.begin_turn();
        self.process(bytes)
    }

    fn process(&mut self, bytes: &[u8]) -> usize {
        if bytes.is_empty() {
            return 0;
        }
        self.terminal.revisions.current += 1;
        self.terminal.marks.text_below = false;
        let processed = self.parser.feed(bytes, &mut self.terminal);
        self.terminal.refresh_images();
        processed
    }

    /// The work that output has caused so far beyond that of printing its bytes, in cells that were touched.
    pub fn work_done(&self) -> u64 {
        self.terminal.work.done()
    }

    /// Sets the time at which the following output was written, in milliseconds since 1970. It is unknown at first and
    /// after a snapshot was restored: commands that begin or end then have no duration, rather than a wrong one.
    pub fn set_time(&mut self, now: Option<u64>) {
        self.terminal.marks.now = now.and_then(NonZeroU64::new);
    }

    /// Takes the replies to the program's queries, to be written to it.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.terminal.output.replies)
    }

    /// Takes the events since the last call, oldest first.
    pub fn take_events(&mut self) -> Vec<ScreenEvent> {
        std::mem::take(&mut self.terminal.output.events).into()
    }

    /// Resizes the screen. Text is wrapped to the new width, and the cursor stays at its character.
    pub fn resize(&mut self, size: Size) {
        self.terminal.resize(size);
    }

    /// Sets the viewer's colors, which programs can ask for.
    pub fn set_colors(&mut self, colors: TerminalPalette) {
        self.terminal.set_viewer_palette(colors);
    }

    /// Forgets all lines that are not on the screen. Line numbers keep growing.
    pub fn clear_history(&mut self) {
        self.terminal.clear_history();
    }

    /// Compresses the part of history that is complete. Worth calling when the pane has been quiet for a while.
    pub fn compact(&mut self) {
        self.terminal.pack();
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.terminal.buffers.size
    }

    /// The revision, which grows with every change.
    pub fn revision(&self) -> u64 {
        self.terminal.revisions.current
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        self.terminal.cursor()
    }

    /// The window title that the program set.
    pub fn title(&self) -> &str {
        &self.terminal.reports.title.current
    }

    /// The modes that the program set.
    pub fn modes(&self) -> &Modes {
        &self.terminal.modes
    }

    /// Whether a full-screen program uses the alternate screen.
    pub fn on_alternate(&self) -> bool {
        self.terminal.buffers.alternate
    }

    /// The revision before a synchronized update that is still open. The caller, which has a clock, ends one that takes
    /// too long.
    pub fn sync_since(&self) -> Option<u64> {
        self.terminal.revisions.sync.map(|sync| sync.since)
    }

    /// Ends a synchronized update that its program does not end.
    pub fn end_sync(&mut self) {
        self.terminal.end_sync();
    }

    /// How much history is kept.
    pub fn history_limits(&self) -> Limits {
        self.terminal.history.limits()
    }

    /// Why the lines before the oldest one are no longer kept, if that is known.
    pub fn drop_reason(&self) -> Option<DropReason> {
        self.terminal.history.drop_reason()
    }

    /// Number of the oldest line that is kept.
    pub fn first_line(&self) -> u64 {
        self.terminal.first_line()
    }

    /// The end of the text: in the last row that shows something, or at the cursor if that is lower.
    pub fn end(&self) -> Position {
        self.terminal.end()
    }

    /// The logical line that a row of the primary screen belongs to, from which a viewer can scroll back.
    pub fn line_of_row(&self, row: u16) -> u64 {
        self.terminal.line_of(usize::from(row.min(self.size().rows - 1)))
    }

    /// The position at which a row of the primary screen begins.
    pub fn row_position(&self, row: u16) -> Position {
        self.terminal.position(usize::from(row.min(self.size().rows - 1)), 0)
    }

    /// The position of the cursor in the text.
    pub fn cursor_position(&self) -> Position {
        self.terminal.caret_position()
    }

    /// The logical lines `from..to` of history and primary screen, as far as they are kept.
    pub fn lines(&self, from: u64, to: u64) -> Vec<TextLine> {
        self.terminal.lines(from, to)
    }

    /// Iterates over the lines `from..to`, decompressing them on demand. Meant for searching.
    pub fn iter_lines(&self, from: u64, to: u64) -> impl Iterator<Item = TextLine> {
        let (from, to) = (from.max(self.first_line()), to.min(self.end().line.saturating_add(1)));
        let starts = (from..to).step_by(LINES_AT_ONCE);
        starts.flat_map(move |start| self.lines(start, to.min(start + LINES_AT_ONCE as u64)))
    }

    /// The same from the last line back to the first.
    pub fn iter_lines_back(&self, from: u64, to: u64) -> impl Iterator<Item = TextLine> {
        let (from, to) = (from.max(self.first_line()), to.min(self.end().line.saturating_add(1)));
        let ends = (0..to.saturating_sub(from)).step_by(LINES_AT_ONCE).map(move |back| to - back);
        ends.flat_map(move |end| {
            let start = end.saturating_sub(LINES_AT_ONCE as u64).max(from);
            self.lines(start, end).into_iter().rev()
        })
    }

    /// The length of the text of the lines `from..to`, as far as they are kept, each with a newline. Most of it is known
    /// without decompressing the lines.
    pub fn text_bytes(&self, from: u64, to: u64) -> usize {
        self.terminal.text_bytes(from, to)
    }

    /// The text between two positions, lines separated by `\n`.
    pub fn text_between(&self, from: Position, to: Position) -> String {
        self.terminal.text_between(from, to)
    }

    /// The text from a position to the end.
    pub fn text_since(&self, from: Position) -> String {
        self.text_between(from, self.end())
    }

    /// The working directory that the program reported (OSC 7).
    pub fn cwd(&self) -> Option<&str> {
        self.terminal.reports.cwd.as_deref()
    }

    /// The program's progress bar (OSC 9;4).
    pub fn progress(&self) -> ProgressReport {
        self.terminal.reports.progress
    }

    /// The status reports of the program and its parts (OSC 7501), the newest last.
    pub fn statuses(&self) -> impl Iterator<Item = &ProgramStatus> {
        self.terminal.reports.statuses.iter()
    }

    /// Drops reports of work under way, for a caller that knows that the program is gone.
    pub fn end_activity(&mut self) {
        self.terminal.reports.end_activity();
    }

    /// Drops the program's status reports and its progress, for a caller that knows that the program is gone.
    pub fn forget_reports(&mut self) {
        self.terminal.reports.forget_states();
    }

    /// Prepares the screen for another program. Text and history stay; what the previous program set and reported does
    /// not.
    pub fn begin_program(&mut self) {
        self.parser = Default::default();
        self.terminal.revisions.current += 1;
        self.terminal.begin_program();
        self.terminal.refresh_images();
    }
}
