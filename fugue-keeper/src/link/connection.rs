//! The link between daemon and keeper: messages and descriptors over a non-blocking `SOCK_SEQPACKET` pair.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::cmsg_space;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use super::messages::{MAX_FRAME, Malformed, Message, SpawnRequest};
use super::spawn_body::SpawnBody;
use super::{codec, spawn_body};

/// The most descriptors in one message: a pane has five and perhaps a snapshot; two are reserved for later.
pub const MAX_FDS: usize = 8;

/// One end of the link. Every descriptor it makes or receives is close-on-exec.
#[derive(Debug)]
pub struct Link(OwnedFd);

struct ReceivedFrame {
    length: usize,
    fds: Vec<OwnedFd>,
    /// Whether descriptors were dropped because this process has no room for more.
    truncated: bool,
}

/// The descriptors that come with `Holding`, `Spawned` and `Adopt`, by name.
#[derive(Debug)]
pub struct PaneFds {
    /// The terminal's master side, non-blocking: output, input, window size.
    pub master: OwnedFd,
    /// The read end of the pipe.
    pub pipe_r: OwnedFd,
    /// The write end of the pipe.
    pub pipe_w: OwnedFd,
    /// The memfd with the output: byte n of the output is at offset n.
    pub segment: OwnedFd,
    /// The program; readable once it has exited.
    pub pidfd: OwnedFd,
    /// The newest stored snapshot.
    pub snapshot: Option<OwnedFd>,
}

impl Link {
    /// Creates a link and returns both ends.
    pub fn pair() -> io::Result<(Self, Self)> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (one, other) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        Ok((Self(one), Self(other)))
    }

    /// The link over a socket that is one end of a pair.
    pub fn from_fd(socket: OwnedFd) -> Self {
        Self(socket)
    }

    /// Sends one message. Fails with `WouldBlock` if the peer has not read enough yet: wait for it, reading meanwhile,
    /// and try again; with `ETOOMANYREFS` if too many descriptors are in flight: try again a little later; with
    /// `BrokenPipe` if the peer is gone, or `ConnectionReset`, once, if it had not read everything.
    pub fn send(&self, message: &Message, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        match message {
            Message::Spawn(request) => self.send_spawn(request, &SpawnBody::new(request)?),
            message => self.send_frame(&codec::encode(message), fds),
        }
    }

    /// Sends a spawn request whose body the sender keeps, to learn how far it got if the keeper is killed.
    pub fn send_spawn(&self, request: &SpawnRequest, body: &SpawnBody) -> io::Result<()> {
        self.send_frame(&codec::encode_spawn(request), &[body.as_fd()])
    }

    /// Sends the keeper the reason why the daemon cannot serve.
    pub fn report_failure(&self, reason: &str) -> io::Result<()> {
        let body = rustix::fs::memfd_create("fugue-failure", MemfdFlags::CLOEXEC)?;
        rustix::io::write(&body, reason.as_bytes())?;
        self.send(&Message::Failed, &[body.as_fd()])
    }

    /// Has the keeper execute this command line, whose first word is a path.
    pub fn request_upgrade(&self, command: &[&Path]) -> io::Result<()> {
        let body = rustix::fs::memfd_create("fugue-upgrade", MemfdFlags::CLOEXEC)?;
        let words: Vec<_> = command.iter().map(|word| word.as_os_str().as_bytes()).collect();
        rustix::io::write(&body, &words.join(&0))?;
        self.send(&Message::Upgrade, &[body.as_fd()])
    }

    /// Returns the same end of the link once more.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Returns the next message, or none yet. The body of a spawn request is among the descriptors. Fails with
    /// `UnexpectedEof` once the peer is gone and all its messages were
    /// read, and with `InvalidData` (with a [`Malformed`] inside) for a frame to be skipped: the link stays usable. If this
    /// process has no room for the descriptors of a started program, its message comes without any.
    pub fn try_recv(&self) -> io::Result<Option<(Message, Vec<OwnedFd>)>> {
        let mut buffer = [0; MAX_FRAME];
        let Some(ReceivedFrame { length, mut fds, truncated }) = self.recv_frame(&mut buffer)? else {
            return Ok(None);
        };
        let mut message = codec::decode(&buffer[..length])?;
        match &mut message {
            Message::Spawn(request) => {
                spawn_body::read(request, fds.last().ok_or(Malformed::Body(request.pane))?)?;
            }
            // This process has too many open files. The message is kept, so that the request can be refused.
            Message::Spawned { .. } if truncated => fds.clear(),
            _ if truncated => return Err(Malformed::Descriptors.into()),
            _ => {}
        }
        Ok(Some((message, fds)))
    }

    /// Sends any bytes as a frame, for tests of malformed frames.
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

    fn recv_frame(&self, buffer: &mut [u8]) -> io::Result<Option<ReceivedFrame>> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
            match recvmsg(&self.0, &mut [IoSliceMut::new(buffer)], &mut control, flags) {
                // Reported once if the peer died with unread messages; what it sent before can still be read.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(errno) => return Err(errno.into()),
                Ok(received) => break received,
            }
        };
        let fds: Vec<OwnedFd> = control.drain().flat_map(descriptors).collect();
        match received.bytes {
            0 if self.peer_is_gone()? => Err(io::ErrorKind::UnexpectedEof.into()),
            0 => Err(Malformed::Empty.into()),
            _ if received.flags.contains(ReturnFlags::TRUNC) => Err(Malformed::TooLong.into()),
            length => Ok(Some(ReceivedFrame {
                length,
                fds,
                truncated: received.flags.contains(ReturnFlags::CTRUNC),
            })),
        }
    }

    /// Tells the end of the stream from an empty frame, which look the same to `recvmsg`.
    fn peer_is_gone(&self) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.0, PollFlags::empty())];
        poll(&mut fds, Some(&Timespec::default()))?;
        Ok(fds[0].revents().contains(PollFlags::HUP))
    }
}

impl From<Link> for OwnedFd {
    fn from(link: Link) -> Self {
        link.0
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
    /// Names the descriptors of a `Holding`, `Spawned` or `Adopt`.
    pub fn from_message(fds: Vec<OwnedFd>) -> io::Result<Self> {
        let mut fds = fds.into_iter();
        let mut next = || fds.next().ok_or(Malformed::Descriptors);
        let (master, pipe_r, pipe_w, segment, pidfd) = (next()?, next()?, next()?, next()?, next()?);
        Ok(Self { master, pipe_r, pipe_w, segment, pidfd, snapshot: fds.next() })
    }
}

fn descriptors(message: RecvAncillaryMessage<'_>) -> Vec<OwnedFd> {
    match message {
        RecvAncillaryMessage::ScmRights(fds) => fds.collect(),
        _ => Vec::new(),
    }
}
