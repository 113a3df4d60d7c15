//! The asciicast v3 format: a header line, then one line per event with the time since the previous one. Each line is
//! written at once, so an interrupted recording is complete up to that point.

use std::io::{self, Write};

use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::views::{ExitStatus, PaneView};
use fugue_protocol::{Size, Timestamp};
use serde_json::{Value, json};

/// A recording in progress.
pub(crate) struct Asciicast {
    to: Box<dyn Write>,
    about: Value,
    /// The time of the last line, and the terminal's size then.
    last: Option<(Timestamp, Size)>,
    /// The first bytes of a character that is still incomplete.
    partial: Vec<u8>,
    written: u64,
    lost: u64,
}

impl Asciicast {
    /// A recording of this pane, which the header describes.
    pub(crate) fn new(to: Box<dyn Write>, pane: &PaneView) -> Self {
        let title = if pane.title.is_empty() { &pane.command } else { &pane.title };
        let about = json!({ "command": pane.command, "title": title });
        Self { to, about, last: None, partial: Vec::new(), written: 0, lost: 0 }
    }

    /// Whether the header has been written.
    pub(crate) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Bytes of output in the recording.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Bytes of output missing from the recording.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Adds one chunk of the pane's output.
    pub(crate) fn add(&mut self, at: Timestamp, chunk: &RecordingChunk) -> io::Result<()> {
        match chunk {
            RecordingChunk::Begins { size, lost, drawing } => self.begin(at, *size, *lost, drawing),
            RecordingChunk::Wrote(bytes) => {
                self.written += bytes.len() as u64;
                self.output(at, bytes)
            }
            RecordingChunk::Resized(size) => self.resize(at, *size),
            RecordingChunk::Ended(exit) => self.end(at, *exit),
        }
    }

    /// Adds a marker, which players show.
    pub(crate) fn mark(&mut self, text: &str) -> io::Result<()> {
        let at = self.last.map_or(Timestamp::default(), |(at, _)| at);
        self.line(at, "m", text)
    }

    fn begin(&mut self, at: Timestamp, size: Size, lost: u64, drawing: &[u8]) -> io::Result<()> {
        if self.last.is_none() {
            self.header(at, size)?;
        }
        if lost > 0 {
            self.lost += lost;
            self.line(at, "m", &format!("{lost} bytes of output are missing here"))?;
        }
        self.partial.clear();
        self.resize(at, size)?;
        self.output(at, drawing)
    }

    fn header(&mut self, at: Timestamp, size: Size) -> io::Result<()> {
        let mut header = json!({
            "version": 3,
            "term": { "cols": size.cols, "rows": size.rows, "type": "xterm-256color" },
            "timestamp": at.millis() / 1000,
        });
        if let (Some(header), Some(about)) = (header.as_object_mut(), self.about.as_object()) {
            header.extend(about.clone());
        }
        self.last = Some((at, size));
        writeln!(self.to, "{header}")?;
        self.to.flush()
    }

    /// Adds a resize event, unless the size is unchanged.
    fn resize(&mut self, at: Timestamp, size: Size) -> io::Result<()> {
        if self.last.is_some_and(|(_, last)| last == size) {
            return Ok(());
        }
        self.line(at, "r", &format!("{}x{}", size.cols, size.rows))?;
        self.last = Some((at, size));
        Ok(())
    }

    /// Adds output. It must be UTF-8: an incomplete character waits for its other bytes, invalid bytes are replaced.
    fn output(&mut self, at: Timestamp, bytes: &[u8]) -> io::Result<()> {
        self.partial.extend_from_slice(bytes);
        let cut = unfinished(&self.partial);
        let rest = self.partial.split_off(self.partial.len() - cut);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.partial, rest)).into_owned();
        if text.is_empty() { Ok(()) } else { self.line(at, "o", &text) }
    }

    fn end(&mut self, at: Timestamp, exit: ExitStatus) -> io::Result<()> {
        match exit {
            ExitStatus::Code(code) => self.line(at, "x", &code.to_string()),
            // The code that shells report for a signal.
            ExitStatus::Signal(signal) => self.line(at, "x", &(128 + signal).to_string()),
            ExitStatus::Unknown => Ok(()),
        }
    }

    fn line(&mut self, at: Timestamp, code: &str, data: &str) -> io::Result<()> {
        let Some((last, size)) = self.last else { return Ok(()) };
        let seconds = at.since(last).as_millis() as f64 / 1000.0;
        self.last = Some((last.max(at), size));
        writeln!(self.to, "{}", json!([seconds, code, data]))?;
        self.to.flush()
    }
}

/// The number of bytes at the end that begin an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    let Some(at) = last.iter().rposition(|byte| byte & 0xc0 == 0xc0) else { return 0 };
    let needed = match last[at] {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    let present = last.len() - at;
    if present < needed { present } else { 0 }
}
