//! What is wrong with a line that is not a valid message. This is off the fast path, so it may read the line again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion, RequestId, RequestMetaObject};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{MAX_DEPTH, ParsedLine, invalid};

/// The fields of a message by name. Of a duplicate field the last value counts, as in most JSON parsers.
type MessageFields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// Methods that version 2026-07-28 no longer has.
const REMOVED: [&str; 4] = ["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

#[derive(Deserialize)]
struct ParamsWithMeta {
    #[serde(rename = "_meta")]
    meta: RequestMetaObject,
}

#[derive(Deserialize)]
struct CallParams<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Finds out what is wrong with a line; `parsed` says whether rmcp could read it at all. Even a line that is not JSON gets
/// an answer. A client that echoes the answer does not start a loop, because an answer gets none.
pub(super) fn diagnose(line: &[u8], parsed: bool) -> ParsedLine {
    let value = match serde_json::from_slice::<&RawValue>(line) {
        Ok(value) => value,
        Err(error) => {
            let why = format!("Invalid JSON: {error}");
            return ParsedLine::Invalid(None, ErrorData::parse_error(why, None));
        }
    };
    match serde_json::from_str::<MessageFields<'_>>(value.get()) {
        Ok(fields) => diagnose_message(line, &fields, parsed),
        Err(_) => {
            let kind = kind(value);
            invalid(format!("A message must be an object with jsonrpc, id, method and params, not {kind}"))
        }
    }
}

fn diagnose_message(line: &[u8], fields: &MessageFields<'_>, parsed: bool) -> ParsedLine {
    // Some clients write a missing id as null.
    let id = fields.get("id").copied().filter(|id| kind(id) != "null");
    let expects_answer = if fields.contains_key("method") { id.is_some() } else { !is_response(fields) };
    if !expects_answer {
        return ParsedLine::Ignored;
    }
    let id = id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
    ParsedLine::Invalid(id, fault(line, fields, parsed))
}

fn is_response(fields: &MessageFields<'_>) -> bool {
    fields.contains_key("result") || fields.contains_key("error")
}

/// The first thing that is wrong with a message.
fn fault(line: &[u8], fields: &MessageFields<'_>, parsed: bool) -> ErrorData {
    if depth(line) > MAX_DEPTH {
        let why = format!("The request is nested more than {MAX_DEPTH} levels deep");
        return ErrorData::invalid_request(why, None);
    }
    let method = match method(fields) {
        Ok(method) => method,
        Err(why) => return ErrorData::invalid_request(why, None),
    };
    let params = fields.get("params").copied();
    if REMOVED.contains(&&*method) && is_stateless(params) {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None);
    }
    if method == "tools/call"
        && let Err(why) = check_call(params)
    {
        return ErrorData::invalid_params(why, None);
    }
    if parsed {
        return ErrorData::invalid_params(format!("Invalid `params` for `{method}`"), None);
    }
    ErrorData::invalid_request(header_fault(fields), None)
}

/// The method of a request; empty for a response.
fn method(fields: &MessageFields<'_>) -> Result<String, String> {
    match fields.get("method") {
        Some(method) => serde_json::from_str(method.get())
            .map_err(|_| format!("`method` must be a string, not {}", kind(method))),
        None if is_response(fields) => Ok(String::new()),
        None => Err("`method` is missing".into()),
    }
}

/// What is wrong with `jsonrpc` or `id`.
fn header_fault(fields: &MessageFields<'_>) -> String {
    let id = fields.get("id").filter(|id| serde_json::from_str::<RequestId>(id.get()).is_err());
    match (fields.get("jsonrpc").map(|version| version.get()), id) {
        (Some("\"2.0\""), Some(id)) => format!("`id` must be a string or an integer, not {}", kind(id)),
        (Some("\"2.0\""), None) => "Invalid request".into(),
        (_, _) => "`jsonrpc` must be \"2.0\"".into(),
    }
}

/// Whether a request names version 2026-07-28 or a later one, which a request of an earlier version does not.
fn is_stateless(params: Option<&RawValue>) -> bool {
    let meta = params.and_then(|params| serde_json::from_str::<ParamsWithMeta>(params.get()).ok());
    let version = meta.and_then(|params| params.meta.protocol_version());
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Checks that the parameters of a tool call have the right types.
fn check_call(params: Option<&RawValue>) -> Result<(), String> {
    let params = params.ok_or("`params` is missing: a tool call needs `name` and `arguments`")?;
    let call = match kind(params) {
        "an object" => serde_json::from_str::<CallParams<'_>>(params.get()).map_err(|why| why.to_string())?,
        other => return Err(format!("`params` must be an object with `name` and `arguments`, not {other}")),
    };
    match call.name.map(kind) {
        Some("a string") => {}
        Some(other) => return Err(format!("`params.name` must be the name of a tool, not {other}")),
        None => return Err("`params.name` is missing: it must be the name of a tool".into()),
    }
    match call.arguments.map(kind) {
        None | Some("an object") => Ok(()),
        Some(other) => Err(format!("`params.arguments` must be an object, not {other}")),
    }
}

/// The type of a value, judged by its first character.
fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ if value.get().contains(['.', 'e', 'E']) => "a fraction",
        _ => "a number",
    }
}

/// The depth to which arrays and objects are nested in a line, without a limit.
fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in line {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
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
