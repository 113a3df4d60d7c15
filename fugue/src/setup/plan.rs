//! What setup or its undoing will change: decided for all files before the first one is written.

use super::agents::ConfigFile;
use super::change::{self, FileChange};
use super::record::{Record, Records};

/// A change to one of an agent's files, and what is known about the file afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedChange {
    pub(super) change: FileChange,
    /// The record to keep; `None` if the file needs none any longer.
    pub(super) record: Option<Record>,
}

/// Plans to add what a file lacks; `None` if it lacks nothing.
pub(super) fn add(file: &ConfigFile, records: &Records) -> Result<Option<PlannedChange>, String> {
    let current = change::read(&file.path)?;
    let text = current.as_deref().unwrap_or_default();
    // A user's own entries are good enough; those that setup wrote are brought up to date.
    let old = match records.get(&file.path) {
        Some(record) if !file.is_current(text)? => Some(record),
        _ => None,
    };
    let created = old.as_ref().map(|record| record.created.clone());
    let before = match old {
        // The user has removed the file.
        Some(_) if current.is_none() => None,
        Some(record) if current.as_ref() == Some(&record.after) => record.before,
        Some(record) => {
            let rest = file.remove(text, Some(record.before.as_deref().unwrap_or(file.template)))?;
            Some(rest).filter(|rest| record.before.is_some() || !rest.is_empty())
        }
        None => current.clone(),
    };
    let after = file.add(before.as_deref().unwrap_or(file.template))?;
    if current.as_ref() == Some(&after) {
        return Ok(None);
    }
    let created = created.unwrap_or_else(|| change::missing_directories(&file.path));
    let record = Some(Record { before, after: after.clone(), created });
    let change = FileChange { path: file.path.clone(), before: current, after: Some(after) };
    Ok(Some(PlannedChange { change, record }))
}

/// Plans to undo what setup changed in a file: its text is what it was, or, if it was edited since, loses fugue's
/// entries. `None` if there is nothing to undo.
pub(super) fn undo(file: &ConfigFile, records: &Records) -> Result<Option<PlannedChange>, String> {
    let Some(current) = change::read(&file.path)? else { return Ok(None) };
    let after = match records.get(&file.path) {
        Some(record) if record.after == current => record.before,
        Some(Record { before: None, .. }) => {
            let rest = file.remove(&current, Some(file.template))?;
            Some(rest).filter(|rest| !["", "{}", file.template.trim()].contains(&rest.trim()))
        }
        Some(record) => Some(file.remove(&current, record.before.as_deref())?),
        // A file of which nothing is left was fugue's own, unless it was empty before.
        None => Some(file.remove(&current, None)?).filter(|rest| !rest.is_empty() || current.is_empty()),
    };
    let change = FileChange { path: file.path.clone(), before: Some(current), after };
    Ok((!change.is_empty()).then_some(PlannedChange { change, record: None }))
}

/// Makes the changes and keeps their records.
pub(super) fn make(plans: &[PlannedChange], records: &Records) -> Result<(), String> {
    // The records come first: without them, an interrupted setup could not be undone byte for byte.
    for plan in plans {
        if let Some(record) = &plan.record {
            records.put(&plan.change.path, record)?;
        }
    }
    let changes: Vec<_> = plans.iter().map(|plan| plan.change.clone()).collect();
    let made = change::apply(&changes);
    for plan in plans {
        let path = &plan.change.path;
        match (&made, &plan.record) {
            (Ok(()), None) => {
                let created = records.get(path).map(|record| record.created).unwrap_or_default();
                change::remove_empty(&created);
                records.remove(path);
            }
            (Err(_), Some(record)) if plan.change.before == record.before => records.remove(path),
            _ => {}
        }
    }
    made
}
