//! Encoding and decoding of messages: a frame is one byte for the kind, then the fields in order, little-endian.

use super::messages::{Exit, Holding, Malformed, Message, PaneId, SpawnRequest, SpawnStage};

const TAKE: u8 = 1;
const SPAWN: u8 = 2;
const STORED: u8 = 3;
const FORGET: u8 = 4;
const SHUTDOWN: u8 = 5;
const LISTEN: u8 = 6;
const SERVING: u8 = 7;
const FAILED: u8 = 8;
const SUCCEED: u8 = 9;
const ADOPT: u8 = 10;
const TERMINATE: u8 = 11;
const ADOPTION_END: u8 = 12;
const UPGRADE: u8 = 13;
const PING: u8 = 14;
const HOLDING: u8 = 65;
const READY: u8 = 66;
const SPAWNED: u8 = 67;
const SPAWN_FAILED: u8 = 68;
const EXITED: u8 = 69;
const SUCCESSOR: u8 = 70;
const UPGRADED: u8 = 71;
const UPGRADE_FAILED: u8 = 72;
#[cfg(fugue_next)]
const MARKED: u8 = 127;
const PONG: u8 = 73;

/// Encodes a message as a frame.
pub(crate) fn encode(message: &Message) -> Vec<u8> {
    match message {
        Message::Take => FrameWriter::new(TAKE),
        Message::Spawn(request) => return encode_spawn(request),
        Message::Stored { pane, offset } => FrameWriter::new(STORED).pane(pane).bytes(&offset.to_le_bytes()),
        Message::Forget { pane } => FrameWriter::new(FORGET).pane(pane),
        Message::Shutdown => FrameWriter::new(SHUTDOWN),
        Message::Listen => FrameWriter::new(LISTEN),
        Message::Serving => FrameWriter::new(SERVING),
        Message::Failed => FrameWriter::new(FAILED),
        Message::Succeed => FrameWriter::new(SUCCEED),
        Message::Adopt(holding) => FrameWriter::new(ADOPT).holding(holding),
        Message::Terminate { pane, pid } => FrameWriter::new(TERMINATE).pane(pane).bytes(&pid.to_le_bytes()),
        Message::AdoptionEnd => FrameWriter::new(ADOPTION_END),
        Message::Upgrade => FrameWriter::new(UPGRADE),
        Message::Ping => FrameWriter::new(PING),
        Message::Holding(holding) => FrameWriter::new(HOLDING).holding(holding),
        Message::Ready { version, panes } => {
            FrameWriter::new(READY).bytes(&version.to_le_bytes()).bytes(&panes.to_le_bytes())
        }
        Message::Spawned { pane, pid } => FrameWriter::new(SPAWNED).pane(pane).bytes(&pid.to_le_bytes()),
        Message::SpawnFailed { pane, stage, errno } => {
            FrameWriter::new(SPAWN_FAILED).pane(pane).bytes(&[stage.tag()]).bytes(&errno.to_le_bytes())
        }
        Message::Exited { pane, exit } => FrameWriter::new(EXITED).pane(pane).exit(Some(*exit)),
        Message::Successor { pid, version } => {
            FrameWriter::new(SUCCESSOR).bytes(&pid.to_le_bytes()).bytes(&version.to_le_bytes())
        }
        Message::Pong => FrameWriter::new(PONG),
        Message::Upgraded => FrameWriter::new(UPGRADED),
        #[cfg(fugue_next)]
        Message::Marked => FrameWriter::new(MARKED),
        Message::UpgradeFailed { errno } => FrameWriter::new(UPGRADE_FAILED).bytes(&errno.to_le_bytes()),
    }
    .0
}

/// Encodes the fixed part of a spawn request as a frame.
pub(crate) fn encode_spawn(request: &SpawnRequest) -> Vec<u8> {
    FrameWriter::new(SPAWN)
        .pane(&request.pane)
        .bytes(&request.cols.to_le_bytes())
        .bytes(&request.rows.to_le_bytes())
        .0
}

