//! The shell of new panes: the one that config.toml sets, or else the user's.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fugue_config::{Config, ConfigSource, UnusableConfig};

use super::check::Check;

/// Checks that the shell can be started. Without a place for config.toml, it is the user's.
pub(super) fn check(config: Option<&Path>) -> Check {
    let set = config.and_then(|path| {
        let config = Config::parse(&ConfigSource::read(path), None);
        config.unwrap_or_else(UnusableConfig::or_defaults).daemon.shell
    });
    let (shell, remedy) = match set {
        Some(shell) => (shell, "set `shell` in config.toml to the path of a shell, without arguments"),
        None => {
            (env::var("SHELL").unwrap_or_else(|_| "/bin/sh".into()), "set SHELL, or `shell` in config.toml")
        }
    };
    match find(&shell) {
        Some(found) => Check::good("shell", found.display().to_string()),
        None => Check::problem("shell", format!("cannot run `{shell}`: no such program"), remedy),
    }
}

/// Finds a program as `execvp` does.
fn find(program: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(is_program);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|directory| directory.join(program)).find(is_program)
}
