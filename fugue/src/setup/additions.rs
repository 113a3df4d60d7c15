//! What setup added to a file, as the difference between the file before and after it, and how to remove it again. What
//! was changed since is not removed.

use fugue_agents::setup::SetupFile;
use serde_json::{Value, json};

use super::document::{self, Edit, at};

/// An entry that setup added.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Addition {
    /// Where it is. For an element, the path of the list.
    pub(super) path: Vec<String>,
    pub(super) value: Value,
    pub(super) is_element: bool,
}

/// The depth of entries: `mcpServers.fugue`, `hooks.Stop`. Objects above it only contain them.
const ENTRY_DEPTH: usize = 2;

/// Returns the entries that the values have `after`, and did not have `before`.
pub(super) fn additions(before: &Value, after: &Value) -> Vec<Addition> {
    let mut found = Vec::new();
    collect(&mut Vec::new(), Some(before), after, &mut found);
    found
}

fn collect(path: &mut Vec<String>, before: Option<&Value>, after: &Value, found: &mut Vec<Addition>) {
    let is_container = before.is_some() || path.len() < ENTRY_DEPTH;
    match (before, after) {
        (Some(before), after) if before == after => {}
        (None | Some(Value::Object(_)), Value::Object(after)) if is_container => {
            for (key, value) in after {
                path.push(key.clone());
                collect(path, before.and_then(|before| before.get(key)), value, found);
                path.pop();
            }
        }
        (None | Some(Value::Array(_)), Value::Array(after)) if path.len() <= ENTRY_DEPTH => {
            let before = before.and_then(Value::as_array);
            let new = after.iter().filter(|value| before.is_none_or(|before| !before.contains(value)));
            let element =
                |value: &Value| Addition { path: path.clone(), value: value.clone(), is_element: true };
            found.extend(new.map(element));
        }
        // A file that is fugue's as a whole.
        (Some(Value::String(_)), Value::String(_)) if !path.is_empty() => {}
        (None | Some(Value::String(_)), after) if *after != "" => {
            found.push(Addition { path: path.clone(), value: after.clone(), is_element: false });
        }
        _ => {}
    }
}

impl Addition {
    /// Returns the edit that removes it; `None` if it is not there, or is no longer what setup wrote.
    fn removal(&self, file: &SetupFile, values: &Value) -> Option<Edit> {
        let found = at(values, &self.path)?;
        if !self.is_element {
            let is_unchanged = is_unchanged(&self.value, found, file.approvals);
            return is_unchanged.then(|| Edit::Remove { path: self.path.clone() });
        }
        let groups = found.as_array()?;
        let below = |keys: &[String]| Some(Edit::Remove { path: [&self.path, keys].concat() });
        if let Some(number) = groups.iter().position(|group| *group == self.value) {
            return below(&[number.to_string()]);
        }
        // An agent may have added another hook to the same group.
        let own = self.value.pointer("/hooks/0")?;
        groups.iter().enumerate().find_map(|(number, group)| {
            let hook = group["hooks"].as_array()?.iter().position(|hook| hook == own)?;
            below(&[number.to_string(), "hooks".into(), hook.to_string()])
        })
    }
}

/// Whether an entry is still what setup wrote, except for the member in which the agent keeps what the user allowed.
fn is_unchanged(written: &Value, found: &Value, approvals: Option<&str>) -> bool {
    let mut found = found.clone();
    let approvals = approvals.filter(|approvals| written.get(approvals).is_none());
    if let (Some(approvals), Value::Object(fields)) = (approvals, &mut found) {
        fields.shift_remove(approvals);
    }
    *written == found
}

/// Removes entries that setup added, and the objects and lists around them that were not there `before` and are empty.
pub(super) fn remove(
    file: &SetupFile,
    text: &str,
    added: &[Addition],
    before: &Value,
) -> Result<String, String> {
    added.iter().rev().try_fold(text.to_owned(), |text, addition| {
        let Some(removal) = addition.removal(file, &document::values(file.format, &text)?) else {
            return Ok(text);
        };
        let text = document::edit(file.format, &text, &removal)?;
        let depths = (1..=addition.path.len()).rev();
        depths.map(|depth| &addition.path[..depth]).try_fold(text, |text, path| {
            let values = document::values(file.format, &text)?;
            let is_empty = at(&values, path).is_some_and(|value| *value == json!([]) || *value == json!({}));
            match is_empty && at(before, path).is_none() {
                true => document::edit(file.format, &text, &Edit::Remove { path: path.to_vec() }),
                false => Ok(text),
            }
        })
    })
}
