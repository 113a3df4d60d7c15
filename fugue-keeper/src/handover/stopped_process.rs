//! Processes that are recognized by a file that they hold: the id of one that has ended may belong to anything.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether the process with this id has a file open and was stopped by a signal.
pub fn is_stopped_with_file(pid: u32, file: &Path) -> bool {
    has_file_open(pid, file) && is_stopped(pid)
}

/// Whether the process with this id has a file open, such as the lock of a state directory.
pub fn has_file_open(pid: u32, file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|file| has_open(pid, &file))
}

fn has_open(pid: u32, file: &Metadata) -> bool {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let mut open = entries.filter_map(|entry| fs::metadata(entry.path()).ok());
    open.any(|open| (open.dev(), open.ino()) == (file.dev(), file.ino()))
}

fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name before it may contain anything.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 't']))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_stopped_process_is_recognized_by_its_file() {
        let directory = tempfile::tempdir().expect("a directory");
        let [own, other] = ["own", "other"].map(|name| directory.path().join(name));
        fs::write(&other, "").expect("a file");
        let file = fs::File::create(&own).expect("a file");
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::from(file)).spawn().expect("it runs");
        assert!(has_file_open(child.id(), &own));
        assert!(!is_stopped_with_file(child.id(), &own), "it runs");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("it is stopped");
        while !is_stopped(child.id()) {
            std::thread::yield_now();
        }
        assert!(is_stopped_with_file(child.id(), &own));
        assert!(!is_stopped_with_file(child.id(), &other), "another process is meant");
        child.kill().expect("it ends");
        child.wait().expect("it ended");
    }
}
