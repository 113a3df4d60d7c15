//! The foreground process group of a terminal: its program and its directory.

use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use fugue_core::agents::{Front, name_of};

use super::process_info::{is_interactive, is_shell};
use crate::shell_integration::short_name;

/// The most bytes of a command line that are read: an agent is recognized by its first words, and the rest may be a long
/// prompt.
const COMMAND_LINE_BYTES: u64 = 1_024;

/// The foreground process group of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForegroundProcess(u32);

impl ForegroundProcess {
    /// Returns a terminal's foreground process group, or the pane's first program if that is unknown.
    pub(super) fn of(master: BorrowedFd<'_>, first: u32) -> Self {
        let group = rustix::termios::tcgetpgrp(master).ok();
        Self(group.map_or(first, |group| group.as_raw_nonzero().get().cast_unsigned()))
    }

    /// Returns a pane's first program, in the foreground or not.
    pub(super) fn first(pid: u32) -> Self {
        Self(pid)
    }

    /// Returns the process id of the group's leader.
    pub(super) fn pid(self) -> u32 {
        self.0
    }

    /// Whether no process of the group is left.
    pub(super) fn is_gone(self) -> bool {
        rustix::process::Pid::from_raw(self.0.cast_signed())
            .is_none_or(|group| rustix::process::test_kill_process_group(group).is_err())
    }

    /// Returns what the program was started as, in a pane with this first program.
    pub(super) fn front(self, first: u32) -> Front {
        let mut line = Vec::new();
        let read = File::open(self.file("cmdline"))
            .and_then(|file| file.take(COMMAND_LINE_BYTES).read_to_end(&mut line));
        let words: Vec<_> = line
            .split(|&byte| byte == 0)
            .filter(|word| !word.is_empty())
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        match words.first() {
            Some(_) if read.is_ok() && name_of(&words).is_some() => Front::Program(words),
            Some(_) if read.is_ok() && (self.0 != first || is_interactive_shell(&words)) => Front::Other,
            Some(_) if read.is_ok() => Front::Program(words),
            _ => Front::Hidden,
        }
    }

    /// Whether it is a shell, which takes text and Enter together.
    pub(super) fn is_shell(self) -> bool {
        std::fs::read_to_string(self.file("comm")).is_ok_and(|name| is_shell(name.trim()))
    }

    /// Returns its working directory.
    pub(super) fn directory(self) -> Option<PathBuf> {
        std::fs::read_link(self.file("cwd")).ok()
    }

    fn file(self, name: &str) -> String {
        format!("/proc/{}/{name}", self.0)
    }
}

/// Whether a command line is that of an interactive shell, not one that runs a script or a command.
fn is_interactive_shell(words: &[String]) -> bool {
    let (shell, rest) =
        (words.first().map_or("", |word| short_name(word)), words.get(1..).unwrap_or_default());
    is_shell(shell) && is_interactive(rest.iter().map(String::as_str))
}
