//! The ancestors of a process, from which the daemon determines the pane that a caller is in.

use std::path::PathBuf;

use fugue_agents::{ServerCommand, SharedServer};
use fugue_keeper::ProcessStat;

use super::process_command::{ProcessCommand, ProcessCommands};
use super::process_stat_files::ProcessStatFiles;

/// The longest chain of ancestors that is followed. Real process trees are far shallower; a longer one is not trusted.
const DEPTH: usize = 256;

/// Where the parent of a process is in its line, after the process itself and the leader of its session.
const FIRST_ANCESTOR: usize = 2;

/// How often a chain is read again because a process in it ended meanwhile.
const ATTEMPTS: usize = 4;

/// What is kept of callers' ancestors, since most are the ancestors of other callers, too.
#[derive(Default)]
pub(crate) struct KnownProcesses {
    stat_files: ProcessStatFiles,
    commands: ProcessCommands,
}

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
    pub(crate) fn of(pid: u32, known: &mut KnownProcesses) -> Self {
        let (mut read, stats) = Self::read(pid, |process| match process == pid {
            // It is not expected to be an ancestor.
            true => ProcessStat::of(pid),
            false => known.stat_files.read(process),
        });
        // The process itself is neither its own keeper nor its own server.
        if let [own, leader, ancestors @ ..] = &read.line[..]
            && own != leader
            && !ancestors.contains(leader)
        {
            // It is a server only as an ancestor.
            read.keepers.extend(ProcessCommand::read(*leader).0.keeper);
        }
        for (at, stat) in stats.iter().enumerate() {
            let at = at + FIRST_ANCESTOR;
            let pid = read.line[at];
            let command = known.commands.of(pid, stat);
            read.keepers.extend(command.keeper);
            match command.server {
                ServerCommand::Server(server) => read.servers.push((pid, server)),
                ServerCommand::Agent => {
                    read.detached.retain(|detached| *detached != pid);
                    read.agents.push((at, reads_a_terminal(pid)));
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

    /// Reads the line of a process, with what was read of each ancestor in it.
    fn read(pid: u32, mut stat: impl FnMut(u32) -> Option<ProcessStat>) -> (Self, Vec<ProcessStat>) {
        let mut read = (Self::unseen(), Vec::new());
        for _ in 0..ATTEMPTS {
            read = Self::read_once(pid, &mut stat);
            if read.0.is_whole {
                break;
            }
        }
        read
    }

    /// A parent is older than its child. One that is younger is another process that got the pid of a parent that ended
    /// while the chain was read.
    fn read_once(pid: u32, stat: &mut impl FnMut(u32) -> Option<ProcessStat>) -> (Self, Vec<ProcessStat>) {
        let Some(mut child) = stat(pid) else { return (Self::unseen(), Vec::new()) };
        let mut read = Self { line: vec![pid, child.session], ..Self::unseen() };
        let mut stats = Vec::new();
        while child.parent > 1 {
            match stat(child.parent).filter(|parent| parent.started <= child.started) {
                Some(parent) if read.line.len() < DEPTH => {
                    read.line.push(child.parent);
                    read.detached.extend((!parent.has_terminal).then_some(child.parent));
                    stats.push(parent);
                    child = parent;
                }
                _ => return (read, stats),
            }
        }
        read.is_whole = true;
        (read, stats)
    }
}

/// Whether a process's input is a terminal. That of an agent that works for another program is not.
pub(crate) fn reads_a_terminal(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/fd/0")).is_ok_and(|file| file.starts_with("/dev/pts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(parent: u32, started: u64) -> ProcessStat {
        ProcessStat { parent, session: 0, state: 'S', has_terminal: true, started, program: None }
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
        let Ancestry { line, is_whole, .. } =
            Ancestry::of(std::process::id(), &mut KnownProcesses::default());
        assert_eq!(line[0], std::process::id());
        let parent = std::os::unix::process::parent_id();
        assert!((parent == 1 || line.contains(&parent)) && is_whole, "{line:?}");
    }

    #[test]
    fn a_process_that_got_the_pid_of_an_ended_parent_is_not_an_ancestor() {
        // 20 was the parent of 30 when that was read; by the time 20 is read, a younger process has its pid.
        let stat = |pid| match pid {
            30 => Some(process(20, 300)),
            20 => Some(process(10, 900)),
            _ => Some(process(1, 100)),
        };
        assert_eq!(Ancestry::read(30, stat).0, Ancestry { line: vec![30, 0], ..Ancestry::unseen() });
    }

    #[test]
    fn a_chain_that_is_too_long_to_follow_is_not_taken_for_whole() {
        let endless = |pid: u32| Some(process(pid + 1, u64::from(u32::MAX - pid)));
        let (read, _) = Ancestry::read(2, endless);
        assert!(!read.is_whole);
        assert_eq!(read.line.len(), DEPTH);
    }
}
