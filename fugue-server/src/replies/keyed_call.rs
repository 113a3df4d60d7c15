//! A call with an idempotency key that is in progress, and the same call made again meanwhile: it is carried out once, and
//! all get the same answer.

use std::borrow::Cow;
use std::cell::RefCell;

use fugue_core::Caller;
use fugue_protocol::Verb;
use serde_json::value::RawValue;

use super::reply::Reply;
use crate::client::ClientFeed;
use crate::session::{ManagerInput, ManagerTx};
use crate::tasks;

/// The field of a stored answer that says for which request it is. Versions that do not know it send it along.
const DIGEST: &str = "{\"request_digest\":\"";

/// A call in progress.
#[derive(Debug)]
pub(crate) struct KeyedCall {
    /// The key, as its caller's own.
    pub(crate) key: String,
    /// A digest of what is to be done.
    pub(crate) digest: String,
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

    /// Whether someone who is still there has made the call again.
    pub(crate) fn is_repeated(&self) -> bool {
        let repeated = self.repeated.borrow();
        repeated.iter().flatten().any(|again| !again.reply.is_client_gone())
    }

    /// The call was answered, or refused: then the next repetition takes its place, since a refused call did nothing.
    pub(crate) fn end(&self, answer: Option<&RawValue>) {
        let repeated = self.repeated.take();
        for again in repeated.into_iter().flatten() {
            match answer {
                Some(answer) => again.reply.send(Ok(answer.to_owned())),
                None => self.make_again(again),
            }
        }
    }

    fn make_again(&self, RepeatedCall { reply, verb, caller, feed }: RepeatedCall) {
        let manager = self.manager.clone();
        tasks::spawn_local(async move {
            let _ = manager.send(ManagerInput::Request { reply, verb, caller, feed }).await;
        });
    }
}

/// An answer, a JSON object, as it is stored: with the digest of its request.
pub(crate) fn with_digest<'a>(answer: &'a str, digest: &str) -> Cow<'a, str> {
    match answer.strip_prefix('{') {
        Some("}") => format!("{DIGEST}{digest}\"}}").into(),
        Some(fields) => format!("{DIGEST}{digest}\",{fields}").into(),
        None => answer.into(),
    }
}

/// The digest of a stored answer's request, and the answer. An answer that an older version stored has none.
pub(crate) fn split_digest(stored: &str) -> (Option<&str>, Cow<'_, str>) {
    let split = stored.strip_prefix(DIGEST).and_then(|rest| rest.split_once('"'));
    match split {
        Some((digest, rest)) => {
            (Some(digest), format!("{{{}", rest.strip_prefix(',').unwrap_or(rest)).into())
        }
        None => (None, stored.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_answer_is_read_as_it_was_with_its_digest() {
        for answer in ["{}", r#"{"a":1,"b":"x\"y"}"#] {
            let stored = with_digest(answer, "0123");
            assert!(serde_json::from_str::<serde_json::Value>(&stored).is_ok(), "{stored}");
            assert_eq!(split_digest(&stored), (Some("0123"), answer.into()));
        }
        assert_eq!(split_digest(r#"{"a":1}"#), (None, r#"{"a":1}"#.into()));
    }
}
