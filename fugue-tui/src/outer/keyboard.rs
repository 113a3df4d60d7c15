//! When the terminal has something to read. A poll of a terminal waits until the kernel's worker that brought the last
//! key has come to rest, and on a busy machine that takes milliseconds, in which the answer could have been painted
//! long ago. So the terminal is watched by its edges: it is looked at when something came, and not at every turn.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::stdio::stdin;

/// The terminal's other end, watched.
pub(crate) struct Keyboard {
    edges: OwnedFd,
}

impl Keyboard {
    pub(crate) fn new() -> io::Result<Self> {
        let edges = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let what = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&edges, stdin(), epoll::EventData::new_u64(0), what)?;
        Ok(Self { edges })
    }

    /// Whether something came since the last time. It must be read then, and all of it: it is not told again.
    pub(crate) fn came(&self) -> bool {
        let mut events = Vec::with_capacity(1);
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(epoll::wait(&self.edges, spare_capacity(&mut events), Some(&now)), Ok(1..))
    }
}

/// For polling, beside other things.
impl AsFd for Keyboard {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.edges.as_fd()
    }
}
