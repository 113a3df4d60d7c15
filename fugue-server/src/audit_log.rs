//! The audit log: one line for each request by which a caller reached beyond its own session, or was refused to, in a
//! file of bounded size.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fugue_core::scope::AuditEntry;
use fugue_protocol::Timestamp;

use crate::log_file;

/// The size at which the log is rotated: about ten thousand lines.
const MAX_BYTES: u64 = 1 << 20;

/// Older files that are kept.
const KEPT_FILES: usize = 3;

/// The audit log's file.
pub(crate) struct AuditLog {
    path: PathBuf,
    open: Option<(File, u64)>,
}

impl AuditLog {
    /// The audit log in a state directory. The file is created with the first line.
    pub(crate) fn new(state: &Path) -> Self {
        Self { path: state.join("audit.log"), open: None }
    }

    /// Writes a line. A line that cannot be written goes to the daemon's log instead.
    pub(crate) fn record(&mut self, at: Timestamp, pid: Option<u32>, entry: &AuditEntry) {
        let line = line(at, pid, entry);
        if let Err(why) = self.write(&line) {
            tracing::warn!("Cannot write to {}: {why}; lost line: {}", self.path.display(), line.trim_end());
        }
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        if self.open.as_ref().is_some_and(|(_, size)| *size >= MAX_BYTES) {
            self.open = None;
            log_file::shift(&self.path, KEPT_FILES);
            std::fs::rename(&self.path, log_file::numbered(&self.path, 1))?;
        }
        if self.open.is_none() {
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
            let size = file.metadata()?.len();
            self.open = Some((file, size));
        }
        let Some((file, size)) = &mut self.open else { return Ok(()) };
        file.write_all(line.as_bytes())?;
        *size += line.len() as u64;
        Ok(())
    }
}

fn line(at: Timestamp, pid: Option<u32>, entry: &AuditEntry) -> String {
    let AuditEntry { verb, caller, session, touched, refusal } = entry;
    let line = serde_json::json!({
        "at": at.millis(),
        "verb": verb,
        "session": session,
        "pane": caller.pane().map(|pane| pane.to_string()),
        "pid": pid,
        "known_by": caller.known_by(),
        "touched": touched,
        "outcome": if refusal.is_none() { "allowed" } else { "refused" },
        "reason": refusal,
    });
    format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_is_rotated_and_three_older_files_are_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut log = AuditLog::new(directory.path());
        let touched = vec!["x".repeat(1 << 10)];
        let (caller, session) = (fugue_core::Caller::Agent, Some("work".into()));
        let entry = AuditEntry { verb: "set-tags", caller, session, touched, refusal: None };
        for _ in 0..6_000 {
            log.record(Timestamp::from_millis(1), Some(7), &entry);
        }
        let sizes = ["audit.log", "audit.log.1", "audit.log.2", "audit.log.3"]
            .map(|name| directory.path().join(name).metadata().expect(name).len());
        assert!(sizes.iter().all(|size| *size <= MAX_BYTES + 2_048), "{sizes:?}");
        assert_eq!(std::fs::read_dir(directory.path()).expect("the directory").count(), 4);
    }
}
