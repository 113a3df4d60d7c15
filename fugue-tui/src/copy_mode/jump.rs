//! Jumps: to a character of the row, and between brackets.

use super::CopyMode;
use super::action_table::Jump;
use super::rows::CopyPosition;

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

impl CopyMode {
    pub(super) fn jump(&mut self, jump: Jump) {
        self.jumped = Some(jump);
        self.jump_again(true);
    }

    pub(super) fn jump_again(&mut self, same: bool) {
        let Some(Jump { to, on, till }) = self.jumped else { return };
        let CopyPosition { row, col } = self.position;
        let Some(cells) = self.cells.get(row) else { return };
        let (on, near) = (on == same, usize::from(till));
        let found = match on {
            true => (col + 1 + near..cells.len()).find(|at| cells[*at] == Some(to)).map(|at| at - near),
            false => (0..col.saturating_sub(near).min(cells.len()))
                .rev()
                .find(|at| cells[*at] == Some(to))
                .map(|at| at + near),
        };
        if let Some(col) = found {
            self.go(row, col);
        }
    }

    /// Goes from a bracket to its partner, or to the next bracket.
    pub(super) fn bracket(&mut self, on: bool) {
        let is_bracket = |c: char| BRACKETS.iter().any(|(open, close)| c == *open || c == *close);
        let mut position = Some(self.position);
        while let Some(at) = position {
            match self.cell(at).filter(|c| is_bracket(*c)) {
                Some(c) => return self.partner(at, c),
                None => position = if on { self.after(at) } else { self.before(at) },
            }
        }
    }

    fn partner(&mut self, at: CopyPosition, c: char) {
        let Some((open, close)) = BRACKETS.iter().find(|(open, close)| c == *open || c == *close) else {
            return;
        };
        let on = c == *open;
        let (mut depth, mut position) = (0_usize, Some(at));
        while let Some(at) = position {
            match self.cell(at) {
                Some(found) if found == *if on { open } else { close } => depth += 1,
                Some(found) if found == *if on { close } else { open } => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.go(at.row, at.col);
            }
            position = if on { self.after(at) } else { self.before(at) };
        }
    }
}
