//! What runs in a terminal's foreground, as the system tells it.

use std::os::fd::BorrowedFd;

/// Programs that take a line and run it.
const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "fish", "dash", "ksh", "ash", "nu", "elvish"];

/// Words of a shell that are followed by one of their own.
const WITH_WORD: [&str; 4] = ["--rcfile", "--init-file", "-C", "--init-command"];

/// Of a foreground's processes so many are looked at: more are no conversation with a person.
const PROCESSES: usize = 64;

/// The number of the system call `read`.
#[cfg(target_arch = "x86_64")]
const READ: &str = "0";
#[cfg(not(target_arch = "x86_64"))]
const READ: &str = "63";

/// The process that leads the foreground; the first one where nobody does.
pub(super) fn foreground(master: BorrowedFd<'_>, first: u32) -> u32 {
    let leader = rustix::termios::tcgetpgrp(master).ok();
    leader.map_or(first, |pid| pid.as_raw_nonzero().get().cast_unsigned())
}

/// A process's short name.
pub(super) fn name(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim().trim_start_matches('-').to_owned()
}

/// Whether a short name is a shell's.
pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name.trim_start_matches('-'))
}

/// Whether a process is a shell that takes commands from its terminal, and not from a file or an argument.
pub(super) fn takes_commands(pid: u32) -> bool {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words: Vec<_> = words.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    is_shell(&name(pid)) && is_interactive(words.iter().skip(1).map(AsRef::as_ref))
}

/// Whether these words after a shell's name have it read its terminal.
pub(super) fn is_interactive<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let mut words = words.filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "-i" | "--interactive" => return true,
            word if WITH_WORD.contains(&word) => drop(words.next()),
            word if word.starts_with("--") => {}
            word if word.starts_with(['-', '+']) && !word.contains('c') => {}
            _ => return false,
        }
    }
    true
}

/// Whether a process, or one it started, waits for somebody to type: it is in a `read` of a terminal.
pub(super) fn reads_terminal(pid: u32) -> bool {
    let mut waiting = vec![pid];
    for _ in 0..PROCESSES {
        let Some(pid) = waiting.pop() else { return false };
        if is_in_read(pid) {
            return true;
        }
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        waiting.extend(
            children.unwrap_or_default().split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    false
}

fn is_in_read(pid: u32) -> bool {
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
    fn a_shell_with_a_script_or_a_line_takes_no_commands() {
        let takes = |line: &str| is_interactive(line.split_whitespace());
        for line in ["", "--posix", "-l", "-i", "--rcfile x -i", "-C source", "--norc"] {
            assert!(takes(line), "{line}");
        }
        for line in ["-c ls", "script.sh", "-lc ls", "-x script"] {
            assert!(!takes(line), "{line}");
        }
    }
}
