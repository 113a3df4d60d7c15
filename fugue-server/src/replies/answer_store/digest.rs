//! The digest of a request, which is stored with its answer: the same key with another request is refused.

use std::borrow::Cow;

/// The field of a stored answer that says for which request it is. Versions that do not know it send it along.
const DIGEST: &str = "{\"request_digest\":\"";

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
