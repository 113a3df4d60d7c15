//! Why the text of a request is not typed: a person has the keyboard, the agent asks something, a text that was typed before
//! is still there, or the program reads nothing.

use fugue_agents::Composer;
use fugue_protocol::Refusal;

use super::{MAX_UNREAD, TypedInput, key};
use crate::pane::current_state::PaneFacts;
use crate::pane::input::field_submit::dense;
use crate::pane::input::keyboard::permission_prompt;
use crate::pane::input::typing_request::TypingRequest;

impl TypedInput {
    pub(super) fn refusal(&mut self, request: &TypingRequest, facts: PaneFacts<'_>) -> Option<Refusal> {
        if let Some(remaining_ms) = facts.locked_ms.filter(|_| request.typing.by_agent) {
            return Some(Refusal::KeyboardHeld { pane: self.pane, remaining_ms });
        }
        // It may have waited behind another text, and the agent may ask something since.
        let asks = permission_prompt(&request.typing, facts);
        let bad_key = || request.typing.keys.iter().find_map(|name| key(name).err());
        asks.or_else(bad_key).or_else(|| self.unsubmitted(request, facts)).or_else(|| self.no_room(request))
    }

    /// The refusal of a text that would be added to one that is still in the agent's input field.
    fn unsubmitted(&mut self, request: &TypingRequest, facts: PaneFacts<'_>) -> Option<Refusal> {
        // With keys alone, a caller submits or clears what is there.
        if !self.submits.is_empty() || request.typing.text.is_empty() {
            return None;
        }
        let is_left = self.unsubmitted.is_left(facts);
        let is_back = || matches!(facts.composer(), Composer::Holds(held) if dense(&held) == self.last_text);
        (is_left || is_back()).then_some(Refusal::Unsubmitted { pane: self.pane })
    }

    /// The refusal of a request for which there is no room behind others.
    fn no_room(&mut self, request: &TypingRequest) -> Option<Refusal> {
        let unread = self.unread.len();
        let waiting = unread + self.behind()?.iter().map(TypingRequest::bytes).sum::<usize>();
        let is_full = waiting + request.bytes() > MAX_UNREAD;
        is_full.then_some(Refusal::InputFull { pane: self.pane, waiting })
    }
}
