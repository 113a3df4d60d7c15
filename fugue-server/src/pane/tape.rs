//! The tape: what a pane's terminal went through lately, for those who record it. There is one only while somebody
//! does; who lags so far behind that the tape has run out is told how much is lost, and begins anew.

use std::collections::VecDeque;
use std::sync::Arc;

use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Size, Timestamp};
use fugue_screen::Screen;

use super::watching::{Watcher, Watchers};
use crate::clock;

/// Bytes on the tape: some seconds of a program that writes a lot.
const BYTES: usize = 1 << 20;

/// Pieces on it: a program that writes single letters fills it no faster than a person reads.
const PIECES: usize = 4_096;

/// Read at once, so that answers find their way between.
const AT_ONCE: usize = 64 << 10;

/// What was taken off the tape.
#[derive(Default)]
pub(crate) struct Strip {
    pub(crate) pieces: Vec<(Timestamp, RecordingChunk)>,
    /// Where to go on.
    pub(crate) next: Mark,
    /// There is more already.
    pub(crate) more: bool,
}

/// A place on the tape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of the next piece.
    piece: u64,
    /// Bytes written before it.
    written: u64,
    begun: bool,
}

#[derive(Default)]
pub(super) struct Tape {
    recorders: Watchers,
    pieces: VecDeque<(Timestamp, RecordingChunk)>,
    /// Bytes in `pieces`.
    bytes: usize,
    /// Number of the first piece.
    first: u64,
    /// Bytes ever written while there was a tape.
    written: u64,
    /// What the last output ended with, if that was in the middle of a sequence.
    unfinished: Vec<u8>,
    ended: Option<ExitStatus>,
}

impl Tape {
    /// Somebody records.
    pub(super) fn add(&mut self, recorder: Arc<Watcher>) {
        self.recorders.add(recorder);
    }

    /// The program wrote this, after which the screen is so.
    pub(super) fn wrote(&mut self, bytes: &[u8], screen: &Screen) {
        self.remember_unfinished(bytes, screen);
        if self.runs() {
            self.written += bytes.len() as u64;
            self.push(RecordingChunk::Wrote(bytes.to_vec()));
        }
    }

    /// The pane has another size.
    pub(super) fn resized(&mut self, size: Size) {
        if self.runs() {
            self.push(RecordingChunk::Resized(size));
        }
    }

    /// The program ended.
    pub(super) fn ended(&mut self, exit: ExitStatus) {
        self.ended = Some(exit);
        self.recorders.ring();
    }

    /// What came after a mark; the screen as it is when that is no longer on the tape.
    pub(super) fn strip(&self, from: Mark, screen: &Screen, size: Size) -> Strip {
        let end = Mark { piece: self.first + self.pieces.len() as u64, written: self.written, begun: true };
        if !from.begun || from.piece < self.first {
            let lost = if from.begun { self.written - from.written } else { 0 };
            let drawing = [screen.repaint(), self.unfinished.clone()].concat();
            let pieces = vec![(clock::now(), RecordingChunk::Begins { size, lost, drawing })];
            return self.with_end(Strip { pieces, next: end, more: false });
        }
        let mut strip = Strip { next: from, ..Strip::default() };
        let mut bytes = 0;
        for (at, piece) in self.pieces.iter().skip((from.piece - self.first) as usize) {
            if bytes >= AT_ONCE {
                strip.more = true;
                return strip;
            }
            bytes += length(piece);
            strip.next.piece += 1;
            strip.next.written += written(piece);
            strip.pieces.push((*at, piece.clone()));
        }
        self.with_end(strip)
    }

    fn with_end(&self, mut strip: Strip) -> Strip {
        strip.pieces.extend(self.ended.map(|exit| (clock::now(), RecordingChunk::Ended(exit))));
        strip
    }

    /// Whether anybody records.
    pub(super) fn is_recorded(&mut self) -> bool {
        self.recorders.any()
    }

    /// Whether anybody records; else the tape is thrown away.
    fn runs(&mut self) -> bool {
        let runs = self.recorders.any();
        if !runs && !self.pieces.is_empty() {
            self.first += self.pieces.len() as u64;
            self.pieces = VecDeque::new();
            self.bytes = 0;
        }
        runs
    }

