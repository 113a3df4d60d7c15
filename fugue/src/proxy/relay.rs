//! The relay between a line and the daemon. Neither side is read faster than the other accepts.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use fugue_client::LedgerMemory;
use fugue_protocol::input_ledger::{LedgerEntry, LedgerState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::handover::{LineClaim, wait_readable};
use super::key_counts::{KeyCounts, LastWords};

/// The most that is held in each direction.
const BUFFER: usize = 64 << 10;

/// How long the daemon may take to read what is on its way after the line ended.
const LAST_READ: Duration = Duration::from_secs(3);

/// How long a line may take to accept the daemon's last words: one that stands still must not keep the proxy from
/// answering the client's next line.
const LAST_WRITE: Duration = Duration::from_secs(3);

/// How long after its input the output of a line that was cut may break. ssh's server closes one right after the other; the
/// time is for a busy machine. A client that leaves waits this long, if it has typed.
const OUTPUT_BREAKS: Duration = Duration::from_millis(150);

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// The client closed it and heard everything.
    Orderly,
    /// The line dropped, or the client's next line takes it up.
    Dropped,
    /// The daemon closed its end.
    Daemon,
}

/// The relay of one line.
pub(super) struct Relay<'a> {
    socket: UnixStream,
    ledger: Option<LedgerMemory>,
    ledger_sent: bool,
    claim: Option<&'a LineClaim>,
    typed: KeyCounts,
    /// Bytes on their way to the daemon, and to the client.
    up: Vec<u8>,
    down: Vec<u8>,
    input_ended: bool,
    last_words: LastWords,
    /// Whether the daemon was told that nothing more comes.
    is_half_closed: bool,
    /// How the daemon's end of the socket ended, if it did.
    daemon_end: Option<DaemonEnd>,
}

impl<'a> Relay<'a> {
    /// A relay that sends the client these bytes before any from the daemon.
    pub(super) fn new(
        socket: UnixStream,
        ledger: Option<LedgerMemory>,
        claim: Option<&'a LineClaim>,
        first: Vec<u8>,
    ) -> Self {
        Self {
            socket,
            ledger,
            ledger_sent: false,
            claim,
            typed: KeyCounts::new(),
            up: Vec::new(),
            down: first,
            input_ended: false,
            last_words: LastWords::new(),
            is_half_closed: false,
            daemon_end: None,
        }
    }

    /// Relays until the line or the daemon's end closes.
    pub(super) fn run(&mut self) -> io::Result<LineEnd> {
        self.socket.set_nonblocking(true)?;
        rustix::io::ioctl_fionbio(io::stdin(), true)?;
        rustix::io::ioctl_fionbio(io::stdout(), true)?;
        let end = loop {
            let ready = self.wait()?;
            if let Some(end) = self.relay_ready(ready) {
                break end;
            }
        };
        if end == LineEnd::Dropped && self.awaits_farewell() {
            return Ok(LineEnd::Orderly);
        }
        if end != LineEnd::Orderly && self.daemon_end.is_none() {
            self.let_daemon_read();
        }
        Ok(end)
    }

