//! What the kernel knows of a pane's program: its terminal, and the process in its foreground.

use std::fs;

/// The terminal of a process: `/dev/pts/3`.
pub(super) fn terminal(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/fd/0")).ok()?;
    Some(path.to_string_lossy().into_owned()).filter(|path| path.starts_with("/dev/"))
}

/// The name of the process in the foreground of a process's terminal.
pub(super) fn foreground_name(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain anything but ends at the last parenthesis; the group is the sixth field after it.
    let group = stat.rsplit_once(')')?.1.split_whitespace().nth(5)?.parse::<u32>().ok()?;
    let name = fs::read_to_string(format!("/proc/{group}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}
