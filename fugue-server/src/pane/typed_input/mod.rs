//! Input that is typed into a pane: bytes that wait for the program to read them, in order, and texts that are submitted
//! once the program has taken them in.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use fugue_core::edge_request::TypeRequest;
use fugue_protocol::refusal::nearest;
use fugue_protocol::views::{InputSent, Submitted};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::keys::{Code, Key};
use fugue_screen::{Modes, paste};

use super::current_state::PaneFacts;
use super::pty_write_queue::PtyWriteQueue;
use super::submit_watch::{self, SubmitWatch, settled};
use crate::input_ledger::InputReceipt;
use crate::reply::Reply;

/// The most input that a program may leave unread: four of the largest inputs. Beyond that typing is refused.
const MAX_UNREAD: usize = 4 << 20;

/// About how many bytes a request takes besides its text while it is queued: its keys' names and its reply.
const REQUEST_BYTES: usize = 256;

/// A pane's input.
pub(super) struct TypedInput {
    pane: PaneId,
    unread: PtyWriteQueue,
    /// Whether some of a person's input was refused, so that later input would leave a gap.
    has_gap: bool,
    submits: VecDeque<PendingSubmit>,
}

/// A text that is being submitted. Later requests wait behind it.
struct PendingSubmit {
    stage: SubmitStage,
    enter: Vec<u8>,
    /// The end of the text: while it is still at the cursor, the text was not taken.
    end: String,
    by_agent: bool,
    reply: Box<dyn FnOnce(Submitted)>,
    behind: Vec<TypingRequest>,
}

enum SubmitStage {
    /// The text was typed then; Enter is pressed when the screen is quiet.
    Typed(Instant),
    /// Enter was pressed, and the program is watched.
    Pressed(SubmitWatch),
}

/// A request to type a text.
pub(super) struct TypingRequest {
    pub(super) typing: TypeRequest,
    /// The end of the pane's text when the request was made.
    pub(super) cursor: String,
    pub(super) reply: Reply,
}

impl TypingRequest {
    fn bytes(&self) -> usize {
        self.typing.text.len() + self.typing.keys.iter().map(String::len).sum::<usize>() + REQUEST_BYTES
    }
}

impl TypedInput {
    pub(super) fn new(pane: PaneId) -> Self {
        Self { pane, unread: PtyWriteQueue::default(), has_gap: false, submits: VecDeque::new() }
    }

    /// Drops all unread input: the program reads no more.
    pub(super) fn discard(&mut self) {
        self.unread.clear();
    }

    /// Sends bytes that the program waits for, such as the terminal's reply to a query.
    pub(super) fn send_reply(&mut self, bytes: &[u8]) {
        if self.unread.len() + bytes.len() <= MAX_UNREAD {
            self.unread.push(bytes, None);
        }
    }

    /// Types a person's keys. They do not wait behind texts that are being submitted: a person sees what is going on.
    /// After keys that found no room none are taken until the program has read everything, so that there is no gap.
    pub(super) fn keys(&mut self, bytes: &[u8], receipt: Option<InputReceipt>) -> Result<(), Refusal> {
        self.has_gap &= !self.unread.is_empty();
        self.has_gap |= self.unread.len() + bytes.len() > MAX_UNREAD;
        if self.has_gap {
            return Err(Refusal::InputFull { pane: self.pane, waiting: self.unread.len() });
        }
        self.unread.push(bytes, receipt);
        Ok(())
    }

    /// Types the text of a request, or queues it behind a text that is being submitted. An agent's text is refused while a
    /// person has the keyboard.
    pub(super) fn type_text(&mut self, request: TypingRequest, facts: PaneFacts<'_>, in_shell: bool) {
        if let Some(remaining_ms) = facts.locked_ms.filter(|_| request.typing.by_agent) {
            return request.reply.refuse(Refusal::KeyboardHeld { pane: self.pane, remaining_ms });
        }
        if let Some(submit) = self.submits.back_mut() {
            let behind = submit.behind.iter().map(TypingRequest::bytes).sum::<usize>();
            let waiting = self.unread.len() + behind;
            if waiting + request.bytes() > MAX_UNREAD {
                return request.reply.refuse(Refusal::InputFull { pane: self.pane, waiting });
            }
            return submit.behind.push(request);
        }
        match self.encode(&request.typing, facts.screen.modes()) {
            Ok(bytes) => self.type_bytes(request, &bytes, facts, in_shell),
            Err(refusal) => request.reply.refuse(refusal),
        }
    }

