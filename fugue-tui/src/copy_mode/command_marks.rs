//! Prompts and the output of commands, as the shell marked them (OSC 133): going from one to the next, selecting output.

use fugue_protocol::verbs::OutputCursor;
use fugue_protocol::views::CommandPlace;

use super::CopyMode;
use super::rows::pieces;
use super::rows::{CopyPosition, LinePosition};
use crate::overlays::outcome::OverlayOutcome;

/// A prompt and the output of the command that was run there. The output ends before its second position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandMark {
    prompt: LinePosition,
    output: Option<(LinePosition, LinePosition)>,
}

impl CopyMode {
    /// Sets where commands are in the text, whose first line has this number in the pane.
    pub(crate) fn set_commands(&mut self, first_line: u64, places: &[CommandPlace]) {
        let starts: Vec<usize> = self.line_starts();
        let position = |cursor: OutputCursor| match cursor.line.checked_sub(first_line) {
            Some(line) => self.line_position_at(&starts, line as usize, cursor.offset),
            // Its line is older than the text.
            None => (0, 0),
        };
        let is_kept =
            |place: &&CommandPlace| place.output.map_or(place.prompt, |(_, end)| end).line >= first_line;
        let mark = |place: &CommandPlace| CommandMark {
            prompt: position(place.prompt),
            output: place.output.map(|(start, end)| (position(start), position(end))),
        };
        self.commands = places.iter().filter(is_kept).map(mark).collect();
    }

    /// The first row of each line.
    fn line_starts(&self) -> Vec<usize> {
        let ends = self.rows.iter().enumerate().filter(|(_, row)| !row.wrapped);
        std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
    }

    /// The position after this many bytes of a line.
    fn line_position_at(&self, starts: &[usize], line: usize, mut bytes: usize) -> LinePosition {
        let Some(start) = starts.get(line).copied() else { return (line, 0) };
        let end = starts.get(line + 1).copied().unwrap_or(self.rows.len());
        let mut cells = 0;
        for (_, text, width) in self.rows[start.min(end)..end].iter().flat_map(pieces) {
            if bytes < text.len() {
                break;
            }
            (bytes, cells) = (bytes - text.len(), cells + width);
        }
        (line, cells)
    }

    /// Goes to the previous or the next prompt. One that is out of sight comes to the top, with its output below.
    pub(super) fn go_to_prompt(&mut self, on: bool) {
        let (here, _) = self.line_position_of(self.position);
        let prompts = self.commands.iter().map(|mark| mark.prompt);
        let found = match on {
            true => prompts.filter(|(line, _)| *line > here).min(),
            false => prompts.filter(|(line, _)| *line < here).max(),
        };
        let Some(prompt) = found else { return self.say_no_prompt(if on { "after" } else { "before" }) };
        let CopyPosition { row, col } = self.position_of(prompt);
        let is_visible = (self.top..self.top + self.height()).contains(&row);
        self.go(row, col);
        if !is_visible {
            self.top = row.min(self.rows.len().saturating_sub(self.height()));
        }
    }

    fn say_no_prompt(&mut self, side: &str) {
        self.message = Some(match self.commands.is_empty() {
            true => "No prompts found: the shell in this pane emits no prompt marks (OSC 133)".into(),
            false => format!("No prompt {side} the cursor"),
        });
    }

    /// Selects the output of the command at the cursor; at a prompt where nothing was run, of the command before it.
    pub(super) fn select_output(&mut self) {
        let (here, _) = self.line_position_of(self.position);
        let output_of = |mark: &CommandMark| mark.output.filter(|_| mark.prompt.0 <= here);
        let Some((start, end)) = self.commands.iter().rev().find_map(output_of) else {
            return self.say_no_prompt("before");
        };
        self.selection = None;
        if start >= end {
            self.message = Some("The command printed nothing".into());
            return;
        }
        self.select_from(self.position_of(start), self.last_before(end));
    }

