//! Clients that wait while no daemon is running: they end the pause before the next start, and are told why none can be
//! started.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::net::{SendFlags, SocketFlags, accept_with, send};

use crate::keeper::Keeper;
use crate::link::messages::Exit;

/// The least time between two starts that clients ask for, so that many clients do not use up a processor.
const MIN_START_INTERVAL: Duration = Duration::from_millis(250);

/// The starts that fail in a row before waiting clients are told: the first failure may have been an accident.
const TOLD_AFTER: u32 = 2;

/// The longest reason that is kept, in bytes: some sentences with paths.
const MAX_REASON: usize = 4 << 10;

/// The clients that are answered in one turn: as many as the socket's backlog holds on most systems.
const MAX_CLIENTS: usize = 4_096;

/// The clients that are accepted before they are answered: half of the descriptors that a process may usually have.
const CLIENTS_AT_ONCE: usize = 512;

impl Keeper {
    /// Notes that a daemon is being started.
    pub(crate) fn note_start(&mut self, now: Instant) {
        self.failed_starts.last_start = Some(now);
        self.failed_starts.asked_for = self.has_waiting_client();
    }

    fn has_waiting_client(&self) -> bool {
        let mut fds = [PollFd::new(&self.config.listener, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0)
    }

    /// Whether a client that connects ends the pause before the next start.
    pub(crate) fn awaits_clients(&self) -> bool {
        let earliest = self.earliest_start();
        self.start_at.is_some_and(|at| earliest.is_none_or(|earliest| at > earliest))
    }

    /// Starts the next daemon as soon as possible, because a client asks for one.
    pub(crate) fn end_pause(&mut self, now: Instant) {
        let earliest = self.earliest_start().unwrap_or(now);
        self.start_at = self.start_at.map(|at| at.min(earliest));
    }

    fn earliest_start(&self) -> Option<Instant> {
        self.failed_starts.last_start.map(|at| at + MIN_START_INTERVAL)
    }

    /// Handles a daemon that serves clients.
    pub(crate) fn daemon_serves(&mut self, now: Instant) {
        self.failed_starts.count = 0;
        if let Some(daemon) = &mut self.daemon {
            daemon.serving_since.get_or_insert(now);
        }
        self.trial_serves(now);
    }

    /// Handles the reason that a daemon gives before it exits.
    pub(crate) fn daemon_failed(&mut self, fds: Vec<OwnedFd>) {
        let reason = fds.first().map(read_reason);
        if let Some(daemon) = &mut self.daemon {
            daemon.failure = reason;
        }
    }

    /// Handles a start that failed: clients that wait are told why, unless another start may help. If this keeper ends
    /// because of it, no client connects any more: none must be left without an answer.
    pub(crate) fn start_failed(&mut self, reason: &str) {
        self.failed_starts.count = self.failed_starts.count.saturating_add(1);
        let ends = self.is_of_no_use();
        if ends {
            remove_socket(&self.config.listener);
        }
        let is_told = ends || self.failed_starts.asked_for && self.has_failed_often();
        if let Some(refusal) = self.config.refusal.filter(|_| is_told) {
            let has_programs = self.panes.values().any(|pane| pane.exit.is_none());
            self.answer_clients(&refusal(reason, self.config.log.as_deref(), has_programs));
        }
    }

    /// Whether starts failed so often in a row that another one will not help.
    fn has_failed_often(&self) -> bool {
        self.failed_starts.count >= TOLD_AFTER
    }

    /// Whether no daemon can be started and nothing is held for one.
    pub(crate) fn is_of_no_use(&self) -> bool {
        self.has_failed_often() && self.panes.is_empty() && self.terminations.is_empty()
    }

    /// Sends the clients that wait these bytes and closes their connections.
    pub(crate) fn answer_clients(&self, bytes: &[u8]) {
        answer_clients(&self.config.listener, bytes);
    }
}

/// Accepts the clients that wait, sends each these bytes and closes its connection. Never blocks: a new socket has room
/// for some bytes, and a client that does not take them gets none.
pub fn answer_clients(listener: &OwnedFd, bytes: &[u8]) {
    if fcntl_getfl(listener).and_then(|flags| fcntl_setfl(listener, flags | OFlags::NONBLOCK)).is_err() {
        return;
    }
    let accept = || accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK).ok();
    for _ in 0..MAX_CLIENTS / CLIENTS_AT_ONCE {
        // All are accepted before the first is answered: a client that connects after an answer makes a new request.
        let clients: Vec<OwnedFd> = std::iter::from_fn(accept).take(CLIENTS_AT_ONCE).collect();
        for client in &clients {
            let _ = send(client, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        }
        if clients.len() < CLIENTS_AT_ONCE {
            return;
        }
    }
}

/// Removes the file of a listening socket, to which nobody connects then.
fn remove_socket(listener: &OwnedFd) {
    let Ok(listener) = listener.try_clone().map(UnixListener::from) else { return };
    if let Some(path) = listener.local_addr().ok().as_ref().and_then(|address| address.as_pathname()) {
        let _ = std::fs::remove_file(path);
    }
}

fn read_reason(memfd: &OwnedFd) -> String {
    let mut bytes = vec![0; MAX_REASON];
    let count = rustix::io::pread(memfd, &mut bytes, 0).unwrap_or_default();
    String::from_utf8_lossy(&bytes[..count]).trim().to_owned()
}

/// The reason for a failed start if the daemon gave none.
pub(crate) fn exit_reason(exit: Exit, uptime: Duration) -> String {
    let after = format!("after {} ms", uptime.as_millis());
    match exit {
        Exit::Code(code) => format!("it exited with code {code} {after}"),
        Exit::Signal(signal) => format!("it was killed by signal {signal} {after}"),
        Exit::Unknown => format!("it ended {after}"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_client_that_asks_again_after_its_answer_is_not_given_the_same_one() {
        /// As many as take longer to answer than the first takes to connect again.
        const CLIENTS: usize = 400;
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("socket");
        let listener = OwnedFd::from(UnixListener::bind(&path).expect("a socket"));
        let connect = || UnixStream::connect(&path).expect("a connection");
        let mut first = connect();
        let others: Vec<_> = (1..CLIENTS).map(|_| connect()).collect();
        let again = std::thread::scope(|scope| {
            let again = scope.spawn(|| {
                let mut answer = String::new();
                first.read_to_string(&mut answer).expect("an answer");
                assert_eq!(answer, "no");
                connect()
            });
            answer_clients(&listener, b"no");
            again.join().expect("it asked again")
        });
        again.set_nonblocking(true).expect("a flag");
        assert!(
            (&again).read(&mut [0; 8]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
        );
        for mut other in others {
            let mut answer = String::new();
            other.read_to_string(&mut answer).expect("an answer");
            assert_eq!(answer, "no");
        }
    }
}
