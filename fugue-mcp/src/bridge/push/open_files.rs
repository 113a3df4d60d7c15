//! The files that another process of this user has open.

use std::fs;
use std::path::PathBuf;

/// The files that a process has open.
pub(super) fn of_process(pid: u32) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
}
