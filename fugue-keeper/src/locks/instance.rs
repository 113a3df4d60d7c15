//! The lock on a state directory, and the address that it contains.
//!
//! The process that starts a keeper takes the lock. The keeper and every daemon inherit the descriptor, so the lock is
//! held as long as one of them lives, and a client finds the daemon through it, whatever the client's environment says.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock, ftruncate};

/// The name of the lock file in the state directory.
const FILE: &str = "lock";

/// The most that is read of the file: two paths that fit into socket addresses, and two numbers.
const MAX_ADDRESS: u64 = 1 << 10;

/// The last line. A file without it is being rewritten, or was written by something else.
const END: &[u8] = b"end";

/// The held lock of a state directory.
#[derive(Debug)]
pub struct InstanceLock(OwnedFd);

/// Where a daemon can be reached, and its processes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DaemonAddress {
    /// The socket that it listens on.
    pub socket: PathBuf,
    /// The socket that it was started with, by which programs in panes know it. Another one if that cannot be bound.
    pub original_socket: PathBuf,
    /// The process id of the keeper; 0 if it is not known yet.
    pub keeper: u32,
    /// The process id of the daemon; 0 if it is not known yet.
    pub daemon: u32,
    /// Whether the daemon was shut down, which leaves no sessions to the next one.
    pub is_shut_down: bool,
}

impl InstanceLock {
    /// Takes the lock of this state directory. Returns none if a keeper or a daemon holds it.
    pub fn try_acquire(state: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).write(true).truncate(false).mode(0o600);
        let file = OwnedFd::from(options.open(state.join(FILE))?);
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Self(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The lock that another process took and left at this descriptor.
    pub fn from_fd(file: OwnedFd) -> Self {
        Self(file)
    }

    /// Returns the same lock once more.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Releases the lock, for every process that inherited it.
    pub fn release(&self) -> io::Result<()> {
        Ok(flock(&self.0, FlockOperation::Unlock)?)
    }

    /// Writes the address for clients to find.
    pub fn publish(&self, address: &DaemonAddress) -> io::Result<()> {
        let text = address.encode();
        rustix::io::pwrite(&self.0, &text, 0)?;
        Ok(ftruncate(&self.0, text.len() as u64)?)
    }
}

impl From<InstanceLock> for OwnedFd {
    fn from(lock: InstanceLock) -> Self {
        lock.0
    }
}

impl AsFd for InstanceLock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl DaemonAddress {
    /// The address in this state directory. It is valid only while the lock is held. Returns none if the file is missing
    /// or cannot be read.
    pub fn read(state: &Path) -> Option<Self> {
        let mut text = Vec::new();
        File::open(state.join(FILE)).ok()?.take(MAX_ADDRESS).read_to_end(&mut text).ok()?;
        Self::decode(&text)
    }

    fn encode(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (name, value) in [("socket", &self.socket), ("original-socket", &self.original_socket)] {
            text.extend([name.as_bytes(), b" ", value.as_os_str().as_bytes(), b"\n"].concat());
        }
        text.extend(format!("keeper {}\ndaemon {}\n", self.keeper, self.daemon).into_bytes());
        if self.is_shut_down {
            text.extend(b"shut-down 1\n");
        }
        text.extend([END, b"\n"].concat());
        text
    }

    /// Reads the lines up to the last; a file that was longer before may have a rest after it.
    fn decode(text: &[u8]) -> Option<Self> {
        let mut address = Self::default();
        for line in text.split(|&byte| byte == b'\n') {
            if line == END {
                return Some(address);
            }
            let (name, value) = line.split_at(line.iter().position(|&byte| byte == b' ')?);
            address.set(name, &value[1..])?;
        }
        None
    }

    fn set(&mut self, name: &[u8], value: &[u8]) -> Option<()> {
        let path = || PathBuf::from(std::ffi::OsString::from_vec(value.to_vec()));
        let number = || std::str::from_utf8(value).ok()?.parse().ok();
        match name {
            b"socket" => self.socket = path(),
            b"original-socket" => self.original_socket = path(),
            b"keeper" => self.keeper = number()?,
            b"daemon" => self.daemon = number()?,
            b"shut-down" => self.is_shut_down = number()? == 1,
            // A later version may write more.
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(socket: &str) -> DaemonAddress {
        let original_socket = "/run/a.sock".into();
        DaemonAddress { socket: socket.into(), original_socket, keeper: 7, daemon: 8, is_shut_down: true }
    }

    #[test]
    fn the_lock_is_held_until_its_last_descriptor_is_closed() {
        let dir = tempfile::tempdir().expect("a directory");
        let held = InstanceLock::try_acquire(dir.path()).expect("a lock").expect("it is free");
        let inherited = held.try_clone().expect("a descriptor");
        drop(held);
        assert!(InstanceLock::try_acquire(dir.path()).expect("an answer").is_none());
        drop(inherited);
        assert!(InstanceLock::try_acquire(dir.path()).expect("an answer").is_some());
    }

    #[test]
    fn a_released_lock_is_free_for_everybody() {
        let dir = tempfile::tempdir().expect("a directory");
        let held = InstanceLock::try_acquire(dir.path()).expect("a lock").expect("it is free");
        let inherited = held.try_clone().expect("a descriptor");
        held.release().expect("released");
        assert!(InstanceLock::try_acquire(dir.path()).expect("an answer").is_some());
        drop(inherited);
    }

    #[test]
    fn the_last_address_is_read_back() {
        let dir = tempfile::tempdir().expect("a directory");
        let held = InstanceLock::try_acquire(dir.path()).expect("a lock").expect("it is free");
        for socket in ["/run/a long path/a.sock", "/b.sock"] {
            held.publish(&address(socket)).expect("written");
            assert_eq!(DaemonAddress::read(dir.path()), Some(address(socket)));
        }
    }

    #[test]
    fn garbage_is_no_address() {
        for garbage in ["", "socket", "socket /a\nkeeper x\nend\n", "socket /a\nkeeper 7\n", "\n\nend\n"] {
            assert_eq!(DaemonAddress::decode(garbage.as_bytes()), None, "{garbage}");
        }
        let longer_before = b"socket /a\nlater field\nend\nend\n17\nend\n";
        assert_eq!(DaemonAddress::decode(longer_before).map(|read| read.socket), Some("/a".into()));
    }
}