    fn push(&mut self, piece: RecordingChunk) {
        self.bytes += length(&piece);
        self.pieces.push_back((clock::now(), piece));
        while self.bytes > BYTES || self.pieces.len() > PIECES {
            let Some((_, gone)) = self.pieces.pop_front() else { break };
            self.bytes -= length(&gone);
            self.first += 1;
        }
        self.recorders.ring();
    }

    /// A recording that begins now needs the beginning of what goes on. A sequence begins with the last escape.
    fn remember_unfinished(&mut self, bytes: &[u8], screen: &Screen) {
        if !screen.is_mid_sequence() {
            return self.unfinished.clear();
        }
        match bytes.iter().rposition(|&byte| byte == 0x1b || byte >= 0xc0) {
            Some(at) => self.unfinished = bytes[at..].to_vec(),
            None if self.unfinished.len() + bytes.len() <= AT_ONCE => self.unfinished.extend(bytes),
            None => self.unfinished.clear(),
        }
    }
}

fn length(piece: &RecordingChunk) -> usize {
    match piece {
        RecordingChunk::Wrote(bytes) => bytes.len(),
        RecordingChunk::Begins { drawing, .. } => drawing.len(),
        RecordingChunk::Resized(_) | RecordingChunk::Ended(_) => 0,
    }
}

fn written(piece: &RecordingChunk) -> u64 {
    if let RecordingChunk::Wrote(bytes) = piece { bytes.len() as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_screen::Limits;
    use tokio::sync::Notify;

    const SIZE: Size = Size { cols: 20, rows: 4 };

    fn screen() -> Screen {
        Screen::new(fugue_screen::Size { cols: SIZE.cols, rows: SIZE.rows }, Limits::default())
    }

    fn write(tape: &mut Tape, screen: &mut Screen, bytes: &[u8]) {
        screen.feed(bytes);
        tape.wrote(bytes, screen);
    }

    #[test]
    fn a_recording_begins_with_the_screen_and_goes_on_with_what_is_written() {
        let (mut tape, mut screen) = (Tape::default(), screen());
        write(&mut tape, &mut screen, b"before \x1b[3");
        let recorder = Watcher::new(Arc::new(Notify::new()), Arc::new(Notify::new()));
        tape.add(Arc::clone(&recorder));
        let first = tape.strip(Mark::default(), &screen, SIZE);
        write(&mut tape, &mut screen, b"1mred");
        tape.resized(SIZE);
        tape.ended(ExitStatus::Code(0));
        let second = tape.strip(first.next, &screen, SIZE);
        let pieces: Vec<_> = first.pieces.into_iter().chain(second.pieces).map(|(_, piece)| piece).collect();
        let [
            RecordingChunk::Begins { lost: 0, drawing, .. },
            RecordingChunk::Wrote(bytes),
            RecordingChunk::Resized(SIZE),
            RecordingChunk::Ended(_),
        ] = &pieces[..]
        else {
            panic!("{pieces:?}")
        };
        let mut played = self::screen();
        played.feed(drawing);
        played.feed(bytes);
        assert_eq!(played.screen_ansi(), screen.screen_ansi());
        assert_eq!(played.screen_rows()[0], "before red");
    }

    #[test]
    fn who_lags_is_told_how_much_is_lost_and_the_tape_is_never_longer_than_it_may_be() {
        let (mut tape, mut screen) = (Tape::default(), screen());
        let recorder = Watcher::new(Arc::new(Notify::new()), Arc::new(Notify::new()));
        tape.add(Arc::clone(&recorder));
        let begin = tape.strip(Mark::default(), &screen, SIZE).next;
        let mut total = 0;
        for _ in 0..40 {
            write(&mut tape, &mut screen, &[b'x'; 64 << 10]);
            total += 64 << 10;
            assert!(tape.bytes <= BYTES);
        }
        let strip = tape.strip(begin, &screen, SIZE);
        assert!(matches!(strip.pieces[..], [(_, RecordingChunk::Begins { lost, .. })] if lost == total));
        (0..=PIECES).for_each(|_| write(&mut tape, &mut screen, b"y"));
        assert_eq!(tape.pieces.len(), PIECES);
        drop(recorder);
        write(&mut tape, &mut screen, b"z");
        assert_eq!((tape.pieces.len(), tape.bytes), (0, 0));
    }
}
