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
    /// `value` of one.
    pub fn stored(value: Value) -> Self {
        match value {
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
        match Value::deserialize(from)? {
            Value::Object(fields) => Ok(Self(fields)),
            Value::String(text) => serde_json::from_str(&text)
                .map(Self)
                .map_err(|_| D::Error::invalid_type(Unexpected::Str(&text), &EXPECTED)),
            other => Err(D::Error::invalid_type(found(&other), &EXPECTED)),
        }
    }
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
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(format!("not a JSON object; pass one, {example}")),
            Err(why) => Err(format!("not valid JSON ({why}); pass an object, {example}")),
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
}
