//! A connection for who polls several things at once: nothing here waits. What is said goes out as the daemon takes
//! it, and what it says is taken as it comes.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use fugue_protocol::framing::FrameReader;
use fugue_protocol::messages::{self, Hello, Role, ServerMessage};
use fugue_protocol::refusal::{Quota, Refused};
use fugue_protocol::{PaneId, Refusal, limits};
use serde_json::value::RawValue;

use crate::connection::{ServerFrame, understand};
use crate::ledger::{Ledger, UndeliveredKeys};
use crate::places::Paths;
use crate::start::{StartPolicy, reach};
use crate::surroundings::Env;
use crate::trouble::CallError;

/// Read from the socket at once.
const PIECE: usize = 64 << 10;

/// Read before whoever polls has a look at its other things.
const TURN: usize = 64;

/// What may wait for a daemon that takes nothing: more than a person types while one is replaced. Past that nothing is
/// taken here, either; whoever types waits.
const UNSENT: usize = 1 << 20;

/// A connection that never waits.
#[derive(Debug)]
pub struct PollConnection {
    socket: UnixStream,
    reader: FrameReader,
    piece: Vec<u8>,
    unsent: Vec<u8>,
    /// Bytes that the socket has taken.
    sent: u64,
    /// What was typed and is not in the socket yet, with where in the stream it ends.
    typed: VecDeque<(u64, PaneId, Vec<u8>)>,
    /// What was asked and is not in the socket yet, with where its frame ends.
    asked: VecDeque<(u64, u64)>,
    /// What was typed and may not have arrived; none where memory for it could not be had.
    ledger: Option<Ledger>,
    /// The ledger was handed over.
    handed: bool,
    /// The daemon went away and left something unread.
    unread: bool,
    last_id: u64,
    client: Option<u64>,
}

impl PollConnection {
    /// A connection to the daemon at these places.
    pub fn open(places: &Paths, role: Role, starting: StartPolicy) -> Result<Self, CallError> {
        let pane = Env::own().claimed_pane(&places.socket);
        Self::on(reach(places, starting)?, Hello::new(role, pane))
    }

    fn on(socket: UnixStream, hello: Hello) -> Result<Self, CallError> {
        socket.set_nonblocking(true).map_err(CallError::Lost)?;
        Ok(Self {
            socket,
            reader: FrameReader::new(limits::REPLY_BYTES),
            piece: vec![0; PIECE],
            unsent: messages::greeting(hello).map_err(strange)?,
            sent: 0,
            typed: VecDeque::new(),
            asked: VecDeque::new(),
            ledger: Ledger::new().ok(),
            handed: false,
            unread: false,
            last_id: 0,
            client: None,
        })
    }

    /// Asks for a verb by its name and gives the request's id.
    pub fn ask(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        self.has_room()?;
        self.last_id += 1;
        self.unsent.extend(messages::request_named(self.last_id, verb, args).map_err(strange)?);
        self.asked.push_back((self.end(), self.last_id));
        self.flush()?;
        Ok(self.last_id)
    }

    /// Types into a pane.
    pub fn type_in(&mut self, pane: PaneId, bytes: &[u8]) -> Result<(), CallError> {
        self.has_room()?;
        self.unsent.extend(messages::keys(pane, bytes));
        self.typed.push_back((self.end(), pane, bytes.to_vec()));
        if let Some(ledger) = &mut self.ledger {
            ledger.type_in(pane, bytes);
        }
        self.flush()
    }

    /// Says that something is about to be typed into a pane: the daemon wakes up while it is read. Where other things
    /// wait to be said, it is awake.
    pub fn expect(&mut self, pane: PaneId) -> Result<(), CallError> {
        if self.client.is_some() && self.unsent.is_empty() {
            self.unsent.extend(messages::keys(pane, &[]));
            self.flush()?;
        }
        Ok(())
    }

    /// Whether so much waits for the daemon that nothing more is taken. One frame may go over the bound.
    pub fn is_full(&self) -> bool {
        self.unsent.len() >= UNSENT
    }

    fn has_room(&self) -> Result<(), CallError> {
        let refusal = || Refusal::TooMany { what: Quota::UnsentBytes, limit: UNSENT };
        if self.is_full() { Err(CallError::from(Refused::from(&refusal()))) } else { Ok(()) }
    }

