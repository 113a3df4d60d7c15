//! A keeper in a separate process, with the test as its daemon.
#![allow(dead_code)] // Each test binary uses its own part of this.

pub(crate) mod test_daemon;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fugue_keeper::{Link, Message};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, listen, socket_with,
};
use tempfile::TempDir;

use test_daemon::TestDaemon;

/// Far longer than any step takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const TEST_BINARY: &str = env!("CARGO_BIN_EXE_keeper-test-processes");

/// The configuration of a test's keeper.
pub(crate) struct KeeperSetup {
    pub quota: u64,
    pub healthy_after: Duration,
    /// Shell commands before the keeper is started, by the same process.
    pub before: &'static str,
    /// The daemon's program.
    pub daemon: PathBuf,
    /// The role of the daemon, as the test binary names it.
    pub role: &'static str,
}

impl Default for KeeperSetup {
    fn default() -> Self {
        let healthy_after = Duration::ZERO;
        Self {
            quota: fugue_keeper::QUOTA,
            healthy_after,
            before: "",
            daemon: TEST_BINARY.into(),
            role: "relay",
        }
    }
}

/// A running keeper. When the test is over, its next daemon cannot connect here and shuts it down.
pub(crate) struct TestKeeper {
    socket: OwnedFd,
    dir: TempDir,
}

impl TestKeeper {
    pub(crate) fn new() -> Self {
        Self::with(&KeeperSetup::default())
    }

    pub(crate) fn with(setup: &KeeperSetup) -> Self {
        let dir = TempDir::new().expect("a dir");
        let keeper = Self { socket: open_socket(&dir.path().join("socket")), dir };
        keeper.start(setup);
        keeper
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The next daemon the keeper starts, played by the test.
    pub(crate) fn daemon(&self) -> TestDaemon {
        let socket = self.connected();
        wait_for(&socket);
        let (_, mut fds) = socket.try_recv().expect("a daemon").expect("its descriptors");
        let (Some(listener), Some(link)) = (fds.pop(), fds.pop()) else { panic!("two descriptors") };
        TestDaemon::new(Link::from_fd(link), listener, socket)
    }

    /// The connection of the next daemon.
    pub(crate) fn connected(&self) -> Link {
        wait_for(&self.socket);
        Link::from_fd(
            accept_with(&self.socket, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK).expect("a daemon"),
        )
    }

    fn start(&self, setup: &KeeperSetup) {
        let status = Command::new("/bin/sh")
            .args(["-c", &format!("{} exec \"$@\"", setup.before), "sh", TEST_BINARY, "keeper"])
            .args([self.path("client"), self.path("log")])
            .args([setup.quota.to_string(), setup.healthy_after.as_millis().to_string()])
            .arg(&setup.daemon)
            .args([Path::new(setup.role), &self.path("socket"), self.dir.path()])
            .stdin(Stdio::null())
            .status()
            .expect("a starter");
        assert!(status.success(), "the keeper did not start");
    }
}

fn open_socket(path: &Path) -> OwnedFd {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).expect("a socket");
    bind(&socket, &SocketAddrUnix::new(path).expect("a short path")).expect("a free path");
    listen(&socket, 16).expect("a listening socket");
    socket
}

/// Waits until there is something to read, or panics.
pub(crate) fn wait_for(fd: impl std::os::fd::AsFd) {
    assert!(ready_within(fd, PATIENCE), "nothing to read for {PATIENCE:?}");
}

pub(crate) fn ready_within(fd: impl std::os::fd::AsFd, time: Duration) -> bool {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() };
    poll(&mut fds, Some(&time)).expect("poll") > 0
}

/// Polls until a condition holds, for facts about other processes that send no event.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "not {what} after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn is_running(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// The message that makes a relay exit with this code.
pub(crate) fn exit_request(code: u16) -> Message {
    Message::Ready { version: code, panes: 0 }
}
