//! Paste buffers: what was copied, the newest first.

use std::collections::VecDeque;

/// The number of buffers, as in tmux.
const COUNT: usize = 50;

/// The size of all buffers together, in bytes: a few very long ones, or many short ones.
const BYTES: usize = 64 << 20;

/// The paste buffers.
#[derive(Debug, Default)]
pub(crate) struct PasteBuffers(VecDeque<String>);

impl PasteBuffers {
    /// Adds a text; the oldest ones make room.
    pub(crate) fn push(&mut self, text: String) {
        self.0.push_front(text);
        while self.0.len() > 1
            && (self.0.len() > COUNT || self.0.iter().map(String::len).sum::<usize>() > BYTES)
        {
            self.0.pop_back();
        }
    }

    pub(crate) fn get(&self, number: usize) -> Option<&str> {
        self.0.get(number).map(String::as_str)
    }

    pub(crate) fn take_newest(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_paste_buffers_are_dropped_for_new_ones() {
        let mut buffers = PasteBuffers::default();
        (0..=COUNT).for_each(|number| buffers.push(number.to_string()));
        assert_eq!((buffers.iter().count(), buffers.get(0)), (COUNT, Some("50")));
        assert_eq!(buffers.iter().last(), Some("1"));
        buffers.push("x".repeat(BYTES));
        assert_eq!(buffers.iter().count(), 1, "one long text is kept alone");
    }
}
