//! The stream of a recording: a pane's raw output in chunks. It is the only place where a program's own bytes leave the
//! daemon; they go to a file, never to a terminal.

use crate::frames::{self, FrameKind};
use crate::views::ExitStatus;
use crate::{PaneId, Size, Timestamp};

/// A part of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordingChunk {
    /// The recording starts, or restarts after a gap: these bytes draw the current screen.
    Begins {
        /// Columns and rows.
        size: Size,
        /// Bytes of output lost since the previous chunk; 0 at the start.
        lost: u64,
        /// Escape sequences that draw the screen.
        drawing: Vec<u8>,
    },
    /// The program wrote these bytes.
    Wrote(Vec<u8>),
    /// The pane was resized.
    Resized(Size),
    /// The program ended; this is the last chunk.
    Ended(ExitStatus),
}

/// The error for bytes that are not a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid chunk of a recording")]
pub struct Unreadable;

impl RecordingChunk {
    /// Encodes the chunk as a frame, with its pane and time.
    pub fn frame(&self, pane: PaneId, at: Timestamp) -> Vec<u8> {
        let mut body = [&pane.as_bytes()[..], &at.millis().to_le_bytes()].concat();
        match self {
            Self::Begins { size, lost, drawing } => {
                body.push(b'b');
                push_size(&mut body, *size);
                body.extend(lost.to_le_bytes());
                body.extend(drawing);
            }
            Self::Wrote(bytes) => {
                body.push(b'o');
                body.extend(bytes);
            }
            Self::Resized(size) => {
                body.push(b'r');
                push_size(&mut body, *size);
            }
            Self::Ended(exit) => {
                body.push(b'x');
                body.extend(serde_json::to_vec(exit).unwrap_or_default());
            }
        }
        let mut frame = Vec::new();
        frames::write(&mut frame, FrameKind::Recording, &body);
        frame
    }

    /// Decodes the body of a frame.
    pub fn read(body: &[u8]) -> Result<(PaneId, Timestamp, Self), Unreadable> {
        let (pane, rest) = body.split_first_chunk::<16>().ok_or(Unreadable)?;
        let (at, rest) = rest.split_first_chunk::<8>().ok_or(Unreadable)?;
        let (kind, rest) = rest.split_first().ok_or(Unreadable)?;
        let chunk = match kind {
            b'b' => begins(rest)?,
            b'o' => Self::Wrote(rest.to_vec()),
            b'r' => Self::Resized(size(rest)?.0),
            b'x' => Self::Ended(serde_json::from_slice(rest).map_err(|_| Unreadable)?),
            _ => return Err(Unreadable),
        };
        Ok((PaneId::from_bytes(*pane), Timestamp::from_millis(u64::from_le_bytes(*at)), chunk))
    }
}

fn begins(bytes: &[u8]) -> Result<RecordingChunk, Unreadable> {
    let (size, rest) = size(bytes)?;
    let (lost, drawing) = rest.split_first_chunk::<8>().ok_or(Unreadable)?;
    Ok(RecordingChunk::Begins { size, lost: u64::from_le_bytes(*lost), drawing: drawing.to_vec() })
}

fn push_size(out: &mut Vec<u8>, size: Size) {
    out.extend(size.cols.to_le_bytes());
    out.extend(size.rows.to_le_bytes());
}

fn size(bytes: &[u8]) -> Result<(Size, &[u8]), Unreadable> {
    let (cols, rest) = bytes.split_first_chunk::<2>().ok_or(Unreadable)?;
    let (rows, rest) = rest.split_first_chunk::<2>().ok_or(Unreadable)?;
    Ok((Size { cols: u16::from_le_bytes(*cols), rows: u16::from_le_bytes(*rows) }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_round_trip_and_truncated_ones_are_refused() {
        let (pane, at) = (PaneId::from_bytes([7; 16]), Timestamp::from_millis(9));
        let size = Size { cols: 80, rows: 24 };
        for chunk in [
            RecordingChunk::Begins { size, lost: 5, drawing: b"\x1bc".to_vec() },
            RecordingChunk::Wrote(vec![0, 255]),
            RecordingChunk::Resized(size),
            RecordingChunk::Ended(ExitStatus::Code(3)),
        ] {
            let frame = chunk.frame(pane, at);
            assert_eq!(RecordingChunk::read(&frame[frames::HEADER..]), Ok((pane, at, chunk)));
        }
        assert_eq!(RecordingChunk::read(&[7; 20]), Err(Unreadable));
        assert_eq!(RecordingChunk::read(&[0; 40]), Err(Unreadable));
    }
}
