//! Reading frames from a client.

use fugue_protocol::frames::{BadFrame, FrameKind, FrameReader};
use fugue_protocol::limits::GREETING_BYTES;
use fugue_protocol::{PaneId, Refusal};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;

use super::unfinished_frames::{UnfinishedFrame, UnfinishedFrames};

/// The most bytes read from a socket at once.
const READ_BYTES: usize = 16 << 10;

/// A frame from a client.
pub(super) enum ClientFrame {
    /// A message in JSON.
    Message(Vec<u8>),
    /// Keys typed into a pane; empty to announce that keys will follow.
    Keys(PaneId, Vec<u8>),
}

/// The frames of a client, one by one.
pub(super) struct FrameSource {
    socket: OwnedReadHalf,
    reader: FrameReader,
    buffer: Vec<u8>,
    /// A descriptor that came with the greeting; later ones are not accepted.
    passed: Option<OwnedFd>,
    greeted: bool,
    unfinished: UnfinishedFrames,
    /// The frame of which a part has arrived.
    begun: Option<UnfinishedFrame>,
}

impl FrameSource {
    pub(super) fn new(socket: OwnedReadHalf, unfinished: UnfinishedFrames) -> Self {
        Self {
            socket,
            reader: FrameReader::new(GREETING_BYTES),
            buffer: vec![0; READ_BYTES],
            passed: None,
            greeted: false,
            unfinished,
            begun: None,
        }
    }

    /// Accepts frames up to this limit after the greeting, and returns the descriptor that came with it.
    pub(super) fn greeted(&mut self, limit: usize) -> Option<OwnedFd> {
        self.reader.set_limit(limit);
        self.greeted = true;
        self.passed.take()
    }

    /// Whether a part of the next frame has arrived, or the whole of it.
    pub(super) fn has_more(&self) -> bool {
        self.reader.unfinished().is_some()
    }

    /// Whether the peer has closed the connection, even if not everything that it sent has been read.
    pub(super) fn is_hung_up(&self) -> bool {
        let socket: &UnixStream = self.socket.as_ref();
        let mut polled = [PollFd::new(socket, PollFlags::empty())];
        let asked = poll(&mut polled, Some(&Timespec::default()));
        asked.is_ok() && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }

    /// Returns the next frame, or `None` at the end of the connection.
    pub(super) async fn next(&mut self) -> Result<Option<ClientFrame>, Refusal> {
        loop {
            if let Some((kind, body)) = self.reader.next_frame().map_err(refusal)? {
                self.begun = None;
                return decode(kind, body).map(Some);
            }
            let read = match self.reader.unfinished() {
                Some(arrived) => self.read_rest(arrived).await?,
                None => {
                    self.reader.free_large_buffer();
                    self.read().await
                }
            };
            match read {
                Ok(0) | Err(_) => return Ok(None),
                Ok(count) => self.reader.push(&self.buffer[..count]),
            }
        }
    }

    /// Reads more of a frame that has begun. The time that the daemon itself takes before it reads does not count.
    async fn read_rest(&mut self, arrived: usize) -> Result<io::Result<usize>, Refusal> {
        let mut begun = self.begun.take().unwrap_or_else(|| self.unfinished.begin());
        begun.arrived(arrived);
        let announced = self.reader.announced().unwrap_or(arrived);
        let read = tokio::select! {
            biased;
            refusal = begun.refused(arrived, announced) => return Err(refusal),
            read = self.read() => read,
        };
        self.begun = Some(begun);
        Ok(read)
    }

    async fn read(&mut self) -> io::Result<usize> {
        if self.greeted {
            return self.socket.read(&mut self.buffer).await;
        }
        loop {
            self.socket.readable().await?;
            let (buffer, passed) = (&mut self.buffer, &mut self.passed);
            let socket = self.socket.as_ref();
            match socket.try_io(Interest::READABLE, || receive(socket, buffer, passed)) {
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}

/// Reads with at most one passed descriptor; the kernel closes any others.
fn receive(socket: &UnixStream, buffer: &mut [u8], passed: &mut Option<OwnedFd>) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
    let received = recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut control, flags)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = message {
            *passed = fds.last();
        }
    }
    Ok(received.bytes)
}

fn decode(kind: FrameKind, body: &[u8]) -> Result<ClientFrame, Refusal> {
    let bad = |why: &str| Refusal::BadMessage { why: why.into() };
    match kind {
        FrameKind::Words => Ok(ClientFrame::Message(body.to_vec())),
        FrameKind::Keys => {
            let (pane, bytes) =
                body.split_first_chunk().ok_or_else(|| bad("a `keys` frame must begin with a pane id"))?;
            Ok(ClientFrame::Keys(PaneId::from_bytes(*pane), bytes.to_vec()))
        }
        FrameKind::Screen
        | FrameKind::Recording
        | FrameKind::Clipboard
        | FrameKind::Delivered
        | FrameKind::Image
        | FrameKind::Text => Err(bad("a client cannot send this kind of frame")),
    }
}

fn refusal(error: BadFrame) -> Refusal {
    match error {
        BadFrame::TooLong { bytes, limit } => Refusal::FrameTooLarge { bytes, limit },
        BadFrame::Kind(_) => Refusal::BadMessage { why: error.to_string() },
    }
}
