//! An input line as a JSON-RPC message, or the error to answer it with. rmcp silently drops lines it cannot parse, and
//! reports a call with malformed parameters as an unknown method; here every request gets an answer that says what is
//! wrong with it.
//!
//! A valid line is parsed once, by rmcp. Only a line that it rejects is examined further.

mod id_scanner;
mod invalid_lines;

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) use id_scanner::IdScanner;
use invalid_lines::diagnose;

/// The nesting limit: deeper than any real argument, and safely below the 128 levels at which JSON parsers give up, since
/// a request is wrapped in other objects on its way to the daemon.
const MAX_DEPTH: usize = 100;

/// The levels around the value of an argument: the message, its `params`, and their `arguments`.
const CALL_DEPTH: usize = 3;

/// The methods this server implements. rmcp turns one of these with malformed `params` into a custom request.
const SERVED: [&str; 13] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "server/discover",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "resources/list",
];

/// The result of parsing a line.
pub(super) enum ParsedLine {
    /// A valid message.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A line that nobody expects an answer to.
    Ignored,
    /// An invalid request: its id, if that is readable, and the error to answer it with.
    Invalid(Option<RequestId>, ErrorData),
}

/// Parses a line.
pub(super) fn parse(line: &[u8]) -> ParsedLine {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return ParsedLine::Ignored;
    }
    match serde_json::from_slice(line) {
        Ok(message) if is_acceptable(&message) => ParsedLine::Message(Box::new(message)),
        parsed => diagnose(line, parsed.is_ok()),
    }
}

/// Parses a line that is an array of messages; `None` if it is not one. Only protocol version 2025-03-26 has them.
pub(super) fn parse_batch(line: &[u8]) -> Option<Vec<ParsedLine>> {
    let messages: Vec<&RawValue> = serde_json::from_slice(line.trim_ascii()).ok()?;
    let parsed = messages.iter().map(|message| parse(message.get().as_bytes()));
    (!messages.is_empty()).then(|| parsed.collect())
}

/// The error for a message that exceeds the length limit, with the id it had.
pub(super) fn too_long(id: Option<RequestId>) -> ParsedLine {
    ParsedLine::Invalid(id, ErrorData::invalid_request("The message exceeds the limit of 16 MiB", None))
}

/// The error for a request whose id another request in progress has: a client could not tell their answers apart.
pub(super) fn duplicate_id(id: &RequestId) -> ErrorData {
    ErrorData::invalid_request(format!("Request id {id} is already in use"), None)
}

fn invalid(why: String) -> ParsedLine {
    ParsedLine::Invalid(None, ErrorData::invalid_request(why, None))
}

/// Whether rmcp has understood the message, and it is not nested too deep.
fn is_acceptable(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else { return true };
    match &request.request {
        ClientRequest::CallToolRequest(call) => {
            let values = call.params.arguments.iter().flat_map(|arguments| arguments.values());
            values.map(value_depth).max().unwrap_or(0) + CALL_DEPTH <= MAX_DEPTH
        }
        ClientRequest::CustomRequest(custom) => !SERVED.contains(&custom.method.as_str()),
        _ => true,
    }
}

