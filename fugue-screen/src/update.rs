//! Updates: what changed on a screen since a viewer last refreshed.

use std::collections::HashMap;

use crate::binary_format::{DecodeError, Reader, put_bytes, put_number, put_style};
use crate::color_overrides::ColorOverrides;
use crate::cursor::{Cursor, CursorShape};
use crate::geometry::Size;
use crate::images::{ImagePiece, put_pieces, read_pieces};
use crate::modes::{Modes, Mouse, MouseEncoding};
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
        let whole = t.revisions.needs_full(revision);
        if t.revisions.sync.is_some() && !whole {
            return self.nothing_since(revision);
        }
        let scrolled =
            t.buffers.grid.scrolled.since(revision).filter(|&rows| rows < u64::from(t.buffers.size.rows));
        let all = whole || revision < t.buffers.grid.moved || scrolled.is_none();
        let rows = t.buffers.grid.rows.iter().enumerate().filter(|(_, row)| all || row.revision > revision);
        Update {
            revision: t.revisions.current,
            rows: rows
                .map(|(at, row)| (at as u16, drawn_row(row, t.buffers.grid.cols, &t.interner)))
                .collect(),
            whole,
            scrolled: scrolled.filter(|_| !all).unwrap_or(0) as u16,
            colors: (whole || t.colors.revision > revision).then(|| t.colors.palette.overrides.drawn()),
            images: (whole || t.images.revision > revision).then(|| t.images.pieces.clone()),
            title: (whole || t.reports.title.revision > revision).then(|| t.reports.title.current.clone()),
            ..self.nothing_since(revision)
        }
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
const VERSION: u8 = 1;

impl Update {
    /// Encodes the update for the wire.
    pub fn encode(&self) -> Vec<u8> {
        // Colors and images follow the rows, where older viewers do not look. A full update without any omits them.
        let colors = self.colors.as_ref().filter(|own| !(self.whole && own.is_empty()));
        let images = self.images.as_ref().filter(|images| !(self.whole && images.is_empty()));
        let flags = [self.whole, self.alternate, colors.is_some(), images.is_some()];
        let flags = flags.iter().enumerate().map(|(bit, flag)| u8::from(*flag) << bit).sum();
        let mut out = vec![VERSION, flags];
        put_number(&mut out, self.revision);
        put_number(&mut out, u64::from(self.size.cols));
        put_number(&mut out, u64::from(self.size.rows));
        put_number(&mut out, u64::from(self.scrolled));
        put_cursor(&mut out, &self.cursor);
        put_modes(&mut out, &self.modes);
        put_number(&mut out, u64::from(self.title.is_some()));
        put_bytes(&mut out, self.title.as_deref().unwrap_or_default().as_bytes());
        put_number(&mut out, self.rows.len() as u64);
        let mut looks = SpanStyles::default();
        for (number, row) in &self.rows {
            put_number(&mut out, u64::from(*number) << 1 | u64::from(row.wrapped));
            put_number(&mut out, row.spans.len() as u64);
            row.spans.iter().for_each(|span| looks.put_span(&mut out, span));
        }
        colors.into_iter().for_each(|own| own.encode(&mut out));
        images.into_iter().for_each(|images| put_pieces(&mut out, images));
        out
    }

    /// Decodes an update.
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
            size: Size { cols: input.small()?, rows: input.small()? },
            scrolled: input.small()?,
            cursor: cursor(&mut input)?,
            modes: modes(&mut input)?,
            title: title(&mut input)?,
            colors: (head[1] & 1 != 0).then(ColorOverrides::default),
            images: (head[1] & 1 != 0).then(Vec::new),
            rows: Vec::new(),
        };
        let mut looks = SpanStyles::default();
        for _ in 0..input.count(2)? {
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

/// The styles and links that occurred so far, which are sent as numbers from then on.
#[derive(Default)]
struct SpanStyles {
    known: Vec<(Style, Option<String>)>,
    /// Their numbers, for encoding: a picture in true color has a style for each cell.
    numbers: HashMap<(Style, Option<String>), usize>,
}

impl SpanStyles {
    fn put_span(&mut self, out: &mut Vec<u8>, span: &Span) {
        let look = (span.style, span.link.clone());
        let at = self.numbers.get(&look).copied();
        let bits = u64::from(span.width == 2) | u64::from(span.cluster) << 1;
        put_number(out, (at.map_or(0, |at| at as u64 + 1)) << 2 | bits);
        if at.is_none() {
            put_style(out, &span.style.into());
            put_bytes(out, span.link.as_deref().unwrap_or_default().as_bytes());
            self.numbers.insert(look, self.numbers.len());
        }
        put_bytes(out, span.text.as_bytes());
    }

    fn span(&mut self, input: &mut Reader<'_>) -> Result<Span, DecodeError> {
        let head = input.number()?;
        if head >> 2 == 0 {
            let style = input.style()?;
            let link = Some(input.text()?).filter(|link| !link.is_empty());
            self.known.push((style.into(), link.map(str::to_owned)));
        }
        let at = match head >> 2 {
            0 => self.known.len() - 1,
            n => n as usize - 1,
        };
        let (style, link) = self.known.get(at).cloned().ok_or(DecodeError("a style is missing"))?;
        let text = input.text()?.to_owned();
        Ok(Span { text, style, link, width: if head & 1 == 0 { 1 } else { 2 }, cluster: head & 2 != 0 })
    }
}

fn row(input: &mut Reader<'_>, looks: &mut SpanStyles) -> Result<(u16, RowView), DecodeError> {
    let head: u32 = input.small()?;
    let mut row = RowView { spans: Vec::new(), wrapped: head & 1 != 0 };
    for _ in 0..input.count(2)? {
        row.spans.push(looks.span(input)?);
    }
    Ok(((head >> 1) as u16, row))
}

fn title(input: &mut Reader<'_>) -> Result<Option<String>, DecodeError> {
    let given = input.flag()?;
    let title = input.text()?.to_owned();
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
