//! Frames from a client.

use fugue_protocol::Refusal;
use fugue_protocol::framing::{Garbage, Kind, Reader};
use fugue_protocol::limits::GREETING_BYTES;
use tokio::io::AsyncReadExt;
use tokio::net::unix::OwnedReadHalf;

/// Read from a socket at once.
const PIECE: usize = 16 << 10;

/// A client's frames, one by one.
pub(super) struct Incoming {
    socket: OwnedReadHalf,
    reader: Reader,
    piece: Vec<u8>,
}

impl Incoming {
    pub(super) fn new(socket: OwnedReadHalf) -> Self {
        Self { socket, reader: Reader::new(GREETING_BYTES), piece: vec![0; PIECE] }
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.reader.set_limit(limit);
    }

    /// The next frame's words; nothing when the client is done.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Refusal> {
        loop {
            match self.reader.next_frame().map_err(refusal)? {
                Some((Kind::Words, body)) => return Ok(Some(body.to_vec())),
                Some((Kind::Screen, _)) => {
                    return Err(Refusal::BadMessage { why: "clients send words, not screens".into() });
                }
                None => {}
            }
            match self.socket.read(&mut self.piece).await {
                Ok(0) | Err(_) => return Ok(None),
                Ok(count) => self.reader.push(&self.piece[..count]),
            }
        }
    }
}

fn refusal(garbage: Garbage) -> Refusal {
    match garbage {
        Garbage::TooLong { bytes, limit } => Refusal::FrameTooLarge { bytes, limit },
        Garbage::Kind(_) => Refusal::BadMessage { why: garbage.to_string() },
    }
}
