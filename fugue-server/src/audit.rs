//! What agents did outside their own sessions: a line each, in a file that stays small.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use fugue_core::scope::ScopeViolation;
use fugue_protocol::Timestamp;

/// A file of this size becomes the former one, of which one is kept: some ten thousand lines each.
const MOST: u64 = 1 << 20;

/// The file.
pub(crate) struct Audit {
    path: PathBuf,
    open: Option<(File, u64)>,
}

impl Audit {
    /// The one in a state folder; it is made with its first line.
    pub(crate) fn of(state: &Path) -> Self {
        Self { path: state.join("audit.log"), open: None }
    }

    /// Writes a line. What cannot be written is told in the daemon's log instead.
    pub(crate) fn note(&mut self, at: Timestamp, trespass: &ScopeViolation) {
        let line = line(at, trespass);
        if let Err(why) = self.write(&line) {
            tracing::warn!("{}: {why}; {}", self.path.display(), line.trim_end());
        }
    }

    fn write(&mut self, line: &str) -> std::io::Result<()> {
        if self.open.as_ref().is_some_and(|(_, size)| *size >= MOST) {
            self.open = None;
            std::fs::rename(&self.path, self.path.with_extension("log.1"))?;
        }
        if self.open.is_none() {
            let file = OpenOptions::new().create(true).append(true).open(&self.path)?;
            let size = file.metadata()?.len();
            self.open = Some((file, size));
        }
        let Some((file, size)) = &mut self.open else { return Ok(()) };
        file.write_all(line.as_bytes())?;
        *size += line.len() as u64;
        Ok(())
    }
}

fn line(at: Timestamp, trespass: &ScopeViolation) -> String {
    let ScopeViolation { verb, pane, session, touched } = trespass;
    let pane = pane.map(|pane| pane.to_string());
    let line = serde_json::json!({
        "at": at.millis(), "verb": verb, "session": session, "pane": pane, "touched": touched,
    });
    format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_full_is_put_aside_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut audit = Audit::of(folder.path());
        let touched = vec!["x".repeat(1 << 10)];
        let trespass = ScopeViolation { verb: "set-tags", pane: None, session: Some("work".into()), touched };
        for _ in 0..3_000 {
            audit.note(Timestamp::from_millis(1), &trespass);
        }
        let sizes =
            ["audit.log", "audit.log.1"].map(|name| folder.path().join(name).metadata().expect(name).len());
        assert!(sizes.iter().all(|size| *size <= MOST + 2_048), "{sizes:?}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 2);
    }
}
