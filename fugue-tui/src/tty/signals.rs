//! Signals, through a descriptor that can be polled.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::{flag, low_level::pipe};

/// What a signal means for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalEvent {
    Resized,
    Terminated,
    HungUp,
    Suspended,
    Continued,
}

const SIGNALS: [(i32, SignalEvent); 9] = [
    (SIGWINCH, SignalEvent::Resized),
    (SIGTERM, SignalEvent::Terminated),
    (SIGINT, SignalEvent::Terminated),
    (SIGQUIT, SignalEvent::Terminated),
    (SIGUSR1, SignalEvent::Terminated),
    (SIGUSR2, SignalEvent::Terminated),
    (SIGHUP, SignalEvent::HungUp),
    (SIGTSTP, SignalEvent::Suspended),
    (SIGCONT, SignalEvent::Continued),
];

/// The signals that arrived.
pub(crate) struct Signals {
    bell: UnixStream,
    flags: Vec<(Arc<AtomicBool>, SignalEvent)>,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        let (bell, ring) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        let mut flags = Vec::new();
        for (signal, event) in SIGNALS {
            let came = Arc::new(AtomicBool::new(false));
            flag::register(signal, Arc::clone(&came))?;
            pipe::register(signal, ring.try_clone()?)?;
            flags.push((came, event));
        }
        Ok(Self { bell, flags })
    }

    /// Takes the signals that arrived since the last call.
    pub(crate) fn take(&mut self) -> Vec<SignalEvent> {
        let mut rings = [0; 64];
        while matches!(self.bell.read(&mut rings), Ok(1..)) {}
        let came = self.flags.iter().filter(|(came, _)| came.swap(false, Ordering::Relaxed));
        came.map(|(_, event)| *event).collect()
    }

    /// Forgets a signal that arrived.
    pub(crate) fn clear(&mut self, event: SignalEvent) {
        let these = self.flags.iter().filter(|(_, meant)| *meant == event);
        these.for_each(|(came, _)| came.store(false, Ordering::Relaxed));
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}
