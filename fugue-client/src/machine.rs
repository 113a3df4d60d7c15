//! What formats ask of this machine: its name, its user, and what the kernel knows of a pane's program.

use std::fs;

use fugue_tmux::format::HostFacts;

/// The name of this machine.
pub(crate) fn name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The machine that this process runs on.
#[derive(Debug, Clone, Copy)]
pub struct ThisMachine;

impl HostFacts for ThisMachine {
    fn host_name(&self) -> Option<String> {
        Some(name())
    }

    fn user(&self) -> Option<String> {
        std::env::var("USER").ok()
    }

    fn terminal(&self, pid: u32) -> Option<String> {
        let path = fs::read_link(format!("/proc/{pid}/fd/0")).ok()?;
        Some(path.to_string_lossy().into_owned()).filter(|path| path.starts_with("/dev/"))
    }

    fn foreground_name(&self, pid: u32) -> Option<String> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain anything but ends at the last parenthesis; the group is the sixth field after it.
        let group = stat.rsplit_once(')')?.1.split_whitespace().nth(5)?.parse::<u32>().ok()?;
        let name = fs::read_to_string(format!("/proc/{group}/comm")).ok()?;
        Some(name.trim_end().to_owned())
    }
}
