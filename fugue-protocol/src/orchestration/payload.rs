//! A message's content: any JSON, by custom an object.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a message says. Some clients send an object as a text that holds it: that is read as the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Payload(pub Value);

impl Default for Payload {
    fn default() -> Self {
        Self(Value::Object(Default::default()))
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let held = value.as_str().filter(|text| text.trim_start().starts_with('{'));
        let object = held.and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
        Ok(Self(object.unwrap_or(value)))
    }
}

impl FromStr for Payload {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let read = serde_json::from_str(text).map(Self);
        read.map_err(|why| format!("it is not JSON ({why}); give an object, as in '{{\"task\": \"…\"}}'"))
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
    fn an_object_in_a_text_is_the_object_and_a_text_is_a_text() {
        let read = |value: Value| serde_json::from_value::<Payload>(value).unwrap().0;
        assert_eq!(read(json!({ "a": 1 })), json!({ "a": 1 }));
        assert_eq!(read(json!("{\"a\": 1}")), json!({ "a": 1 }));
        assert_eq!(read(json!("{ not JSON")), json!("{ not JSON"));
        assert_eq!(read(json!([1, 2])), json!([1, 2]));
    }
}
