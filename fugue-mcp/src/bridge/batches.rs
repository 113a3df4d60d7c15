//! Batches: several messages in one line, answered together in one line. Only protocol version 2025-03-26 has them.

use std::collections::HashSet;

use rmcp::model::RequestId;
use serde_json::Value;

/// The batches that are not answered completely.
#[derive(Debug, Default)]
pub(super) struct Batches(Vec<RequestBatch>);

#[derive(Debug)]
struct RequestBatch {
    unanswered: HashSet<RequestId>,
    answers: Vec<Value>,
}

impl Batches {
    /// Adds a batch with the ids of its requests and the answers it has already. Returns the line if that is all.
    pub(super) fn open(&mut self, unanswered: HashSet<RequestId>, answers: Vec<Value>) -> Option<Value> {
        self.0.push(RequestBatch { unanswered, answers });
        self.finished()
    }

    /// Whether a request is part of a batch.
    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.0.iter().any(|batch| batch.unanswered.contains(id))
    }

    /// Adds an answer to its batch; a cancelled request has none. Returns the batch's line once it is complete.
    pub(super) fn close(&mut self, id: &RequestId, answer: Option<Value>) -> Option<Value> {
        let batch = self.0.iter_mut().find(|batch| batch.unanswered.contains(id))?;
        batch.unanswered.remove(id);
        batch.answers.extend(answer);
        self.finished()
    }

    /// Takes the batch that is complete, if one is. A batch without any answer gets no line.
    fn finished(&mut self) -> Option<Value> {
        let complete = self.0.iter().position(|batch| batch.unanswered.is_empty())?;
        let answers = self.0.swap_remove(complete).answers;
        (!answers.is_empty()).then_some(Value::Array(answers))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ids(ids: &[i64]) -> HashSet<RequestId> {
        ids.iter().map(|id| RequestId::Number(*id)).collect()
    }

    #[test]
    fn the_answers_to_a_batch_are_one_line() {
        let mut batches = Batches::default();
        assert_eq!(batches.open(ids(&[1, 2]), vec![json!("invalid")]), None);
        assert_eq!(batches.open(ids(&[3]), Vec::new()), None);
        assert!(batches.contains(&RequestId::Number(2)) && !batches.contains(&RequestId::Number(4)));
        assert_eq!(batches.close(&RequestId::Number(2), Some(json!("two"))), None);
        assert_eq!(batches.close(&RequestId::Number(3), Some(json!("three"))), Some(json!(["three"])));
        assert_eq!(
            batches.close(&RequestId::Number(1), Some(json!("one"))),
            Some(json!(["invalid", "two", "one"]))
        );
        assert_eq!(batches.open(ids(&[]), Vec::new()), None, "notifications alone have no answer");
        assert_eq!(batches.open(ids(&[5]), Vec::new()), None);
        assert_eq!(batches.close(&RequestId::Number(5), None), None, "nor has a cancelled request");
        assert!(batches.0.is_empty());
    }
}
