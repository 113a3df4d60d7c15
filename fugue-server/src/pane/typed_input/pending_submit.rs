//! A text that is being submitted: it is typed, the program gets time to read it, and Enter is pressed.

use std::rc::Rc;
use std::time::Instant;

use fugue_protocol::views::{InputSent, Submitted};

use crate::answer_store::AnswerStore;
use crate::pane::input_record::InputRecord;
use crate::pane::submit_watch::{SubmitWatch, settled};
use crate::pane::typing_request::TypingRequest;
use crate::reply::Reply;

/// A text that is being submitted. Later requests wait behind it.
pub(super) struct PendingSubmit {
    pub(super) stage: SubmitStage,
    pub(super) enter: Vec<u8>,
    /// The end of the text: while it is still at the cursor, the text was not taken.
    pub(super) end: String,
    pub(super) by_agent: bool,
    /// Whether Enter may answer a dialog that opens meanwhile.
    pub(super) may_answer: bool,
    /// The key under which the caller may repeat the request.
    pub(super) key: Option<String>,
    /// The reply, except for what became of the text.
    pub(super) sent: InputSent,
    /// Nothing if nobody waits, or if the caller has not repeated a request of an earlier daemon yet.
    pub(super) reply: Option<Reply>,
    pub(super) behind: Vec<TypingRequest>,
    /// The record of the input, until everything is done.
    pub(super) record: Option<Rc<InputRecord>>,
}

pub(super) enum SubmitStage {
    /// The text was typed then; Enter is pressed when the screen is quiet.
    Typed(Instant),
    /// An earlier daemon pressed Enter.
    PressedBefore,
    /// Enter was pressed, and the program is watched.
    Pressed(SubmitWatch),
}

impl PendingSubmit {
    /// Returns when the next step is due, if the last output came at `last_output`.
    pub(super) fn due(&self, last_output: Instant) -> Instant {
        match &self.stage {
            SubmitStage::Typed(since) => settled(last_output, *since),
            SubmitStage::PressedBefore => last_output,
            SubmitStage::Pressed(watch) => watch.due(last_output),
        }
    }

    /// Replies, or stores the reply for a caller that has not repeated its request yet.
    pub(super) fn answer(&mut self, submitted: Submitted, answers: &AnswerStore) {
        self.sent.submit = Some(submitted);
        match self.reply.take() {
            Some(reply) => reply.done(&self.sent),
            None => self.store_answer(answers),
        }
    }

    /// A person has begun to type after the text, so Enter will not be pressed, by this daemon or the next.
    pub(super) fn hold(&mut self, answers: &AnswerStore) {
        if self.record.is_some() && self.by_agent && matches!(self.stage, SubmitStage::Typed(_)) {
            self.sent.submit = Some(Submitted::Pending);
            self.store_answer(answers);
            self.record = None;
        }
    }

    fn store_answer(&self, answers: &AnswerStore) {
        if let (Some(key), Ok(json)) = (&self.key, serde_json::to_string(&self.sent)) {
            answers.put(key, &json);
        }
    }
}
