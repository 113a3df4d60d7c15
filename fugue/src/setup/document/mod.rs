//! The text of an agent's file, as values to look at and as a text to edit. An edit leaves the rest of the text as it is,
//! and its result is read again to make sure of that.

mod json;
mod toml;

use fugue_agents::setup::FileFormat;
use serde_json::{Value, json};

/// One change of a text. Where there is a list, a key is the number of an element.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Edit {
    /// Adds a member where there is none, with the objects around it that are missing.
    Insert { path: Vec<String>, value: Value },
    /// Adds an element to a list, which is created if it is missing.
    Append { path: Vec<String>, value: Value },
    /// Removes a member or an element.
    Remove { path: Vec<String> },
}

/// Reads a text; one without contents is an empty object. The error says what is wrong, and on which line.
pub(super) fn values(format: FileFormat, text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        FileFormat::Whole => Ok(text.into()),
        _ if text.trim().is_empty() => Ok(json!({})),
        FileFormat::Json => json::values(text),
        FileFormat::Toml => toml::values(text),
    }
}

/// Edits a text. The error says what is in the way.
pub(super) fn edit(format: FileFormat, text: &str, edit: &Edit) -> Result<String, String> {
    let mut expected = values(format, text)?;
    edit.apply(&mut expected)?;
    let edited = match format {
        FileFormat::Whole => expected.as_str().unwrap_or_default().to_owned(),
        FileFormat::Json => json::edit(text, edit)?,
        FileFormat::Toml => toml::edit(text, edit)?,
    };
    let is_same = |values: &Value| match format {
        // An empty table means the same as none, and `toml_edit` writes no header for some of them.
        FileFormat::Toml => without_empty(values) == without_empty(&expected),
        _ => *values == expected,
    };
    match values(format, &edited) {
        Ok(values) if is_same(&values) => Ok(edited),
        _ => Err(format!("\"{}\" cannot be edited automatically; edit it manually", edit.path().join("."))),
    }
}

impl Edit {
    fn path(&self) -> &[String] {
        let (Self::Insert { path, .. } | Self::Append { path, .. } | Self::Remove { path }) = self;
        path
    }

    /// Makes the change to values.
    fn apply(&self, values: &mut Value) -> Result<(), String> {
        let Some((key, parents)) = self.path().split_last() else {
            *values = if let Self::Insert { value, .. } = self { value.clone() } else { "".into() };
            return Ok(());
        };
        let creates = !matches!(self, Self::Remove { .. });
        let parent = parents.iter().enumerate().try_fold(values, |values, (depth, key)| match values {
            Value::Object(members) if creates || members.contains_key(key) => {
                Ok(members.entry(key).or_insert_with(|| json!({})))
            }
            Value::Array(elements) if !creates => {
                let element = key.parse().ok().and_then(|at: usize| elements.get_mut(at));
                element.ok_or_else(|| not_an_object(&parents[..depth]))
            }
            _ => Err(not_an_object(&parents[..depth])),
        })?;
        match (self, parent) {
            (Self::Insert { value, path }, Value::Object(members)) => {
                if members.insert(key.clone(), value.clone()).is_some() {
                    return Err(format!("\"{}\" is already set; add {value} to it manually", path.join(".")));
                }
            }
            (Self::Append { value, path }, Value::Object(members)) => {
                match members.entry(key).or_insert_with(|| json!([])) {
                    Value::Array(elements) => elements.push(value.clone()),
                    _ => return Err(format!("\"{}\" is not a list", path.join("."))),
                }
            }
            (Self::Remove { .. }, Value::Object(members)) => drop(members.shift_remove(key)),
            (Self::Remove { .. }, Value::Array(elements)) => {
                drop(key.parse().ok().filter(|at| *at < elements.len()).map(|at| elements.remove(at)));
            }
            _ => return Err(not_an_object(parents)),
        }
        Ok(())
    }
}

/// Returns a value without the empty objects in it.
fn without_empty(value: &Value) -> Value {
    let Value::Object(members) = value else { return value.clone() };
    let members = members.iter().map(|(key, value)| (key.clone(), without_empty(value)));
    Value::Object(members.filter(|(_, value)| *value != json!({})).collect())
}

/// Says that there is no object at a path, where one is needed.
fn not_an_object(path: &[String]) -> String {
    let name = if path.is_empty() { "the document".into() } else { format!("\"{}\"", path.join(".")) };
    format!("{name} is not an object")
}

/// Returns the value at a path, in which the number of an element can be a key.
pub(super) fn at<'a>(values: &'a Value, path: &[impl AsRef<str>]) -> Option<&'a Value> {
    path.iter().try_fold(values, |values, key| match values {
        Value::Object(members) => members.get(key.as_ref()),
        Value::Array(elements) => elements.get(key.as_ref().parse::<usize>().ok()?),
        _ => None,
    })
}
