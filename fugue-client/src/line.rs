//! A connection for who polls several things at once: nothing here waits. What is said goes out as the daemon takes
//! it, and what it says is taken as it comes.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use fugue_protocol::framing::Reader;
use fugue_protocol::messages::{self, Hello, Role, ServerMessage};
use fugue_protocol::{PaneId, limits};
use serde_json::value::RawValue;

use crate::connection::{Heard, understand};
use crate::places::Places;
use crate::start::{Starting, reach};
use crate::surroundings::Surroundings;
use crate::trouble::Trouble;

/// Read from the socket at once.
const PIECE: usize = 64 << 10;

/// Read before whoever polls has a look at its other things.
const TURN: usize = 64;

/// A connection that never waits.
#[derive(Debug)]
pub struct Line {
    socket: UnixStream,
    reader: Reader,
    piece: Vec<u8>,
    unsent: Vec<u8>,
    last_id: u64,
    client: Option<u64>,
}

impl Line {
    /// A connection to the daemon at these places.
    pub fn open(places: &Places, role: Role, starting: Starting) -> Result<Self, Trouble> {
        let socket = reach(places, starting)?;
        socket.set_nonblocking(true).map_err(Trouble::Lost)?;
        let pane = Surroundings::own().claimed_pane(&places.socket);
        let unsent = messages::greeting(Hello::new(role, pane)).map_err(strange)?;
        Ok(Self {
            socket,
            reader: Reader::new(limits::REPLY_BYTES),
            piece: vec![0; PIECE],
            unsent,
            last_id: 0,
            client: None,
        })
    }

    /// Asks for a verb by its name and gives the request's id.
    pub fn ask(&mut self, verb: &str, args: &RawValue) -> Result<u64, Trouble> {
        self.last_id += 1;
        self.unsent.extend(messages::request_named(self.last_id, verb, args).map_err(strange)?);
        self.flush()?;
        Ok(self.last_id)
    }

    /// Types into a pane.
    pub fn type_in(&mut self, pane: PaneId, bytes: &[u8]) -> Result<(), Trouble> {
        self.unsent.extend(messages::keys(pane, bytes));
        self.flush()
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
    pub fn flush(&mut self) -> Result<(), Trouble> {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => break,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                // A daemon that refuses says why before it closes: that is read next.
                Err(why) if why.kind() == io::ErrorKind::BrokenPipe => break,
                Err(why) => return Err(Trouble::Lost(why)),
            }
        }
        Ok(())
    }

    /// All that the daemon has said by now. Trouble comes alone, after what was said before it.
    pub fn hear(&mut self) -> Result<Vec<Heard>, Trouble> {
        let mut heard = Vec::new();
        for _ in 0..TURN {
            let end = match self.socket.read(&mut self.piece) {
                Ok(0) => Some(Trouble::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.reader.push(&self.piece[..count]);
                    self.understood(&mut heard)?;
                    continue;
                }
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => None,
                Err(why) => Some(Trouble::Lost(why)),
            };
            match end {
                Some(trouble) if heard.is_empty() => return Err(trouble),
                _ => break,
            }
        }
        Ok(heard)
    }

    fn understood(&mut self, heard: &mut Vec<Heard>) -> Result<(), Trouble> {
        while let Some((kind, body)) = self.reader.next_frame().map_err(strange)? {
            if self.client.is_none() {
                self.client = welcomed(body);
            }
            heard.extend(understand(kind, body)?);
        }
        Ok(())
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The number in a welcome, which is the first thing a daemon says.
fn welcomed(body: &[u8]) -> Option<u64> {
    let message: ServerMessage<'_> = serde_json::from_slice(body).ok()?;
    message.welcome.map(|welcome| welcome.client)
}

fn strange(why: impl std::fmt::Display) -> Trouble {
    Trouble::Strange(why.to_string())
}