    /// Whether the client's last words say that it left on purpose. ssh may report the end of the output before it passes
    /// on the rest of the input; a line that dropped has no more of it, and a client that asks ends the wait.
    fn awaits_farewell(&mut self) -> bool {
        let until = Instant::now() + LAST_READ;
        while !self.input_ended && !self.claim.is_some_and(LineClaim::is_asked) {
            let stdin = io::stdin();
            let mut fds = vec![PollFd::new(&stdin, PollFlags::IN)];
            fds.extend(self.claim.map(|claim| PollFd::new(claim.listener(), PollFlags::IN)));
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).unwrap_or_default();
            if !matches!(poll(&mut fds, Some(&timeout)), Ok(1..)) {
                break;
            }
            self.input_ended = !self.read_input();
            // Keys that the daemon has not got are typed by the next line.
            self.up.clear();
        }
        self.last_words.are_farewell()
    }

    /// Whether the daemon's socket has taken keys.
    pub(super) fn has_typed(&self) -> bool {
        self.typed.has_any()
    }

    /// The fate of the keys typed over the line, if that is known. While the daemon's end of the socket is open, its
    /// process is alive, perhaps stopped, and types the keys later.
    pub(super) fn delivered(&self) -> Option<Vec<LedgerEntry>> {
        let (end, ledger) = (self.daemon_end?, self.ledger.as_ref()?);
        match ledger.state() {
            // A daemon that lives closes its ledger before its end of the socket: this one died, and what it wrote is
            // final.
            LedgerState::Open => ledger.entries(),
            LedgerState::Closed if end == DaemonEnd::AfterHalfClose => self.typed.entries(),
            LedgerState::Closed | LedgerState::Unopened => None,
        }
    }

    fn wait(&self) -> io::Result<Ready> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let flag = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
        let input = flag(self.up.len() < BUFFER && !self.input_ended, PollFlags::IN);
        let socket =
            flag(self.down.len() < BUFFER, PollFlags::IN) | flag(!self.up.is_empty(), PollFlags::OUT);
        let output = flag(!self.down.is_empty(), PollFlags::OUT);
        // Once the input has ended, it would be ready all the time.
        let input_fd: BorrowedFd<'_> = if self.input_ended { stdout.as_fd() } else { stdin.as_fd() };
        let mut fds = vec![
            PollFd::from_borrowed_fd(input_fd, input),
            PollFd::new(&self.socket, socket),
            PollFd::new(&stdout, output),
        ];
        fds.extend(self.claim.map(|claim| PollFd::new(claim.listener(), PollFlags::IN)));
        while let Err(errno) = poll(&mut fds, None) {
            if errno != Errno::INTR {
                return Err(errno.into());
            }
        }
        let broken = PollFlags::ERR | PollFlags::HUP;
        Ok(Ready {
            input: fds[0].revents().intersects(PollFlags::IN | broken),
            from_daemon: fds[1].revents().intersects(PollFlags::IN | broken),
            line_hung_up: fds[2].revents().intersects(broken),
            at_claim: fds.get(3).is_some_and(|fd| !fd.revents().is_empty()),
        })
    }

    fn relay_ready(&mut self, ready: Ready) -> Option<LineEnd> {
        if ready.at_claim && self.claim.is_some_and(LineClaim::is_asked) {
            return Some(LineEnd::Dropped);
        }
        if ready.input && !self.input_ended && !self.read_input() {
            self.input_ended = true;
        }
        let daemon_ended = ready.from_daemon && !self.read_daemon();
        let daemon_ended = !self.write_daemon() || daemon_ended;
        let line_ended = !self.write_output() || ready.line_hung_up;
        if self.input_ended && self.up.is_empty() {
            // The daemon answers what it was asked, and then closes its end.
            self.half_close();
        }
        match () {
            () if line_ended => Some(LineEnd::Dropped),
            () if daemon_ended => {
                self.write_last_output();
                Some(if self.input_ended { self.end_after_input() } else { LineEnd::Daemon })
            }
            () => None,
        }
    }

    /// How a line ended whose input ended before the daemon: a client that has left accepts output to the end, but that of a
    /// line which was cut breaks, perhaps after the daemon has answered the end of the input.
    fn end_after_input(&self) -> LineEnd {
        let matters = self.claim.is_some() && self.typed.has_any() && !self.last_words.are_farewell();
        let listener = self.claim.map(|claim| claim.listener().as_fd());
        let is_cut = matters && breaks_within(io::stdout().as_fd(), listener, OUTPUT_BREAKS);
        if is_cut { LineEnd::Dropped } else { LineEnd::Orderly }
    }

    /// Reads from the line; returns whether it may have more.
    fn read_input(&mut self) -> bool {
        let mut buffer = [0; BUFFER / 4];
        match rustix::io::read(io::stdin(), &mut buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.up.extend_from_slice(&buffer[..count]);
                self.last_words.read(&buffer[..count]);
                true
            }
            Err(errno) => matches!(errno, Errno::AGAIN | Errno::INTR),
        }
    }

    /// Reads from the daemon; returns whether it may have more.
    fn read_daemon(&mut self) -> bool {
        let mut buffer = [0; BUFFER / 4];
        match (&self.socket).read(&mut buffer) {
            Ok(0) => {
                let orderly = if self.is_half_closed { DaemonEnd::AfterHalfClose } else { DaemonEnd::Abrupt };
                self.daemon_end.get_or_insert(orderly);
                false
            }
            Ok(count) => {
                self.down.extend_from_slice(&buffer[..count]);
                true
            }
            Err(error) if is_retry(&error) => true,
            // It closed the socket without having read everything.
            Err(_) => {
                self.daemon_end = Some(DaemonEnd::Abrupt);
                false
            }
        }
    }

    /// Sends the daemon what it takes, the ledger's descriptor with the first bytes; returns whether it takes more.
    fn write_daemon(&mut self) -> bool {
        while !self.up.is_empty() {
            let written = match &self.ledger {
                Some(ledger) if !self.ledger_sent => ledger.send_with(&self.socket, &self.up),
                _ => (&self.socket).write(&self.up),
            };
            match written {
                Ok(count) => {
                    self.ledger_sent = true;
                    self.typed.sent(&self.up[..count]);
                    self.up.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return is_retry(&error),
            }
        }
        true
    }

    /// Sends the line what it takes; returns whether it takes more.
    fn write_output(&mut self) -> bool {
        while !self.down.is_empty() {
            match rustix::io::write(io::stdout(), &self.down) {
                Ok(count) => drop(self.down.drain(..count)),
                Err(Errno::INTR) => {}
                Err(errno) => return errno == Errno::AGAIN,
            }
        }
        true
    }

    /// Sends the line the daemon's last words, such as a refusal.
    fn write_last_output(&mut self) {
        while self.read_daemon() && self.down.len() < BUFFER {
            // All that the daemon wrote is in its socket already.
            if !wait_readable(&self.socket, Duration::ZERO) {
                break;
            }
        }
        let until = Instant::now() + LAST_WRITE;
        while self.write_output() && !self.down.is_empty() && self.wait_for_line(until) {}
    }

    /// Waits until the line takes more; returns false if it does not in time, or if the client's next line asks.
    fn wait_for_line(&self, until: Instant) -> bool {
        let stdout = io::stdout();
        let mut fds = vec![PollFd::new(&stdout, PollFlags::OUT)];
        fds.extend(self.claim.map(|claim| PollFd::new(claim.listener(), PollFlags::IN)));
        let left = until.saturating_duration_since(Instant::now());
        let ready = poll(&mut fds, Some(&Timespec::try_from(left).unwrap_or_default()));
        ready.is_ok_and(|ready| ready > 0) && !self.claim.is_some_and(LineClaim::is_asked)
    }

    /// Tells the daemon that nothing more comes. If it is gone, the next read says so.
    fn half_close(&mut self) {
        if self.is_half_closed {
            return;
        }
        // Later the daemon closes its ledger because it has read everything; one that did before reads no more, whatever
        // is on its way.
        if self.ledger.as_ref().is_some_and(|ledger| ledger.state() == LedgerState::Closed) {
            self.daemon_end = Some(DaemonEnd::Abrupt);
        }
        let _ = self.socket.shutdown(Shutdown::Write);
        self.is_half_closed = true;
    }

    /// Closes the way to the daemon and waits, for a while, until it has read what is on it.
    fn let_daemon_read(&mut self) {
        let until = Instant::now() + LAST_READ;
        // Only whole frames count: what the daemon did not take is typed by the next line.
        self.up.clear();
        self.half_close();
        let left = || until.saturating_duration_since(Instant::now());
        while wait_readable(&self.socket, left()) && self.read_daemon() {
            self.down.clear();
        }
    }
}