    /// Types a notification and submits it, unless other input is waiting. Returns whether it was typed.
    pub(super) fn type_notification(&mut self, text: &str, facts: PaneFacts<'_>) -> bool {
        let free = self.submits.is_empty() && self.unread.is_empty();
        if free {
            self.unread.push(&paste(text, facts.screen.modes()), None);
            let enter = Key::plain(Code::Enter).encode(facts.screen.modes());
            let (stage, end) = (SubmitStage::Typed(facts.now), submit_watch::end_of(text));
            // Nobody waits for the reply: whether the agent took it shows in its state.
            let (reply, behind) = (Box::new(drop), Vec::new());
            self.submits.push_back(PendingSubmit { stage, enter, end, by_agent: true, reply, behind });
        }
        free
    }

    fn type_bytes(&mut self, request: TypingRequest, bytes: &[u8], facts: PaneFacts<'_>, in_shell: bool) {
        let TypingRequest { typing, cursor, reply } = request;
        self.unread.push(bytes, None);
        let pane_id = self.pane;
        let sent = move |bytes, submit| InputSent { pane_id, bytes, cursor, submit };
        let enter = match typing.submit {
            true => Key::plain(Code::Enter).encode(facts.screen.modes()),
            false => Vec::new(),
        };
        let all = bytes.len() + enter.len();
        if typing.submit && !in_shell && !bytes.is_empty() {
            let reply = Box::new(move |submitted| reply.done(&sent(all, Some(submitted))));
            let (stage, end) = (SubmitStage::Typed(facts.now), submit_watch::end_of(&typing.text));
            let (by_agent, behind) = (typing.by_agent, Vec::new());
            self.submits.push_back(PendingSubmit { stage, enter, end, by_agent, reply, behind });
        } else {
            self.unread.push(&enter, None);
            reply.done(&sent(all, (typing.submit && in_shell).then_some(Submitted::Submitted)));
        }
    }

    fn encode(&self, typing: &TypeRequest, modes: &Modes) -> Result<Vec<u8>, Refusal> {
        let mut bytes = if typing.submit && typing.text.contains('\n') {
            paste(&typing.text, modes)
        } else {
            typing.text.clone().into_bytes()
        };
        for name in &typing.keys {
            bytes.extend(key(name)?.encode(modes));
        }
        if self.unread.len() + bytes.len() > MAX_UNREAD {
            return Err(Refusal::InputFull { pane: self.pane, waiting: self.unread.len() });
        }
        Ok(bytes)
    }

    /// Whether a text is being submitted.
    pub(super) fn is_submitting(&self) -> bool {
        !self.submits.is_empty()
    }

    /// Returns when the next Enter or reply is due, if the last output came at `last_output`.
    pub(super) fn due(&self, last_output: Instant) -> Option<Instant> {
        match &self.submits.front()?.stage {
            SubmitStage::Typed(since) => Some(settled(last_output, *since)),
            SubmitStage::Pressed(watch) => Some(watch.due(last_output)),
        }
    }

    /// Presses Enter where it is due, watches the program, and types what waited behind.
    pub(super) fn advance(&mut self, facts: PaneFacts<'_>, in_shell: bool) {
        while let Some(submit) = self.submits.front_mut() {
            match &submit.stage {
                // A person has begun to type after it: Enter would submit both.
                SubmitStage::Typed(_) if submit.by_agent && facts.locked_ms.is_some() => {
                    self.finish_submit(Submitted::Pending, facts, in_shell);
                }
                SubmitStage::Typed(since) if settled(facts.last_output, *since) <= facts.now => {
                    self.unread.push(&std::mem::take(&mut submit.enter), None);
                    submit.stage = SubmitStage::Pressed(SubmitWatch::new(facts));
                }
                SubmitStage::Typed(_) => return,
                SubmitStage::Pressed(watch) => match watch.verdict(facts, &submit.end) {
                    Some(submitted) => self.finish_submit(submitted, facts, in_shell),
                    None => return,
                },
            }
        }
    }

    fn finish_submit(&mut self, submitted: Submitted, facts: PaneFacts<'_>, in_shell: bool) {
        let Some(submit) = self.submits.pop_front() else { return };
        (submit.reply)(submitted);
        for request in submit.behind {
            self.type_text(request, facts, in_shell);
        }
    }

    /// Writes as much input as the terminal takes now.
    pub(super) fn write_to(&mut self, master: BorrowedFd<'_>) -> io::Result<()> {
        self.unread.write_to(master)
    }

    #[cfg(test)]
    pub(super) fn text(&mut self) -> &[u8] {
        self.unread.text()
    }
}

fn key(name: &str) -> Result<Key, Refusal> {
    let names = [
        "Enter", "Escape", "Tab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
        "PageDown",
    ];
    name.parse()
        .map_err(|_| Refusal::BadKey { key: name.to_owned(), nearest: nearest(name, names.into_iter()) })
}

#[cfg(test)]
mod tests;
