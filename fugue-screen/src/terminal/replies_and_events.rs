//! What leaves a terminal beside its screen: replies for the program, and events for the daemon.

use std::collections::VecDeque;

use crate::events::ScreenEvent;

/// More events than this are dropped, the oldest first; a daemon that reads them stays far below.
const MOST_EVENTS: usize = 256;
/// More bytes of replies than this are dropped: a program that asks this much at once does not read the answers.
const MOST_REPLIES: usize = 16 * 1024;

/// Replies and events that have not been taken yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct TerminalOutput {
    pub replies: Vec<u8>,
    pub events: VecDeque<ScreenEvent>,
}

impl TerminalOutput {
    /// Whether a reply of this length would be kept.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        self.replies.len() + length <= MOST_REPLIES
    }

    pub(crate) fn reply(&mut self, answer: &str) {
        if self.has_room(answer.len()) {
            self.replies.extend_from_slice(answer.as_bytes());
        }
    }

    pub(crate) fn event(&mut self, event: ScreenEvent) {
        if self.events.len() == MOST_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_event_is_dropped_when_there_are_too_many() {
        let mut output = TerminalOutput::default();
        output.event(ScreenEvent::Title("first".to_owned()));
        (0..MOST_EVENTS).for_each(|_| output.event(ScreenEvent::Bell));
        assert_eq!(output.events.len(), MOST_EVENTS);
        assert_eq!(output.events.front(), Some(&ScreenEvent::Bell));
    }

    #[test]
    fn a_reply_is_sent_whole_or_not_at_all() {
        let mut output = TerminalOutput { replies: vec![b'x'; MOST_REPLIES - 2], ..Default::default() };
        output.reply("abc");
        assert_eq!(output.replies.len(), MOST_REPLIES - 2);
        output.reply("ab");
        assert!(output.replies.ends_with(b"ab"));
    }
}
