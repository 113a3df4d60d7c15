//! The foreground process group of a terminal: its program, the agent in it, and its directory.

use std::fs::File;
use std::io::Read;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fugue_agents::{AgentTable, Front};

use super::process_info::{children, is_in_foreground, is_interactive, is_shell};
use crate::processes::process_ancestors::reads_a_terminal;
use crate::program_start::shell_integration::short_name;

/// The most bytes of a command line that are read: an agent is recognized by its first words, and the rest may be a long
/// prompt.
const COMMAND_LINE_BYTES: u64 = 1_024;

/// The most processes in which an agent is searched for: scripts that start an agent have few.
const MAX_PROCESSES: usize = 16;

/// The foreground process group of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForegroundProcess(u32);

/// What runs in the foreground, and the process that is it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForegroundProgram {
    pub(crate) pid: u32,
    pub(crate) front: Front,
    /// The short name of the foreground program; none if it is the pane's own, or has ended.
    pub(crate) name: Option<String>,
}

/// What reads a terminal, as far as it matters for a text that is to be submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalReader {
    /// An interactive shell, which takes text and Enter together.
    Shell,
    /// A shell that runs a script, and so does that, unless the script calls itself an agent.
    Script,
    /// A known agent.
    Agent,
    Other,
}

impl ForegroundProcess {
    /// Returns a terminal's foreground process group, or the pane's first program if that is unknown.
    pub(crate) fn of(master: BorrowedFd<'_>, first: u32) -> Self {
        let group = rustix::termios::tcgetpgrp(master).ok();
        Self(group.map_or(first, |group| group.as_raw_nonzero().get().cast_unsigned()))
    }

    /// Returns a pane's first program, in the foreground or not.
    pub(crate) fn first(pid: u32) -> Self {
        Self(pid)
    }

    /// Returns the process id of the group's leader.
    pub(crate) fn pid(self) -> u32 {
        self.0
    }

    /// Whether the group's leader has ended. Processes that it started may be left in the group.
    pub(crate) fn is_gone(self) -> bool {
        command_line(self.0).is_empty()
    }

    /// Returns what runs in the foreground of a pane with this first program.
    pub(crate) fn program(self, first: u32, agents: &AgentTable) -> ForegroundProgram {
        let words = command_line(self.0);
        let other = words.first().filter(|_| self.0 != first);
        let name = other.map(|word| short_name(word).trim_start_matches('-').to_owned());
        let (pid, front) = match agents.name_of(&words) {
            Some(name) => (self.0, Front::Named(name.to_owned())),
            None if is_interactive_shell(&words) => (self.0, Front::Shell),
            None => self.started(agents).unwrap_or_else(|| (self.0, self.other(first, words))),
        };
        ForegroundProgram { pid, front, name }
    }

    /// Returns the agent that the foreground program has started and that has the keyboard: on the same terminal, as in a
    /// script, or on a terminal of the program's own.
    fn started(self, agents: &AgentTable) -> Option<(u32, Front)> {
        let mut unchecked = children(self.0);
        for _ in 0..MAX_PROCESSES {
            let pid = unchecked.pop()?;
            let has_keyboard = || reads_a_terminal(pid) && is_in_foreground(pid);
            if let Some(name) = agents.name_of(&command_line(pid)).filter(|_| has_keyboard()) {
                return Some((pid, Front::Named(name.to_owned())));
            }
            unchecked.extend(children(pid));
        }
        None
    }

    fn other(self, first: u32, words: Vec<String>) -> Front {
        match words.is_empty() {
            true => Front::Hidden,
            false if self.0 != first => Front::Other,
            false => Front::Program(words),
        }
    }

    /// Returns what reads the terminal. A shell that runs a script does not, while a program does that the script started.
    pub(crate) fn reader(self, first: u32, agents: &AgentTable) -> TerminalReader {
        match self.program(first, agents).front {
            Front::Named(_) => TerminalReader::Agent,
            Front::Shell => TerminalReader::Shell,
            _ if self.is_shell() && !self.has_reading_child() => TerminalReader::Script,
            _ => TerminalReader::Other,
        }
    }

    fn has_reading_child(self) -> bool {
        children(self.0).into_iter().any(|pid| reads_a_terminal(pid) && is_in_foreground(pid))
    }

    fn is_shell(self) -> bool {
        std::fs::read_to_string(self.file("comm")).is_ok_and(|name| is_shell(name.trim()))
    }

    /// Returns its working directory.
    pub(crate) fn directory(self) -> Option<PathBuf> {
        std::fs::read_link(self.file("cwd")).ok()
    }

    fn file(self, name: &str) -> String {
        format!("/proc/{}/{name}", self.0)
    }
}

/// Returns the first words of a process's command line; none if the process has ended.
fn command_line(pid: u32) -> Vec<String> {
    let mut line = Vec::new();
    let read = File::open(format!("/proc/{pid}/cmdline"))
        .and_then(|file| file.take(COMMAND_LINE_BYTES).read_to_end(&mut line));
    let words = line.split(|&byte| byte == 0).filter(|word| read.is_ok() && !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Whether a process's input is the terminal with this master, and not another one.
pub(crate) fn reads_terminal_of(master: BorrowedFd<'_>, pid: u32) -> bool {
    let device = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.rdev()));
    let name = rustix::pty::ptsname(master, Vec::new()).ok();
    let terminal = name.and_then(|name| device(Path::new(name.to_str().ok()?)));
    terminal.is_some() && terminal == device(Path::new(&format!("/proc/{pid}/fd/0")))
}

/// Whether a command line is that of an interactive shell, not one that runs a script or a command.
fn is_interactive_shell(words: &[String]) -> bool {
    let (shell, rest) =
        (words.first().map_or("", |word| short_name(word)), words.get(1..).unwrap_or_default());
    is_shell(shell) && is_interactive(rest.iter().map(String::as_str))
}