/// Waits until an output breaks, or somebody connects to the listener; returns whether that happened in time.
fn breaks_within(output: BorrowedFd<'_>, listener: Option<BorrowedFd<'_>>, within: Duration) -> bool {
    let mut fds = vec![PollFd::from_borrowed_fd(output, PollFlags::empty())];
    fds.extend(listener.map(|listener| PollFd::from_borrowed_fd(listener, PollFlags::IN)));
    let ready = poll(&mut fds, Some(&Timespec::try_from(within).unwrap_or_default()));
    ready.is_ok_and(|ready| ready > 0)
}

/// How the daemon's end of the socket ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DaemonEnd {
    /// After it was told that nothing more comes, so it has read everything.
    AfterHalfClose,
    /// By itself, or with bytes that it had not read.
    Abrupt,
}

/// What a wait found.
struct Ready {
    input: bool,
    from_daemon: bool,
    line_hung_up: bool,
    at_claim: bool,
}

fn is_retry(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use fugue_protocol::{PaneId, messages};
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

    use super::*;

    fn pane() -> PaneId {
        PaneId::from_bytes([7; 16])
    }

    /// The daemon's end of a relay's socket.
    struct Daemon {
        socket: UnixStream,
        ledger: OwnedFd,
    }

    impl Daemon {
        /// Reads what was typed, and accepts the ledger.
        fn read(socket: UnixStream) -> Self {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let (mut passed, mut bytes) = (RecvAncillaryBuffer::new(&mut space), [0; 256]);
            let buffers = &mut [io::IoSliceMut::new(&mut bytes)];
            recvmsg(&socket, buffers, &mut passed, RecvFlags::empty()).expect("keys");
            let mut ledgers = passed.drain().filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
                _ => None,
            });
            let ledger = ledgers.next().expect("a ledger");
            let daemon = Self { socket, ledger };
            daemon.set_ledger(LedgerState::Open);
            daemon
        }

        fn set_ledger(&self, state: LedgerState) {
            rustix::io::pwrite(&self.ledger, &state.to_bytes(), 0).expect("written");
        }
    }

    /// A relay over which three keys were typed, and its daemon, which has read them.
    fn relay_that_typed() -> (Relay<'static>, Daemon) {
        let (socket, theirs) = UnixStream::pair().expect("a socket");
        let mut relay = Relay::new(socket, LedgerMemory::new().ok(), None, Vec::new());
        relay.up = messages::keys(pane(), b"abc");
        assert!(relay.write_daemon());
        (relay, Daemon::read(theirs))
    }

    fn delivered(mut relay: Relay<'_>, daemon: Daemon) -> Option<Vec<LedgerEntry>> {
        drop(daemon.socket);
        relay.let_daemon_read();
        relay.delivered()
    }

    #[test]
    fn keys_are_known_if_the_input_of_a_dropped_line_ends_before_its_output() {
        let (mut relay, daemon) = relay_that_typed();
        relay.half_close();
        daemon.set_ledger(LedgerState::Closed);
        let all = LedgerEntry { pane: pane(), taken: 3, begun: 3 };
        assert_eq!(
            delivered(relay, daemon),
            Some(vec![all]),
            "it was told of the end, and has read everything"
        );
    }

    #[test]
    fn keys_are_unknown_if_the_daemon_closed_the_connection_by_itself() {
        let (mut relay, daemon) = relay_that_typed();
        daemon.set_ledger(LedgerState::Closed);
        relay.half_close();
        assert_eq!(delivered(relay, daemon), None);
    }
    #[test]
    fn the_output_of_a_line_that_was_cut_breaks_after_its_input() {
        let (reader, output) = io::pipe().expect("a pipe");
        assert!(!breaks_within(output.as_fd(), None, Duration::from_millis(20)), "the client has left");
        let cut = std::thread::spawn(move || drop(reader));
        assert!(breaks_within(output.as_fd(), None, Duration::from_secs(60)));
        cut.join().expect("no panic");
    }
}
