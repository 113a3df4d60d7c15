//! Frames from a client.

use fugue_protocol::framing::{Garbage, Kind, Reader};
use fugue_protocol::limits::GREETING_BYTES;
use fugue_protocol::{PaneId, Refusal};
use tokio::io::AsyncReadExt;
use tokio::net::unix::OwnedReadHalf;

/// Read from a socket at once.
const PIECE: usize = 16 << 10;

/// What a client says.
pub(super) enum Said {
    Words(Vec<u8>),
    /// What a person typed into a pane.
    Keys(PaneId, Vec<u8>),
}

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

    /// The next frame; nothing when the client is done.
    pub(super) async fn next(&mut self) -> Result<Option<Said>, Refusal> {
        loop {
            if let Some((kind, body)) = self.reader.next_frame().map_err(refusal)? {
                return understand(kind, body).map(Some);
            }
            match self.socket.read(&mut self.piece).await {
                Ok(0) | Err(_) => return Ok(None),
                Ok(count) => self.reader.push(&self.piece[..count]),
            }
        }
    }
}

fn understand(kind: Kind, body: &[u8]) -> Result<Said, Refusal> {
    let bad = |why: &str| Refusal::BadMessage { why: why.into() };
    match kind {
        Kind::Words => Ok(Said::Words(body.to_vec())),
        Kind::Keys => {
            let (pane, bytes) = body.split_first_chunk().ok_or_else(|| bad("keys name their pane"))?;
            Ok(Said::Keys(PaneId::from_bytes(*pane), bytes.to_vec()))
        }
        Kind::Screen | Kind::Recording | Kind::Clipboard => Err(bad("clients send words, not screens")),
    }
}

fn refusal(garbage: Garbage) -> Refusal {
    match garbage {
        Garbage::TooLong { bytes, limit } => Refusal::FrameTooLarge { bytes, limit },
        Garbage::Kind(_) => Refusal::BadMessage { why: garbage.to_string() },
    }
}
