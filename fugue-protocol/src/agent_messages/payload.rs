//! The payload of a message: a JSON object.

use std::str::FromStr;

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The payload of a message. Some clients send an object as a string that contains it, which is read as the object.
/// Anything else is refused where it is sent, because the recipient's client checks replies against a schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Payload(Map<String, Value>);

impl Payload {
    /// The payload of a stored message. Earlier versions stored any JSON; what is not an object becomes the field
    /// `value` of one, and what is nested too deeply becomes text.
    pub fn stored(value: Value) -> Self {
        match value {
            deep if is_deeper(&deep, MAX_DEPTH) => Self::stored(Value::String(deep.to_string())),
            Value::Object(fields) => Self(fields),
            other => Self(Map::from_iter([("value".to_owned(), other)])),
        }
    }

    /// The payload as JSON text.
    pub fn to_json(&self) -> String {
        json!(self.0).to_string()
    }
}

impl From<Map<String, Value>> for Payload {
    fn from(fields: Map<String, Value>) -> Self {
        Self(fields)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let inner = value.as_str().and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
        let value = inner.unwrap_or(value);
        if let Some(number) = altered_number(&value) {
            return Err(D::Error::custom(not_kept(number)));
        }
        match value {
            deep if is_deeper(&deep, MAX_DEPTH) => {
                Err(D::Error::custom(format!("nested more than {MAX_DEPTH} levels deep")))
            }
            Value::Object(fields) => Ok(Self(fields)),
            other => Err(D::Error::invalid_type(found(&other), &EXPECTED)),
        }
    }
}

/// How deeply a payload may be nested. Parsers give up at 128 levels, and a reply nests its messages a few levels deeper
/// than the request that sent them: its recipient could never read it.
const MAX_DEPTH: usize = 64;

/// Whether a value is nested more deeply than this.
fn is_deeper(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Object(fields), Some(left)) => fields.values().any(|inner| is_deeper(inner, left)),
        (Value::Array(items), Some(left)) => items.iter().any(|inner| is_deeper(inner, left)),
        (Value::Object(_) | Value::Array(_), None) => true,
        _ => false,
    }
}

/// The integers up to which every one can be told from the next in floating point: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number that is not kept as it was written: whole numbers that do not fit into 64 bits become floating point numbers,
/// which are too coarse for them.
fn altered_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().filter(|number| number.abs() > EXACT),
        Value::Object(fields) => fields.values().find_map(altered_number),
        Value::Array(items) => items.iter().find_map(altered_number),
        _ => None,
    }
}

fn not_kept(number: f64) -> String {
    format!("the number {number:e} cannot be kept exactly; pass it as a string")
}

/// What a payload must be, in the words of an error.
const EXPECTED: &str = "an object, such as {\"text\": \"…\"}";

/// A value that is not an object, in serde's terms.
fn found(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Array(_) => Unexpected::Seq,
        Value::Bool(flag) => Unexpected::Bool(*flag),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (None, Some(number)) => Unexpected::Signed(number),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Object(_) => Unexpected::Map,
        Value::Null => Unexpected::Unit,
    }
}

impl FromStr for Payload {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let example = "such as '{\"task\": \"…\"}'";
        match serde_json::from_str(text) {
            Ok(deep) if is_deeper(&deep, MAX_DEPTH) => {
                Err(format!("nested more than {MAX_DEPTH} levels deep"))
            }
            Ok(Value::Object(fields)) => match fields.values().find_map(altered_number) {
                Some(number) => Err(not_kept(number)),
                None => Ok(Self(fields)),
            },
            Ok(_) => Err(format!("not a JSON object; pass one, {example}")),
            Err(_) => Err(format!("not valid JSON; pass an object, {example}")),
        }
    }
}

impl schemars::JsonSchema for Payload {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Payload".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_in_a_string_is_read_as_the_object() {
        let read = |value: Value| serde_json::from_value::<Payload>(value).unwrap();
        assert_eq!(json!(read(json!({ "a": 1 }))), json!({ "a": 1 }));
        assert_eq!(json!(read(json!("{\"a\": 1}"))), json!({ "a": 1 }));
    }

    #[test]
    fn what_is_not_an_object_is_refused_and_wrapped_if_it_was_stored_before() {
        for value in
            [json!("text"), json!("{ no"), json!([1]), json!(-1), json!(1.5), json!(true), json!(null)]
        {
            let error = serde_json::from_value::<Payload>(value.clone()).unwrap_err().to_string();
            assert!(error.contains("expected an object"), "{value}: {error}");
            assert_eq!(json!(Payload::stored(value.clone())), json!({ "value": value }));
        }
        assert_eq!(json!(Payload::stored(json!({ "a": 1 }))), json!({ "a": 1 }));
    }

    #[test]
    fn a_number_is_kept_as_it_was_written_or_refused() {
        for kept in ["9007199254740993", "18446744073709551615", "-9223372036854775808", "0.5", "1e15"] {
            let text = format!("{{\"n\":{kept}}}");
            let payload: Payload = text.parse().unwrap();
            assert_eq!(serde_json::from_str::<Payload>(&text).unwrap(), payload);
            let number: Value = serde_json::from_str(&payload.to_json()).unwrap();
            assert_eq!(number["n"], serde_json::from_str::<Value>(kept).unwrap());
        }
        for altered in
            ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "1e300"]
        {
            let text = format!("{{\"a\":[{{\"n\":{altered}}}]}}");
            let why = text.parse::<Payload>().unwrap_err();
            assert!(why.ends_with("cannot be kept exactly; pass it as a string"), "{why}");
            assert!(serde_json::from_str::<Payload>(&text).is_err(), "{altered}");
        }
    }

    #[test]
    fn a_payload_that_a_reply_could_not_hold_is_refused() {
        let nested = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({ "in": inner }));
        assert!(serde_json::from_value::<Payload>(nested(MAX_DEPTH)).is_ok());
        let error = serde_json::from_value::<Payload>(nested(MAX_DEPTH + 1)).unwrap_err();
        assert_eq!(error.to_string(), "nested more than 64 levels deep");
        assert!(nested(MAX_DEPTH + 1).to_string().parse::<Payload>().is_err());
        assert!(json!(Payload::stored(nested(100)))["value"].is_string());
    }
}
