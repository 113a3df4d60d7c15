//! Frames from a client.

use fugue_protocol::frames::{BadFrame, FrameKind, FrameReader};
use fugue_protocol::limits::GREETING_BYTES;
use fugue_protocol::{PaneId, Refusal};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::cmsg_space;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;

/// Read from a socket at once.
const PIECE: usize = 16 << 10;

/// What a client says.
pub(super) enum Said {
    Words(Vec<u8>),
    /// What a person typed into a pane; nothing yet, if that is about to come.
    Keys(PaneId, Vec<u8>),
}

/// A client's frames, one by one.
pub(super) struct Incoming {
    socket: OwnedReadHalf,
    reader: FrameReader,
    piece: Vec<u8>,
    /// A descriptor that came with the greeting; none is taken later.
    handed: Option<OwnedFd>,
    greeted: bool,
}

impl Incoming {
    pub(super) fn new(socket: OwnedReadHalf) -> Self {
        Self {
            socket,
            reader: FrameReader::new(GREETING_BYTES),
            piece: vec![0; PIECE],
            handed: None,
            greeted: false,
        }
    }

    /// The client has greeted: its frames may be so long. Gives what it handed over.
    pub(super) fn greeted(&mut self, limit: usize) -> Option<OwnedFd> {
        self.reader.set_limit(limit);
        self.greeted = true;
        self.handed.take()
    }

    /// The next frame; nothing when the client is done.
    pub(super) async fn next(&mut self) -> Result<Option<Said>, Refusal> {
        loop {
            if let Some((kind, body)) = self.reader.next_frame().map_err(refusal)? {
                return understand(kind, body).map(Some);
            }
            match self.read().await {
                Ok(0) | Err(_) => return Ok(None),
                Ok(count) => self.reader.push(&self.piece[..count]),
            }
        }
    }
}

impl Incoming {
    async fn read(&mut self) -> io::Result<usize> {
        if self.greeted {
            return self.socket.read(&mut self.piece).await;
        }
        loop {
            self.socket.readable().await?;
            let (piece, handed) = (&mut self.piece, &mut self.handed);
            let socket = self.socket.as_ref();
            match socket.try_io(Interest::READABLE, || receive(socket, piece, handed)) {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

/// Reads with what is handed over: one descriptor, of more the system lets go.
fn receive(socket: &UnixStream, piece: &mut [u8], handed: &mut Option<OwnedFd>) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let received = recvmsg(socket, &mut [IoSliceMut::new(piece)], &mut control, flags)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            *handed = fds.last();
        }
    }
    Ok(received.bytes)
}

fn understand(kind: FrameKind, body: &[u8]) -> Result<Said, Refusal> {
    let bad = |why: &str| Refusal::BadMessage { why: why.into() };
    match kind {
        FrameKind::Words => Ok(Said::Words(body.to_vec())),
        FrameKind::Keys => {
            let (pane, bytes) = body.split_first_chunk().ok_or_else(|| bad("keys name their pane"))?;
            Ok(Said::Keys(PaneId::from_bytes(*pane), bytes.to_vec()))
        }
        FrameKind::Screen | FrameKind::Recording | FrameKind::Clipboard => {
            Err(bad("clients send words, not screens"))
        }
    }
}

fn refusal(garbage: BadFrame) -> Refusal {
    match garbage {
        BadFrame::TooLong { bytes, limit } => Refusal::FrameTooLarge { bytes, limit },
        BadFrame::Kind(_) => Refusal::BadMessage { why: garbage.to_string() },
    }
}
