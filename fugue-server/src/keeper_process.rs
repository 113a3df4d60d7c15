//! Recognizing a keeper, or its reaper, by its command line. Everything that is started from a pane descends from one,
//! even after its own daemon was shut down.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The most of a command line that is read, in bytes: longer than the longest of a keeper, which has three paths.
const MAX_BYTES: u64 = 16 << 10;

/// The state directory of the daemon that a process is the keeper or the reaper of; none if it is another program.
pub(crate) fn state_directory(pid: u32) -> Option<PathBuf> {
    let mut line = Vec::new();
    File::open(format!("/proc/{pid}/cmdline")).ok()?.take(MAX_BYTES).read_to_end(&mut line).ok()?;
    parse(&line)
}

fn parse(line: &[u8]) -> Option<PathBuf> {
    let mut words = line.split(|byte| *byte == 0).skip(1);
    if words.next() != Some(b"keeper") {
        return None;
    }
    words.find(|word| *word == b"--state")?;
    words.next().map(|path| PathBuf::from(OsStr::from_bytes(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keepers_are_recognized_by_their_command_line() {
        let keeper =
            b"/usr/bin/fugue\0keeper\0--adopt\0--socket\0/run/a.sock\0--state\0/var/a\0--config\0/c\0";
        assert_eq!(parse(keeper), Some("/var/a".into()));
        assert_eq!(parse(b"fugue\0daemon\0--state\0/var/a\0"), None);
        assert_eq!(parse(b"sh\0-c\0keeper --state /var/a\0"), None);
        assert_eq!(parse(b""), None);
        assert_eq!(state_directory(std::process::id()), None);
    }
}
