//! TOML, edited with `toml_edit`.

use serde_json::{Value, json};
use toml_edit::{Array, InlineTable, Item, Table};

use super::Edit;
use crate::toml_text::{self, place_last, table_at};

/// Reads a text, without a byte order mark.
pub(super) fn values(text: &str) -> Result<Value, String> {
    let table: toml::Table = text.parse().map_err(|why: toml::de::Error| {
        let line = why.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("{} on line {line}", why.message())
    })?;
    serde_json::to_value(table).map_err(|why| why.to_string())
}

/// Edits a text.
pub(super) fn edit(text: &str, edit: &Edit) -> Result<String, String> {
    toml_text::edit(text, |document| {
        let path: Vec<&str> = edit.path().iter().map(String::as_str).collect();
        let (mut key, mut parents) = path.split_last().ok_or("a document cannot be replaced")?;
        let mut value = match edit {
            Edit::Insert { value, .. } => value.clone(),
            Edit::Append { .. } => return Err(format!("\"{}\" is not a list", path.join("."))),
            Edit::Remove { .. } => return toml_text::remove(document, &path).map(drop),
        };
        // A setting whose table is missing brings it along.
        if let ([table], false) = (parents, value.is_object())
            && !document.contains_key(table)
        {
            (value, key, parents) = (json!({ *key: value }), table, &[]);
        }
        let members =
            value.as_object().filter(|_| table_at(document, parents).is_ok_and(|item| item.is_table()));
        let item = match members {
            Some(members) => {
                let entries = members.iter().map(|(key, value)| (key, inline(value)));
                let mut table: Table = entries.collect();
                place_last(document, &mut table);
                Item::Table(table)
            }
            None => Item::Value(inline(&value)),
        };
        table_at(document, parents)?.as_table_like_mut().map(|parent| parent.insert(key, item));
        Ok(())
    })
}

fn inline(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(elements) => elements.iter().map(inline).collect::<Array>().into(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key, inline(value))).collect::<InlineTable>().into()
        }
        Value::Null => "".into(),
    }
}
