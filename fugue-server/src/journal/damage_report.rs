//! The report of damage: what was found, what was lost and where the damaged files are.

use std::path::{Path, PathBuf};

use fugue_protocol::Timestamp;

use super::tip::Tip;
use super::witness::Testimony;

/// The damage found at a start.
#[derive(Debug, Default)]
pub(super) struct DamageReport {
    /// The damaged files, with the reason.
    damages: Vec<String>,
    /// The files that were set aside.
    kept: Vec<String>,
    lost: Option<String>,
}

impl DamageReport {
    pub(super) fn add(&mut self, file: &Path, damage: &str, kept: Option<PathBuf>) {
        self.damages.push(format!("{}: {damage}", name(file)));
        self.keep(kept);
    }

    pub(super) fn keep(&mut self, kept: Option<PathBuf>) {
        self.kept.extend(kept.as_deref().map(name));
    }

    /// Only what was stored up to this time is left.
    pub(super) fn lose_after(&mut self, last: Option<Timestamp>) {
        let Some(last) = last else { return };
        if last.millis() == 0 {
            return self.lose_everything();
        }
        let time = chrono::DateTime::from_timestamp_millis(last.millis().cast_signed()).unwrap_or_default();
        self.lost = Some(format!("changes after {} may be lost", time.format("%Y-%m-%d %H:%M:%S UTC")));
    }

    /// Compares what is left with what the witness says was stored.
    pub(super) fn compare(&mut self, witness: Option<Testimony>, tip: &Tip) {
        if witness.is_some_and(|witness| witness.journal == tip.journal && witness.batch > tip.batch) {
            if self.damages.is_empty() {
                self.damages.push("its last entries are missing".into());
            }
            self.lose_after(Some(Timestamp::from_millis(tip.last_at)));
        }
    }

    pub(super) fn lose_everything(&mut self) {
        self.lost = Some("all names, tags, metadata and messages were lost".into());
    }

    pub(super) fn is_loss(&self) -> bool {
        self.lost.is_some()
    }

    /// The warning for people, if there was damage.
    pub(super) fn warning(&self) -> Option<String> {
        if self.damages.is_empty() {
            return None;
        }
        let lost = self.lost.as_deref().unwrap_or("nothing was lost");
        let kept = match self.kept.as_slice() {
            [] => String::new(),
            files => format!("; moved aside: {}", files.join(", ")),
        };
        Some(format!("The journal was damaged ({}); {lost}{kept}", self.damages.join("; ")))
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
