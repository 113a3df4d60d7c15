//! Updates: what changed on a screen since a viewer last refreshed.

use std::sync::Arc;

use crate::binary_format::{DecodeError, Reader, put_number};
use crate::color_overrides::ColorOverrides;
use crate::cursor::{Cursor, CursorShape};
use crate::geometry::Size;
use crate::images::{ImagePiece, read_pieces};
use crate::modes::{Modes, Mouse, MouseEncoding};
use crate::row::Row;
use crate::row_view::{RowView, Span, drawn_row};
use crate::screen::Screen;
use crate::style::Style;

/// Rows that changed since a revision, and everything that is small enough to be sent each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The revision it leads to, from which to ask for the next one.
    pub revision: u64,
    /// Size of the screen.
    pub size: Size,
    /// Whether it contains all rows and replaces everything that the viewer had.
    pub whole: bool,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    /// How many rows scrolled out at the top, with blank ones coming in below, before the changes of `rows`.
    pub scrolled: u16,
    /// The cursor.
    pub cursor: Cursor,
    /// The modes.
    pub modes: Modes,
    /// The title, if it changed.
    pub title: Option<String>,
    /// The colors that the program chose, if they changed.
    pub colors: Option<ColorOverrides>,
    /// The visible parts of images, if they changed.
    pub images: Option<Vec<ImagePiece>>,
    /// The changed rows with their numbers from the top.
    pub rows: Vec<(u16, RowView)>,
}

impl Screen {
    /// Returns what changed since `revision`: everything, if that is too old or 0.
    ///
    /// While a synchronized update is open, viewers see no change.
    pub fn update_since(&self, revision: u64) -> Update {
        let t = &self.terminal;
        let rows = self.rows_since(revision);
        Update {
            rows: rows.map(|(at, row)| (at, drawn_row(row, t.buffers.grid.cols, &t.interner))).collect(),
            ..self.changes_since(revision)
        }
    }

    /// What changed since `revision`, without the rows.
    pub(crate) fn changes_since(&self, revision: u64) -> Update {
        let t = &self.terminal;
        if self.is_held(revision) {
            return self.nothing_since(revision);
        }
        let whole = t.revisions.needs_full(revision);
        Update {
            revision: t.revisions.current,
            whole,
            scrolled: self.scrolled_since(revision).unwrap_or(0),
            colors: (whole || t.colors.revision > revision).then(|| t.colors.palette.overrides.drawn()),
            images: self.images_changed_since(revision).then(|| t.images.pieces.clone()),
            title: (whole || t.reports.title.revision > revision).then(|| t.reports.title.current.clone()),
            ..self.nothing_since(revision)
        }
    }

    /// The rows that changed since `revision` with their numbers from the top.
    pub(crate) fn rows_since(&self, revision: u64) -> impl Iterator<Item = (u16, &Row)> {
        let held = self.is_held(revision);
        let all = self.scrolled_since(revision).is_none();
        let rows = self.terminal.buffers.grid.rows.iter().enumerate();
        rows.filter(move |(_, row)| !held && (all || row.revision > revision))
            .map(|(at, row)| (at as u16, row))
    }

    /// Whether the visible images changed since `revision`, so that an update contains them.
    pub fn images_changed_since(&self, revision: u64) -> bool {
        let t = &self.terminal;
        !self.is_held(revision) && (t.revisions.needs_full(revision) || t.images.revision > revision)
    }

    /// Whether an open synchronized update keeps a viewer with `revision` from seeing changes.
    fn is_held(&self, revision: u64) -> bool {
        let revisions = &self.terminal.revisions;
        revisions.sync.is_some() && !revisions.needs_full(revision)
    }

    /// How many rows scrolled out at the top since `revision`; none if all rows have to be sent.
    fn scrolled_since(&self, revision: u64) -> Option<u16> {
        let t = &self.terminal;
        let all = t.revisions.needs_full(revision) || revision < t.buffers.grid.moved;
        let scrolled = t.buffers.grid.scrolled.since(revision);
        scrolled.filter(|&rows| !all && rows < u64::from(t.buffers.size.rows)).map(|rows| rows as u16)
    }

    fn nothing_since(&self, revision: u64) -> Update {
        let t = &self.terminal;
        Update {
            revision,
            size: t.buffers.size,
            whole: false,
            alternate: t.buffers.alternate,
            scrolled: 0,
            cursor: t.revisions.sync.and_then(|sync| sync.cursor).unwrap_or_else(|| self.cursor()),
            modes: t.modes,
            title: None,
            colors: None,
            images: None,
            rows: Vec::new(),
        }
    }
}

/// The version of the format, which is the first byte.
pub(crate) const VERSION: u8 = 1;

