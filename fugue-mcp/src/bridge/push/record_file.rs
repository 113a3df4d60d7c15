//! The file in which an agent records a conversation, found by its name.

use std::fs;
use std::path::{Path, PathBuf};

use fugue_agents::{ConversationRecord, KnownAgent};

/// Returns the file of a conversation below an agent's own directory, if there is one.
pub(super) fn find(agent: &KnownAgent, home: &Path, conversation: &str) -> Option<PathBuf> {
    let ConversationRecord::Files(files) = &agent.record else { return None };
    let directories = files.directories.iter().fold(vec![home.to_owned()], |all, name| match *name {
        "*" => all.iter().flat_map(|directory| entries(directory)).collect(),
        name => all.into_iter().map(|directory| directory.join(name)).collect(),
    });
    let is_its = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| (files.is_named)(name, conversation))
    };
    directories.iter().flat_map(|directory| entries(directory)).find(is_its)
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
