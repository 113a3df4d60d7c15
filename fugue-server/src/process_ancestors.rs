//! The ancestors of a process, from which the daemon determines the pane that a caller is in.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use fugue_core::shared_agent_server::{ServerCommand, SharedServer};
use fugue_keeper::ProcessStat;

use crate::keeper_process;

/// The longest chain of ancestors that is followed. Real process trees are far shallower; a longer one is not trusted.
const DEPTH: usize = 256;

/// How often a chain is read again because a process in it ended meanwhile.
const ATTEMPTS: usize = 4;

/// The most of a command line that is read, in bytes: longer than the longest of a keeper, which has three paths.
const MAX_COMMAND_LINE: usize = 16 << 10;

/// Room for a command line that is read with one system call.
const USUAL_COMMAND_LINE: usize = 4 << 10;

/// A process with its ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ancestry {
    /// The process, the leader of its terminal session, and its ancestors, nearest first.
    pub(crate) line: Vec<u32>,
    /// Whether the line goes up to the first process. If not, nothing may be concluded from who is missing in it.
    pub(crate) is_whole: bool,
    /// The state directories of the keepers in the line.
    pub(crate) keepers: Vec<PathBuf>,
    /// The ancestors that are known to work for several panes, nearest first.
    pub(crate) servers: Vec<(u32, SharedServer)>,
    /// The other ancestors that have left every terminal and are not agents, nearest first.
    pub(crate) detached: Vec<u32>,
    /// Where agents are in the line, nearest first, and whether they read a terminal.
    pub(crate) agents: Vec<(usize, bool)>,
}

impl Ancestry {
    /// Reads the ancestors of a process.
    pub(crate) fn of(pid: u32) -> Self {
        let mut read = Self::read(pid, ProcessStat::of);
        let mut buffer = vec![0; USUAL_COMMAND_LINE];
        // The process itself is neither its own keeper nor its own server.
        for (at, pid) in read.line.iter().enumerate().skip(1) {
            // The leader of its session is mostly an ancestor, too.
            if at == 1 && (read.line[0] == *pid || read.line[2..].contains(pid)) {
                continue;
            }
            let line = command_line(*pid, &mut buffer);
            read.keepers.extend(keeper_process::state_directory(line));
            // The leader of its session is a server only as an ancestor.
            if at == 1 {
                continue;
            }
            match ServerCommand::of(&words(line)) {
                ServerCommand::Server(server) => read.servers.push((*pid, server)),
                ServerCommand::Agent => {
                    read.detached.retain(|detached| detached != pid);
                    read.agents.push((at, reads_a_terminal(*pid)));
                }
                ServerCommand::Unknown => {}
            }
        }
        read
    }

    /// The ancestry of a process that cannot be seen.
    pub(crate) fn unseen() -> Self {
        Self {
            line: Vec::new(),
            is_whole: false,
            keepers: Vec::new(),
            servers: Vec::new(),
            detached: Vec::new(),
            agents: Vec::new(),
        }
    }

    /// Whether the nearest agent works for another one, up to this place in the line: it reads no terminal, and was
    /// started by what an agent with a terminal runs. Agents that are several processes start each other directly.
    pub(crate) fn is_below_nested_agent(&self, end: usize) -> bool {
        let mut agents = self.agents.iter().filter(|(at, _)| *at <= end);
        let Some(&(mut last, false)) = agents.next() else { return false };
        agents.any(|&(at, has_terminal)| {
            let is_apart = at > last + 1;
            last = at;
            is_apart && has_terminal
        })
    }

    fn read(pid: u32, stat: impl Fn(u32) -> Option<ProcessStat>) -> Self {
        let mut read = Self::unseen();
        for _ in 0..ATTEMPTS {
            read = Self::read_once(pid, &stat);
            if read.is_whole {
                break;
            }
        }
        read
    }

    /// A parent is older than its child. One that is younger is another process that got the pid of a parent that ended
    /// while the chain was read.
    fn read_once(pid: u32, stat: &impl Fn(u32) -> Option<ProcessStat>) -> Self {
        let Some(mut child) = stat(pid) else { return Self::unseen() };
        let (mut line, mut detached) = (vec![pid, child.session], Vec::new());
        while child.parent > 1 {
            match stat(child.parent).filter(|parent| parent.started <= child.started) {
                Some(parent) if line.len() < DEPTH => {
                    line.push(child.parent);
                    detached.extend((!parent.has_terminal).then_some(child.parent));
                    child = parent;
                }
                _ => return Self { line, detached, ..Self::unseen() },
            }
        }
        Self { line, is_whole: true, detached, ..Self::unseen() }
    }
}

