//! The daemons in whose panes this process is. They decide what it may do to the user's files, whichever daemon its command
//! line names.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::call_error::CallError;
use crate::env::{Env, ancestors, is_in_pane};
use crate::paths::{DaemonName, Paths};

/// Returns the daemons in whose panes this process is: those whose keepers or reapers it descends from, the nearest
/// first, or else the one that its environment names. A process outside panes has none.
pub fn pane_daemons() -> Result<Vec<Paths>, CallError> {
    let mut daemons = Vec::new();
    for paths in ancestors().filter_map(keeper_paths) {
        if !daemons.contains(&paths) {
            daemons.push(paths);
        }
    }
    if daemons.is_empty() && is_in_pane() {
        daemons.push(DaemonName::default().paths(&Env::own_or_inherited())?);
    }
    Ok(daemons)
}

/// The paths of a daemon, if a process is its keeper or its reaper.
fn keeper_paths(pid: u32) -> Option<Paths> {
    parse(&fs::read(format!("/proc/{pid}/cmdline")).ok()?)
}

fn parse(command_line: &[u8]) -> Option<Paths> {
    let words: Vec<&[u8]> = command_line.split(|byte| *byte == 0).collect();
    let (b"keeper", flags) = words.get(1..)?.split_first().map(|(word, flags)| (*word, flags))? else {
        return None;
    };
    let path = |flag: &[u8]| {
        let at = flags.iter().position(|word| *word == flag)?;
        Some(PathBuf::from(OsStr::from_bytes(flags.get(at + 1)?)))
    };
    Some(Paths {
        socket: path(b"--socket")?,
        state: path(b"--state")?,
        config: path(b"--config")?,
        socket_dir: None,
        is_socket_given: false,
        host: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keepers_command_line_names_its_daemon() {
        let line = |first: &str| {
            format!("{first}\0--adopt\0--socket\0/run/a.sock\0--state\0/var/a\0--config\0/etc/c\0")
        };
        let paths = parse(line("/usr/bin/fugue\0keeper").as_bytes()).expect("a keeper");
        let named = [&paths.socket, &paths.state, &paths.config].map(|path| path.to_string_lossy());
        assert_eq!(named, ["/run/a.sock", "/var/a", "/etc/c"]);
        assert_eq!(parse(line("fugue\0daemon").as_bytes()), None);
        assert_eq!(parse(line("sh\0-c\0keeper").as_bytes()), None);
        assert_eq!(parse(b"keeper"), None);
    }
}
