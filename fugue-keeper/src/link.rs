//! The link between daemon and keeper: messages and descriptors over a `SOCK_SEQPACKET` pair, never blocking.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use crate::wire::{MAX_FRAME, Malformed, Message};
use crate::{body, frame};

/// A pane is five descriptors and perhaps a snapshot; two are room for later.
pub const MAX_FDS: usize = 8;

/// One end of the link. Every descriptor it makes or receives is close-on-exec.
#[derive(Debug)]
pub struct Link(OwnedFd);

struct Received {
    length: usize,
    fds: Vec<OwnedFd>,
    /// There were more descriptors than this process has room for.
    cut: bool,
}

/// The descriptors that come with `Holding` and `Spawned`, by name.
#[derive(Debug)]
pub struct PaneFds {
    /// The terminal's master side, non-blocking: output, input, window size.
    pub master: OwnedFd,
    /// Where output leaves the pipe.
    pub pipe_r: OwnedFd,
    /// Where output enters the pipe.
    pub pipe_w: OwnedFd,
    /// The memfd the output ends up in, byte n of the output at offset n.
    pub segment: OwnedFd,
    /// The program; readable when it has ended.
    pub pidfd: OwnedFd,
    /// The last snapshot stored.
    pub snapshot: Option<OwnedFd>,
}

impl Link {
    /// A new link, both ends.
    pub fn pair() -> io::Result<(Self, Self)> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (one, other) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        Ok((Self(one), Self(other)))
    }

    /// The link over a socket that is one end of a pair.
    pub fn from_fd(socket: OwnedFd) -> Self {
        Self(socket)
    }

    /// Sends one message. `WouldBlock` when the peer has not read enough yet: wait for it, reading meanwhile, and try
    /// again. `ETOOMANYREFS` when too many descriptors are on their way: try again a little later. `BrokenPipe` when
    /// the peer is gone.
    pub fn send(&self, message: &Message, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        match message {
            Message::Spawn(request) => {
                let body = body::write(request)?;
                self.send_frame(&frame::encode(message), &[body.as_fd()])
            }
            message => self.send_frame(&frame::encode(message), fds),
        }
    }

    /// The next message, or none yet. `UnexpectedEof` when the peer is gone and all it said was read; `InvalidData`
    /// (with a [`Malformed`] inside) for a frame to be skipped: the link goes on.
    pub fn try_recv(&self) -> io::Result<Option<(Message, Vec<OwnedFd>)>> {
        let mut buffer = [0; MAX_FRAME];
        let Some(Received { length, mut fds, cut }) = self.recv_frame(&mut buffer)? else {
            return Ok(None);
        };
        let mut message = frame::decode(&buffer[..length])?;
        match &mut message {
            Message::Spawn(request) => body::read(request, fds.pop().ok_or(Malformed::Body(request.pane))?)?,
            _ if cut => return Err(Malformed::Descriptors.into()),
            _ => {}
        }
        Ok(Some((message, fds)))
    }

    /// Sends any bytes as a frame. For tests of the other side's patience.
    #[doc(hidden)]
    pub fn send_frame(&self, frame: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
            return Err(Malformed::Descriptors.into());
        }
        sendmsg(&self.0, &[IoSlice::new(frame)], &mut control, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn recv_frame(&self, buffer: &mut [u8]) -> io::Result<Option<Received>> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
            match recvmsg(&self.0, &mut [IoSliceMut::new(buffer)], &mut control, flags) {
                // Said once when the peer died without reading all of ours; what it sent before is still to be read.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(errno) => return Err(errno.into()),
                Ok(received) => break received,
            }
        };
        let fds: Vec<OwnedFd> = control.drain().flat_map(rights).collect();
        match received.bytes {
            0 if self.peer_is_gone()? => Err(io::ErrorKind::UnexpectedEof.into()),
            0 => Err(Malformed::Empty.into()),
            _ if received.flags.contains(ReturnFlags::TRUNC) => Err(Malformed::TooLong.into()),
            length => Ok(Some(Received { length, fds, cut: received.flags.contains(ReturnFlags::CTRUNC) })),
        }
    }

    /// An empty frame and the end look the same to `recvmsg`.
    fn peer_is_gone(&self) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.0, PollFlags::empty())];
        poll(&mut fds, Some(&Timespec::default()))?;
        Ok(fds[0].revents().contains(PollFlags::HUP))
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Link {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl PaneFds {
    /// Names the descriptors of a `Holding` or `Spawned`.
    pub fn from_message(fds: Vec<OwnedFd>) -> io::Result<Self> {
        let mut fds = fds.into_iter();
        let mut next = || fds.next().ok_or(Malformed::Descriptors);
        let (master, pipe_r, pipe_w, segment, pidfd) = (next()?, next()?, next()?, next()?, next()?);
        Ok(Self { master, pipe_r, pipe_w, segment, pidfd, snapshot: fds.next() })
    }
}

fn rights(message: RecvAncillaryMessage<'_>) -> Vec<OwnedFd> {
    match message {
        RecvAncillaryMessage::ScmRights(fds) => fds.collect(),
        _ => Vec::new(),
    }
}