/// How deep arrays and objects are nested in a value. The parser has bounded it already.
fn value_depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(value_depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(value_depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(line: &str) -> String {
        match parse(line.as_bytes()) {
            ParsedLine::Invalid(id, why) => {
                let id = id.map_or("none".to_owned(), |id| id.to_string());
                format!("{id} {} {}", why.code.0, why.message)
            }
            ParsedLine::Message(_) => "a message".into(),
            ParsedLine::Ignored => "ignored".into(),
        }
    }

    fn call(params: &str) -> String {
        outcome(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call"{params}}}"#))
    }

    #[test]
    fn an_invalid_call_is_answered_with_the_field_at_fault() {
        assert_eq!(call(r#","params":{"name":"x","arguments":{"a":1}}"#), "a message");
        assert_eq!(call(r#","params":{"name":"x","arguments":null}"#), "a message");
        assert_eq!(call(r#","params":{"name":"x"}"#), "a message");
        for (params, why) in [
            ("", "`params` is missing: a tool call needs `name` and `arguments`"),
            (r#","params":[1]"#, "`params` must be an object with `name` and `arguments`, not an array"),
            (r#","params":{}"#, "`params.name` is missing: it must be the name of a tool"),
            (r#","params":{"name":7}"#, "`params.name` must be the name of a tool, not a number"),
            (
                r#","params":{"name":"x","arguments":"y"}"#,
                "`params.arguments` must be an object, not a string",
            ),
        ] {
            assert_eq!(call(params), format!("7 -32602 {why}"));
        }
        let uri = r#"{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":7}}"#;
        assert_eq!(outcome(uri), "a -32602 Invalid `params` for `resources/read`");
    }

    #[test]
    fn a_method_that_the_version_of_the_request_does_not_have_is_not_found() {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        for method in ["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
            let request = |params: &str| {
                outcome(&format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{params}}}}}"#))
            };
            assert_eq!(request(meta), format!("7 -32601 {method}"));
            assert_eq!(request(""), format!("7 -32602 Invalid `params` for `{method}`"));
        }
    }

    #[test]
    fn nesting_is_accepted_up_to_the_limit_and_refused_beyond_it() {
        let nested = |deep: usize| {
            let (open, close) = ("[".repeat(deep - CALL_DEPTH), "]".repeat(deep - CALL_DEPTH));
            call(&format!(r#","params":{{"name":"[\"[[","arguments":{{"a":{open}{close}}}}}"#))
        };
        assert_eq!(nested(MAX_DEPTH), "a message");
        assert_eq!(nested(MAX_DEPTH + 1), "7 -32600 The request is nested more than 100 levels deep");
        assert_eq!(nested(100_000), "7 -32600 The request is nested more than 100 levels deep");
    }

    #[test]
    fn a_line_that_expects_no_answer_gets_none() {
        for line in [
            "",
            " \r",
            r#"{"jsonrpc":"2.0","method":"x/y","params":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"x/y","params":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"an echo"}}"#,
            r#"{"error":7}"#,
        ] {
            assert!(["ignored", "a message"].contains(&outcome(line).as_str()), "{line}: {}", outcome(line));
        }
    }

    #[test]
    fn invalid_json_and_invalid_requests_have_different_errors() {
        for line in ["no JSON", r#"{"jsonrpc":"2.0","id":1,"#, "{} {}", "\u{1b}[A"] {
            assert!(outcome(line).starts_with("none -32700 Invalid JSON: "), "{line}");
        }
        for (line, kind) in
            [("[1]", "an array"), ("[1,\"ping\"]", "an array"), ("7", "a number"), ("null", "null")]
        {
            let why = "A message must be an object with jsonrpc, id, method and params";
            assert_eq!(outcome(line), format!("none -32600 {why}, not {kind}"));
        }
    }

    #[test]
    fn a_batch_is_a_list_with_at_least_one_message() {
        let count = |line: &str| parse_batch(line.as_bytes()).map(|messages| messages.len());
        assert_eq!(count(r#" [{"jsonrpc":"2.0","id":1,"method":"ping"}, 7]"#), Some(2));
        for other in ["[]", "[1", "{}", ""] {
            assert_eq!(count(other), None, "{other}");
        }
    }

    #[test]
    fn an_error_carries_the_id_wherever_one_can_be_read() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":5}"#, "5 -32600 `method` is missing"),
            ("{}", "none -32600 `method` is missing"),
            (r#"{"jsonrpc":"2.0","id":"a","method":7}"#, "a -32600 `method` must be a string, not a number"),
            (r#"{"id":5,"method":"ping"}"#, "5 -32600 `jsonrpc` must be \"2.0\""),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
                "none -32600 `id` must be a string or an integer, not a fraction",
            ),
            (
                r#"{"jsonrpc":"2.0","id":[1],"method":"tools/list"}"#,
                "none -32600 `id` must be a string or an integer, not an array",
            ),
        ] {
            assert_eq!(outcome(line), expected);
        }
        let twice = r#"{"jsonrpc":"2.0","id":4,"id":5,"method":"ping"}"#;
        assert_eq!(outcome(twice), "5 -32600 Invalid request");
    }
}
