//! What setup or its undoing will change: decided for all files before the first one is written.

use fugue_agents::setup::{FileFormat, SetupEntry, SetupFile};
use serde_json::Value;

use super::additions::{self, Addition, additions};
use super::change::{self, TextChange};
use super::document::{self, at};
use super::entry;
use super::record::{Record, Records};

/// A change to one of an agent's files, and what is known about the file afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlannedChange {
    pub(super) format: FileFormat,
    pub(super) change: TextChange,
    /// The record to keep; `None` if the file needs none any longer.
    pub(super) record: Option<Record>,
    /// Entries of fugue that stay as they are, since they are not what setup wrote.
    pub(super) left: Vec<LeftEntry>,
}

/// An entry of fugue that setup or its undoing leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftEntry {
    /// Its path in the file; empty if it is the whole file.
    pub(super) entry: String,
    pub(super) why: &'static str,
}

/// Plans to add what a file lacks. Entries that setup wrote, and that nobody has changed since, are brought up to date;
/// those of the user are good enough.
pub(super) fn add(file: &SetupFile, records: &Records) -> Result<PlannedChange, String> {
    let current = change::read(&file.path)?;
    let record = records.get(&file.path)?;
    let (mut base, mut before) = (current.clone(), current.clone());
    // Without the file, the user has undone what was recorded.
    if let (Some(record), Some(text)) = (&record, &current) {
        let added = added(file, record)?;
        before = Some(without(file, record, text, &added)?).filter(|rest| keeps(file, record, rest));
        if added.iter().any(|addition| is_outdated(file, addition)) {
            base.clone_from(&before);
        }
    }
    let after = entry::add(file, base.as_deref().unwrap_or(file.template))?;
    if current.as_ref() == Some(&after) || current.is_none() && after == file.template {
        let change = TextChange { path: file.path.clone(), before: current.clone(), after: current };
        return Ok(PlannedChange { format: file.format, change, record, left: Vec::new() });
    }
    let created = record.map(|record| record.created);
    let created = created.unwrap_or_else(|| change::missing_directories(&file.path));
    let change = TextChange { path: file.path.clone(), before: current, after: Some(after.clone()) };
    let record = Some(Record::new(before, after, created));
    Ok(PlannedChange { change, record, format: file.format, left: Vec::new() })
}

/// Plans to remove from a file what setup added to it: its text is what it was, or, if it was edited since, loses the
/// entries that are as setup wrote them.
pub(super) fn undo(file: &SetupFile, records: &Records) -> Result<PlannedChange, String> {
    let current = change::read(&file.path)?;
    let record = records.get(&file.path)?;
    let after = match (&record, &current) {
        (Some(record), Some(text)) if record.after == *text => record.before.clone(),
        (Some(record), Some(text)) => {
            let rest = without(file, record, text, &added(file, record)?)?;
            Some(rest).filter(|rest| rest == text || keeps(file, record, rest))
        }
        _ => current.clone(),
    };
    let left = left(file, after.as_deref(), record.as_ref())?;
    let change = TextChange { path: file.path.clone(), before: current, after };
    Ok(PlannedChange { format: file.format, change, record: None, left })
}

/// Returns the entries that setup added to a file.
fn added(file: &SetupFile, record: &Record) -> Result<Vec<Addition>, String> {
    let after = values(file, &record.after)?;
    Ok(additions(&before(file, record)?, &after))
}

/// Returns the values of a file before setup.
fn before(file: &SetupFile, record: &Record) -> Result<Value, String> {
    values(file, record.before.as_deref().unwrap_or(file.template))
}

fn values(file: &SetupFile, text: &str) -> Result<Value, String> {
    document::values(file.format, text).map_err(|why| entry::failed(file, why))
}

/// Returns a file's text without what setup added.
fn without(file: &SetupFile, record: &Record, text: &str, added: &[Addition]) -> Result<String, String> {
    match &record.before {
        Some(before) if record.after == text => Ok(before.clone()),
        _ => additions::remove(file, text, added, &before(file, record)?)
            .map_err(|why| entry::failed(file, why)),
    }
}

/// Whether a file is kept with this text: one of the user is, and one that setup created if anything is in it.
fn keeps(file: &SetupFile, record: &Record, text: &str) -> bool {
    record.before.is_some() || !["", "{}", file.template.trim()].contains(&text.trim())
}

/// Whether an entry that setup wrote is not what it would write now.
fn is_outdated(file: &SetupFile, addition: &Addition) -> bool {
    !file.entries.iter().any(|entry| {
        let (path, value) = (entry.path(), entry.value());
        let rest = addition.path.strip_prefix(path.as_slice());
        rest.is_some_and(|rest| at(&value, rest) == Some(&addition.value))
    })
}

/// Returns the entries of fugue that a text still has, and why they are not removed.
fn left(file: &SetupFile, text: Option<&str>, record: Option<&Record>) -> Result<Vec<LeftEntry>, String> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let now = values(file, text)?;
    let before = record.map(|record| before(file, record)).transpose()?;
    let why = |entry: &SetupEntry| match &before {
        None => "setup has no record of adding it",
        Some(before) if entry::is_in(entry, before) => "it was there before setup",
        Some(_) => "it was changed since setup added it",
    };
    let left = file.entries.iter().filter(|entry| entry::is_in(entry, &now));
    Ok(left.map(|entry| LeftEntry { entry: entry.path().join("."), why: why(entry) }).collect())
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
                let created = records.get(path)?.map(|record| record.created).unwrap_or_default();
                change::remove_empty(&created);
                records.remove(path);
            }
            (Err(_), Some(record)) if plan.change.before == record.before => records.remove(path),
            _ => {}
        }
    }
    made
}
