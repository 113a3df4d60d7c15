//! Codex's queue of messages for a thread, and the files of its threads. `codex queue` writes to the queue; the process
//! that shows the thread takes the message when it is idle, within some ten seconds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use fugue_protocol::conversation::ConversationId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::conversation_file::GrowingFile;
use super::open_files;

/// How far up the agent is: this server may be wrapped by a script or two.
const MAX_ANCESTORS: usize = 8;

/// How long `codex queue` may take: it writes to a database.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);

/// The directory with a lock file for each thread that a process writes.
const LOCKS: &str = "thread-writer-locks";

/// The process that runs this server, and the files of threads that it has open.
struct CodexProcess {
    pid: u32,
    files: Vec<PathBuf>,
}

impl CodexProcess {
    fn find() -> Option<Self> {
        fugue_client::ancestors().take(MAX_ANCESTORS).find_map(|pid| {
            let files = open_files::of_process(pid);
            files.iter().any(|file| is_lock(file)).then_some(Self { pid, files })
        })
    }
}

fn is_lock(file: &Path) -> bool {
    file.parent().is_some_and(|directory| directory.ends_with(LOCKS))
}

/// The thread of the process that runs this server, if it has exactly one.
pub(super) fn only_thread() -> Option<ConversationId> {
    let process = CodexProcess::find()?;
    let mut threads = process.files.iter().filter(|file| is_lock(file));
    let thread = threads.next()?.file_stem()?.to_str()?.parse().ok()?;
    threads.next().is_none().then_some(thread)
}

/// Queues a message for a thread; none if Codex refuses it, as for a thread without a first prompt.
pub(super) async fn queue(thread: &ConversationId, text: &str) -> Option<GrowingFile> {
    let process = CodexProcess::find()?;
    let name = thread.as_str();
    let rollout = process
        .files
        .iter()
        .find(|file| file.to_str().is_some_and(|file| file.contains(name)) && !is_lock(file));
    // The whole thread was recorded before it is opened again for writing, so the file is found by its name as well.
    let rollout = rollout.cloned().or_else(|| recorded(&process, name))?;
    let file = GrowingFile::new(rollout, text, "{\"queued\"");
    let mut command = Command::new(format!("/proc/{}/exe", process.pid));
    command.args(["queue", "--thread", name, "--message", text]);
    command.env_clear().envs(environment(process.pid));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let run = tokio::task::spawn_blocking(move || exit_within(&mut command, QUEUE_TIMEOUT));
    let exit = run.await.ok()?.ok()?;
    // One that was ended may have queued the message.
    exit.is_none_or(|exit| exit.success()).then_some(file)
}

/// Runs a command, and ends it if it takes longer; then there is no exit status.
fn exit_within(command: &mut Command, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let mut child = command.spawn()?;
    let in_time = ends_within(&child, limit);
    if !matches!(in_time, Ok(true)) {
        child.kill()?;
    }
    let exit = child.wait()?;
    in_time.map(|in_time| in_time.then_some(exit))
}

/// Waits until a child has ended; returns whether it did in time.
fn ends_within(child: &Child, limit: Duration) -> io::Result<bool> {
    let pidfd = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let until = Instant::now() + limit;
    loop {
        let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
        match poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&left.map_err(io::Error::other)?)) {
            Err(Errno::INTR) => {}
            ended => return Ok(ended? > 0),
        }
    }
}

/// The file of a thread, below the directory in which its lock is.
fn recorded(process: &CodexProcess, thread: &str) -> Option<PathBuf> {
    let lock = process.files.iter().find(|file| is_lock(file))?;
    let sessions = lock.parent()?.parent()?.join("sessions");
    let ends = format!("-{thread}.jsonl");
    let below = |directories: Vec<PathBuf>| -> Vec<PathBuf> {
        let entries = directories.iter().filter_map(|directory| fs::read_dir(directory).ok());
        entries.flatten().flatten().map(|entry| entry.path()).collect()
    };
    // Year, month, day, file.
    let files = below(below(below(below(vec![sessions]))));
    files.into_iter().find(|file| file.to_str().is_some_and(|file| file.ends_with(&ends)))
}

/// The environment of the agent, which it does not pass on.
fn environment(pid: u32) -> Vec<(String, String)> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.split('\0').filter_map(|entry| entry.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_ended() {
        let begun = Instant::now();
        let exit = exit_within(Command::new("sleep").arg("600"), Duration::from_millis(30)).expect("it runs");
        assert!(exit.is_none() && begun.elapsed() < Duration::from_secs(60));
        let exit = exit_within(&mut Command::new("true"), Duration::from_secs(60)).expect("it runs");
        assert!(exit.expect("an exit status").success());
    }
}
