//! A line as a message, or why it is none. The library passes over what it cannot read, and takes a call with unreadable
//! arguments for a method it does not know: here whoever waits for an answer gets one that says what is wrong.

use std::borrow::Cow;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Deeper than any argument; readers of JSON give up at 128, and a request stands in others on its way.
const DEEPEST: usize = 100;

/// Methods that are served: parameters that the library cannot read are these methods' trouble.
const SERVED: [&str; 9] = [
    "initialize",
    "server/discover",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "resources/list",
];

/// What a line is.
pub(super) enum Judged {
    /// A message.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that anybody waits for an answer to.
    Nothing,
    /// A request that cannot be taken, and why.
    Refused(Option<RequestId>, ErrorData),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Reads a line.
pub(super) fn judged(line: &[u8]) -> Judged {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    let envelope = match serde_json::from_slice::<Envelope<'_>>(line) {
        Ok(envelope) => envelope,
        // No JSON at all: to answer that could go on for ever, if the other side echoes.
        Err(why) if !why.is_data() => return Judged::Nothing,
        Err(_) => return invalid(None, "a message is one object with jsonrpc, method and params"),
    };
    let id = envelope.id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
    match message(line, &envelope) {
        Ok(message) => message,
        Err(_) if envelope.id.is_none() => Judged::Nothing,
        Err(why) => Judged::Refused(id, why),
    }
}

/// A line that was too long to look at.
pub(super) fn too_long() -> Judged {
    invalid(None, "a message is longer than 16 MiB")
}

fn invalid(id: Option<RequestId>, why: &'static str) -> Judged {
    Judged::Refused(id, ErrorData::invalid_request(why, None))
}

fn message(line: &[u8], envelope: &Envelope<'_>) -> Result<Judged, ErrorData> {
    if depth(line) > DEEPEST {
        let why = format!("the request is nested more than {DEEPEST} deep");
        return Err(ErrorData::invalid_request(why, None));
    }
    let method = envelope.method.as_deref().unwrap_or_default();
    if method == "tools/call" {
        call(envelope.params).map_err(|why| ErrorData::invalid_params(why, None))?;
    }
    match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        Ok(JsonRpcMessage::Request(request))
            if SERVED.contains(&method) && matches!(request.request, ClientRequest::CustomRequest(_)) =>
        {
            let why = format!("`params` of `{method}` cannot be read");
            Err(ErrorData::invalid_params(why, None))
        }
        Ok(message) => Ok(Judged::Message(Box::new(message))),
        Err(_) => Err(ErrorData::invalid_request("the request cannot be read", None)),
    }
}

/// Whether a call has what it needs, by name.
fn call(params: Option<&RawValue>) -> Result<(), String> {
    let params = params.ok_or("`params` is missing: a call has `name` and `arguments`")?;
    let call = match kind(params) {
        "an object" => serde_json::from_str::<Call<'_>>(params.get()).map_err(|why| why.to_string())?,
        other => return Err(format!("`params` is {other}, not an object with `name` and `arguments`")),
    };
    match call.name.map(kind) {
        Some("a text") => {}
        Some(other) => return Err(format!("`params.name` is {other}, not the name of a tool")),
        None => return Err("`params.name` is missing: it names the tool".into()),
    }
    match call.arguments.map(kind) {
        None | Some("an object") => Ok(()),
        Some(other) => Err(format!("`params.arguments` is {other}, not an object")),
    }
}

/// What a value is, by its first sign.
fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "true or false",
        _ => "a number",
    }
}

/// How deep lists and objects stand in one another.
fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in line {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b'[' | b'{') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> String {
        match judged(line.as_bytes()) {
            Judged::Refused(id, why) => {
                let id = id.map_or("none".to_owned(), |id| id.to_string());
                format!("{id} {} {}", why.code.0, why.message)
            }
            Judged::Message(_) => "a message".into(),
            Judged::Nothing => "nothing".into(),
        }
    }

    fn call(params: &str) -> String {
        refusal(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call"{params}}}"#))
    }

    #[test]
    fn a_call_that_cannot_be_read_is_told_which_field() {
        assert_eq!(call(r#","params":{"name":"x","arguments":{"a":1}}"#), "a message");
        assert_eq!(call(r#","params":{"name":"x","arguments":null}"#), "a message");
        assert_eq!(call(r#","params":{"name":"x"}"#), "a message");
        for (params, why) in [
            ("", "`params` is missing: a call has `name` and `arguments`"),
            (r#","params":[1]"#, "`params` is a list, not an object with `name` and `arguments`"),
            (r#","params":{}"#, "`params.name` is missing: it names the tool"),
            (r#","params":{"name":7}"#, "`params.name` is a number, not the name of a tool"),
            (r#","params":{"name":"x","arguments":"y"}"#, "`params.arguments` is a text, not an object"),
        ] {
            assert_eq!(call(params), format!("7 -32602 {why}"));
        }
        let uri = r#"{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":7}}"#;
        assert_eq!(refusal(uri), "a -32602 `params` of `resources/read` cannot be read");
    }

    #[test]
    fn nesting_is_taken_to_its_bound_and_refused_beyond_it() {
        // Message, parameters and arguments are three of it.
        let nested = |deep: usize| {
            let (open, close) = ("[".repeat(deep - 3), "]".repeat(deep - 3));
            call(&format!(r#","params":{{"name":"[\"[[","arguments":{{"a":{open}{close}}}}}"#))
        };
        assert_eq!(nested(DEEPEST), "a message");
        assert_eq!(nested(DEEPEST + 1), "7 -32600 the request is nested more than 100 deep");
        assert_eq!(nested(100_000), "7 -32600 the request is nested more than 100 deep");
    }

    #[test]
    fn what_nobody_waits_for_is_passed_over() {
        for line in ["", "no JSON", r#"{"jsonrpc":"2.0","method":"x/y","params":7}"#] {
            assert_eq!(refusal(line), "nothing", "{line}");
        }
        assert!(refusal("[1,2]").starts_with("none -32600 "));
        assert!(refusal(r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#).starts_with("none -32600 "));
    }
}
