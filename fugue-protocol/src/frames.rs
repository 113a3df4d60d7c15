//! Frames on a byte stream: four bytes of length (little-endian), one byte of kind, then the body. A reader accepts the
//! stream in any pieces, and checks the length before it allocates.

/// Size of the header before a body.
pub const HEADER: usize = 5;

/// The content of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// A JSON message.
    Words,
    /// A pane's id (16 bytes) and a screen update.
    Screen,
    /// A pane's id (16 bytes) and the keys that a person typed into it. There is no reply; the screen shows the result.
    Keys,
    /// A chunk of a recording.
    Recording,
    /// A pane's id (16 bytes) and text that its program copies to the clipboard.
    Clipboard,
    /// The fate of keys that were typed over an earlier line of the same client; see `input_ledger`. It comes from
    /// `fugue proxy`, before anything from the daemon.
    Delivered,
    /// A pane's id (16 bytes) and an image that is visible in it. Only clients that show images get any.
    Image,
    /// The id of a request (8 bytes, little-endian) and the text of its reply, which comes next without it. Text of
    /// megabytes need not be escaped for JSON.
    Text,
}

impl FrameKind {
    fn byte(self) -> u8 {
        match self {
            Self::Words => 0,
            Self::Screen => 1,
            Self::Keys => 2,
            Self::Recording => 3,
            Self::Clipboard => 4,
            Self::Delivered => 5,
            Self::Image => 6,
            Self::Text => 7,
        }
    }
    fn of(byte: u8) -> Option<Self> {
        const KINDS: [FrameKind; 8] = [
            FrameKind::Words,
            FrameKind::Screen,
            FrameKind::Keys,
            FrameKind::Recording,
            FrameKind::Clipboard,
            FrameKind::Delivered,
            FrameKind::Image,
            FrameKind::Text,
        ];
        KINDS.into_iter().find(|kind| kind.byte() == byte)
    }
}

/// An error that makes the rest of a stream unreadable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFrame {
    /// The frame is longer than the reader accepts.
    #[error("a frame of {bytes} bytes is over the limit of {limit}")]
    TooLong {
        /// The announced length.
        bytes: usize,
        /// The allowed length.
        limit: usize,
    },
    /// The kind of the frame is unknown.
    #[error("unknown kind of frame: {0}")]
    Kind(u8),
}

