//! A connection that never blocks, for a client that polls several descriptors. It also tracks typed keys, so that
//! those a daemon did not deliver before it crashed can be typed again.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use fugue_protocol::messages::{self, Hello, Role};
use fugue_protocol::refusal::{Quota, Refused};
use fugue_protocol::verbs::VerbSpec;
use fugue_protocol::{PaneId, Refusal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::value::{RawValue, to_raw_value};

use crate::call_error::{CallError, malformed};
use crate::client_session::ClientSession;
use crate::daemon_watch::DaemonWatch;
use crate::input_ledger::{Ledger, UndeliveredKeys};
use crate::paths::Paths;
use crate::paths::StartPolicy;
use crate::remote_host::RemoteHost;
use crate::server_frame::ServerFrame;
use crate::ssh_line::{EXIT_TIMEOUT, LineRequest, Questions, SshLine, line_key};
use crate::startup::{connect_now, connect_or_start, hello};

/// The number of reads after which the caller's other descriptors get their turn.
const READS_PER_TURN: usize = 64;

/// The most that is queued for a daemon that does not read: more than a person types while one is replaced. Past that
/// requests and keys are refused, and the caller stops reading its own input.
const MAX_UNSENT: usize = 1 << 20;

/// The line to another host.
#[derive(Debug)]
struct HostLine {
    ssh: SshLine,
    /// The key by which the next line asks what became of the keys typed over this one.
    key: String,
    /// The line ended before the welcome: its ssh process, whose exit is waited for because it says why.
    exit: Option<LineExit>,
}

/// An ssh process that closed its end.
#[derive(Debug)]
struct LineExit {
    process: OwnedFd,
    /// A process that has not exited by then is ended.
    until: Instant,
}

/// A connection that never blocks.
#[derive(Debug)]
pub struct PollConnection {
    socket: UnixStream,
    session: ClientSession,
    /// Keys that are not in the socket yet, each with the end of its frame in the stream.
    unsent_keys: VecDeque<(u64, PaneId, Vec<u8>)>,
    /// Requests that are not in the socket yet: the end of the frame, and the id.
    unsent_requests: VecDeque<(u64, u64)>,
    /// Keys that may not have reached their program; none if there was no memory for the ledger.
    ledger: Option<Ledger>,
    /// Whether the ledger's descriptor has been sent.
    ledger_sent: bool,
    /// Whether nothing is sent for now.
    corked: bool,
    /// Whether the daemon closed the connection with unread bytes in its socket.
    reset: bool,
    /// The line to the daemon's host.
    line: Option<HostLine>,
}

impl PollConnection {
    /// Connects to the daemon at these paths.
    pub fn open(paths: &Paths, role: Role, policy: StartPolicy) -> Result<Self, CallError> {
        let hello = hello(paths, role);
        match &paths.host {
            Some(host) => Self::over_ssh(host, policy, Questions::Allowed, None, hello),
            None => Self::over(connect_or_start(paths, policy)?, hello),
        }
    }

    /// Connects again after the connection `former` was lost. Does not wait for a daemon.
    pub fn reopen(paths: &Paths, role: Role, former: Option<&Self>) -> Result<Self, CallError> {
        let hello = hello(paths, role);
        match &paths.host {
            Some(host) => {
                let key = former.and_then(|former| Some(former.line.as_ref()?.key.as_str()));
                Self::over_ssh(host, StartPolicy::Never, Questions::Never, key, hello)
            }
            None => Self::over(connect_now(paths)?, hello),
        }
    }

    fn over_ssh(
        host: &RemoteHost,
        start: StartPolicy,
        questions: Questions,
        former: Option<&str>,
        hello: Hello,
    ) -> Result<Self, CallError> {
        let key = line_key();
        let (socket, ssh) = SshLine::open(host, &LineRequest { start, questions, key: Some(&key), former })?;
        let connection = Self::over(socket, hello)?;
        let session = connection.session.on_host(Some(host.host.clone()));
        Ok(Self { line: Some(HostLine { ssh, key, exit: None }), session, ..connection })
    }

    fn over(socket: UnixStream, hello: Hello) -> Result<Self, CallError> {
        socket.set_nonblocking(true).map_err(CallError::Lost)?;
        Ok(Self {
            socket,
            session: ClientSession::new(hello)?,
            unsent_keys: VecDeque::new(),
            unsent_requests: VecDeque::new(),
            ledger: Ledger::new().ok(),
            ledger_sent: false,
            corked: false,
            reset: false,
            line: None,
        })
    }

    /// Calls a verb of the daemon at these paths and waits for its reply, as long as the connection is not polled yet.
    /// Other frames that arrive meanwhile are dropped.
    pub fn call<V: VerbSpec>(&mut self, paths: &Paths, verb: &V) -> Result<V::Reply, CallError> {
        let id = self.send_request(V::NAME, &to_raw_value(verb).map_err(malformed)?)?;
        let reply = self.reply_to(id, &DaemonWatch::new(paths));
        let never_connected = self.line.as_ref().is_some_and(|line| line.ssh.never_connected());
        match reply {
            Ok(reply) => {
                serde_json::from_str(reply.get()).map_err(|why| malformed(why).after_sending(V::NAME))
            }
            Err(error) if never_connected => Err(error),
            Err(error) => Err(self.session.failed(V::NAME, error)),
        }
    }

    fn reply_to(&mut self, id: u64, watch: &DaemonWatch) -> Result<Box<RawValue>, CallError> {
        while self.wants_to_write() {
            let _ = poll(&mut [PollFd::new(&self.socket, PollFlags::OUT)], None);
            self.flush()?;
        }
        loop {
            watch.wait(&self.socket, self.client().is_some())?;
            // For a daemon on another host, it has not waited.
            let left = self.exit().map(|exit| exit.until.saturating_duration_since(Instant::now()));
            let left = left.and_then(|left| Timespec::try_from(left).ok());
            let _ = poll(&mut [PollFd::new(&*self, PollFlags::IN)], left.as_ref());
            for frame in self.read_frames()? {
                match frame {
                    ServerFrame::Answer(answered, answer) if answered == id => {
                        return answer.map_err(CallError::from);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Holds back what is sent from now on, until [`Self::uncork`] sends it all at once.
    pub fn cork(&mut self) {
        self.corked = true;
    }

    /// Sends what was held back.
    pub fn uncork(&mut self) -> Result<(), CallError> {
        self.corked = false;
        self.flush()
    }

    /// Sends a request for the verb of this name and returns its id.
    pub fn send_request(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        self.check_room()?;
        let id = self.session.queue_request(verb, args)?;
        self.unsent_requests.push_back((self.session.end(), id));
        self.flush()?;
        Ok(id)
    }

    /// Types keys into a pane.
    pub fn send_keys(&mut self, pane: PaneId, bytes: &[u8]) -> Result<(), CallError> {
        self.check_room()?;
        self.session.queue(&messages::keys(pane, bytes));
        self.unsent_keys.push_back((self.session.end(), pane, bytes.to_vec()));
        if let Some(ledger) = &mut self.ledger {
            ledger.record(pane, bytes);
        }
        self.flush()
    }

    /// Announces keys for a pane while they are still being read, so that the daemon is awake when they arrive. If
    /// bytes are queued already, it will be.
    pub fn announce_keys(&mut self, pane: PaneId) -> Result<(), CallError> {
        if self.client().is_some() && self.session.unsent() == 0 {
            self.session.queue(&messages::keys(pane, &[]));
            self.flush()?;
        }
        Ok(())
    }

    /// Whether so much waits for the daemon that nothing more is accepted. One frame may exceed the bound.
    pub fn is_full(&self) -> bool {
        self.session.unsent() >= MAX_UNSENT
    }

    fn check_room(&self) -> Result<(), CallError> {
        let refusal = || Refusal::TooMany { what: Quota::UnsentBytes, limit: MAX_UNSENT };
        if self.is_full() { Err(CallError::from(Refused::from(&refusal()))) } else { Ok(()) }
    }

    /// Whether a request certainly never reached the daemon, so that it may be sent again on another connection.
    pub fn never_sent(&self, id: u64) -> bool {
        self.unsent_requests.iter().any(|(_, unsent)| *unsent == id)
    }

    /// Returns the keys that may be typed again on the connection `next`, once that is welcome. If the daemon kept no
    /// ledger, or is still alive, those are only the keys that were never sent.
    pub fn into_undelivered_keys(mut self, next: &Self) -> UndeliveredKeys {
        let delivered = next.session.delivered().filter(|_| self.line.is_some());
        let has_ended = self.has_ended();
        let ledger = self.ledger.as_mut().and_then(|ledger| match delivered {
            Some(entries) => Some(ledger.undelivered_by(entries)),
            None if has_ended => ledger.take_undelivered(),
            None => None,
        });
        // Over a line that dropped, keys may be anywhere. A daemon that is alive may read them later.
        let has_typed = self.ledger.as_mut().is_none_or(|ledger| {
            ledger.prune();
            !ledger.is_empty()
        });
        self.reset |= (self.line.is_some() || !has_ended) && has_typed;
        ledger.unwrap_or_else(|| {
            let again = self.unsent_keys.drain(..).map(|(_, pane, bytes)| (pane, bytes)).collect();
            UndeliveredKeys { again, doubtful: 0, unsure: self.reset }
        })
    }

    /// Whether the other end of the socket is closed. A daemon that lives closes its ledger first, so if that is open,
    /// the daemon is dead.
    fn has_ended(&self) -> bool {
        let mut socket = [PollFd::new(&self.socket, PollFlags::empty())];
        let polled = poll(&mut socket, Some(&Timespec::default()));
        polled.is_ok() && socket[0].revents().contains(PollFlags::HUP)
    }

    /// Tells the proxy on the other host that this client leaves on purpose. Best effort: not if the line accepts nothing.
    pub fn farewell(&self) {
        let is_open = self.line.is_some() && !self.is_ending() && self.session.unsent() == 0;
        if let Some(farewell) = messages::farewell().ok().filter(|_| is_open)
            && (&self.socket).write(&farewell).is_ok_and(|written| written == farewell.len())
        {
            let _ = self.socket.shutdown(std::net::Shutdown::Write);
        }
    }

    /// Gives up a line that does not answer any more, so that a new one can be opened.
    pub fn end_line(&mut self) {
        if let Some(line) = &mut self.line {
            line.ssh.end();
        }
    }

    /// Closes a connection over which nothing is on its way any more. ssh ends by itself, and nobody waits for it.
    pub fn close(self) {
        self.farewell();
        drop(self.socket);
        if let Some(mut line) = self.line {
            std::thread::spawn(move || line.ssh.wait_for_exit());
        }
    }

    /// The number that the daemon gave this connection, once its welcome has arrived.
    pub fn client(&self) -> Option<u64> {
        self.session.client()
    }

    /// Whether bytes wait until the socket is writable.
    pub fn wants_to_write(&self) -> bool {
        self.session.unsent() > 0 && self.exit().is_none()
    }

    fn exit(&self) -> Option<&LineExit> {
        self.line.as_ref()?.exit.as_ref()
    }

    /// Whether the line ended before the welcome, and its reason is waited for. From then on, another descriptor than
    /// before is to be polled.
    pub fn is_ending(&self) -> bool {
        self.exit().is_some()
    }

    /// Sends as much as the socket takes now. The ledger's descriptor goes with the first bytes.
    pub fn flush(&mut self) -> Result<(), CallError> {
        if self.corked || self.is_ending() {
            return Ok(());
        }
        // A descriptor does not reach another host; the proxy there has a ledger of its own.
        let ledger = self.ledger.as_ref().filter(|_| self.line.is_none());
        let (mut socket, ledger_sent) = (&self.socket, &mut self.ledger_sent);
        let flushed = self.session.flush(|bytes| {
            let written = match ledger {
                Some(ledger) if !*ledger_sent => ledger.memory().send_with(socket, bytes),
                _ => socket.write(bytes),
            };
            *ledger_sent |= written.is_ok();
            written
        });
        self.forget_sent();
        flushed.or_else(|error| self.lost(error))
    }

    /// Forgets the frames that the socket has taken whole.
    fn forget_sent(&mut self) {
        let sent = self.session.sent();
        while self.unsent_keys.pop_front_if(|(end, ..)| *end <= sent).is_some() {}
        while self.unsent_requests.pop_front_if(|(end, _)| *end <= sent).is_some() {}
    }

    /// A peer that closes with unread bytes in its socket resets the connection, which is reported once. A line that
    /// ended before the welcome says why when its process exits, and this call does not wait for that.
    fn lost(&mut self, error: io::Error) -> Result<(), CallError> {
        let line = self.line.as_mut().filter(|_| self.session.client().is_none());
        if let Some(line) = line {
            return line.ended();
        }
        self.reset |= error.kind() == io::ErrorKind::ConnectionReset;
        Err(CallError::Lost(error))
    }

    /// Returns all frames that have arrived. An error is returned alone, after the frames that came before it.
    pub fn read_frames(&mut self) -> Result<Vec<ServerFrame>, CallError> {
        let mut frames = Vec::new();
        if let Some(line) = self.line.as_mut().filter(|line| line.exit.is_some()) {
            return line.ended().map(|()| frames);
        }
        for _ in 0..READS_PER_TURN {
            match self.session.fill(|buffer| self.socket.read(buffer)) {
                Ok(is_full) => {
                    while let Some(frame) = self.session.next_frame()? {
                        frames.push(frame);
                    }
                    // A short read emptied the socket.
                    if !is_full {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    let lost = self.lost(error);
                    return if frames.is_empty() { lost.map(|()| frames) } else { Ok(frames) };
                }
            }
        }
        Ok(frames)
    }
}

impl HostLine {
    /// Handles a line that ended. Returns the reason once its process has exited; one that takes too long is ended.
    fn ended(&mut self) -> Result<(), CallError> {
        let is_overdue = self.exit.as_ref().is_some_and(|exit| exit.until <= Instant::now());
        if is_overdue {
            self.ssh.end();
        }
        if self.ssh.has_exited() {
            return Err(self.ssh.failure());
        }
        if self.exit.is_none() {
            let Some(process) = self.ssh.process() else { return Err(self.ssh.failure()) };
            self.exit = Some(LineExit { process, until: Instant::now() + EXIT_TIMEOUT });
        }
        Ok(())
    }
}

impl AsFd for PollConnection {
    /// The descriptor that is readable when something is to be read.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.exit().map_or_else(|| self.socket.as_fd(), |exit| exit.process.as_fd())
    }
}

#[cfg(test)]
mod tests;
