//! Calls with an idempotency key: one that is made again, at once or after its caller lost the connection, is not carried
//! out a second time, and a key that comes with another request is refused.

use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use fugue_core::Input;
use fugue_protocol::{PaneId, Refusal};
use serde_json::value::RawValue;

use crate::replies::answer_store::split_digest;
use crate::replies::keyed_call::{KeyedCall, RepeatedCall};
use crate::replies::reply::{AnswerSlot, AnsweredCall};
use crate::session::manager::Manager;
use crate::session::storage::batch::Batch;

/// The calls in progress, by key.
#[derive(Default)]
pub(crate) struct CallsInProgress {
    calls: BTreeMap<String, Weak<KeyedCall>>,
    /// The number of entries at which those that were answered are removed.
    prune_at: usize,
}

impl CallsInProgress {
    fn get(&self, key: &str) -> Option<Rc<KeyedCall>> {
        self.calls.get(key)?.upgrade().filter(|call| !call.is_ended())
    }

    fn add(&mut self, call: &Rc<KeyedCall>) {
        if self.calls.len() >= self.prune_at {
            self.calls.retain(|_, call| call.strong_count() > 0);
            // Twice the calls in progress, so that the amortized cost of pruning is constant.
            self.prune_at = 2 * self.calls.len() + 16;
        }
        self.calls.insert(call.key().to_owned(), Rc::downgrade(call));
    }
}

impl Manager {
    /// Closes the pane of a call whose client is gone, unless the call was repeated or answered.
    pub(crate) fn release_unless_repeated(&mut self, pane: PaneId, key: &str, batch: &mut Batch) {
        if self.calls.get(key).is_none() && self.host.context.answers.get(key).is_none() {
            self.handle(Input::PanesReleased { panes: vec![pane] }, batch);
        }
    }

    /// Returns a request that is to be carried out. One that is in progress, or was answered, gets that answer.
    pub(crate) fn first_call(&mut self, mut request: RepeatedCall) -> Option<RepeatedCall> {
        let Some(key) = request.verb.answer_key().cloned() else { return Some(request) };
        let (own, digest) = (request.caller.own_key(&key), request.verb.answer_digest());
        let store = Arc::clone(&self.host.context.answers);
        let in_progress = self.calls.get(&own);
        let stored = store.get(&own);
        let (stored_for, answer) = stored.as_deref().map(RawValue::get).map(split_digest).unzip();
        let begun_for = store.begun_for(&own);
        let known =
            [in_progress.as_ref().map(|call| call.digest()), stored_for.flatten(), begun_for.as_deref()];
        if known.into_iter().flatten().next().is_some_and(|known| known != digest) {
            request
                .reply
                .refuse(Refusal::KeyOfAnotherCall { key: key.to_string(), verb: request.verb.name() });
            return None;
        }
        if let Some(call) = in_progress {
            request = call.join(request)?;
        }
        if let Some(answer) = answer.and_then(|answer| RawValue::from_string(answer.into_owned()).ok()) {
            request.reply.send(Ok(answer));
            return None;
        }
        if store.was_begun_before(&own) && self.world().panes_started_by(&own).is_empty() {
            request.reply.refuse(Refusal::StartInterrupted);
            return None;
        }
        let call = Rc::new(KeyedCall::new(own, digest, self.sender()));
        self.calls.add(&call);
        request.reply.keep_answer(AnswerSlot { store, call });
        Some(request)
    }
}
