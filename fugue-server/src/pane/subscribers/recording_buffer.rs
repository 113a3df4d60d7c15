//! The recent output of a pane, for clients that record it. It is kept only while someone records. A client that lags so
//! far behind that output was dropped is told how much is lost, and continues from the current screen.

use std::collections::VecDeque;
use std::rc::Rc;

use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Size, Timestamp};
use fugue_screen::Screen;

use super::subscriber::{Subscriber, SubscriberList};
use crate::clock;

/// The most bytes kept: some seconds of a program that writes a lot.
const MAX_BYTES: usize = 1 << 20;

/// The most chunks kept: a program that writes single characters fills them no faster than a person reads.
const MAX_CHUNKS: usize = 4_096;

/// The most bytes in a slice, so that replies can be sent in between.
const SLICE_BYTES: usize = 64 << 10;

/// A part of a recording.
#[derive(Default)]
pub(crate) struct RecordingSlice {
    pub(crate) chunks: Vec<(Timestamp, RecordingChunk)>,
    /// The position after it.
    pub(crate) next: RecordingPosition,
    /// Whether there is more already.
    pub(crate) more: bool,
}

/// A position in a recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordingPosition {
    /// The number of the next chunk.
    chunk: u64,
    /// Bytes written before it.
    written: u64,
    is_started: bool,
}

/// The recent output of a pane.
#[derive(Default)]
pub(crate) struct RecordingBuffer {
    subscribers: SubscriberList,
    chunks: VecDeque<(Timestamp, RecordingChunk)>,
    /// Bytes in `chunks`.
    bytes: usize,
    /// The number of the first chunk.
    first: u64,
    /// Bytes ever written while someone recorded.
    written: u64,
    /// The end of the last output, if it ended in the middle of an escape sequence or character.
    unfinished: Vec<u8>,
    ended: Option<ExitStatus>,
}

impl RecordingBuffer {
    /// Adds a client that records.
    pub(crate) fn add(&mut self, subscriber: Rc<Subscriber>) {
        self.subscribers.add(subscriber);
    }

    /// Records output, given the screen after it.
    pub(crate) fn wrote(&mut self, bytes: &[u8], screen: &Screen) {
        self.remember_unfinished(bytes, screen);
        if self.keeps_output() {
            self.written += bytes.len() as u64;
            self.push(RecordingChunk::Wrote(bytes.to_vec()));
        }
    }

    /// Records a new size.
    pub(crate) fn resized(&mut self, size: Size) {
        if self.keeps_output() {
            self.push(RecordingChunk::Resized(size));
        }
    }

    /// Records the end of the program.
    pub(crate) fn ended(&mut self, exit: ExitStatus) {
        self.ended = Some(exit);
        self.subscribers.notify();
    }

    /// Returns the recording from a position on. If that is no longer kept, it begins with the current screen.
    pub(crate) fn slice(&self, from: RecordingPosition, screen: &Screen, size: Size) -> RecordingSlice {
        let chunk = self.first + self.chunks.len() as u64;
        let end = RecordingPosition { chunk, written: self.written, is_started: true };
        if !from.is_started || from.chunk < self.first {
            let lost = if from.is_started { self.written - from.written } else { 0 };
            let drawing = [screen.repaint(), self.unfinished.clone()].concat();
            let chunks = vec![(clock::now(), RecordingChunk::Begins { size, lost, drawing })];
            return self.with_end(RecordingSlice { chunks, next: end, more: false });
        }
        let mut slice = RecordingSlice { next: from, ..RecordingSlice::default() };
        let mut bytes = 0;
        for (at, chunk) in self.chunks.iter().skip((from.chunk - self.first) as usize) {
            if bytes >= SLICE_BYTES {
                slice.more = true;
                return slice;
            }
            bytes += length(chunk);
            slice.next.chunk += 1;
            slice.next.written += written(chunk);
            slice.chunks.push((*at, chunk.clone()));
        }
        self.with_end(slice)
    }

    fn with_end(&self, mut slice: RecordingSlice) -> RecordingSlice {
        slice.chunks.extend(self.ended.map(|exit| (clock::now(), RecordingChunk::Ended(exit))));
        slice
    }

    /// Whether anyone records.
    pub(crate) fn is_recorded(&mut self) -> bool {
        !self.subscribers.is_empty()
    }

