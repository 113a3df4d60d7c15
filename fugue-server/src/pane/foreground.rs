//! The program in front of a terminal: which one it is, and where.

use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use fugue_core::agents::{Front, name_of};

use super::program::{is_interactive, is_shell};

/// An agent is known by its first words; the rest may be a long prompt.
const WORDS: u64 = 1_024;

/// A process group in front of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreground(u32);

impl Foreground {
    /// What is in front of a terminal now; the pane's first program when that cannot be told.
    pub(super) fn of(master: BorrowedFd<'_>, first: u32) -> Self {
        let group = rustix::termios::tcgetpgrp(master).ok();
        Self(group.map_or(first, |group| group.as_raw_nonzero().get().cast_unsigned()))
    }

    /// A pane's first program, in front or not.
    pub(super) fn first(pid: u32) -> Self {
        Self(pid)
    }

    /// Whether any process of it is left.
    pub(super) fn is_gone(self) -> bool {
        rustix::process::Pid::from_raw(self.0.cast_signed())
            .is_none_or(|group| rustix::process::test_kill_process_group(group).is_err())
    }

    /// What it was started as, in a pane whose first program this is.
    pub(super) fn front(self, first: u32) -> Front {
        let mut line = Vec::new();
        let read = File::open(self.file("cmdline")).and_then(|file| file.take(WORDS).read_to_end(&mut line));
        let words: Vec<_> = line
            .split(|&byte| byte == 0)
            .filter(|word| !word.is_empty())
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        match words.first() {
            Some(_) if read.is_ok() && name_of(&words).is_some() => Front::Program(words),
            Some(_) if read.is_ok() && (self.0 != first || is_prompt(&words)) => Front::Other,
            Some(_) if read.is_ok() => Front::Program(words),
            _ => Front::Hidden,
        }
    }

    /// Whether it is a shell, which takes text and Enter in one go.
    pub(super) fn in_shell(self) -> bool {
        std::fs::read_to_string(self.file("comm")).is_ok_and(|name| is_shell(name.trim()))
    }

    /// Its working directory.
    pub(super) fn directory(self) -> Option<PathBuf> {
        std::fs::read_link(self.file("cwd")).ok()
    }

    fn file(self, name: &str) -> String {
        format!("/proc/{}/{name}", self.0)
    }
}

/// A shell that reads commands, and not one that runs a script or a line.
fn is_prompt(words: &[String]) -> bool {
    let (shell, rest) = (words.first().map_or("", |word| short(word)), words.get(1..).unwrap_or_default());
    is_shell(shell) && is_interactive(rest.iter().map(String::as_str))
}

fn short(word: &str) -> &str {
    Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or(word)
}
