//! The protocol's client side without I/O: bytes to send, request ids, and frames decoded from received bytes. Each
//! connection wraps one and does the reading and writing in its own way.

use std::io;

use fugue_protocol::frames::FrameReader;
use fugue_protocol::input_ledger::LedgerEntry;
use fugue_protocol::messages::{self, Hello};
use fugue_protocol::refusal::Refused;
use fugue_protocol::{Refusal, SessionName, limits};
use serde_json::value::RawValue;

use crate::call_error::{CallError, malformed};
use crate::remote_host::HostName;
use crate::server_frame::{FrameContext, ServerFrame, decode};

/// The most that is read from the socket at once, as soon as a read has filled the first buffer.
const READ_BYTES: usize = 64 << 10;

/// The size of the first buffer. Most replies fit, and clearing a large one takes a noticeable part of a command's time.
const FIRST_READ_BYTES: usize = 4 << 10;

/// The state of one connection.
#[derive(Debug)]
pub(crate) struct ClientSession {
    reader: FrameReader,
    read_buffer: Vec<u8>,
    /// Bytes that the socket has not taken yet; at first the greeting, which goes out with the first request.
    unsent: Vec<u8>,
    /// The number of bytes that the socket has taken.
    sent: u64,
    /// The daemon reads no more. What it wrote before it closed can still be read.
    write_closed: bool,
    last_id: u64,
    context: FrameContext,
    /// The host of the daemon, if it is another than this one.
    host: Option<HostName>,
}

impl ClientSession {
    /// A session that greets the daemon with `hello`.
    pub(crate) fn new(hello: Hello) -> Result<Self, CallError> {
        Ok(Self {
            reader: FrameReader::new(limits::REPLY_BYTES),
            read_buffer: vec![0; FIRST_READ_BYTES],
            unsent: messages::greeting(hello).map_err(malformed)?,
            sent: 0,
            write_closed: false,
            last_id: 0,
            context: FrameContext::default(),
            host: None,
        })
    }

    /// The session with a daemon on this host.
    pub(crate) fn on_host(self, host: Option<HostName>) -> Self {
        Self { host, ..self }
    }

    /// Queues a request under the next id and returns that id.
    pub(crate) fn queue_request(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        let frame = encode_request(self.last_id + 1, verb, args)?;
        Ok(self.queue_numbered(&frame))
    }

    /// Queues a request whose reply text may come in a frame of its own, and returns its id.
    pub(crate) fn queue_request_for_text(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        let frame = messages::request_for_text(self.last_id + 1, verb, args).map_err(malformed)?;
        Ok(self.queue_numbered(&checked(frame)?))
    }

    fn queue_numbered(&mut self, frame: &[u8]) -> u64 {
        self.last_id += 1;
        self.queue(frame);
        self.last_id
    }

    /// Queues a frame and returns its position in the stream.
    pub(crate) fn queue(&mut self, frame: &[u8]) -> u64 {
        let position = self.end();
        self.unsent.extend_from_slice(frame);
        position
    }

    /// The number of bytes queued so far, sent or not: the position of the next frame.
    pub(crate) fn end(&self) -> u64 {
        self.sent + self.unsent.len() as u64
    }

    /// The number of bytes that the socket has taken.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// The number of bytes that wait for the socket.
    pub(crate) fn unsent(&self) -> usize {
        self.unsent.len()
    }

    /// The error of a request for this verb that was queued: if all of it was sent, it may have been carried out.
    pub(crate) fn failed(&self, verb: &str, error: CallError) -> CallError {
        if self.unsent.is_empty() { error.after_sending(verb) } else { error }
    }

    /// Whether there are bytes to send and a daemon that reads them.
    pub(crate) fn can_send(&self) -> bool {
        !self.unsent.is_empty() && !self.write_closed
    }

    /// Sends queued bytes with `write` until none are left or it would block.
    pub(crate) fn flush(&mut self, mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<()> {
        while self.can_send() {
            match write(&self.unsent) {
                Ok(count) => {
                    self.unsent.drain(..count);
                    self.sent += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A daemon that refuses the connection says why before it closes: that is read next.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.write_closed = true,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes bytes from `read`, which is given a buffer. Returns whether they filled it, so that there may be more. The
    /// end of the stream is an error.
    pub(crate) fn fill(&mut self, mut read: impl FnMut(&mut [u8]) -> io::Result<usize>) -> io::Result<bool> {
        loop {
            match read(&mut self.read_buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.reader.push(&self.read_buffer[..count]);
                    let is_full = count == self.read_buffer.len();
                    if is_full {
                        self.read_buffer.resize(READ_BYTES, 0);
                    }
                    return Ok(is_full);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next frame among the bytes received so far.
    pub(crate) fn next_frame(&mut self) -> Result<Option<ServerFrame>, CallError> {
        let about_host = |error: CallError| error.about_host(self.host.as_ref());
        while let Some((kind, body)) = self.reader.next_frame().map_err(|why| about_host(malformed(why)))? {
            let decoded = decode(kind, body, &mut self.context);
            if let Some(frame) = decoded.map_err(about_host)? {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// The number that the daemon gave this connection, once its welcome has arrived.
    pub(crate) fn client(&self) -> Option<u64> {
        self.context.client
    }

    /// The fate of the keys that were typed over an earlier line to the same host, if anybody knows.
    pub(crate) fn delivered(&self) -> Option<&[LedgerEntry]> {
        self.context.delivered.as_deref()
    }

    /// The session that the daemon assumed for the last reply, because the request named none.
    pub(crate) fn assumed_session(&self) -> Option<&SessionName> {
        self.context.assumed_session.as_ref()
    }

    /// Takes the text that came with the reply to a request.
    pub(crate) fn take_text(&mut self, id: u64) -> Option<String> {
        self.context.text.take_if(|(of, _)| *of == id).map(|(_, text)| text)
    }

    /// The number of unread messages in the caller's inbox, as of the last reply.
    pub(crate) fn unread(&self) -> usize {
        self.context.unread
    }
}

/// Encodes a request. One that is longer than the daemon reads is refused here, since the daemon would close the
/// connection.
pub(crate) fn encode_request(id: u64, verb: &str, args: &RawValue) -> Result<Vec<u8>, CallError> {
    checked(messages::request_named(id, verb, args).map_err(malformed)?)
}

fn checked(frame: Vec<u8>) -> Result<Vec<u8>, CallError> {
    let (bytes, limit) = (frame.len(), limits::REQUEST_BYTES);
    if bytes > limit {
        return Err(CallError::from(Refused::from(&Refusal::FrameTooLarge { bytes, limit })));
    }
    Ok(frame)
}

#[cfg(test)]
mod tests;
