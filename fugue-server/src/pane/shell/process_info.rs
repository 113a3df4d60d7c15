//! Facts about processes from `/proc`: names, whether a shell is interactive, whether a program waits for input.

/// Programs that read command lines and run them.
const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "fish", "dash", "ksh", "ash", "nu", "elvish"];

/// Options of shells that take a value as the next word.
const OPTIONS_WITH_VALUE: [&str; 4] = ["--rcfile", "--init-file", "-C", "--init-command"];

/// The most processes that are checked: a program with more does not talk to a person.
const MAX_PROCESSES: usize = 64;

/// The number of the system call `read`.
#[cfg(target_arch = "x86_64")]
const READ: &str = "0";
#[cfg(not(target_arch = "x86_64"))]
const READ: &str = "63";

/// Returns a process's short name.
pub(crate) fn name(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim().trim_start_matches('-').to_owned()
}

/// Whether a short name is that of a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name.trim_start_matches('-'))
}

/// Whether a process is a shell that reads commands from its terminal, not from a file or an argument.
pub(super) fn takes_commands(pid: u32) -> bool {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = words.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    is_shell(&name(pid)) && is_interactive(words.iter().skip(1).map(AsRef::as_ref))
}

/// Whether a shell with these arguments reads its terminal.
pub(super) fn is_interactive<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let mut words = words.filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "-i" | "--interactive" => return true,
            word if OPTIONS_WITH_VALUE.contains(&word) => drop(words.next()),
            word if word.starts_with("--") => {}
            word if word.starts_with(['-', '+']) && !word.contains('c') => {}
            _ => return false,
        }
    }
    true
}

/// Whether a process or one of its descendants waits for input: it is in a `read` of a terminal.
pub(super) fn reads_terminal(pid: u32) -> bool {
    let mut unchecked = vec![pid];
    for _ in 0..MAX_PROCESSES {
        let Some(pid) = unchecked.pop() else { return false };
        if reads_terminal_itself(pid) {
            return true;
        }
        unchecked.extend(children(pid));
    }
    false
}

/// Returns the processes that a process's main thread has started.
pub(super) fn children(pid: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Whether a process runs in the foreground of the terminal that controls it: it has not ended, and is not stopped.
pub(crate) fn is_in_foreground(pid: u32) -> bool {
    GroupStat::read(pid)
        .is_some_and(|stat| !stat.has_ended() && !stat.is_stopped() && stat.group == stat.foreground)
}

/// Returns the leader of a process group, or another process of it if the leader has ended: one that the pane's first
/// process has started. `None` if none is found.
pub(super) fn running_member(group: u32, first: u32) -> Option<u32> {
    let is_member =
        |pid: u32| GroupStat::read(pid).is_some_and(|stat| !stat.has_ended() && stat.group == group);
    let mut unchecked = vec![first, group];
    for _ in 0..MAX_PROCESSES {
        let pid = unchecked.pop()?;
        if is_member(pid) {
            return Some(pid);
        }
        unchecked.extend(children(pid));
    }
    None
}

/// A process's state and group, and the foreground group of the terminal that controls it.
struct GroupStat {
    state: char,
    group: u32,
    foreground: u32,
}

impl GroupStat {
    fn read(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // After the name, which may contain anything: state, parent, group, session, terminal, the terminal's group.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let (state, group) = (fields.next()?.chars().next()?, fields.nth(1)?.parse().ok()?);
        // It is -1 for a process without a terminal.
        let foreground = fields.nth(2)?.parse().unwrap_or_default();
        Some(Self { state, group, foreground })
    }

    fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }

    fn is_stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }
}

/// Whether a process waits for input itself.
pub(super) fn reads_terminal_itself(pid: u32) -> bool {
    let call = std::fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
    let mut words = call.split_whitespace();
    let descriptor = words.next().filter(|number| *number == READ).and_then(|_| words.next());
    let number = descriptor.and_then(|hex| u32::from_str_radix(hex.trim_start_matches("0x"), 16).ok());
    let file = number.and_then(|number| std::fs::read_link(format!("/proc/{pid}/fd/{number}")).ok());
    file.is_some_and(|file| file.starts_with("/dev/pts") || file.as_os_str() == "/dev/tty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_is_not_in_the_foreground() {
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        let pid = child.id();
        child.wait().expect("its end");
        assert!(!is_in_foreground(pid));
    }

    #[test]
    fn a_group_whose_leader_has_ended_is_found_by_another_process_of_it() {
        use std::io::{BufRead, BufReader};
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};

        // The leader starts a process and ends; its parent lives on, as a shell does.
        let script = "set -m; (sleep 600 & echo $!); echo ended; cat";
        let mut shell = Command::new("bash");
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut shell = shell.spawn().expect("a shell");
        let mut lines = BufReader::new(shell.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let sleep: u32 = line().parse().expect("a process");
        assert_eq!(line(), "ended");
        let group = GroupStat::read(sleep).expect("it runs").group;
        assert_eq!(running_member(shell.id(), shell.id()), Some(shell.id()));
        assert_eq!(running_member(group, sleep), Some(sleep), "not its leader {group}");
        let sleep = rustix::process::Pid::from_raw(sleep.cast_signed()).expect("a process");
        rustix::process::kill_process(sleep, rustix::process::Signal::KILL).expect("killed");
        drop(shell.stdin.take());
        shell.wait().expect("its end");
        assert_eq!(running_member(shell.id(), shell.id()), None);
    }

    #[test]
    fn a_shell_with_a_script_or_a_command_is_not_interactive() {
        let takes = |line: &str| is_interactive(line.split_whitespace());
        for line in ["", "--posix", "-l", "-i", "--rcfile x -i", "-C source", "--norc"] {
            assert!(takes(line), "{line}");
        }
        for line in ["-c ls", "script.sh", "-lc ls", "-x script"] {
            assert!(!takes(line), "{line}");
        }
    }
}
