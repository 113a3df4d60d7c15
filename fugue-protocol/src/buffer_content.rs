//! The content of a paste buffer, which may be any bytes. On the wire it is a string; where that is not possible, or would
//! be longer, it is base64 in an object.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The content of a paste buffer. A clone shares the bytes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BufferContent(Arc<[u8]>);

/// The content as it is on the wire.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire<'a> {
    Text(std::borrow::Cow<'a, str>),
    Coded { base64: String },
}

impl BufferContent {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The content as text; bytes that are not become replacement characters.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// Both, one after the other.
    pub fn followed_by(&self, more: &Self) -> Self {
        [self.as_bytes(), more.as_bytes()].concat().into()
    }

    /// The text, unless JSON would make it longer than base64.
    fn short_text(&self) -> Option<&str> {
        let escaped = |byte: &u8| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
            0..0x20 => 5,
            _ => 0,
        };
        let added: usize = self.0.iter().map(escaped).sum();
        std::str::from_utf8(&self.0).ok().filter(|text| added <= text.len() / 3 || text.len() < 64)
    }
}

impl From<Vec<u8>> for BufferContent {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<&str> for BufferContent {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl FromStr for BufferContent {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.into())
    }
}

/// What was copied may be a secret, and is not for a log.
impl fmt::Debug for BufferContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for BufferContent {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.short_text() {
            Some(text) => Wire::Text(text.into()),
            None => Wire::Coded { base64: STANDARD.encode(&self.0) },
        }
        .serialize(out)
    }
}

impl<'de> Deserialize<'de> for BufferContent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Wire::deserialize(from)? {
            Wire::Text(text) => Ok(text.as_ref().into()),
            Wire::Coded { base64 } => {
                STANDARD.decode(base64).map(Self::from).map_err(serde::de::Error::custom)
            }
        }
    }
}

impl schemars::JsonSchema for BufferContent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BufferContent".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "object"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_read_as_they_were_written_and_in_the_shorter_form() {
        let controls = vec![1_u8; 300];
        for (bytes, is_text) in
            [(&b""[..], true), (b"one\ntwo \x1b[1m", true), (b"\xff\0", false), (&controls, false)]
        {
            let content = BufferContent::from(bytes.to_vec());
            let wire = serde_json::to_string(&content).expect("JSON");
            assert_eq!(wire.starts_with('"'), is_text, "{wire}");
            assert_eq!(serde_json::from_str::<BufferContent>(&wire).expect("read"), content);
        }
        assert!(serde_json::from_str::<BufferContent>(r#"{"base64":"%"}"#).is_err());
    }
}
