//! Facts about a process from `/proc/PID/stat`.

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::process::Pid;

/// Room for all 52 fields; the name has at most 64 bytes, a number at most 20.
const STAT_BYTES: usize = 64 + 52 * 21;

/// The longest name that the kernel writes.
const NAME_BYTES: usize = 64;

/// The program that a process runs: another one after each `execve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningProgram {
    name: [u8; NAME_BYTES],
    /// Where its arguments are in its memory. The kernel chooses another place for each program.
    arguments: (u64, u64),
}

/// A process's parent, session, terminal, start and program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// The process id of the parent; 0 if it has none in this namespace.
    pub parent: u32,
    /// The session id; 0 if its leader is not in this namespace.
    pub session: u32,
    /// Its state as the kernel writes it: `R` runs or waits for a processor, `T` and `t` are stopped.
    pub state: char,
    /// Whether it has a controlling terminal. One that started a session of its own has none.
    pub has_terminal: bool,
    /// When it started, in clock ticks since the system started.
    pub started: u64,
    /// The program that it runs; unknown for a process that belongs to another user.
    pub program: Option<RunningProgram>,
}

impl ProcessStat {
    /// Reads the facts about a process; none if it is gone.
    pub fn of(pid: u32) -> Option<Self> {
        Self::read(&Self::open(pid)?)
    }

    /// Opens the file in which the facts about a process are.
    pub fn open(pid: u32) -> Option<File> {
        File::open(format!("/proc/{pid}/stat")).ok()
    }

    /// Reads the facts from an open file; none if the process is gone. They may be read again and again.
    pub fn read(file: &File) -> Option<Self> {
        let mut stat = [0; STAT_BYTES];
        // One read: the kernel writes the whole text at once.
        let length = file.read_at(&mut stat, 0).ok()?;
        Self::parse(&stat[..length])
    }

    /// Whether a signal or a debugger has stopped it.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    /// Reads the facts about a process; none if it is gone.
    pub(crate) fn of_process(pid: Pid) -> Option<Self> {
        Self::of(pid.as_raw_nonzero().get().cast_unsigned())
    }

    /// Whether the session is the one that `leader` leads. `getsid` of rustix cannot tell: it asserts that the leader is in
    /// the caller's PID namespace.
    pub(crate) fn is_in_session_of(&self, leader: Pid) -> bool {
        self.session == leader.as_raw_nonzero().get().cast_unsigned()
    }

    /// Fields three, four, six, seven, twenty-two, forty-eight and forty-nine. The name before them may contain anything, but ends
    /// with the last `)`.
    fn parse(stat: &[u8]) -> Option<Self> {
        let name_end = stat.iter().rposition(|byte| *byte == b')')?;
        let fields = str::from_utf8(&stat[name_end + 1..]).ok()?;
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        let has_terminal = fields.next()? != "0";
        let started = fields.nth(14)?.parse().ok()?;
        let program = RunningProgram::parse(&stat[..name_end], &mut fields);
        Some(Self { parent, session, state, has_terminal, started, program })
    }
}

impl RunningProgram {
    /// Reads the name before the fields, and the fields after the start. The kernel writes zeros as addresses unless the
    /// reader may trace the process.
    fn parse<'a>(before: &[u8], fields: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let name_start = before.iter().position(|byte| *byte == b'(')? + 1;
        let read = before[name_start..].get(..NAME_BYTES).unwrap_or(&before[name_start..]);
        let mut name = [0; NAME_BYTES];
        name[..read.len()].copy_from_slice(read);
        let start = fields.nth(25)?.parse().ok()?;
        let end = fields.next()?.parse().ok()?;
        (start != 0).then_some(Self { name, arguments: (start, end) })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_name_may_contain_anything() {
        let stat = "42 (a) b (c) ) S 7 42 9 34816 42 4194304 1 2 3 4 5 6 7 8 20 0 1 0 1234 99";
        let expected = ProcessStat {
            parent: 7,
            session: 9,
            state: 'S',
            has_terminal: true,
            started: 1234,
            program: None,
        };
        assert_eq!(ProcessStat::parse(stat.as_bytes()), Some(expected));
        let stopped = ProcessStat::parse(stat.replace(") S", ") T").as_bytes()).expect("facts");
        assert!(stopped.is_stopped() && !expected.is_stopped());
        let detached = stat.replace("34816", "0");
        assert_eq!(
            ProcessStat::parse(detached.as_bytes()),
            Some(ProcessStat { has_terminal: false, ..expected })
        );
    }

    #[test]
    fn this_process_has_a_parent() {
        let own = std::process::id();
        assert!(ProcessStat::of(own).is_some_and(|stat| stat.parent > 0));
    }

    #[test]
    fn a_process_that_executes_another_program_is_known_to_run_another_one() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "echo; read line; exec sh -c 'echo; read line'"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("a shell");
        let pid = child.id();
        let mut output = child.stdout.take().expect("its output");
        // It runs once it has written a line.
        let mut program = || {
            output.read_exact(&mut [0]).expect("it runs");
            ProcessStat::of(pid).and_then(|stat| stat.program).expect("its program")
        };
        let first = program();
        child.stdin.as_mut().expect("its input").write_all(b"\n").expect("written");
        assert_ne!(program(), first);
        drop(child.stdin.take());
        child.wait().expect("it ended");
    }
}
