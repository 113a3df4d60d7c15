//! A client of a message bus: it authenticates as its user, calls methods and reads replies and signals, and gives up at a
//! deadline.
//!
//! Ours, because fugue needs four calls in a process between fork and exec: no runtime and no thread may be started there, and
//! the crates that offer the whole protocol bring one, with several times the build time of this crate's users.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// The longest message that is read: far beyond what the calls made here are answered with, and what a bus broadcasts to a
/// client with one match.
const MAX_MESSAGE: usize = 256 << 10;

/// The parts of a message's fixed header: kind, length of the body, length of the fields.
const FIXED_HEADER: usize = 16;

const METHOD_CALL: u8 = 1;
const METHOD_RETURN: u8 = 2;
const ERROR: u8 = 3;
const SIGNAL: u8 = 4;

const PATH: u8 = 1;
const INTERFACE: u8 = 2;
const MEMBER: u8 = 3;
const ERROR_NAME: u8 = 4;
const REPLY_SERIAL: u8 = 5;
const DESTINATION: u8 = 6;
const SIGNATURE: u8 = 8;

/// A connection to a bus.
pub(crate) struct Bus {
    stream: UnixStream,
    deadline: Instant,
    /// What is still to be sent: the first calls go out together with the authentication.
    unsent: Vec<u8>,
    received: Vec<u8>,
    is_authenticated: bool,
    serial: u32,
}

/// A message that arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// The reply to the call with this serial.
    Reply(u32),
    /// The error of the call with this serial: its name, and the message for people.
    Error(u32, String, String),
    /// A signal: its member, and the strings at the end of its body.
    Signal(String, Vec<u8>),
}

/// The object and the method of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Method {
    pub(crate) destination: &'static str,
    pub(crate) path: &'static str,
    pub(crate) interface: &'static str,
    pub(crate) member: &'static str,
}

const fn bus_method(member: &'static str) -> Method {
    let (destination, interface) = ("org.freedesktop.DBus", "org.freedesktop.DBus");
    Method { destination, path: "/org/freedesktop/DBus", interface, member }
}

impl Bus {
    /// Connects, without waiting for the bus: a bus whose queue of connections is full counts as none.
    pub(crate) fn connect(path: &Path, deadline: Instant) -> io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket: OwnedFd = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        connect(&socket, &SocketAddrUnix::new(path)?)?;
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(false)?;
        let user = rustix::process::geteuid().as_raw().to_string();
        let user: String = user.bytes().map(|digit| format!("{digit:02x}")).collect();
        let unsent = format!("\0AUTH EXTERNAL {user}\r\nBEGIN\r\n").into_bytes();
        let mut bus =
            Self { stream, deadline, unsent, received: Vec::new(), is_authenticated: false, serial: 0 };
        bus.call(bus_method("Hello"), &Body::default());
        Ok(bus)
    }

    /// Subscribes to signals.
    pub(crate) fn add_match(&mut self, rule: &str) {
        let mut body = Body::new("s");
        body.string(rule);
        self.call(bus_method("AddMatch"), &body);
    }

    /// Queues a call, and returns its serial.
    pub(crate) fn call(&mut self, method: Method, body: &Body) -> u32 {
        self.serial += 1;
        self.unsent.extend(header(method, body, self.serial));
        self.unsent.extend(&body.bytes);
        self.serial
    }

    /// Sends what is queued, and waits for the next message.
    pub(crate) fn receive(&mut self) -> io::Result<Incoming> {
        let unsent = std::mem::take(&mut self.unsent);
        self.stream.set_write_timeout(Some(self.time_left()?))?;
        self.stream.write_all(&unsent)?;
        loop {
            if let Some(message) = self.take_message()? {
                return Ok(message);
            }
            self.read_more()?;
        }
    }

    fn time_left(&self) -> io::Result<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }

    fn read_more(&mut self) -> io::Result<()> {
        self.stream.set_read_timeout(Some(self.time_left()?))?;
        let mut part = [0; 4096];
        match self.stream.read(&mut part) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                self.received.extend(&part[..count]);
                Ok(())
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => Err(io::ErrorKind::TimedOut.into()),
            Err(why) => Err(why),
        }
    }

    /// Takes the next message of those that nobody but the caller handles.
    fn take_message(&mut self) -> io::Result<Option<Incoming>> {
        if !self.is_authenticated && !self.take_authentication()? {
            return Ok(None);
        }
        while let Some(length) = message_length(&self.received)? {
            let message: Vec<u8> = self.received.drain(..length).collect();
            if let Some(incoming) = incoming(&message)? {
                return Ok(Some(incoming));
            }
        }
        Ok(None)
    }

    /// Reads the answer to the authentication; returns whether it is there.
    fn take_authentication(&mut self) -> io::Result<bool> {
        let Some(end) = self.received.windows(2).position(|pair| pair == b"\r\n") else {
            return Ok(false);
        };
        let line: Vec<u8> = self.received.drain(..end + 2).collect();
        self.is_authenticated = line.starts_with(b"OK ");
        if self.is_authenticated { Ok(true) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }
}