/// Decodes a frame. A spawn request has its fixed part only; the link adds the body.
pub(crate) fn decode(frame: &[u8]) -> Result<Message, Malformed> {
    let (&kind, fields) = frame.split_first().ok_or(Malformed::Empty)?;
    let mut fields = FieldReader(fields);
    Ok(match kind {
        TAKE => Message::Take,
        SPAWN => Message::Spawn(fields.request()?),
        STORED => Message::Stored { pane: fields.take()?, offset: fields.u64()? },
        FORGET => Message::Forget { pane: fields.take()? },
        SHUTDOWN => Message::Shutdown,
        LISTEN => Message::Listen,
        SERVING => Message::Serving,
        FAILED => Message::Failed,
        SUCCEED => Message::Succeed,
        ADOPT => Message::Adopt(fields.holding()?),
        TERMINATE => Message::Terminate { pane: fields.take()?, pid: fields.i32()? },
        ADOPTION_END => Message::AdoptionEnd,
        UPGRADE => Message::Upgrade,
        PING => Message::Ping,
        HOLDING => Message::Holding(fields.holding()?),
        READY => Message::Ready { version: fields.u16()?, panes: fields.u32()? },
        SPAWNED => Message::Spawned { pane: fields.take()?, pid: fields.i32()? },
        SPAWN_FAILED => {
            Message::SpawnFailed { pane: fields.take()?, stage: fields.stage()?, errno: fields.i32()? }
        }
        EXITED => {
            Message::Exited { pane: fields.take()?, exit: fields.exit()?.ok_or(Malformed::Unknown(0))? }
        }
        SUCCESSOR => Message::Successor { pid: fields.i32()?, version: fields.u16().unwrap_or_default() },
        PONG => Message::Pong,
        UPGRADED => Message::Upgraded,
        #[cfg(fugue_next)]
        MARKED => Message::Marked,
        UPGRADE_FAILED => Message::UpgradeFailed { errno: fields.i32()? },
        unknown => return Err(Malformed::Unknown(unknown)),
    })
}

struct FrameWriter(Vec<u8>);

impl FrameWriter {
    fn new(kind: u8) -> Self {
        Self(vec![kind])
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn pane(self, pane: &PaneId) -> Self {
        self.bytes(pane)
    }

    fn exit(self, exit: Option<Exit>) -> Self {
        let (tag, value) = match exit {
            None => (0, 0),
            Some(Exit::Code(code)) => (1, code),
            Some(Exit::Signal(signal)) => (2, signal),
            Some(Exit::Unknown) => (3, 0),
        };
        self.bytes(&[tag]).bytes(&value.to_le_bytes())
    }

    fn holding(self, holding: &Holding) -> Self {
        self.pane(&holding.pane)
            .bytes(&holding.pid.to_le_bytes())
            .bytes(&holding.stored_offset.to_le_bytes())
            .bytes(&holding.seen_offset.to_le_bytes())
            .bytes(&[u8::from(holding.snapshot), u8::from(holding.stalled)])
            .exit(holding.exit)
    }
}

struct FieldReader<'a>(&'a [u8]);

impl FieldReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (field, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed::TooShort)?;
        self.0 = rest;
        Ok(*field)
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        self.take().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        self.take().map(u64::from_le_bytes)
    }

    fn i32(&mut self) -> Result<i32, Malformed> {
        self.take().map(i32::from_le_bytes)
    }

    fn stage(&mut self) -> Result<SpawnStage, Malformed> {
        let tag = self.u8()?;
        SpawnStage::from_tag(tag).ok_or(Malformed::Unknown(tag))
    }

    fn exit(&mut self) -> Result<Option<Exit>, Malformed> {
        Ok(match (self.u8()?, self.i32()?) {
            (0, _) => None,
            (1, code) => Some(Exit::Code(code)),
            (2, signal) => Some(Exit::Signal(signal)),
            // A later version may know more kinds of exits; that it has exited is what counts.
            _ => Some(Exit::Unknown),
        })
    }

    fn request(&mut self) -> Result<SpawnRequest, Malformed> {
        Ok(SpawnRequest {
            pane: self.take()?,
            cols: self.u16()?,
            rows: self.u16()?,
            ..SpawnRequest::default()
        })
    }

    fn holding(&mut self) -> Result<Holding, Malformed> {
        Ok(Holding {
            pane: self.take()?,
            pid: self.i32()?,
            stored_offset: self.u64()?,
            seen_offset: self.u64()?,
            snapshot: self.u8()? != 0,
            stalled: self.u8()? != 0,
            exit: self.exit()?,
        })
    }
}

impl SpawnStage {
    /// The byte that encodes a stage, on the link and in the report of a child that could not execute its program.
    pub(crate) fn tag(self) -> u8 {
        match self {
            Self::Request => 0,
            Self::Limit => 1,
            Self::Pty => 2,
            Self::Cwd => 3,
            Self::Exec => 4,
        }
    }

    pub(crate) fn from_tag(tag: u8) -> Option<Self> {
        [Self::Request, Self::Limit, Self::Pty, Self::Cwd, Self::Exec]
            .into_iter()
            .find(|stage| stage.tag() == tag)
    }
}

#[cfg(test)]
mod tests;
