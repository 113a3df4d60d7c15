//! What a line that dropped leaves to the next one: how many of the keys typed over it reached the programs. The next
//! line's proxy asks for it under the line's key, at a socket in the abstract namespace, which leaves no file behind.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fugue_keeper::peer_credentials;
use fugue_protocol::frames;
use fugue_protocol::input_ledger::{BYTES, LedgerEntry, delivered_frame, read_delivered};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, inotify, memfd_create};
use rustix::io::Errno;

use super::dropped_lines;

/// How long the end of a line is remembered: a laptop may be asleep overnight.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// How long it is remembered after it was asked for: the answer may be lost with the next line.
const REMEMBERED_AFTER_ANSWER: Duration = Duration::from_secs(60);

/// How long the proxy of the former line may take to answer: it lets the daemon read what is on its way first.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The key of a line.
#[derive(Debug, Clone)]
pub(super) struct LineKey(String);

impl LineKey {
    pub(super) fn parse(key: &str) -> Result<Self, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let is_key = (1..=64).contains(&key.len()) && key.chars().all(plain);
        is_key.then(|| Self(key.to_owned())).ok_or_else(|| "not a connection id".into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    fn address(&self) -> io::Result<SocketAddr> {
        SocketAddr::from_abstract_name(format!("fugue-{}", self.0))
    }
}

/// The place at which a line's proxy is asked. Every user of the host can see and reach it, so only a process of the
/// same user counts.
pub(super) struct LineClaim {
    listener: UnixListener,
    owner: u32,
    /// The next line, once it has asked.
    next_line: OnceCell<UnixStream>,
}

impl LineClaim {
    pub(super) fn new(key: &LineKey) -> io::Result<Self> {
        let listener = UnixListener::bind_addr(&key.address()?)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, owner: own_uid(), next_line: OnceCell::new() })
    }

    /// The socket that becomes readable when the next line asks.
    pub(super) fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// Whether the next line has asked. Refuses whoever else connected.
    pub(super) fn is_asked(&self) -> bool {
        while self.next_line.get().is_none()
            && let Ok((socket, _)) = self.listener.accept()
        {
            if is_of(self.owner, &socket) {
                let _ = self.next_line.set(socket);
            }
        }
        self.next_line.get().is_some()
    }

    /// Answers the next line, and leaves the answer to a process of its own, since ssh ends only with this one; unless
    /// there are too many.
    pub(super) fn hand_over(mut self, delivered: &[LedgerEntry], state: &Path) {
        let answer = delivered_frame(Some(delivered));
        let asked = self.next_line.take();
        let is_answered = asked.is_some_and(|socket| reply(&socket, &answer).is_ok());
        // Without it the client says that it does not know.
        if let Some(slot) = dropped_lines::take_slot(state) {
            let _ = self.leave_behind(&answer, slot, is_answered);
        }
    }

    /// Answers the next line, if it has asked.
    pub(super) fn answer(mut self, delivered: &[LedgerEntry]) {
        let answer = delivered_frame(Some(delivered));
        self.next_line.take().into_iter().for_each(|socket| drop(reply(&socket, &answer)));
    }

    fn leave_behind(self, answer: &[u8], slot: File, is_answered: bool) -> io::Result<()> {
        let mut memory = File::from(memfd_create("fugue-delivered", MemfdFlags::CLOEXEC)?);
        memory.write_all(answer)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["proxy", "--remember"]).current_dir("/");
        if is_answered {
            command.arg("--answered");
        }
        // The process writes nothing to the slot, but keeps it.
        command.stdin(OwnedFd::from(self.listener)).stdout(Stdio::from(memory)).stderr(Stdio::from(slot));
        command.spawn().map(drop)
    }
}

