//! The stage of the tests: a keeper with a process of its own, whose daemon is the test.
#![allow(dead_code)] // Each test binary uses its own part of this.

pub mod acting;

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

use acting::Acting;

/// Nothing here takes a tenth of it, unless the machine is very busy.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub const PLAYER: &str = env!("CARGO_BIN_EXE_keeper-player");

/// How the keeper of a story differs from the usual one.
pub struct Setting {
    pub quota: u64,
    pub well: Duration,
    /// Shell commands before the keeper is started, by the same process.
    pub before: &'static str,
    /// The daemon's program.
    pub daemon: PathBuf,
    /// The daemon's part.
    pub part: &'static str,
}

impl Default for Setting {
    fn default() -> Self {
        let well = Duration::ZERO;
        Self { quota: fugue_keeper::QUOTA, well, before: "", daemon: PLAYER.into(), part: "relay" }
    }
}

/// A running keeper. When the test is over its next daemon finds nobody here, and ends it for good.
pub struct Stage {
    hatch: OwnedFd,
    folder: TempDir,
}

impl Stage {
    pub fn new() -> Self {
        Self::with(&Setting::default())
    }

    pub fn with(setting: &Setting) -> Self {
        let folder = TempDir::new().expect("a folder");
        let stage = Self { hatch: open_hatch(&folder.path().join("hatch")), folder };
        stage.start(setting);
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The next daemon the keeper starts, played by the test.
    pub fn daemon(&self) -> Acting {
        let hatch = self.knocked();
        wait_for(&hatch);
        let (_, mut fds) = hatch.try_recv().expect("a daemon").expect("its descriptors");
        let (Some(listener), Some(link)) = (fds.pop(), fds.pop()) else { panic!("two descriptors") };
        Acting::new(Link::from_fd(link), listener, hatch)
    }

    /// The next daemon that says it is there.
    pub fn knocked(&self) -> Link {
        wait_for(&self.hatch);
        Link::from_fd(
            accept_with(&self.hatch, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK).expect("a daemon"),
        )
    }

    fn start(&self, setting: &Setting) {
        let status = Command::new("/bin/sh")
            .args(["-c", &format!("{} exec \"$@\"", setting.before), "sh", PLAYER, "keeper"])
            .args([self.path("client"), self.path("log")])
            .args([setting.quota.to_string(), setting.well.as_millis().to_string()])
            .arg(&setting.daemon)
            .args([Path::new(setting.part), &self.path("hatch"), self.folder.path()])
            .stdin(Stdio::null())
            .status()
            .expect("a starter");
        assert!(status.success(), "the keeper did not start");
    }
}

fn open_hatch(path: &Path) -> OwnedFd {
    let flags = SocketFlags::CLOEXEC;
    let hatch = socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).expect("a socket");
    bind(&hatch, &SocketAddrUnix::new(path).expect("a short path")).expect("a free path");
    listen(&hatch, 16).expect("a listening socket");
    hatch
}

/// Waits until there is something to read, or panics.
pub fn wait_for(fd: impl std::os::fd::AsFd) {
    assert!(ready_within(fd, PATIENCE), "nothing came for {PATIENCE:?}");
}

pub fn ready_within(fd: impl std::os::fd::AsFd, time: Duration) -> bool {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() };
    poll(&mut fds, Some(&time)).expect("poll") > 0
}

/// Looks until it is so. For facts of other processes that nobody is told of.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "not {what} after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn lives(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// A relay ends with the code it is told this way.
pub fn end_with(code: u16) -> Message {
    Message::Ready { version: code, panes: 0 }
}