/// Whether a process's input is a terminal. That of an agent that works for another program is not.
pub(crate) fn reads_a_terminal(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/fd/0")).is_ok_and(|file| file.starts_with("/dev/pts"))
}

/// Reads the command line of a process; empty if it is gone. The buffer grows to what it needs.
fn command_line(pid: u32, buffer: &mut Vec<u8>) -> &[u8] {
    let mut length = 0;
    if let Ok(mut file) = File::open(format!("/proc/{pid}/cmdline")) {
        // The kernel fills the buffer unless the line ends in it.
        while let Ok(read) = file.read(&mut buffer[length..]) {
            length += read;
            if length < buffer.len() || length == MAX_COMMAND_LINE {
                break;
            }
            buffer.resize(MAX_COMMAND_LINE, 0);
        }
    }
    &buffer[..length]
}

fn words(line: &[u8]) -> Vec<Cow<'_, str>> {
    line.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(String::from_utf8_lossy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(parent: u32, started: u64) -> ProcessStat {
        ProcessStat { parent, session: 0, has_terminal: true, started }
    }

    #[test]
    fn an_agent_that_another_one_runs_as_a_tool_is_nested_and_a_process_of_the_same_agent_is_not() {
        let nested = |agents: &[(usize, bool)]| {
            Ancestry { agents: agents.to_vec(), ..Ancestry::unseen() }.is_below_nested_agent(9)
        };
        // `claude` runs a shell, which runs `claude -p`.
        assert!(nested(&[(3, false), (5, true)]));
        // That one is a script which starts the program.
        assert!(nested(&[(3, false), (4, false), (6, true)]));
        // `codex` has started its server.
        assert!(!nested(&[(3, false), (4, true)]));
        assert!(!nested(&[(3, true), (5, true)]), "it has a terminal of its own");
        assert!(!nested(&[(3, false)]), "a script runs it");
        assert!(!nested(&[(3, false), (12, true)]), "the other one is outside the pane");
    }

    #[test]
    fn the_ancestors_of_a_process_include_its_parent() {
        let Ancestry { line, is_whole, .. } = Ancestry::of(std::process::id());
        assert_eq!(line[0], std::process::id());
        assert!(line.contains(&std::os::unix::process::parent_id()) && is_whole, "{line:?}");
    }

    #[test]
    fn a_command_line_is_read_up_to_its_bound() {
        for length in [100, USUAL_COMMAND_LINE, 60 << 10] {
            let prefix = "sh\0-c\0echo; read line\0";
            let argument = "x".repeat(length - prefix.len() - 1);
            let mut child = std::process::Command::new("sh")
                .args(["-c", "echo; read line", &argument])
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("a shell");
            // Before it runs, its arguments may not be there yet.
            child.stdout.as_mut().expect("its output").read_exact(&mut [0]).expect("it runs");
            let whole = format!("{prefix}{argument}\0");
            let mut buffer = vec![0; USUAL_COMMAND_LINE];
            let read = command_line(child.id(), &mut buffer);
            assert_eq!(read, &whole.as_bytes()[..length.min(MAX_COMMAND_LINE)]);
            drop(child.stdin.take());
            child.wait().expect("it ended");
        }
    }

    #[test]
    fn a_process_that_got_the_pid_of_an_ended_parent_is_not_an_ancestor() {
        // 20 was the parent of 30 when that was read; by the time 20 is read, a younger process has its pid.
        let stat = |pid| match pid {
            30 => Some(process(20, 300)),
            20 => Some(process(10, 900)),
            _ => Some(process(1, 100)),
        };
        assert_eq!(Ancestry::read(30, stat), Ancestry { line: vec![30, 0], ..Ancestry::unseen() });
    }

    #[test]
    fn a_chain_that_is_too_long_to_follow_is_not_taken_for_whole() {
        let endless = |pid: u32| Some(process(pid + 1, u64::from(u32::MAX - pid)));
        let read = Ancestry::read(2, endless);
        assert!(!read.is_whole);
        assert_eq!(read.line.len(), DEPTH);
    }
}