/// Answers with what was handed over, for as long as a client may come back. Standard input is the listening socket,
/// standard output the answer, and standard error the slot. A line that was answered already may ask once more.
pub(super) fn remember(is_answered: bool) {
    let _ = rustix::process::setsid();
    let handed_over = (io::stdin().as_fd().try_clone_to_owned(), io::stdout().as_fd().try_clone_to_owned());
    let (Ok(listener), Ok(answer)) = handed_over else { return };
    let (listener, mut answer, mut bytes) = (UnixListener::from(listener), File::from(answer), Vec::new());
    if answer.rewind().and_then(|()| answer.read_to_end(&mut bytes)).is_err() {
        return;
    }
    let slot_end = SlotEnd::watch();
    let mut until = Instant::now() + if is_answered { REMEMBERED_AFTER_ANSWER } else { REMEMBERED };
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        let mut fds = vec![PollFd::new(&listener, PollFlags::IN)];
        fds.extend(slot_end.as_ref().map(|end| PollFd::new(&end.0, PollFlags::IN)));
        let timeout = Timespec::try_from(left).unwrap_or_default();
        if poll(&mut fds, Some(&timeout)).is_err_and(|errno| errno != Errno::INTR) || SlotEnd::is_over() {
            return;
        }
        if wait_readable(&listener, Duration::ZERO)
            && let Ok((socket, _)) = listener.accept()
            && is_of(own_uid(), &socket)
            && reply(&socket, &bytes).is_ok()
        {
            until = until.min(Instant::now() + REMEMBERED_AFTER_ANSWER);
        }
    }
}

/// Tells when the slot's file is deleted: the daemon does that when it is shut down.
struct SlotEnd(OwnedFd);

impl SlotEnd {
    fn watch() -> Option<Self> {
        let watch = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).ok()?;
        let flags = inotify::WatchFlags::ATTRIB | inotify::WatchFlags::DELETE_SELF;
        inotify::add_watch(&watch, "/proc/self/fd/2", flags).ok()?;
        Some(Self(watch))
    }

    /// Whether the file has no name any more.
    fn is_over() -> bool {
        rustix::fs::fstat(io::stderr()).is_ok_and(|slot| slot.st_nlink == 0)
    }
}

fn reply(mut socket: &UnixStream, answer: &[u8]) -> io::Result<()> {
    socket.set_nonblocking(false)?;
    socket.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    socket.write_all(answer)
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether the other end of a socket is a process of this user.
fn is_of(uid: u32, socket: &UnixStream) -> bool {
    peer_credentials(socket).is_ok_and(|peer| peer.uid == uid)
}

/// Asks the proxy of a former line, which ends it. Returns none if nobody knows.
pub(super) fn ask(key: &LineKey) -> Option<Vec<LedgerEntry>> {
    let mut socket = UnixStream::connect_addr(&key.address().ok()?).ok()?;
    if !is_of(own_uid(), &socket) {
        return None;
    }
    socket.set_read_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    let mut answer = Vec::new();
    (&mut socket).take((frames::HEADER + 1 + BYTES) as u64).read_to_end(&mut answer).ok()?;
    read_delivered(answer.get(frames::HEADER..)?)
}

/// Waits until a descriptor is readable, for at most this long.
pub(super) fn wait_readable(fd: &impl AsFd, within: Duration) -> bool {
    let timeout = Timespec::try_from(within).unwrap_or_default();
    matches!(poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&timeout)), Ok(1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_plain() {
        assert!(LineKey::parse("line-00ff").is_ok());
        for bad in ["", "a b", "a/b", &"a".repeat(65)] {
            assert!(LineKey::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_line_is_taken_up_only_by_its_own_user() {
        let key = LineKey::parse(&format!("line-test-{}", std::process::id())).expect("a key");
        let connect = || UnixStream::connect_addr(&key.address().expect("an address")).expect("connected");
        let claim = LineClaim { owner: own_uid() + 1, ..LineClaim::new(&key).expect("a claim") };
        let mut stranger = connect();
        assert!(!claim.is_asked());
        assert_eq!(stranger.read(&mut [0; 1]).expect("no error"), 0, "the stranger is refused at once");
        let claim = LineClaim { owner: own_uid(), ..claim };
        let _next = connect();
        assert!(claim.is_asked());
    }

    #[test]
    fn nobody_answers_for_a_line_that_never_was() {
        assert_eq!(ask(&LineKey::parse("line-never").expect("a key")), None);
    }
}
