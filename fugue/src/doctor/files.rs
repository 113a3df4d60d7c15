//! The daemon's files: who may read them, and whether the disk has room.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fugue_client::Paths;
use fugue_config::{Config, ConfigSource, UnusableConfig};
use rustix::fs::{Access, access};

use super::check::Check;
use crate::context::ALIASES;

/// Below this much free space the journal may soon be unable to grow, in bytes.
const LITTLE_SPACE: u64 = 64 << 20;

pub(super) fn checks(paths: &Paths) -> Vec<Check> {
    let mut checks = Vec::new();
    if let Some(directory) = paths.socket.parent() {
        checks.push(private("socket", directory));
    }
    checks.push(private("state", &paths.state));
    checks.extend(journal(&paths.state));
    checks.push(disk(&paths.state));
    checks.push(config(&paths.config));
    checks
}

/// A directory that only its owner may enter.
fn private(subject: &str, directory: &Path) -> Check {
    let shown = directory.display().to_string();
    match fs::symlink_metadata(directory) {
        Ok(found) if is_private(&found) => writable(subject, directory, shown),
        Ok(found) if found.uid() != rustix::process::geteuid().as_raw() => {
            let finding = format!("{shown} is owned by user {}", found.uid());
            Check::problem(subject, finding, "remove it, or choose another directory")
        }
        Ok(found) => {
            let finding = format!("{shown} is accessible to other users (mode {:o})", found.mode() & 0o777);
            Check::problem(subject, finding, format!("chmod 700 {shown}"))
        }
        Err(why) if why.kind() == ErrorKind::NotFound => {
            let existing = directory.ancestors().find(|path| path.exists()).unwrap_or(directory);
            writable(subject, existing, format!("{shown} (does not exist yet)"))
        }
        Err(why) => Check::problem(subject, format!("{shown}: {why}"), "make it readable"),
    }
}

/// A directory in which fugue must be able to create files.
fn writable(subject: &str, directory: &Path, shown: String) -> Check {
    match access(directory, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Check::good(subject, shown),
        Err(why) => {
            let finding =
                format!("cannot create files in {}: {}", directory.display(), std::io::Error::from(why));
            Check::problem(subject, finding, format!("make {} writable", directory.display()))
        }
    }
}

fn is_private(found: &Metadata) -> bool {
    found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0
}

fn journal(state: &Path) -> Option<Check> {
    let file = state.join("journal.db");
    let found = fs::symlink_metadata(&file).ok()?;
    let shown = file.display();
    Some(match found.mode() & 0o777 {
        _ if !found.is_file() => Check::problem(
            "journal",
            format!("{shown} is not a file"),
            format!("move {shown} elsewhere; fugue will then create a new journal"),
        ),
        0o600 => Check::good("journal", format!("{shown}, {} KiB", found.len() >> 10)),
        mode => Check::problem("journal", format!("{shown} has mode {mode:o}"), format!("chmod 600 {shown}")),
    })
}

/// The free space of the file system that holds the state, or will.
fn disk(state: &Path) -> Check {
    let existing = state.ancestors().find(|path| path.exists()).unwrap_or(state);
    match rustix::fs::statvfs(existing) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let finding = format!("{} MiB free in {}", free >> 20, existing.display());
            if free < LITTLE_SPACE {
                Check::problem("disk", finding, "free up space; changes are refused when the disk is full")
            } else {
                Check::good("disk", finding)
            }
        }
        Err(why) => Check::problem("disk", format!("{}: {why}", existing.display()), "check the disk"),
    }
}

fn config(path: &Path) -> Check {
    let source = ConfigSource::read(path);
    if source == ConfigSource::Missing {
        return Check::good("config", format!("{} (does not exist)", path.display()));
    }
    let config = Config::parse(&source, None).unwrap_or_else(UnusableConfig::or_defaults);
    match fugue_tui::check_config(&config, &ALIASES).len() {
        0 => Check::good("config", path.display().to_string()),
        1 => Check::problem("config", format!("{} has 1 error", path.display()), "fugue config check"),
        count => {
            Check::problem("config", format!("{} has {count} errors", path.display()), "fugue config check")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::check::CheckResult;
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_written_is_a_problem_even_before_it_is_used() {
        // Files cannot be created there, whoever asks.
        let check = private("state", Path::new("/proc/self/status/state"));
        assert_eq!(check.result, CheckResult::Problem, "{check:?}");
        let directory = tempfile::tempdir().expect("a directory");
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o500)).expect("a mode");
        if !rustix::process::geteuid().is_root() {
            assert_eq!(private("state", &directory.path().join("new")).result, CheckResult::Problem);
        }
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700)).expect("a mode");
        assert_eq!(private("state", &directory.path().join("new")).result, CheckResult::Good);
    }

    #[test]
    fn a_directory_that_others_may_enter_is_a_problem_with_a_remedy() {
        let directory = tempfile::tempdir().expect("a directory");
        let set_mode = |mode| fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode));
        set_mode(0o755).expect("a mode");
        let check = private("state", directory.path());
        assert_eq!(check.result, CheckResult::Problem);
        assert_eq!(check.remedy, Some(format!("chmod 700 {}", directory.path().display())));
        set_mode(0o700).expect("a mode");
        assert_eq!(private("state", directory.path()).result, CheckResult::Good);
    }
}
