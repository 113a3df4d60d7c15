//! How far a person got who quit the tutor: a number in a file beside the state of the daemons.

use std::fs;
use std::path::PathBuf;

use fugue_client::{DaemonName, Env};

const FILE: &str = "tutor-step";

fn file() -> Option<PathBuf> {
    let paths = DaemonName { host: None, server: Some(super::NAME.to_owned()) }.paths(&Env::own()).ok()?;
    Some(paths.state.parent()?.join(FILE))
}

/// The step to begin with, counted from 0.
pub(super) fn step() -> usize {
    let text = file().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    text.trim().parse().unwrap_or_default()
}

/// Remembers a step. Without the file, the tutor begins anew, which is no harm.
pub(super) fn remember(step: usize) {
    if let Some(file) = file() {
        let _ = fs::write(file, format!("{step}\n"));
    }
}

/// Forgets the step.
pub(super) fn forget() {
    if let Some(file) = file() {
        let _ = fs::remove_file(file);
    }
}
