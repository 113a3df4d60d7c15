//! What was copied: the newest first.

use std::collections::VecDeque;

/// As many as tmux keeps.
const COUNT: usize = 50;

/// All of them together, in bytes: a few very long ones, or many short ones.
const BYTES: usize = 64 << 20;

/// Texts that were copied.
#[derive(Debug, Default)]
pub(crate) struct PasteBuffers(VecDeque<String>);

impl PasteBuffers {
    /// Keeps a text; the oldest make room.
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
    fn the_oldest_make_room_for_the_newest() {
        let mut buffers = PasteBuffers::default();
        (0..=COUNT).for_each(|number| buffers.push(number.to_string()));
        assert_eq!((buffers.iter().count(), buffers.get(0)), (COUNT, Some("50")));
        assert_eq!(buffers.iter().last(), Some("1"));
        buffers.push("x".repeat(BYTES));
        assert_eq!(buffers.iter().count(), 1, "one long text is kept alone");
    }
}