    /// Where in the stream the next frame begins.
    fn end(&self) -> u64 {
        self.sent + self.unsent.len() as u64
    }

    /// Whether a request certainly never reached the daemon: it may be asked again on another line.
    pub fn never_sent(&self, id: u64) -> bool {
        self.asked.iter().any(|(_, asked)| *asked == id)
    }

    /// What became of what was typed, now that the daemon is gone for good: what did not arrive may be typed again on
    /// another line. A daemon that kept no ledger leaves only what never left.
    pub fn settle(mut self) -> UndeliveredKeys {
        self.ledger.as_mut().and_then(Ledger::settle).unwrap_or_else(|| {
            let again = self.typed.drain(..).map(|(_, pane, bytes)| (pane, bytes)).collect();
            UndeliveredKeys { again, doubtful: 0, unsure: self.unread }
        })
    }

    /// The number that the daemon gave this connection, once it said so.
    pub fn client(&self) -> Option<u64> {
        self.client
    }

    /// Whether something waits until the daemon takes it.
    pub fn wants_to_write(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Sends as much as the daemon takes now.
    pub fn flush(&mut self) -> Result<(), CallError> {
        while !self.unsent.is_empty() {
            match self.write() {
                Ok(count) => self.taken(count),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => break,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                // A daemon that refuses says why before it closes: that is read next.
                Err(why) if why.kind() == io::ErrorKind::BrokenPipe => break,
                Err(why) => return Err(self.lost(why)),
            }
        }
        Ok(())
    }

    /// The first bytes hand over the ledger.
    fn write(&mut self) -> io::Result<usize> {
        let ledger = self.ledger.as_ref().filter(|_| !self.handed);
        let written = match ledger {
            Some(ledger) => ledger.hand_over(&self.socket, &self.unsent),
            None => self.socket.write(&self.unsent),
        };
        self.handed |= written.is_ok();
        written
    }

    /// The socket took so many bytes more; a frame is the daemon's when it has its end.
    fn taken(&mut self, count: usize) {
        self.unsent.drain(..count);
        self.sent += count as u64;
        while self.typed.front().is_some_and(|(end, ..)| *end <= self.sent) {
            self.typed.pop_front();
        }
        while self.asked.front().is_some_and(|(end, _)| *end <= self.sent) {
            self.asked.pop_front();
        }
    }

    /// A peer that closes with something unread resets the connection: the system tells so, once.
    fn lost(&mut self, why: io::Error) -> CallError {
        self.unread |= why.kind() == io::ErrorKind::ConnectionReset;
        CallError::Lost(why)
    }

    /// All that the daemon has said by now. CallError comes alone, after what was said before it.
    pub fn hear(&mut self) -> Result<Vec<ServerFrame>, CallError> {
        let mut heard = Vec::new();
        for _ in 0..TURN {
            let end = match self.socket.read(&mut self.piece) {
                Ok(0) => Some(CallError::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.reader.push(&self.piece[..count]);
                    self.understood(&mut heard)?;
                    // Less than there was room for is all there was.
                    match count == self.piece.len() {
                        true => continue,
                        false => None,
                    }
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => None,
                Err(why) => Some(self.lost(why)),
            };
            match end {
                Some(trouble) if heard.is_empty() => return Err(trouble),
                _ => break,
            }
        }
        Ok(heard)
    }

    fn understood(&mut self, heard: &mut Vec<ServerFrame>) -> Result<(), CallError> {
        while let Some((kind, body)) = self.reader.next_frame().map_err(strange)? {
            if self.client.is_none() {
                self.client = welcomed(body);
            }
            heard.extend(understand(kind, body)?);
        }
        Ok(())
    }
}

impl AsFd for PollConnection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The number in a welcome, which is the first thing a daemon says.
fn welcomed(body: &[u8]) -> Option<u64> {
    let message: ServerMessage<'_> = serde_json::from_slice(body).ok()?;
    message.welcome.map(|welcome| welcome.client)
}

fn strange(why: impl std::fmt::Display) -> CallError {
    CallError::Strange(why.to_string())
}

#[cfg(test)]
mod tests;