/// Returns a frame whose body is written straight into it.
pub fn build<E>(
    kind: FrameKind,
    write_body: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<Vec<u8>, E> {
    let mut frame = vec![0; HEADER];
    write_body(&mut frame)?;
    let length = u32::try_from(frame.len() - HEADER).unwrap_or(u32::MAX);
    frame[..4].copy_from_slice(&length.to_le_bytes());
    frame[4] = kind.byte();
    Ok(frame)
}

/// Appends a frame to `out`.
pub fn write(out: &mut Vec<u8>, kind: FrameKind, body: &[u8]) {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    out.reserve(HEADER + body.len());
    out.extend_from_slice(&length.to_le_bytes());
    out.push(kind.byte());
    out.extend_from_slice(body);
}

/// The buffer that a reader keeps between frames. A larger one is freed, so that a connection that sent a large frame once
/// does not hold its memory for good.
const KEPT_BUFFER: usize = 64 << 10;

/// Extracts frames from the bytes received so far.
#[derive(Debug)]
pub struct FrameReader {
    held: Vec<u8>,
    taken: usize,
    limit: usize,
}

impl FrameReader {
    /// A reader that accepts bodies of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { held: Vec::new(), taken: 0, limit }
    }

    /// Changes the limit to `limit` bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.drain(..std::mem::take(&mut self.taken));
        self.held.extend_from_slice(bytes);
    }

    /// The number of bytes of an incomplete frame that have arrived; `None` between frames.
    pub fn unfinished(&self) -> Option<usize> {
        Some(self.held.len() - self.taken).filter(|bytes| *bytes > 0)
    }

    /// The size of the next frame with its header, once its length is known.
    pub fn announced(&self) -> Option<usize> {
        let length = self.held[self.taken..].first_chunk::<4>()?;
        Some(HEADER + u32::from_le_bytes(*length) as usize)
    }

    /// Frees a large buffer, if all of its frames have been taken.
    pub fn free_large_buffer(&mut self) {
        if self.unfinished().is_none() && self.held.capacity() > KEPT_BUFFER {
            (self.held, self.taken) = (Vec::new(), 0);
        }
    }

    /// The next complete frame, if there is one.
    pub fn next_frame(&mut self) -> Result<Option<(FrameKind, &[u8])>, BadFrame> {
        let rest = &self.held[self.taken..];
        let Some((header, body)) = rest.split_at_checked(HEADER) else {
            return Ok(None);
        };
        let bytes = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let kind = FrameKind::of(header[4]).ok_or(BadFrame::Kind(header[4]))?;
        if bytes > self.limit {
            return Err(BadFrame::TooLong { bytes, limit: self.limit });
        }
        if body.len() < bytes {
            return Ok(None);
        }
        let begin = self.taken + HEADER;
        self.taken = begin + bytes;
        Ok(Some((kind, &self.held[begin..self.taken])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_that_is_built_is_the_one_that_is_written() {
        let mut written = Vec::new();
        write(&mut written, FrameKind::Screen, b"abc");
        let built = build(FrameKind::Screen, |frame| {
            frame.extend_from_slice(b"abc");
            Ok::<_, ()>(())
        });
        assert_eq!(built, Ok(written));
    }

    #[test]
    fn frames_are_read_whole_however_the_stream_is_split() {
        let mut stream = Vec::new();
        write(&mut stream, FrameKind::Words, b"{}");
        write(&mut stream, FrameKind::Screen, b"");
        write(&mut stream, FrameKind::Words, b"[1,2]");
        for piece in 1..=stream.len() {
            let mut reader = FrameReader::new(16);
            let mut seen = Vec::new();
            for bytes in stream.chunks(piece) {
                reader.push(bytes);
                while let Some((kind, body)) = reader.next_frame().unwrap() {
                    seen.push((kind, body.to_vec()));
                }
            }
            let expected = [
                (FrameKind::Words, b"{}".to_vec()),
                (FrameKind::Screen, vec![]),
                (FrameKind::Words, b"[1,2]".to_vec()),
            ];
            assert_eq!(seen, expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_refused() {
        let mut reader = FrameReader::new(4);
        let mut stream = Vec::new();
        write(&mut stream, FrameKind::Words, b"1234");
        write(&mut stream, FrameKind::Words, b"12345");
        reader.push(&stream);
        assert!(reader.next_frame().unwrap().is_some());
        assert_eq!(reader.next_frame(), Err(BadFrame::TooLong { bytes: 5, limit: 4 }));
    }

    #[test]
    fn the_memory_of_a_large_frame_is_freed_once_it_is_taken() {
        let mut reader = FrameReader::new(1 << 20);
        let mut stream = Vec::new();
        write(&mut stream, FrameKind::Words, &vec![b' '; 1 << 20]);
        reader.push(&stream[..100]);
        assert_eq!((reader.unfinished(), reader.announced()), (Some(100), Some(stream.len())));
        reader.push(&stream[100..]);
        reader.free_large_buffer();
        assert!(reader.next_frame().unwrap().is_some(), "a frame that was not taken stays");
        reader.free_large_buffer();
        assert_eq!((reader.unfinished(), reader.held.capacity()), (None, 0));
    }

    #[test]
    fn an_unknown_kind_is_refused() {
        let mut reader = FrameReader::new(4);
        reader.push(b"HTTP/1.1");
        assert_eq!(reader.next_frame(), Err(BadFrame::Kind(b'/')));
    }
}