    /// Whether anyone records; if not, the recording is dropped.
    fn keeps_output(&mut self) -> bool {
        let is_recorded = self.is_recorded();
        if !is_recorded && !self.chunks.is_empty() {
            self.first += self.chunks.len() as u64;
            self.chunks = VecDeque::new();
            self.bytes = 0;
        }
        is_recorded
    }

    fn push(&mut self, chunk: RecordingChunk) {
        self.bytes += length(&chunk);
        self.chunks.push_back((clock::now(), chunk));
        while self.bytes > MAX_BYTES || self.chunks.len() > MAX_CHUNKS {
            let Some((_, dropped)) = self.chunks.pop_front() else { break };
            self.bytes -= length(&dropped);
            self.first += 1;
        }
        self.subscribers.notify();
    }

    /// Keeps the beginning of an unfinished sequence, which a recording that begins now needs. It begins with the last
    /// escape or lead byte.
    fn remember_unfinished(&mut self, bytes: &[u8], screen: &Screen) {
        if !screen.is_mid_sequence() {
            return self.unfinished.clear();
        }
        match bytes.iter().rposition(|&byte| byte == 0x1b || byte >= 0xc0) {
            Some(at) => self.unfinished = bytes[at..].to_vec(),
            None if self.unfinished.len() + bytes.len() <= SLICE_BYTES => self.unfinished.extend(bytes),
            None => self.unfinished.clear(),
        }
    }
}

fn length(chunk: &RecordingChunk) -> usize {
    match chunk {
        RecordingChunk::Wrote(bytes) => bytes.len(),
        RecordingChunk::Begins { drawing, .. } => drawing.len(),
        RecordingChunk::Resized(_) | RecordingChunk::Ended(_) => 0,
    }
}

fn written(chunk: &RecordingChunk) -> u64 {
    if let RecordingChunk::Wrote(bytes) = chunk { bytes.len() as u64 } else { 0 }
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

    fn write(recording: &mut RecordingBuffer, screen: &mut Screen, bytes: &[u8]) {
        screen.feed(bytes);
        recording.wrote(bytes, screen);
    }

    #[test]
    fn a_recording_begins_with_the_screen_and_continues_with_the_output() {
        let (mut recording, mut screen) = (RecordingBuffer::default(), screen());
        write(&mut recording, &mut screen, b"before \x1b[3");
        let subscriber = Subscriber::new(Rc::new(Notify::new()), Rc::new(Notify::new()));
        recording.add(Rc::clone(&subscriber));
        let first = recording.slice(RecordingPosition::default(), &screen, SIZE);
        write(&mut recording, &mut screen, b"1mred");
        recording.resized(SIZE);
        recording.ended(ExitStatus::Code(0));
        let second = recording.slice(first.next, &screen, SIZE);
        let chunks: Vec<_> = first.chunks.into_iter().chain(second.chunks).map(|(_, chunk)| chunk).collect();
        let [
            RecordingChunk::Begins { lost: 0, drawing, .. },
            RecordingChunk::Wrote(bytes),
            RecordingChunk::Resized(SIZE),
            RecordingChunk::Ended(_),
        ] = &chunks[..]
        else {
            panic!("{chunks:?}")
        };
        let mut played = self::screen();
        played.feed(drawing);
        played.feed(bytes);
        assert_eq!(played.screen_ansi(), screen.screen_ansi());
        assert_eq!(played.screen_rows()[0], "before red");
    }

    #[test]
    fn a_client_that_lags_is_told_how_much_is_lost_and_the_buffer_is_bounded() {
        let (mut recording, mut screen) = (RecordingBuffer::default(), screen());
        let subscriber = Subscriber::new(Rc::new(Notify::new()), Rc::new(Notify::new()));
        recording.add(Rc::clone(&subscriber));
        let begin = recording.slice(RecordingPosition::default(), &screen, SIZE).next;
        let mut total = 0;
        for _ in 0..40 {
            write(&mut recording, &mut screen, &[b'x'; 64 << 10]);
            total += 64 << 10;
            assert!(recording.bytes <= MAX_BYTES);
        }
        let slice = recording.slice(begin, &screen, SIZE);
        assert!(matches!(slice.chunks[..], [(_, RecordingChunk::Begins { lost, .. })] if lost == total));
        (0..=MAX_CHUNKS).for_each(|_| write(&mut recording, &mut screen, b"y"));
        assert_eq!(recording.chunks.len(), MAX_CHUNKS);
        drop(subscriber);
        write(&mut recording, &mut screen, b"z");
        assert_eq!((recording.chunks.len(), recording.bytes), (0, 0));
    }
}
