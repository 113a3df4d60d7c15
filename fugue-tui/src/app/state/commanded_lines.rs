//! Commands that programs sent to this client and that wait until the client has seen what happened before them: a
//! script that creates a session and then opens the list of sessions finds the new one there.

use std::collections::VecDeque;

/// Lines that may wait. A script sends a few; beyond that the oldest run without waiting.
const MAX_LINES: usize = 64;

/// A line, and the request for the tree whose reply it waits for.
#[derive(Debug)]
struct WaitingLine {
    line: String,
    awaited_tree: Option<u64>,
}

/// Lines that wait, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct CommandedLines(VecDeque<WaitingLine>);

impl CommandedLines {
    /// Adds a line that waits for the reply to this request for the tree; for none if the tree is up to date.
    pub(crate) fn push(&mut self, line: String, awaited_tree: Option<u64>) {
        self.0.push_back(WaitingLine { line, awaited_tree });
    }

    /// Takes the next line that need not wait any more.
    pub(crate) fn pop(&mut self, is_pending: impl Fn(u64) -> bool) -> Option<String> {
        let is_full = self.0.len() > MAX_LINES;
        let waits = |next: &WaitingLine| next.awaited_tree.is_some_and(&is_pending);
        self.0.pop_front_if(|next| is_full || !waits(next)).map(|next| next.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_waits_for_its_tree_and_for_the_lines_before_it() {
        let mut lines = CommandedLines::default();
        lines.push("first".into(), Some(1));
        lines.push("second".into(), None);
        assert_eq!(lines.pop(|_| true), None);
        assert_eq!(lines.pop(|_| false).as_deref(), Some("first"));
        assert_eq!(lines.pop(|_| true).as_deref(), Some("second"));
        assert_eq!(lines.pop(|_| false), None);
    }

    #[test]
    fn only_so_many_lines_wait() {
        let mut lines = CommandedLines::default();
        for number in 0..=MAX_LINES {
            lines.push(number.to_string(), Some(1));
        }
        assert_eq!(lines.pop(|_| true).as_deref(), Some("0"));
        assert_eq!(lines.pop(|_| true), None);
    }
}
