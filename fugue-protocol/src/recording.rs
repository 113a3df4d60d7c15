//! A pane's output as it was written, piece by piece, for whoever records it. The one place where a program's own bytes
//! leave the daemon: they go to a file, never to a terminal.

use crate::framing::{self, FrameKind};
use crate::views::ExitStatus;
use crate::{PaneId, Size, Timestamp};

/// Something that happened to a pane's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordingChunk {
    /// The recording begins, or begins anew after a gap: these bytes draw what a terminal of this size shows now.
    Begins {
        /// Columns and rows.
        size: Size,
        /// OfferedVia much the program wrote since the last piece that nobody has any more; 0 at first.
        lost: u64,
        /// What draws the screen.
        drawing: Vec<u8>,
    },
    /// The program wrote this.
    Wrote(Vec<u8>),
    /// The pane has another size.
    Resized(Size),
    /// The program ended. Nothing follows.
    Ended(ExitStatus),
}

/// Why bytes are no piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a piece of a recording cannot be read")]
pub struct Unreadable;

impl RecordingChunk {
    /// A frame: pane, time, and what happened.
    pub fn frame(&self, pane: PaneId, at: Timestamp) -> Vec<u8> {
        let mut body = [&pane.as_bytes()[..], &at.millis().to_le_bytes()].concat();
        match self {
            Self::Begins { size, lost, drawing } => {
                body.push(b'b');
                put_size(&mut body, *size);
                body.extend(lost.to_le_bytes());
                body.extend(drawing);
            }
            Self::Wrote(bytes) => {
                body.push(b'o');
                body.extend(bytes);
            }
            Self::Resized(size) => {
                body.push(b'r');
                put_size(&mut body, *size);
            }
            Self::Ended(exit) => {
                body.push(b'x');
                body.extend(serde_json::to_vec(exit).unwrap_or_default());
            }
        }
        let mut frame = Vec::new();
        framing::write(&mut frame, FrameKind::Recording, &body);
        frame
    }

    /// What the body of a frame says.
    pub fn read(body: &[u8]) -> Result<(PaneId, Timestamp, Self), Unreadable> {
        let (pane, rest) = body.split_first_chunk::<16>().ok_or(Unreadable)?;
        let (at, rest) = rest.split_first_chunk::<8>().ok_or(Unreadable)?;
        let (what, rest) = rest.split_first().ok_or(Unreadable)?;
        let piece = match what {
            b'b' => begins(rest)?,
            b'o' => Self::Wrote(rest.to_vec()),
            b'r' => Self::Resized(size(rest)?.0),
            b'x' => Self::Ended(serde_json::from_slice(rest).map_err(|_| Unreadable)?),
            _ => return Err(Unreadable),
        };
        Ok((PaneId::from_bytes(*pane), Timestamp::from_millis(u64::from_le_bytes(*at)), piece))
    }
}

fn begins(bytes: &[u8]) -> Result<RecordingChunk, Unreadable> {
    let (size, rest) = size(bytes)?;
    let (lost, drawing) = rest.split_first_chunk::<8>().ok_or(Unreadable)?;
    Ok(RecordingChunk::Begins { size, lost: u64::from_le_bytes(*lost), drawing: drawing.to_vec() })
}

fn put_size(out: &mut Vec<u8>, size: Size) {
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
    fn a_piece_reads_as_it_was_written_and_half_of_one_does_not() {
        let (pane, at) = (PaneId::from_bytes([7; 16]), Timestamp::from_millis(9));
        let size = Size { cols: 80, rows: 24 };
        for piece in [
            RecordingChunk::Begins { size, lost: 5, drawing: b"\x1bc".to_vec() },
            RecordingChunk::Wrote(vec![0, 255]),
            RecordingChunk::Resized(size),
            RecordingChunk::Ended(ExitStatus::Code(3)),
        ] {
            let frame = piece.frame(pane, at);
            assert_eq!(RecordingChunk::read(&frame[framing::HEADER..]), Ok((pane, at, piece)));
        }
        assert_eq!(RecordingChunk::read(&[7; 20]), Err(Unreadable));
        assert_eq!(RecordingChunk::read(&[0; 40]), Err(Unreadable));
    }
}
