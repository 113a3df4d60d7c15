//! A JSON value as serde's deserializer, whose errors say where in the value the mistake is. It reads values only, so
//! that the arguments of each verb are compiled once.

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, map};

/// Deserializes a value.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, LocatedError> {
    T::deserialize(LocatedValue(value))
}

/// A mistake and its place.
#[derive(Debug)]
pub(super) struct LocatedError {
    /// The place, as in `layout.children[1].argv`; empty for the whole value.
    pub(super) path: String,
    /// The mistake, in serde's words.
    pub(super) why: String,
}

impl LocatedError {
    /// The same mistake, seen from the object that has the value under this key.
    fn in_field(self, key: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{key}{dot}{}", self.path), why: self.why }
    }

    /// The same mistake, seen from the list that has the value at this position.
    fn in_item(self, index: usize) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("[{index}]{dot}{}", self.path), why: self.why }
    }
}

impl fmt::Display for LocatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for LocatedError {}

impl Error for LocatedError {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self { path: String::new(), why: why.to_string() }
    }
}

/// The deserializer.
struct LocatedValue(Value);

impl LocatedValue {
    #[cold]
    fn mismatch(&self, expected: &dyn Expected) -> LocatedError {
        LocatedError::invalid_type(unexpected(&self.0), expected)
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(truth) => Unexpected::Bool(*truth),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (None, Some(number)) => Unexpected::Signed(number),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

/// Methods that accept one kind of value: each visitor is compiled for that kind alone.
macro_rules! deserialize_one_kind {
    ($($method:ident: $kind:ident($value:ident) => $visit:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LocatedError> {
            let visit: fn(V, _) -> Result<V::Value, LocatedError> = $visit;
            match self.0 {
                Value::$kind($value) => visit(visitor, $value),
                _ => Err(self.mismatch(&visitor)),
            }
        }
    )*};
}

macro_rules! deserialize_numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LocatedError> {
            match &self.0 {
                Value::Number(number) => visit_number(number, visitor),
                _ => Err(self.mismatch(&visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for LocatedValue {
    type Error = LocatedError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LocatedError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(truth),
            Value::Number(number) => visit_number(&number, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visit_items(visitor, items),
            Value::Object(fields) => visit_fields(visitor, fields),
        }
    }

    deserialize_one_kind! {
        deserialize_bool: Bool(truth) => V::visit_bool;
        deserialize_str: String(text) => V::visit_string;
        deserialize_string: String(text) => V::visit_string;
        deserialize_identifier: String(text) => V::visit_string;
        deserialize_seq: Array(items) => visit_items;
        deserialize_map: Object(fields) => visit_fields;
    }

    deserialize_numbers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_f32 deserialize_f64
    }

    /// A struct is an object. serde would also take a list of its fields.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LocatedError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LocatedError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, LocatedError> {
        visitor.visit_newtype_struct(self)
    }

    /// A variant is its name, or an object that has it as its only key.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LocatedError> {
        let (variant, content) = match self.0 {
            Value::String(variant) => (variant, None),
            Value::Object(fields) => {
                let mut fields = fields.into_iter();
                match (fields.next(), fields.next()) {
                    (Some((variant, content)), None) => (variant, Some(content)),
                    _ => {
                        return Err(LocatedError::invalid_value(
                            Unexpected::Map,
                            &"an object with a single key",
                        ));
                    }
                }
            }
            _ => return Err(self.mismatch(&visitor)),
        };
        visitor.visit_enum(LocatedVariant { variant, content })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, LocatedError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct }
}

fn visit_number<'de, V: Visitor<'de>>(
    number: &serde_json::Number,
    visitor: V,
) -> Result<V::Value, LocatedError> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (None, Some(number)) => visitor.visit_i64(number),
        (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
    }
}

fn visit_items<'de, V: Visitor<'de>>(visitor: V, items: Vec<Value>) -> Result<V::Value, LocatedError> {
    let length = items.len();
    let mut items = Items { rest: items.into_iter(), index: 0 };
    let read = visitor.visit_seq(&mut items)?;
    match items.rest.len() {
        0 => Ok(read),
        _ => Err(LocatedError::invalid_length(length, &"fewer items in the list")),
    }
}

fn visit_fields<'de, V: Visitor<'de>>(
    visitor: V,
    fields: Map<String, Value>,
) -> Result<V::Value, LocatedError> {
    visitor.visit_map(Fields { rest: fields.into_iter(), next: None })
}

/// The items of a list that are not read yet.
struct Items {
    rest: std::vec::IntoIter<Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = LocatedError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, LocatedError> {
        let Some(item) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(LocatedValue(item)).map(Some).map_err(|error| error.in_item(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The fields of an object that are not read yet, and the one whose key was read.
struct Fields {
    rest: map::IntoIter,
    next: Option<(String, Value)>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = LocatedError;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, LocatedError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.next = Some((key.clone(), value));
        seed.deserialize(LocatedValue(key.into())).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, LocatedError> {
        let (key, value) = self.next.take().ok_or_else(|| LocatedError::custom("value is missing"))?;
        seed.deserialize(LocatedValue(value)).map_err(|error| error.in_field(&key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A variant of an enum and what it contains.
struct LocatedVariant {
    variant: String,
    content: Option<Value>,
}

impl<'de> EnumAccess<'de> for LocatedVariant {
    type Error = LocatedError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), LocatedError> {
        let variant = seed.deserialize(LocatedValue(self.variant.clone().into()))?;
        Ok((variant, self))
    }
}

impl LocatedVariant {
    fn read<T>(
        self,
        expected: &dyn Expected,
        read: impl FnOnce(LocatedValue) -> Result<T, LocatedError>,
    ) -> Result<T, LocatedError> {
        match self.content {
            Some(content) => read(LocatedValue(content)).map_err(|error| error.in_field(&self.variant)),
            None => Err(LocatedError::invalid_type(Unexpected::UnitVariant, expected)),
        }
    }
}

impl<'de> VariantAccess<'de> for LocatedVariant {
    type Error = LocatedError;

    fn unit_variant(self) -> Result<(), LocatedError> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(content) => Err(LocatedValue(content).mismatch(&"null").in_field(&self.variant)),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, LocatedError> {
        self.read(&"newtype variant", |content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, LocatedError> {
        self.read(&"tuple variant", |content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, LocatedError> {
        self.read(&"struct variant", |content| content.deserialize_map(visitor))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Shape {
        Dot,
        Line(u8),
        Frame { width: u16, title: Option<String> },
        Pair(i8, f64),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Drawing {
        shapes: Vec<Shape>,
        #[serde(default)]
        names: BTreeMap<String, Vec<bool>>,
        #[serde(default)]
        anything: Value,
    }

    #[test]
    fn a_value_reads_as_it_does_without_places() {
        for value in [
            json!({ "shapes": [] }),
            json!({ "shapes": ["dot", { "dot": null }, { "line": 3 }, { "pair": [-3, 1.5] }], "anything": 1 }),
            json!({ "shapes": [{ "frame": { "width": 9, "title": null } }], "names": { "a": [true] } }),
            json!({ "shapes": [{ "frame": { "width": 9, "title": "t", "more": {} } }], "anything": [{ "a": -1.5 }] }),
        ] {
            let expected: Drawing = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(read::<Drawing>(value).unwrap(), expected);
        }
    }

    #[test]
    fn an_error_says_where_the_mistake_is() {
        let fails = |value: Value, path: &str, why: &str| {
            let error = read::<Drawing>(value).expect_err(why);
            assert_eq!((error.path.as_str(), error.why.as_str()), (path, why));
        };
        let wrong_number = "invalid type: string \"x\", expected u16";
        fails(
            json!({ "shapes": ["dot", { "frame": { "width": "x" } }] }),
            "shapes[1].frame.width",
            wrong_number,
        );
        fails(
            json!({ "shapes": [{ "line": 256 }] }),
            "shapes[0].line",
            "invalid value: integer `256`, expected u8",
        );
        fails(json!({ "names": {} }), "", "missing field `shapes`");
        fails(
            json!({ "shapes": ["dit"] }),
            "shapes[0]",
            "unknown variant `dit`, expected one of `dot`, `line`, `frame`, `pair`",
        );
        fails(
            json!({ "shapes": [], "names": { "a": [true, 1] } }),
            "names.a[1]",
            "invalid type: integer `1`, expected a boolean",
        );
        fails(
            json!({ "shapes": [{ "pair": [1, 2, 3] }] }),
            "shapes[0].pair",
            "invalid length 3, expected fewer items in the list",
        );
    }
}