    /// The last position before an end: at the start of a line, the end of the line before it.
    fn last_before(&self, (line, cells): LinePosition) -> CopyPosition {
        let last = match cells.checked_sub(1) {
            Some(before) => (line, before),
            None => (line.saturating_sub(1), usize::MAX),
        };
        let CopyPosition { row, col } = self.position_of(last);
        CopyPosition { row, col: col.min(self.last_col(row)) }
    }

    /// Copies the output of the command at the cursor.
    pub(super) fn copy_output(&mut self) -> OverlayOutcome {
        self.select_output();
        if self.selection.is_some() { self.copy() } else { OverlayOutcome::Stay }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::{PaneId, Size};

    fn place(prompt: (u64, usize), output: Option<[(u64, usize); 2]>) -> CommandPlace {
        let cursor = |(line, offset)| OutputCursor::new(line, offset);
        CommandPlace {
            prompt: cursor(prompt),
            output: output.map(|[start, end]| (cursor(start), cursor(end))),
        }
    }

    /// Lines 100 to 106 of a pane with 12 columns; the last command has printed nothing.
    fn copy_mode(rows: u16) -> CopyMode {
        let text = "old output\n$ cat a\n漢字 is longer than the row\nlast\n$ printf b\nb$ true\n$ ";
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(12, rows), None);
        copy.set_commands(
            100,
            &[
                place((90, 0), Some([(91, 0), (95, 0)])),
                place((98, 0), Some([(99, 0), (101, 0)])),
                place((101, 0), Some([(102, 0), (104, 0)])),
                place((104, 0), Some([(105, 0), (105, 1)])),
                place((105, 1), Some([(106, 0), (106, 0)])),
                place((106, 0), None),
            ],
        );
        copy
    }

    fn press(copy: &mut CopyMode, keys: &str) -> OverlayOutcome {
        keys.split(' ').map(|key| copy.key(key.parse().unwrap())).last().expect("a key")
    }

    fn copied(keys: &str) -> String {
        match press(&mut copy_mode(20), keys) {
            OverlayOutcome::Copy(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_keyboard_goes_from_prompt_to_prompt() {
        let mut copy = copy_mode(20);
        let mut visited = Vec::new();
        for key in ["[", "[", "[", "[", "[", "]", "]"] {
            press(&mut copy, key);
            visited.push((copy.position.row, copy.position.col));
        }
        assert_eq!(visited, [(7, 1), (6, 0), (1, 0), (0, 0), (0, 0), (1, 0), (6, 0)]);
        press(&mut copy, "G ]");
        assert_eq!(copy.foot_text().as_deref(), Some("No prompt after the cursor"));
    }

    #[test]
    fn a_prompt_out_of_sight_comes_to_the_top() {
        let mut copy = copy_mode(3);
        press(&mut copy, "G [ [ [");
        assert_eq!((copy.position.row, copy.top), (1, 1));
        press(&mut copy, "]");
        assert_eq!((copy.position.row, copy.top), (6, 6));
    }

    #[test]
    fn the_output_of_a_command_is_copied_with_one_key() {
        assert_eq!(copied("g g Y"), "old output");
        assert_eq!(copied("g g ] s y"), "漢字 is longer than the row\nlast");
        assert_eq!(copied("g g ] j j Y"), "漢字 is longer than the row\nlast", "from anywhere in it");
        assert_eq!(copied("G [ [ Y"), "b", "without a newline at its end");
        let mut copy = copy_mode(20);
        press(&mut copy, "G Y");
        assert_eq!(copy.foot_text().as_deref(), Some("The command printed nothing"));
    }

    #[test]
    fn without_marks_the_reason_is_shown() {
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), "text", Size::new(12, 3), None);
        let words = "No prompts found: the shell in this pane emits no prompt marks (OSC 133)";
        for key in ["[", "]", "s", "Y"] {
            assert_eq!(press(&mut copy, key), OverlayOutcome::Stay);
            assert_eq!(copy.foot_text().as_deref(), Some(words));
        }
    }
}
