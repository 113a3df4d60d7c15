//! Pages of longer lists of messages. What does not fit into a reply is left to the next page: the fields that lead there
//! are set to the first message left out, and those that count the rest count it.

use serde_json::{Map, Value, json};

/// A page, by the field that counts the messages outside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// A page of an inbox, oldest first; `next` leads to later messages, and `more` counts them.
    Inbox,
    /// The newest messages of a list, oldest first; `before` the first one leads to those that `older` counts.
    Newest,
}

impl Page {
    /// The field with the messages.
    pub(super) const LIST: &str = "messages";

    /// What kind of page a reply is, if it is one.
    pub(super) fn of(reply: &Value) -> Option<Self> {
        Self::of_fields(reply.as_object()?)
    }

    /// What kind of page a reply with these fields is, if it is one.
    pub(super) fn of_fields(fields: &Map<String, Value>) -> Option<Self> {
        let has = |name| fields.contains_key(name);
        match has(Self::LIST) {
            true if has("more") => Some(Self::Inbox),
            true if has("older") => Some(Self::Newest),
            _ => None,
        }
    }

    /// How to get the messages left out.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Inbox => "pass `next` as `after` to get the rest",
            Self::Newest => "pass the `number` of the first message as `before` to get the rest",
        }
    }

    /// How many messages fit, at least one: a page without any leads nowhere.
    pub(super) fn fitting(self, messages: &[Value], fits: impl FnMut(&Value) -> bool) -> usize {
        let mut fits = fits;
        let kept = match self {
            Self::Inbox => messages.iter().take_while(|message| fits(message)).count(),
            Self::Newest => messages.iter().rev().take_while(|message| fits(message)).count(),
        };
        kept.max(1).min(messages.len())
    }

    /// Keeps this many messages, and leaves the others to the next page.
    pub(super) fn cut(self, fields: &mut Map<String, Value>, kept: usize) {
        let Some(Value::Array(messages)) = fields.get_mut(Self::LIST) else { return };
        let cut = messages.len() - kept;
        let counter = match self {
            Self::Inbox => {
                messages.truncate(kept);
                let last = messages.last().map(|message| message["number"].clone());
                last.and_then(|number| fields.insert("next".into(), number));
                "more"
            }
            Self::Newest => {
                messages.drain(..cut);
                "older"
            }
        };
        let before = fields.get(counter).and_then(Value::as_u64).unwrap_or_default();
        fields.insert(counter.into(), json!(before + cut as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::super::truncate::truncated;
    use super::*;

    fn messages(count: u64) -> Vec<Value> {
        let message =
            |number| json!({ "message_id": "m", "payload": { "text": "x".repeat(150) }, "number": number });
        (1..=count).map(message).collect()
    }

    fn numbers(page: &Value) -> Vec<u64> {
        page["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .filter_map(|one| one["number"].as_u64())
            .collect()
    }

    #[test]
    fn what_is_cut_from_an_inbox_page_is_on_the_next_one() {
        let (all, mut seen, mut after) = (messages(200), Vec::new(), 0);
        while after < 200 {
            let rest: Vec<_> = all[after as usize..].to_vec();
            let reply = json!({ "messages": rest, "more": 0, "next": 200 });
            let page = truncated(&reply.to_string()).expect("a page");
            seen.extend(numbers(&page));
            assert_eq!(page["next"].as_u64(), seen.last().copied());
            assert_eq!(page["more"], json!(200 - seen.len()));
            assert!(page.get("omitted").is_none());
            after = page["next"].as_u64().expect("the next page");
        }
        assert_eq!(seen, (1..=200).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_cut_from_the_newest_messages_is_older() {
        let (all, mut seen, mut before) = (messages(200), Vec::new(), 200);
        while before > 0 {
            let reply = json!({ "messages": all[..before], "older": 0 });
            let page = truncated(&reply.to_string()).expect("a page");
            seen = [numbers(&page), seen].concat();
            before = seen[0] as usize - 1;
            assert_eq!(page["older"], json!(before));
        }
        assert_eq!(seen, (1..=200).collect::<Vec<_>>());
    }

    #[test]
    fn a_page_has_at_least_one_message() {
        let large =
            json!({ "message_id": "m", "payload": { "parts": vec!["x".repeat(9_000); 4] }, "number": 7 });
        let reply = json!({ "messages": [large, { "number": 8 }], "more": 3, "next": 8 });
        let page = truncated(&reply.to_string()).expect("a page");
        assert_eq!((numbers(&page), &page["next"], &page["more"]), (vec![7], &json!(7), &json!(4)));
    }
}
