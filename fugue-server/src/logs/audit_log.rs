//! The audit log: one line for each request by which a caller reached beyond its own session, or was refused to, in a
//! file of bounded size. Refusals that repeat share a line.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fugue_core::scope::AuditEntry;
use fugue_protocol::Timestamp;

use super::log_file;
use super::repeated_refusals::{RecordedRefusal, RepeatedRefusals};

/// The size at which the log is rotated: about ten thousand lines.
const MAX_BYTES: u64 = 1 << 20;

/// Older files that are kept.
const KEPT_FILES: usize = 3;

/// The audit log's file.
pub(crate) struct AuditLog {
    path: PathBuf,
    open: Option<(File, u64)>,
    repeated: RepeatedRefusals,
}

impl AuditLog {
    /// The audit log in a state directory. The file is created with the first line.
    pub(crate) fn new(state: &Path) -> Self {
        Self { path: state.join("audit.log"), open: None, repeated: RepeatedRefusals::default() }
    }

    /// Records an entry: at once, or as part of a count if it is a refusal that repeats.
    pub(crate) fn record(&mut self, at: Timestamp, pid: Option<u32>, entry: &AuditEntry) {
        let refusal = || RecordedRefusal { at, pid, entry: entry.clone() };
        if entry.refusal.is_none() || self.repeated.is_first(refusal()) {
            self.write_line(&line(at, pid, entry, None));
        }
    }

    /// The time at which counts of repeated refusals are to be written.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.repeated.next_due()
    }

    /// Writes the counts of repeated refusals that are due.
    pub(crate) fn write_due(&mut self, now: Timestamp) {
        let counts = self.repeated.take_due(now);
        self.write_counts(counts);
    }

    fn write_counts(&mut self, counts: Vec<(u64, RecordedRefusal)>) {
        for (count, RecordedRefusal { at, pid, entry }) in counts {
            self.write_line(&line(at, pid, &entry, Some(count)));
        }
    }

    /// Writes a line. A line that cannot be written goes to the daemon's log instead.
    fn write_line(&mut self, line: &str) {
        if let Err(why) = self.write(line) {
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

impl Drop for AuditLog {
    fn drop(&mut self) {
        let counts = self.repeated.take_all();
        self.write_counts(counts);
    }
}

fn line(at: Timestamp, pid: Option<u32>, entry: &AuditEntry, repeated: Option<u64>) -> String {
    let AuditEntry { verb, caller, session, touched, detail, refusal } = entry;
    let mut line = serde_json::json!({
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
    if let Some(detail) = detail {
        line["detail"] = detail.as_str().into();
    }
    if let Some(count) = repeated {
        line["repeated"] = count.into();
    }
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
        let (caller, session) =
            (fugue_core::Caller::Agent(fugue_core::KeySpace::default()), Some("work".into()));
        let entry = AuditEntry { verb: "set-tags", caller, session, touched, detail: None, refusal: None };
        for _ in 0..6_000 {
            log.record(Timestamp::from_millis(1), Some(7), &entry);
        }
        let sizes = ["audit.log", "audit.log.1", "audit.log.2", "audit.log.3"]
            .map(|name| directory.path().join(name).metadata().expect(name).len());
        assert!(sizes.iter().all(|size| *size <= MAX_BYTES + 2_048), "{sizes:?}");
        assert_eq!(std::fs::read_dir(directory.path()).expect("the directory").count(), 4);
    }

    #[test]
    fn the_refusals_of_one_caller_do_not_rotate_the_records_of_others_out() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut log = AuditLog::new(directory.path());
        let entry = |verb, refusal: Option<&str>| AuditEntry {
            verb,
            caller: fugue_core::Caller::Agent(fugue_core::KeySpace::default()),
            session: Some("work".into()),
            touched: vec!["victim".into()],
            detail: None,
            refusal: refusal.map(str::to_owned),
        };
        log.record(Timestamp::from_millis(1), Some(7), &entry("set-tags", None));
        for at in 2..25_002 {
            log.record(Timestamp::from_millis(at), Some(8), &entry("kill-session", Some("out of scope")));
        }
        drop(log);
        let text = std::fs::read_to_string(directory.path().join("audit.log")).expect("the log");
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let seen: Vec<_> =
            lines.iter().map(|line| (line["verb"].as_str(), line["repeated"].as_u64())).collect();
        let (tags, kill) = (Some("set-tags"), Some("kill-session"));
        assert_eq!(seen, [(tags, None), (kill, None), (kill, Some(24_999))]);
    }
}