impl Update {
    /// Decodes an update. It may come from another host: one that no daemon sends, such as one with control characters in
    /// the text, is an error.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (head, rest) = bytes.split_at_checked(2).ok_or(DecodeError("the data ends too early"))?;
        if head[0] != VERSION {
            return Err(DecodeError("unknown version"));
        }
        let mut input = Reader::new(rest);
        let mut update = Self {
            whole: head[1] & 1 != 0,
            alternate: head[1] & 2 != 0,
            revision: input.number()?,
            size: size(&mut input)?,
            scrolled: input.small()?,
            cursor: cursor(&mut input)?,
            modes: modes(&mut input)?,
            title: title(&mut input)?,
            colors: (head[1] & 1 != 0).then(ColorOverrides::default),
            images: (head[1] & 1 != 0).then(Vec::new),
            rows: Vec::new(),
        };
        let mut looks = SpanStyles::default();
        for _ in 0..at_most(input.count(2)?, update.size.rows)? {
            update.rows.push(row(&mut input, &mut looks)?);
        }
        if head[1] & 4 != 0 {
            update.colors = Some(ColorOverrides::decode(&mut input)?);
        }
        if head[1] & 8 != 0 {
            update.images = Some(read_pieces(&mut input)?);
        }
        Ok(update)
    }
}

/// The styles and links that occurred so far, which later spans refer to by number.
#[derive(Default)]
struct SpanStyles {
    known: Vec<(Style, Option<Arc<str>>)>,
}

impl SpanStyles {
    fn span(&mut self, input: &mut Reader<'_>) -> Result<Span, DecodeError> {
        let head = input.number()?;
        if head >> 2 == 0 {
            let style = input.style()?;
            let link = Some(without_controls(input.text()?)?).filter(|link| !link.is_empty());
            self.known.push((style.into(), link.map(Arc::from)));
        }
        let at = match head >> 2 {
            0 => self.known.len() - 1,
            n => n as usize - 1,
        };
        let (style, link) = self.known.get(at).cloned().ok_or(DecodeError("a style is missing"))?;
        let text = without_controls(input.text()?)?.to_owned();
        Ok(Span { text, style, link, width: if head & 1 == 0 { 1 } else { 2 }, cluster: head & 2 != 0 })
    }
}

fn row(input: &mut Reader<'_>, looks: &mut SpanStyles) -> Result<(u16, RowView), DecodeError> {
    let head: u32 = input.small()?;
    let mut row = RowView { spans: Vec::new(), wrapped: head & 1 != 0 };
    for _ in 0..at_most(input.count(2)?, Size::LARGEST)? {
        row.spans.push(looks.span(input)?);
    }
    Ok(((head >> 1) as u16, row))
}

fn size(input: &mut Reader<'_>) -> Result<Size, DecodeError> {
    let size = Size { cols: input.small()?, rows: input.small()? };
    if size != size.within_limits() {
        return Err(DecodeError("no screen has this size"));
    }
    Ok(size)
}

fn at_most(count: usize, most: u16) -> Result<usize, DecodeError> {
    if count > usize::from(most) {
        return Err(DecodeError("there is more than fits on a screen"));
    }
    Ok(count)
}

/// Text as a screen shows it. Viewers write it to their terminals as it is.
fn without_controls(text: &str) -> Result<&str, DecodeError> {
    let has_c1 = || text.as_bytes().windows(2).any(|pair| pair[0] == 0xc2 && pair[1] < 0xa0);
    if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) || !text.is_ascii() && has_c1() {
        return Err(DecodeError("there is a control character in the text"));
    }
    Ok(text)
}

fn title(input: &mut Reader<'_>) -> Result<Option<String>, DecodeError> {
    let given = input.flag()?;
    let title = without_controls(input.text()?)?.to_owned();
    Ok(given.then_some(title))
}

pub(crate) fn put_cursor(out: &mut Vec<u8>, cursor: &Cursor) {
    put_number(out, u64::from(cursor.row));
    put_number(out, u64::from(cursor.col));
    put_number(out, cursor.shape as u64 | u64::from(cursor.visible) << 2 | u64::from(cursor.blinking) << 3);
}

pub(crate) fn cursor(input: &mut Reader<'_>) -> Result<Cursor, DecodeError> {
    let (row, col, bits) = (input.small()?, input.small()?, input.number()?);
    Ok(Cursor { row, col, visible: bits & 4 != 0, shape: shape(bits & 3), blinking: bits & 8 != 0 })
}

pub(crate) fn shape(number: u64) -> CursorShape {
    match number {
        1 => CursorShape::Underline,
        2 => CursorShape::Bar,
        _ => CursorShape::Block,
    }
}

pub(crate) fn put_modes(out: &mut Vec<u8>, modes: &Modes) {
    put_number(out, modes.flags);
    put_number(out, modes.mouse as u64);
    put_number(out, modes.encoding as u64);
    put_number(out, u64::from(modes.kitty));
    put_number(out, u64::from(modes.modify_other_keys));
}

pub(crate) fn modes(input: &mut Reader<'_>) -> Result<Modes, DecodeError> {
    const MICE: [Mouse; 5] = [Mouse::Off, Mouse::Press, Mouse::Buttons, Mouse::Drag, Mouse::Motion];
    const ENCODINGS: [MouseEncoding; 5] = [
        MouseEncoding::Bytes,
        MouseEncoding::Utf8,
        MouseEncoding::Sgr,
        MouseEncoding::Urxvt,
        MouseEncoding::SgrPixels,
    ];
    Ok(Modes {
        flags: input.number()?,
        mouse: MICE.get(input.small::<usize>()?).copied().unwrap_or_default(),
        encoding: ENCODINGS.get(input.small::<usize>()?).copied().unwrap_or_default(),
        kitty: input.small::<u8>()? & 31,
        modify_other_keys: input.small::<u8>()?.min(2),
    })
}
