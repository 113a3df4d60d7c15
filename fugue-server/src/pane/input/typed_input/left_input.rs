//! Input of requests that an earlier daemon was typing when it was killed. It is completed, unless it is not known how much
//! of it arrived; a caller that repeats its request is told what became of it.

use std::rc::Rc;
use std::time::Instant;

use fugue_protocol::Refusal;
use fugue_protocol::views::{SubmitEvidence, Submitted};

use super::pending_submit::{PendingSubmit, SubmitStage};
use super::{TypedInput, unfinished};
use crate::pane::input::guarded_line::GuardedLine;
use crate::pane::input::input_record::{InputRecord, LeftRecord};
use crate::pane::input::pty_write_queue::WriteReceipt;
use crate::pane::input::typing_request::TypingRequest;
use crate::pane::shell::command_run::UnfinishedCommand;

/// Input that an earlier daemon left, for the caller that repeats its request.
pub(super) struct LeftInput {
    record: Rc<InputRecord>,
    /// How many bytes are known to have been typed, if it could not be completed.
    interrupted: Option<usize>,
}

impl LeftRecord {
    /// Whether Enter is a step of its own, after the program had time to read the text.
    fn has_own_enter(&self) -> bool {
        self.record.intent.text_bytes < self.bytes.len()
    }

    /// Whether a kill interrupted a write of the text, so that it is unknown which bytes arrived. Whether Enter arrived
    /// shows on the screen.
    fn is_in_doubt(&self) -> bool {
        self.begun > self.taken && !(self.has_own_enter() && self.taken >= self.record.intent.text_bytes)
    }
}

impl TypedInput {
    /// Continues with the input that an earlier daemon left. Returns the command that it was typing or had typed.
    pub(in crate::pane) fn restore(
        &mut self,
        left: Vec<LeftRecord>,
        now: Instant,
    ) -> Option<UnfinishedCommand> {
        let mut command = None;
        for left in left {
            let interrupted = left.is_in_doubt().then_some(left.taken);
            if interrupted.is_none() {
                self.type_rest(&left);
            }
            if let Some(typed) = left.record.intent.command {
                command = Some(UnfinishedCommand { typed, record: left.record, interrupted });
            } else if left.record.intent.is_notification {
                self.line = interrupted.is_none().then(|| Box::new(line_again(left, now)));
            } else if left.has_own_enter() && interrupted.is_none() {
                self.submits.push_back(self.submit_again(left, now));
            } else {
                self.left.push(LeftInput { record: left.record, interrupted });
            }
        }
        command
    }

    /// Types the bytes before Enter that did not arrive.
    fn type_rest(&mut self, left: &LeftRecord) {
        if let Some(rest) = left.bytes.get(left.taken..left.record.intent.text_bytes) {
            let receipt = left.record.receipt(left.taken);
            self.unread.push(rest, Some(WriteReceipt::Request(receipt)));
        }
    }

    fn submit_again(&self, left: LeftRecord, now: Instant) -> PendingSubmit {
        let intent = &left.record.intent;
        let pressed = left.begun > intent.text_bytes;
        PendingSubmit {
            stage: if pressed { SubmitStage::PressedBefore } else { SubmitStage::Typed(now) },
            enter: left.bytes[intent.text_bytes..].to_vec(),
            end: intent.end.clone(),
            by_agent: intent.by_agent,
            may_answer: !intent.by_agent,
            has_agent: false,
            before: String::new(),
            person_typed: false,
            key: intent.key.clone(),
            sent: unfinished(self.pane, intent),
            reply: None,
            behind: Vec::new(),
            record: Some(left.record),
        }
    }

    /// Answers a request that was made before, now or when its text is submitted. Returns any other request.
    pub(super) fn answer_repeated(&mut self, request: TypingRequest) -> Option<TypingRequest> {
        let Some(key) = request.typing.key.clone() else { return Some(request) };
        let same = |other: Option<&String>| other == Some(&key);
        if let Some(submit) = self.submits.iter_mut().find(|submit| same(submit.key.as_ref())) {
            submit.reply = Some(request.reply);
            return None;
        }
        let behind = self.submits.iter_mut().flat_map(|submit| &mut submit.behind);
        if let Some(waiting) = behind.into_iter().find(|waiting| same(waiting.typing.key.as_ref())) {
            waiting.reply = request.reply;
            return None;
        }
        let Some(at) = self.left.iter().position(|left| same(left.record.intent.key.as_ref())) else {
            return self.answer_stored(request, &key);
        };
        let LeftInput { record, interrupted } = self.left.swap_remove(at);
        match interrupted {
            Some(typed) => {
                let bytes = record.intent.bytes;
                request.reply.refuse(Refusal::InputInterrupted { pane: self.pane, typed, bytes });
            }
            None => {
                let mut sent = unfinished(self.pane, &record.intent);
                if record.intent.submit {
                    (sent.submit, sent.evidence) = (Some(Submitted::Submitted), Some(SubmitEvidence::Shell));
                }
                request.reply.done(&sent);
            }
        }
        None
    }

    /// Answers a request whose text was submitted while the request was on its way here. Returns any other request.
    fn answer_stored(&self, request: TypingRequest, key: &str) -> Option<TypingRequest> {
        let Some(answer) = self.answers.get(key) else { return Some(request) };
        request.reply.send(Ok(answer));
        None
    }
}

/// A notification that an earlier daemon was typing. If it is still in the input field, it is submitted.
fn line_again(left: LeftRecord, now: Instant) -> GuardedLine {
    let intent = &left.record.intent;
    let (text, enter) = (intent.end.clone(), left.bytes[intent.text_bytes..].to_vec());
    GuardedLine::new(text, enter, Some(left.record), now)
}
