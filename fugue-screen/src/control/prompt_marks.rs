//! OSC 133: a shell marks its prompts, commands and their output.

use std::num::NonZeroU64;

use crate::cell::Cell;
use crate::events::ScreenEvent;
use crate::geometry::{Area, Position};
use crate::prompt_marks::{MarkSource, PromptMark};
use crate::terminal::Terminal;
use crate::untrusted_text::{clean, percent_decode};
use crate::work_budget::ROW;

/// A longer command line is cut.
const LONGEST_COMMAND: usize = 4096;

impl Terminal {
    pub(super) fn prompt_mark(&mut self, text: &[u8]) {
        let mut parts = text.split(|&byte| byte == b';');
        let source = self.marks.source(parts.clone());
        if self.buffers.alternate {
            // The shell shows its prompt, so the full-screen program was killed before it could leave this screen.
            let MarkSource::Own(_) = source else { return };
            self.abandon_alternate();
        }
        self.spend_position();
        let at = self.caret_position();
        let number = match source {
            MarkSource::Own(number) => number,
            MarkSource::Unnumbered => self.marks.last_number().max(1),
            MarkSource::Stale | MarkSource::Other => 0,
        };
        match (parts.next(), source) {
            (_, MarkSource::Stale) | (Some(b"A" | b"D"), MarkSource::Unnumbered) => {}
            (Some(b"A"), _) => self.mark_prompt(at, number),
            (Some(b"D"), MarkSource::Own(number)) => self.mark_own_end(at, parts.next(), number),
            // Marks that the running command, or a shell within it, has written.
            (Some(b"B" | b"C" | b"D"), _) if self.marks.own_runs() => {}
            (Some(b"B"), _) => self.marks.current(at, number).input = Some(at),
            (Some(b"C"), MarkSource::Other) => self.mark_other_output(parts.find_map(command)),
            (Some(b"C"), _) => self.mark_output(parts.find_map(command), number),
            (Some(b"D"), _) => self.mark_end(at, parts.next()),
            _ => {}
        }
    }

    /// Charges finding the caret's position in the text: the rows of the screen, and the cells of those above in its line.
    fn spend_position(&mut self) {
        let (row, _) = self.primary_caret();
        let rows = &self.primary().rows;
        let above = (0..row).rev().take_while(|&above| rows[above].wrapped).count();
        self.work.spend(self.rows() * ROW + above * self.cols());
    }

    fn mark_prompt(&mut self, at: Position, number: u64) {
        // A prompt that is redrawn, after a resize or an empty line, is the same prompt. So is one that the shell marks
        // twice: once with its key, and once because its user configured marks.
        match self.marks.list.back_mut() {
            Some(mark) if mark.output.is_none() && mark.end.is_none() => {
                *mark = PromptMark::at(at, number.max(mark.number));
            }
            _ => {
                self.marks.begin(at, number);
            }
        }
        self.reports.end_activity();
        self.event(ScreenEvent::PromptStart { own: number > 0 });
    }

    /// Handles a start of output without the key. A shell whose user configured marks sends it in addition to its own
    /// mark, which counts.
    fn mark_other_output(&mut self, command: Option<Box<str>>) {
        match self.marks.list.back_mut() {
            Some(mark) if mark.number > 0 && mark.end.is_none() => mark.command = command,
            _ => self.mark_output(command, 0),
        }
    }

    fn mark_output(&mut self, command: Option<Box<str>>, number: u64) {
        self.clear_leftovers();
        let (at, began) = (self.caret_position(), self.marks.now.map(NonZeroU64::get));
        let mark = self.marks.current(at, number);
        mark.output = Some(at);
        (mark.began, mark.ended) = (began, None);
        mark.command = command.or(mark.command.take());
        mark.number = mark.number.max(number);
        self.event(ScreenEvent::CommandStart { own: number > 0 });
    }

    /// Clears what earlier programs left where a command's output begins, such as one that was killed after it had moved
    /// the cursor up: it would be read as output of the command that writes over a part of it. Most shells clear it
    /// themselves when they show a prompt.
    fn clear_leftovers(&mut self) {
        let (row, col) = (self.caret.row, self.caret.col + usize::from(self.caret.wrap_pending));
        let bottom = self.rows();
        self.work.spend((bottom - row) * ROW);
        if col == 0 {
            // The output is a line of its own, even below a line that the shell's editor wrapped.
            self.unlink_row_above(Area { top: row, ..Area::whole(self.buffers.size) });
        }
        if self.buffers.grid.rows.range(row..bottom).all(|row| row.used() == 0) {
            return;
        }
        let (revision, below) =
            (self.revisions.current, Area { top: row, bottom, left: 0, right: self.cols() });
        self.buffers.grid.blank(Area { bottom: row + 1, left: col, ..below }, Cell::BLANK, revision);
        self.buffers.grid.blank(Area { top: row + 1, ..below }, Cell::BLANK, revision);
        self.end_rows(row + usize::from(col > 0)..bottom);
    }

    /// Notes whether text is below the caret, where a command leaves it after it moved it up. The next output may overwrite
    /// it, so this turn ends here.
    fn mark_text_below(&mut self, at: Position) {
        if self.end() > at {
            self.marks.text_below = true;
            self.work.end_turn();
        }
    }

    fn mark_end(&mut self, at: Position, exit: Option<&[u8]>) {
        let now = self.marks.now.map(NonZeroU64::get);
        let Some(mark) = self.marks.list.back_mut().filter(|mark| mark.runs()) else { return };
        (mark.end, mark.ended, mark.exit) = (Some(at), now, exit_code(exit));
        let exit = mark.exit;
        self.mark_text_below(at);
        self.event(ScreenEvent::CommandEnd { exit, own: false });
    }

    /// Ends a command of the shell that has the key. Marks that were written within the command were part of its output.
    fn mark_own_end(&mut self, at: Position, exit: Option<&[u8]>, number: u64) {
        let now = self.marks.now.map(NonZeroU64::get);
        let list = &mut self.marks.list;
        let Some(last) = list.iter().rposition(|mark| mark.number > 0 && mark.runs()) else { return };
        list.truncate(last + 1);
        let mark = &mut list[last];
        (mark.end, mark.ended, mark.exit, mark.number) = (Some(at), now, exit_code(exit), number);
        let exit = mark.exit;
        self.mark_text_below(at);
        self.event(ScreenEvent::CommandEnd { exit, own: true });
    }
}

fn exit_code(exit: Option<&[u8]>) -> Option<i32> {
    std::str::from_utf8(exit?).ok()?.parse().ok()
}

/// The command line itself, which kitty and fish add to the mark.
fn command(part: &[u8]) -> Option<Box<str>> {
    let text = part.strip_prefix(b"cmdline_url=")?;
    Some(clean(&percent_decode(text), LONGEST_COMMAND).into())
}
