//! Notices that a program has exited without the keeper, which reports it. The keeper is asked whether it still works then:
//! otherwise nobody would hear of the exit.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The exits that are taken note of at once; more are there in the next turn.
const EVENTS: usize = 64;

/// The running programs, in one set, so that each costs no task of its own. Each reports its exit once.
pub(super) struct ExitWatch {
    set: OwnedFd,
    ready: AsyncFd<OwnedFd>,
}

impl ExitWatch {
    pub(super) fn new() -> io::Result<Self> {
        let set = epoll::create(CreateFlags::CLOEXEC)?;
        let ready = crate::fd_readiness::watch(set.as_fd(), Interest::READABLE)?;
        Ok(Self { set, ready })
    }

    /// Watches a program. If that is not possible, only the keeper tells of its exit.
    pub(super) fn add(&self, pidfd: &OwnedFd) {
        let flags = EventFlags::IN | EventFlags::ONESHOT;
        if let Err(why) = epoll::add(&self.set, pidfd, EventData::new_u64(0), flags) {
            tracing::warn!("Cannot watch a program: {why}");
        }
    }

    /// Watches a program no longer. The keeper has its descriptor, too, so it would stay in the set.
    pub(super) fn remove(&self, pidfd: &OwnedFd) {
        let _ = epoll::delete(&self.set, pidfd);
    }

    /// Waits until a program has exited.
    pub(super) async fn exited(&self) {
        loop {
            let Ok(mut readable) = self.ready.readable().await else { return std::future::pending().await };
            let mut events = [MaybeUninit::uninit(); EVENTS];
            match epoll::wait(&self.set, &mut events, Some(&Timespec::default())) {
                Ok((exited, _)) if !exited.is_empty() => return,
                _ => readable.clear_ready(),
            }
        }
    }
}
