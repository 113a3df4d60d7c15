//! Noticing a daemon that does not answer: stopped, or hung. Only the welcome counts, which a daemon that is merely busy
//! with a request still sends.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fugue_keeper::{DaemonAddress, has_file_open};
use fugue_protocol::messages::{self, Hello, Role};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::call_error::CallError;
use crate::paths::Paths;
use crate::socket::{ANSWER_TIMEOUT, connect_to};
use crate::unresponsive_daemon::UnresponsiveDaemon;

/// The same for a daemon that is running: it may be one of many processes on a slow machine, or read a long journal.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The same for a daemon on another host: ssh has to connect and log in first, perhaps over other hosts.
const HOST_TIMEOUT: Duration = Duration::from_secs(30);

/// A request without a frame for this long makes a probe due; later probes follow at longer intervals.
pub(crate) const FIRST_PROBE: Duration = Duration::from_millis(500);
pub(crate) const NEXT_PROBE: Duration = Duration::from_secs(5);

/// The time for the answer to a probe, so that with the first pause it is as long as `ANSWER_TIMEOUT`.
const PROBE_TIMEOUT: Duration = ANSWER_TIMEOUT.saturating_sub(FIRST_PROBE);

/// How often a busy daemon is looked at again.
const RECHECK: Duration = Duration::from_millis(500);

/// The daemon that a connection waits for.
#[derive(Debug, Clone)]
pub(crate) struct DaemonWatch {
    state: PathBuf,
    socket: PathBuf,
    /// Another host is not probed: ssh notices a line that dropped, and ends.
    host: Option<String>,
}

impl DaemonWatch {
    pub(crate) fn new(paths: &Paths) -> Self {
        let host = paths.host.as_ref().map(|remote| remote.host.name.clone());
        Self { state: paths.state.clone(), socket: paths.socket.clone(), host }
    }

    /// The error for a daemon that accepts connections and does not answer.
    pub(crate) fn unresponsive(&self) -> CallError {
        CallError::Unresponsive(Box::new(self.describe(true)))
    }

    /// The error for a daemon that is running and does not listen.
    pub(crate) fn unreachable(&self) -> CallError {
        CallError::Unresponsive(Box::new(self.describe(false)))
    }

    fn describe(&self, is_connected: bool) -> UnresponsiveDaemon {
        let (log, host) = (self.state.join("log"), self.host.clone());
        if host.is_some() {
            return UnresponsiveDaemon { process: None, is_stopped: false, is_connected, log, host };
        }
        let address = DaemonAddress::read(&self.state).unwrap_or_default();
        let candidates = [("daemon", address.daemon), ("keeper", address.keeper)];
        let lock = self.state.join("lock");
        let is_ours = |name: &str, pid: u32| runs(pid, name) && has_file_open(pid, &lock);
        let process = candidates.into_iter().find(|(name, pid)| is_ours(name, *pid));
        let is_stopped = process.is_some_and(|(_, pid)| matches!(process_state(pid), Some('T' | 't')));
        UnresponsiveDaemon { process, is_stopped, is_connected, log, host }
    }

    /// Whether an answer that has been due since then is late. A daemon that is at work gets more time.
    pub(crate) fn is_late(&self, since: Instant, timeout: Duration) -> bool {
        let elapsed = since.elapsed();
        if self.host.is_some() {
            return elapsed >= HOST_TIMEOUT;
        }
        elapsed >= BUSY_TIMEOUT || elapsed >= timeout && !self.is_at_work()
    }

    /// Whether the daemon, or the one that is starting, runs or waits for a disk.
    fn is_at_work(&self) -> bool {
        let address = DaemonAddress::read(&self.state).unwrap_or_default();
        matches!(process_state(address.daemon), Some('R' | 'D'))
    }

    /// Waits until the socket is readable. A connection that was welcomed is probed meanwhile.
    pub(crate) fn wait(&self, socket: &UnixStream, is_welcome: bool) -> Result<(), CallError> {
        if self.host.is_some() {
            return Ok(());
        }
        let since = Instant::now();
        let mut pause = if is_welcome { FIRST_PROBE } else { ANSWER_TIMEOUT };
        while !is_readable(socket, pause) {
            if is_welcome {
                self.probe()?;
                pause = NEXT_PROBE;
            } else if self.is_late(since, ANSWER_TIMEOUT) {
                return Err(self.unresponsive());
            } else {
                pause = RECHECK;
            }
        }
        Ok(())
    }

    /// Opens another connection and waits for any answer. A daemon that is gone is no failure: its clients notice.
    pub(crate) fn probe(&self) -> Result<(), CallError> {
        if self.host.is_some() {
            return Ok(());
        }
        let since = Instant::now();
        match self.greet() {
            Ok(mut socket) => loop {
                match socket.read(&mut [0; 64]) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    _ => return Ok(()),
                }
                if self.is_late(since, PROBE_TIMEOUT) {
                    return Err(self.unresponsive());
                }
            },
            Err(error) if error.kind() == ErrorKind::WouldBlock => Err(self.unresponsive()),
            Err(_) => Ok(()),
        }
    }

    fn greet(&self) -> std::io::Result<UnixStream> {
        let address = DaemonAddress::read(&self.state).map(|address| address.socket);
        let mut socket = connect_to(address.as_ref().unwrap_or(&self.socket))?;
        socket.set_read_timeout(Some(RECHECK))?;
        socket.write_all(&messages::greeting(Hello::new(Role::Command, None))?)?;
        Ok(socket)
    }
}

impl UnresponsiveDaemon {
    /// Describes the daemon at these paths, which accepts connections and does not answer.
    pub fn at(paths: &Paths) -> Self {
        DaemonWatch::new(paths).describe(true)
    }
}

/// Whether a process is fugue in this role, as far as its command line tells: after the end of a daemon its process id may
/// belong to anything.
fn runs(pid: u32, role: &str) -> bool {
    let command_line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    command_line.split(|byte| *byte == 0).nth(1) == Some(role.as_bytes())
}

/// The state of a process, as in `/proc/PID/stat`.
fn process_state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

fn is_readable(socket: &UnixStream, within: Duration) -> bool {
    let timeout = Timespec::try_from(within).unwrap_or_default();
    // An error counts as readable: the read that follows reports it.
    poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&timeout)) != Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_exists_has_a_state() {
        // The state of the main thread, which waits for this one.
        assert!(matches!(process_state(std::process::id()), Some('R' | 'S')));
        assert_eq!(process_state(0), None);
    }
}
