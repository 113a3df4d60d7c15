//! The payload of a message: any JSON, usually an object.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The payload of a message. Some clients send an object as a string that contains it, which is read as the object.
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
        let text = value.as_str().filter(|text| text.trim_start().starts_with('{'));
        let object = text.and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
        Ok(Self(object.unwrap_or(value)))
    }
}

impl FromStr for Payload {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let read = serde_json::from_str(text).map(Self);
        read.map_err(|why| format!("not valid JSON ({why}); pass an object, such as '{{\"task\": \"…\"}}'"))
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
        let read = |value: Value| serde_json::from_value::<Payload>(value).unwrap().0;
        assert_eq!(read(json!({ "a": 1 })), json!({ "a": 1 }));
        assert_eq!(read(json!("{\"a\": 1}")), json!({ "a": 1 }));
        assert_eq!(read(json!("{ not JSON")), json!("{ not JSON"));
        assert_eq!(read(json!([1, 2])), json!([1, 2]));
    }
}
