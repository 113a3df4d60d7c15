//! What the command lines of callers' ancestors say about them. A shell is the ancestor of every command that is run in it,
//! so its command line is read once and not for each of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use fugue_agents::ServerCommand;
use fugue_keeper::{ProcessStat, RunningProgram};

/// The most of a command line that is read, in bytes: longer than the longest of a keeper, which has three paths.
const MAX_COMMAND_LINE: usize = 16 << 10;

/// Room for a command line that is read with one system call.
const USUAL_COMMAND_LINE: usize = 4 << 10;

/// The most processes that are remembered: the ancestors of 200 agents are fewer. All are forgotten when there are more.
const MAX_REMEMBERED: usize = 1_024;

/// What the command line of a process says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessCommand {
    /// The state directory, if it is a keeper.
    pub(crate) keeper: Option<PathBuf>,
    pub(crate) server: ServerCommand,
}

/// A process and the program that it runs.
#[derive(PartialEq, Eq)]
struct RunningProcess {
    started: u64,
    program: RunningProgram,
}

/// The commands of processes, as long as they run the same program.
#[derive(Default)]
pub(crate) struct ProcessCommands {
    remembered: HashMap<u32, (RunningProcess, ProcessCommand)>,
}

impl ProcessCommands {
    /// The command of a process of which this was read just before.
    pub(crate) fn of(&mut self, pid: u32, stat: &ProcessStat) -> ProcessCommand {
        let Some(program) = stat.program else { return ProcessCommand::read(pid).0 };
        let process = RunningProcess { started: stat.started, program };
        match self.remembered.get(&pid) {
            Some((known, command)) if *known == process => command.clone(),
            _ => self.read(pid, process),
        }
    }

    /// A program that is about to start has an empty command line for a moment, which is not remembered.
    fn read(&mut self, pid: u32, process: RunningProcess) -> ProcessCommand {
        let (command, is_empty) = ProcessCommand::read(pid);
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
        }
        if is_empty {
            self.remembered.remove(&pid);
        } else {
            self.remembered.insert(pid, (process, command.clone()));
        }
        command
    }
}

impl ProcessCommand {
    /// Reads the command of a process, and whether its command line is empty.
    pub(crate) fn read(pid: u32) -> (Self, bool) {
        let mut buffer = vec![0; USUAL_COMMAND_LINE];
        let line = command_line(pid, &mut buffer);
        let keeper = state_directory(line);
        (Self { keeper, server: ServerCommand::of(&words(line)) }, line.is_empty())
    }
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
    use std::io::Write;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A shell that runs until its input ends, and has written a byte.
    fn shell(script: &str, argument: &str) -> Child {
        let mut child = Command::new("sh")
            .args(["-c", script, argument])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        wait_for_byte(&mut child);
        child
    }

    /// Before it runs, its arguments may not be there yet.
    fn wait_for_byte(child: &mut Child) {
        child.stdout.as_mut().expect("its output").read_exact(&mut [0]).expect("it runs");
    }

    fn end(mut child: Child) {
        drop(child.stdin.take());
        child.wait().expect("it ended");
    }

    fn ask(commands: &mut ProcessCommands, pid: u32) -> ProcessCommand {
        commands.of(pid, &ProcessStat::of(pid).expect("it runs"))
    }

    #[test]
    fn a_command_line_is_read_up_to_its_bound() {
        for length in [100, USUAL_COMMAND_LINE, 60 << 10] {
            let prefix = "sh\0-c\0echo; read line\0";
            let argument = "x".repeat(length - prefix.len() - 1);
            let child = shell("echo; read line", &argument);
            let whole = format!("{prefix}{argument}\0");
            let mut buffer = vec![0; USUAL_COMMAND_LINE];
            let read = command_line(child.id(), &mut buffer);
            assert_eq!(read, &whole.as_bytes()[..length.min(MAX_COMMAND_LINE)]);
            end(child);
        }
    }

    #[test]
    fn a_process_that_executes_another_program_is_read_again() {
        let script = "echo; read line; exec -a claude sh -c 'echo; read line' --resume";
        let mut child = Command::new("bash")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        wait_for_byte(&mut child);
        let mut commands = ProcessCommands::default();
        assert_eq!(ask(&mut commands, child.id()).server, ServerCommand::Unknown);
        assert_eq!(commands.remembered.len(), 1);
        child.stdin.as_mut().expect("its input").write_all(b"\n").expect("written");
        wait_for_byte(&mut child);
        assert_eq!(ask(&mut commands, child.id()).server, ServerCommand::Agent);
        assert_eq!(commands.remembered.len(), 1);
        end(child);
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let own = std::process::id();
        let stat = ProcessStat::of(own).expect("it runs");
        let mut commands = ProcessCommands::default();
        // No process has such a pid, so its command line is empty and not remembered.
        commands.of(u32::MAX, &stat);
        assert!(commands.remembered.is_empty());
        for started in 0..=MAX_REMEMBERED as u64 {
            let known = RunningProcess { started, program: stat.program.expect("its own program") };
            let command = ProcessCommand { keeper: None, server: ServerCommand::Unknown };
            commands.remembered.insert(u32::MAX - started as u32, (known, command));
        }
        commands.of(own, &stat);
        assert_eq!(commands.remembered.len(), 1);
    }

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