fn invalid() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the bus sent something else than a message")
}

/// The values of a message, in little-endian byte order.
#[derive(Debug, Default)]
pub(crate) struct Body {
    signature: &'static str,
    bytes: Vec<u8>,
}

impl Body {
    pub(crate) fn new(signature: &'static str) -> Self {
        Self { signature, bytes: Vec::new() }
    }

    pub(crate) fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    pub(crate) fn u32(&mut self, number: u32) {
        self.align(4);
        self.bytes.extend(number.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, number: u64) {
        self.align(8);
        self.bytes.extend(number.to_le_bytes());
    }

    /// A string or an object's path.
    pub(crate) fn string(&mut self, text: &str) {
        self.u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }

    /// The signature of a variant, before its value.
    pub(crate) fn signature(&mut self, signature: &str) {
        self.bytes.push(u8::try_from(signature.len()).unwrap_or(u8::MAX));
        self.bytes.extend(signature.as_bytes());
        self.bytes.push(0);
    }

    /// An array whose elements are aligned to so many bytes. Its length does not include the gap before the first one.
    pub(crate) fn array(&mut self, aligned_to: usize, elements: impl FnOnce(&mut Self)) {
        self.u32(0);
        let length_at = self.bytes.len() - 4;
        self.align(aligned_to);
        let start = self.bytes.len();
        elements(self);
        let length = u32::try_from(self.bytes.len() - start).unwrap_or(u32::MAX);
        self.bytes[length_at..length_at + 4].copy_from_slice(&length.to_le_bytes());
    }
}

fn header(method: Method, body: &Body, serial: u32) -> Vec<u8> {
    let mut header = Body { signature: "", bytes: vec![b'l', METHOD_CALL, 0, 1] };
    header.u32(u32::try_from(body.bytes.len()).unwrap_or(u32::MAX));
    header.u32(serial);
    let strings = [
        (PATH, "o", method.path),
        (INTERFACE, "s", method.interface),
        (MEMBER, "s", method.member),
        (DESTINATION, "s", method.destination),
    ];
    header.array(8, |fields| {
        for (code, signature, text) in strings {
            fields.align(8);
            fields.bytes.push(code);
            fields.signature(signature);
            fields.string(text);
        }
        if !body.signature.is_empty() {
            fields.align(8);
            fields.bytes.push(SIGNATURE);
            fields.signature("g");
            fields.signature(body.signature);
        }
    });
    header.align(8);
    header.bytes
}

/// Returns the length of the message at the start of these bytes, if all of it is there.
fn message_length(bytes: &[u8]) -> io::Result<Option<usize>> {
    let Some(fixed) = bytes.get(..FIXED_HEADER) else { return Ok(None) };
    if fixed[0] != b'l' {
        return Err(invalid());
    }
    let mut reader = BodyReader { bytes: fixed, at: 4 };
    let (body, _, fields) = (reader.u32()?, reader.u32()?, reader.u32()?);
    let length = FIXED_HEADER + (fields as usize).next_multiple_of(8) + body as usize;
    if length > MAX_MESSAGE {
        return Err(invalid());
    }
    Ok((bytes.len() >= length).then_some(length))
}

/// Reads a message; none if it is a call, which nobody may expect an answer to.
fn incoming(bytes: &[u8]) -> io::Result<Option<Incoming>> {
    let mut reader = BodyReader { bytes, at: 12 };
    let end = FIXED_HEADER + reader.u32()? as usize;
    let (mut member, mut error, mut serial) = (String::new(), String::new(), 0);
    while reader.at < end {
        reader.align(8);
        let code = reader.byte()?;
        match (code, reader.signature()?.as_str()) {
            (MEMBER, "s") => member = reader.string()?,
            (ERROR_NAME, "s") => error = reader.string()?,
            (REPLY_SERIAL, "u") => serial = reader.u32()?,
            (_, "s" | "o") => drop(reader.string()?),
            (_, "g") => drop(reader.signature()?),
            (_, "u") => drop(reader.u32()?),
            _ => return Err(invalid()),
        }
    }
    reader.align(8);
    let body = bytes.get(reader.at..).unwrap_or_default();
    Ok(match bytes[1] {
        METHOD_RETURN => Some(Incoming::Reply(serial)),
        ERROR => {
            let text = BodyReader { bytes: body, at: 0 }.string().unwrap_or_default();
            Some(Incoming::Error(serial, error, text))
        }
        SIGNAL => Some(Incoming::Signal(member, body.to_vec())),
        _ => None,
    })
}

/// Reads values in little-endian byte order.
pub(crate) struct BodyReader<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl BodyReader<'_> {
    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    fn byte(&mut self) -> io::Result<u8> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(invalid)?;
        self.at += 1;
        Ok(byte)
    }

    pub(crate) fn u32(&mut self) -> io::Result<u32> {
        self.align(4);
        let bytes = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk).ok_or_else(invalid)?;
        self.at += 4;
        Ok(u32::from_le_bytes(*bytes))
    }

    pub(crate) fn string(&mut self) -> io::Result<String> {
        let length = self.u32()? as usize;
        self.text(length)
    }

    fn signature(&mut self) -> io::Result<String> {
        let length = self.byte()?.into();
        self.text(length)
    }

    fn text(&mut self, length: usize) -> io::Result<String> {
        let end = self.at.checked_add(length).ok_or_else(invalid)?;
        let text = self.bytes.get(self.at..end).ok_or_else(invalid)?;
        self.at = end + 1;
        String::from_utf8(text.to_vec()).map_err(|_| invalid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message from the bus, with fields in the order in which buses send them.
    fn message(kind: u8, fields: &[(u8, &str, Field<'_>)], body: &[u8]) -> Vec<u8> {
        let mut message = Body { signature: "", bytes: vec![b'l', kind, 1, 1] };
        message.u32(u32::try_from(body.len()).expect("short"));
        message.u32(7);
        message.array(8, |to| {
            for (code, signature, field) in fields {
                to.align(8);
                to.bytes.push(*code);
                to.signature(signature);
                match field {
                    Field::Text(text) if *signature == "g" => to.signature(text),
                    Field::Text(text) => to.string(text),
                    Field::Number(number) => to.u32(*number),
                }
            }
        });
        message.align(8);
        message.bytes.extend(body);
        message.bytes
    }

    enum Field<'a> {
        Text(&'a str),
        Number(u32),
    }

    #[test]
    fn a_call_has_the_bytes_that_the_specification_gives_it() {
        let mut body = Body::new("sa(sv)");
        body.string("a");
        body.array(8, |all| {
            all.align(8);
            all.string("n");
            all.signature("t");
            all.u64(5);
        });
        let expected = [
            &[1, 0, 0, 0, b'a', 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0][..],
            &[1, 0, 0, 0, b'n', 0, 1, b't', 0, 0, 0, 0, 0, 0, 0, 0],
            &[5, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(body.bytes, expected.concat());
        let call = header(bus_method("Hello"), &Body::default(), 1);
        assert_eq!(call[..4], [b'l', METHOD_CALL, 0, 1]);
        assert_eq!(call.len() % 8, 0);
        assert_eq!(message_length(&call).expect("a header"), Some(call.len()));
        assert_eq!(incoming(&call).expect("a message"), None);
    }

    #[test]
    fn replies_errors_and_signals_are_told_apart() {
        let fields = [(REPLY_SERIAL, "u", Field::Number(3)), (7, "s", Field::Text(":1.0"))];
        assert_eq!(incoming(&message(METHOD_RETURN, &fields, &[])).expect("read"), Some(Incoming::Reply(3)));
        let mut text = Body::new("s");
        text.string("no such property");
        let fields = [(ERROR_NAME, "s", Field::Text("org.x.Error")), (REPLY_SERIAL, "u", Field::Number(4))];
        let error = Incoming::Error(4, "org.x.Error".into(), "no such property".into());
        assert_eq!(incoming(&message(ERROR, &fields, &text.bytes)).expect("read"), Some(error));
        let fields = [(MEMBER, "s", Field::Text("JobRemoved")), (SIGNATURE, "g", Field::Text("uoss"))];
        let signal = Incoming::Signal("JobRemoved".into(), vec![1, 2]);
        assert_eq!(incoming(&message(SIGNAL, &fields, &[1, 2])).expect("read"), Some(signal));
    }

    #[test]
    fn a_message_that_is_cut_anywhere_is_awaited_and_no_bytes_make_the_reader_panic() {
        let fields = [(MEMBER, "s", Field::Text("JobRemoved")), (SIGNATURE, "g", Field::Text("uoss"))];
        let whole = message(SIGNAL, &fields, &[9; 5]);
        for end in 0..whole.len() {
            assert_eq!(message_length(&whole[..end]).expect("no error"), None, "cut at {end}");
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 4, 8, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                let length = message_length(&damaged).ok().flatten();
                let _ = length.map(|length| incoming(&damaged[..length]));
            }
        }
    }
}
