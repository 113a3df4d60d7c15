//! Recognizing a keeper, or its reaper, by its command line. Everything that is started from a pane descends from one,
//! even after its own daemon was shut down.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The state directory of the daemon that the process with this command line is the keeper or the reaper of; none if it
/// is another program.
pub(crate) fn state_directory(line: &[u8]) -> Option<PathBuf> {
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
        assert_eq!(state_directory(keeper), Some("/var/a".into()));
        assert_eq!(state_directory(b"fugue\0daemon\0--state\0/var/a\0"), None);
        assert_eq!(state_directory(b"sh\0-c\0keeper --state /var/a\0"), None);
        assert_eq!(state_directory(b""), None);
    }
}
