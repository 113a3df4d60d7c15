//! Groups in a cgroup v2 tree that was handed to this user: directories, and the files that the kernel puts into them.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::group_limits::{Control, GroupLimits, NOT_LIMITED};
use crate::process_group_file::group_of;

/// The controllers that limits need.
const CONTROLLERS: [&str; 4] = ["memory", "pids", "cpu", "io"];

/// The group of the keeper and the daemon: a group that hands controllers to others must not contain processes itself.
const OWN_GROUP: &str = "daemon";

/// The beginning of the names of directories that are fugue's.
const PREFIX: &str = "fugue-";

/// Makes the group of a keeper, its reaper and its daemon, and returns the directory for those of programs. Processes that are
/// there already stay.
pub(crate) fn prepare(pids: &[u32]) -> io::Result<PathBuf> {
    let own = group_of(std::process::id()).ok_or_else(|| unavailable("cgroup v2 is not mounted"))?;
    prepare_in(&own, pids)
}

fn prepare_in(own: &Path, pids: &[u32]) -> io::Result<PathBuf> {
    if let Some(base) = base_of(own) {
        return Ok(base.to_owned());
    }
    if !words(&own.join("cgroup.controllers"))?.iter().any(|name| name == "memory") {
        return Err(unavailable("the group of the daemon has no memory controller"));
    }
    check_delegation(own)?;
    let base = own.join(format!("{PREFIX}{}", pids.first().copied().unwrap_or_default()));
    let made = make(own, &base, pids);
    if made.is_err() {
        remove_empty_groups(&base);
        let _ = fs::remove_dir(&base);
    }
    made.map(|()| base)
}

fn make(own: &Path, base: &Path, pids: &[u32]) -> io::Result<()> {
    fs::create_dir(base)?;
    fs::create_dir(base.join(OWN_GROUP))?;
    enter(&base.join(OWN_GROUP), pids)?;
    // While others are in the group that was handed over, it can hand its controllers on only if it did so before.
    for directory in [own, base] {
        CONTROLLERS.iter().for_each(|name| drop(enable(directory, name)));
    }
    if words(&base.join("cgroup.subtree_control"))?.iter().any(|name| name == "memory") {
        return Ok(());
    }
    enter(own, pids)?;
    Err(unavailable("other processes share the group that was handed over, so that it cannot be divided"))
}

fn enable(directory: &Path, controller: &str) -> io::Result<()> {
    fs::write(directory.join("cgroup.subtree_control"), format!("+{controller}"))
}

/// The directory for the groups of programs, if a former daemon of the same keeper made it.
fn base_of(own: &Path) -> Option<&Path> {
    let base = own.parent().filter(|_| own.file_name().is_some_and(|name| name == OWN_GROUP))?;
    base.file_name()?.to_str()?.starts_with(PREFIX).then_some(base)
}

/// A tree belongs to whom its directories belong to. Where systemd runs, root's are systemd's unless it was told otherwise.
fn check_delegation(own: &Path) -> io::Result<()> {
    let is_own = fs::metadata(own)?.uid() == rustix::process::geteuid().as_raw();
    let is_systemds = rustix::process::geteuid().is_root() && Path::new("/run/systemd/system").exists();
    if !is_own || is_systemds {
        return Err(unavailable("its group was not handed over to this user"));
    }
    Ok(())
}

fn unavailable(why: &str) -> io::Error {
    io::Error::new(ErrorKind::Unsupported, why.to_owned())
}

fn words(file: &Path) -> io::Result<Vec<String>> {
    Ok(fs::read_to_string(file)?.split_whitespace().map(str::to_owned).collect())
}

/// Creates a group with limits, before anything is in it. What the kernel has no controller for is left out.
pub(crate) fn create(directory: &Path, limits: &GroupLimits) -> io::Result<()> {
    fs::create_dir(directory)?;
    set_limits(directory, limits)
}

/// Sets limits. The programs in the group keep running; memory beyond a new limit is reclaimed first.
pub(crate) fn set_limits(directory: &Path, limits: &GroupLimits) -> io::Result<()> {
    // `memory.oom.group` stays off: when the kernel kills one process of a group for its memory, the others keep running.
    for (control, value) in limits {
        let value =
            if *value == NOT_LIMITED { control.unlimited_in_file().into() } else { value.to_string() };
        match fs::write(directory.join(control.file()), file_value(*control, &value)) {
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            outcome => outcome?,
        }
    }
    Ok(())
}

fn file_value(control: Control, value: &str) -> String {
    if control == Control::IoWeight { format!("default {value}") } else { value.to_owned() }
}

/// Moves processes into a group. One that has ended is not there any more.
pub(crate) fn enter(directory: &Path, pids: &[u32]) -> io::Result<()> {
    for pid in pids {
        match fs::write(directory.join("cgroup.procs"), pid.to_string()) {
            Err(why) if why.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => {}
            outcome => outcome?,
        }
    }
    Ok(())
}

/// Removes the groups in a directory in which nothing runs any more.
pub fn remove_empty_groups(base: &Path) {
    // A directory with processes, or below which there are any, cannot be removed.
    let Ok(entries) = fs::read_dir(base) else { return };
    let groups = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    groups.for_each(|group| drop(fs::remove_dir(group.path())));
}
