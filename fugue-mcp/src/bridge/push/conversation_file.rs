//! The file in which an agent records its conversation: found by the conversation's name, and read to see that a line became part of it.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use fugue_agents::{ConversationRecord, KnownAgent};

/// The most that is read at a look. A line is in the part that was added since it was sent.
const MAX_BYTES: u64 = 8 << 20;

/// A file of JSON lines, a text, and where the file ended before the text was sent.
#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    length: u64,
    text: String,
    /// Lines that begin so only say that the agent has queued the text.
    queued: &'static str,
}

impl GrowingFile {
    /// A file as it is now. One that does not exist yet is empty.
    pub(super) fn new(path: PathBuf, text: &str, queued: &'static str) -> Self {
        let length = fs::metadata(&path).map_or(0, |file| file.len());
        Self { path, length, text: text.to_owned(), queued }
    }

    /// Whether the text has appeared in a line that the agent added.
    pub(super) fn shows_line(&self) -> bool {
        let Ok(added) = self.added() else { return false };
        let added = String::from_utf8_lossy(&added);
        added.lines().any(|line| line.contains(&self.text) && !line.starts_with(self.queued))
    }

    fn added(&self) -> std::io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.length))?;
        let mut added = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut added)?;
        Ok(added)
    }
}

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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn only_a_line_that_was_added_and_is_not_merely_queued_counts() {
        let path = std::env::temp_dir().join(format!("fugue-conversation-{}", std::process::id()));
        fs::write(&path, "{\"type\":\"user\",\"content\":\"hello\"}\n").expect("a file");
        let file = GrowingFile::new(path.clone(), "hello", "{\"type\":\"queue-operation\"");
        let add = |line: &str| {
            let mut file = fs::OpenOptions::new().append(true).open(&path).expect("the file");
            writeln!(file, "{line}").expect("written");
        };
        assert!(!file.shows_line(), "it was there before");
        add("{\"type\":\"queue-operation\",\"content\":\"hello\"}");
        assert!(!file.shows_line(), "it is queued");
        add("{\"type\":\"user\",\"content\":\"hello\"}");
        assert!(file.shows_line());
        fs::remove_file(path).expect("removed");
    }
}
