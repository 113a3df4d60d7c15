//! An agent's queues of messages for its conversations, to which a command of the agent adds, and the files of the
//! conversations.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use fugue_agents::{KnownAgent, QueueInbox};
use fugue_protocol::conversation::ConversationId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::conversation_file;
use super::conversation_file::GrowingFile;

/// How far up the agent is: this server may be wrapped by a script or two.
const MAX_ANCESTORS: usize = 8;

/// How long the agent's command may take: it writes to a database.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);

/// The process that runs this server, and the files of conversations that it has open.
struct QueueProcess {
    pid: u32,
    locks: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl QueueProcess {
    fn find(inbox: &QueueInbox) -> Option<Self> {
        let is_lock = |file: &PathBuf| file.parent().is_some_and(|parent| parent.ends_with(inbox.locks));
        fugue_client::ancestors().take(MAX_ANCESTORS).find_map(|pid| {
            let (locks, others): (Vec<_>, _) = open_files(pid).into_iter().partition(is_lock);
            (!locks.is_empty()).then_some(Self { pid, locks, others })
        })
    }

    /// The file in which a conversation is recorded. All of it was recorded before it is opened again for writing, so the
    /// file is found by its name as well, below the directory in which its lock is.
    fn record(&self, agent: &KnownAgent, conversation: &str) -> Option<PathBuf> {
        let is_its = |file: &&PathBuf| file.to_str().is_some_and(|file| file.contains(conversation));
        let home = self.locks.first()?.parent()?.parent()?;
        self.others
            .iter()
            .find(is_its)
            .cloned()
            .or_else(|| conversation_file::find(agent, home, conversation))
    }
}

/// The conversation of the process that runs this server, if it has exactly one.
pub(super) fn only_conversation(inbox: &QueueInbox) -> Option<ConversationId> {
    let process = QueueProcess::find(inbox)?;
    let [lock] = process.locks.as_slice() else { return None };
    lock.file_stem()?.to_str()?.parse().ok()
}

/// Queues a message for a conversation; none if the agent refuses it, as for one without a first prompt.
pub(super) async fn queue(
    agent: &KnownAgent,
    inbox: &QueueInbox,
    conversation: &ConversationId,
    text: &str,
) -> Option<GrowingFile> {
    let process = QueueProcess::find(inbox)?;
    let record = process.record(agent, conversation.as_str())?;
    let file = GrowingFile::new(record, text, inbox.queued);
    let mut command = Command::new(format!("/proc/{}/exe", process.pid));
    command.args((inbox.arguments)(conversation.as_str(), text));
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

/// The environment of the agent, which it does not pass on.
fn environment(pid: u32) -> Vec<(String, String)> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let pairs = text.split('\0').filter_map(|entry| entry.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// The files that a process has open.
fn open_files(pid: u32) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
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
