//! A line as a message, or why it is none. The library passes over what it cannot read, and takes a call with unreadable
//! arguments for a method it does not know: here whoever waits for an answer gets one that says what is wrong.

use std::borrow::Cow;
use std::collections::BTreeMap;

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

/// The fields of a message by name. A name that stands twice has its last value, as most readers of JSON have it.
type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Reads a line. What is no JSON is answered too: an echo of that answer is an answer itself, and gets none.
pub(super) fn judged(line: &[u8]) -> Judged {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Judged::Nothing;
    }
    let value = match serde_json::from_slice::<&RawValue>(line) {
        Ok(value) => value,
        Err(why) => {
            let why = format!("a line is one message in JSON, and this is none: {why}");
            return Judged::Refused(None, ErrorData::parse_error(why, None));
        }
    };
    match serde_json::from_str::<Fields<'_>>(value.get()) {
        Ok(fields) => judged_by(line, &fields),
        Err(_) => invalid(format!(
            "a message is one object with jsonrpc, id, method and params, not {}",
            kind(value)
        )),
    }
}

fn judged_by(line: &[u8], fields: &Fields<'_>) -> Judged {
    // Some clients write the id of what has none as null.
    let id = fields.get("id").copied().filter(|id| kind(id) != "null");
    let read = id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
    let told = fields.contains_key("result") || fields.contains_key("error");
    let nobody_waits = if fields.contains_key("method") { id.is_none() } else { told };
    match message(line, fields) {
        Ok(message) => message,
        Err(_) if nobody_waits => Judged::Nothing,
        Err(why) => Judged::Refused(read, why),
    }
}

/// A line that was too long to look at.
pub(super) fn too_long() -> Judged {
    invalid("a message is longer than 16 MiB".into())
}

/// A request whose id another has: one answer could be taken for the other's.
pub(super) fn taken(id: &RequestId) -> ErrorData {
    let why = format!("the id {id} is that of another request: each has an id of its own");
    ErrorData::invalid_request(why, None)
}

fn invalid(why: String) -> Judged {
    Judged::Refused(None, ErrorData::invalid_request(why, None))
}

fn message(line: &[u8], fields: &Fields<'_>) -> Result<Judged, ErrorData> {
    if depth(line) > DEEPEST {
        let why = format!("the request is nested more than {DEEPEST} deep");
        return Err(ErrorData::invalid_request(why, None));
    }
    let method = method(fields).map_err(|why| ErrorData::invalid_request(why, None))?;
    if method == "tools/call" {
        call(fields.get("params").copied()).map_err(|why| ErrorData::invalid_params(why, None))?;
    }
    match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        Ok(JsonRpcMessage::Request(request))
            if SERVED.contains(&method.as_str())
                && matches!(request.request, ClientRequest::CustomRequest(_)) =>
        {
            let why = format!("`params` of `{method}` cannot be read");
            Err(ErrorData::invalid_params(why, None))
        }
        Ok(message) => Ok(Judged::Message(Box::new(message))),
        Err(_) => Err(ErrorData::invalid_request(unreadable(fields), None)),
    }
}

/// The method of a request; an answer has none.
fn method(fields: &Fields<'_>) -> Result<String, String> {
    match fields.get("method") {
        Some(method) => serde_json::from_str(method.get())
            .map_err(|_| format!("`method` is {}, not the name of a method", kind(method))),
        None if fields.contains_key("result") || fields.contains_key("error") => Ok(String::new()),
        None => Err("`method` is missing: it names what is asked for".into()),
    }
}

/// Why the library cannot read a request.
fn unreadable(fields: &Fields<'_>) -> String {
    let id = fields.get("id").filter(|id| serde_json::from_str::<RequestId>(id.get()).is_err());
    match (fields.get("jsonrpc").map(|version| version.get()), id) {
        (Some("\"2.0\""), Some(id)) => format!("`id` is {}, not a text or a whole number", kind(id)),
        (Some("\"2.0\""), None) => "the request cannot be read".into(),
        (_, _) => "`jsonrpc` is \"2.0\" in every message".into(),
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
        Some(b'n') => "null",
        _ if value.get().contains(['.', 'e', 'E']) => "a fraction",
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
        for line in [
            "",
            " \r",
            r#"{"jsonrpc":"2.0","method":"x/y","params":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"x/y","params":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"an echo"}}"#,
            r#"{"error":7}"#,
        ] {
            assert!(["nothing", "a message"].contains(&refusal(line).as_str()), "{line}: {}", refusal(line));
        }
    }

    #[test]
    fn what_is_no_json_and_what_is_no_request_are_told_apart() {
        for line in ["no JSON", r#"{"jsonrpc":"2.0","id":1,"#, "{} {}", "\u{1b}[A"] {
            assert!(refusal(line).starts_with("none -32700 a line is one message in JSON"), "{line}");
        }
        for (line, kind) in
            [("[1]", "a list"), ("[1,\"ping\"]", "a list"), ("7", "a number"), ("null", "null")]
        {
            let why = "a message is one object with jsonrpc, id, method and params";
            assert_eq!(refusal(line), format!("none -32600 {why}, not {kind}"));
        }
    }

    #[test]
    fn an_error_names_the_id_wherever_one_can_be_read() {
        for (line, told) in [
            (r#"{"jsonrpc":"2.0","id":5}"#, "5 -32600 `method` is missing: it names what is asked for"),
            ("{}", "none -32600 `method` is missing: it names what is asked for"),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":7}"#,
                "a -32600 `method` is a number, not the name of a method",
            ),
            (r#"{"id":5,"method":"ping"}"#, "5 -32600 `jsonrpc` is \"2.0\" in every message"),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
                "none -32600 `id` is a fraction, not a text or a whole number",
            ),
            (
                r#"{"jsonrpc":"2.0","id":[1],"method":"tools/list"}"#,
                "none -32600 `id` is a list, not a text or a whole number",
            ),
        ] {
            assert_eq!(refusal(line), told);
        }
        let twice = r#"{"jsonrpc":"2.0","id":4,"id":5,"method":"ping"}"#;
        assert_eq!(refusal(twice), "5 -32600 the request cannot be read");
    }
}
