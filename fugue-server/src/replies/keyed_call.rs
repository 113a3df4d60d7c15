//! A call with an idempotency key that is in progress, and the same call made again meanwhile: it is carried out once, and
//! all get the same answer.

use std::cell::RefCell;

use fugue_core::Caller;
use fugue_protocol::Verb;
use serde_json::value::RawValue;

use super::reply::{AnsweredCall, Reply};
use crate::client::ClientFeed;
use crate::session::{ManagerInput, ManagerTx};
use crate::tasks;

/// A call in progress.
#[derive(Debug)]
pub(crate) struct KeyedCall {
    /// The key, as its caller's own.
    key: String,
    /// A digest of what is to be done.
    digest: String,
    /// The same call, made again; `None` once it was answered. There are at most as many as clients may have requests.
    repeated: RefCell<Option<Vec<RepeatedCall>>>,
    manager: ManagerTx,
}

/// A call that was made again.
pub(crate) struct RepeatedCall {
    pub(crate) reply: Reply,
    pub(crate) verb: Box<Verb>,
    pub(crate) caller: Caller,
    pub(crate) feed: ClientFeed,
}

impl std::fmt::Debug for RepeatedCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.verb.name())
    }
}

impl KeyedCall {
    pub(crate) fn new(key: String, digest: String, manager: ManagerTx) -> Self {
        Self { key, digest, repeated: RefCell::new(Some(Vec::new())), manager }
    }

    /// Has a repetition answered with this call. Returns it if this call was answered already.
    pub(crate) fn join(&self, again: RepeatedCall) -> Option<RepeatedCall> {
        match self.repeated.borrow_mut().as_mut() {
            Some(repeated) => {
                repeated.push(again);
                None
            }
            None => Some(again),
        }
    }

    /// Whether it was answered or refused.
    pub(crate) fn is_ended(&self) -> bool {
        self.repeated.borrow().is_none()
    }

    fn make_again(&self, RepeatedCall { reply, verb, caller, feed }: RepeatedCall) {
        let manager = self.manager.clone();
        tasks::spawn_local(async move {
            let _ = manager.send(ManagerInput::Request { reply, verb, caller, feed }).await;
        });
    }
}

impl AnsweredCall for KeyedCall {
    fn key(&self) -> &str {
        &self.key
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn is_repeated(&self) -> bool {
        let repeated = self.repeated.borrow();
        repeated.iter().flatten().any(|again| !again.reply.is_client_gone())
    }

    fn end(&self, answer: Option<&RawValue>) {
        let repeated = self.repeated.take();
        for again in repeated.into_iter().flatten() {
            match answer {
                Some(answer) => again.reply.send(Ok(answer.to_owned())),
                None => self.make_again(again),
            }
        }
    }
}
