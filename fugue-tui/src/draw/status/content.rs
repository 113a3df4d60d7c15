//! What a line of the status line holds now, before it is placed: texts with their styles, and how long each of them
//! stays when there is not enough room.

use fugue_config::StatusPart;
use fugue_protocol::WindowId;
use unicode_width::UnicodeWidthStr;

use super::style_marks::StyleChange;
use crate::paint::Canvas;
use crate::theme::ThemePart;

/// How a text is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarStyle {
    /// As this part of the theme.
    Part(ThemePart),
    /// As the status line, with these changes.
    Changed(StyleChange),
}

impl BarStyle {
    pub(super) fn over(self, canvas: &Canvas) -> fugue_screen::Style {
        match self {
            Self::Part(part) => canvas.style(part),
            Self::Changed(change) => change.apply(canvas.style(ThemePart::Bar)),
        }
    }
}

/// Text and its style.
pub(crate) type Piece = (String, BarStyle);

pub(super) fn cols_of(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(text, _)| text.width()).sum()
}

/// Something on the status line that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusTarget {
    Session,
    Window(WindowId),
}

/// Something on the line with its position.
pub(super) struct PlacedItem {
    pub(super) col: u16,
    pub(super) pieces: Vec<Piece>,
    pub(super) target: Option<StatusTarget>,
}

/// One text, with blanks around it when it is placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BarText {
    pieces: Vec<Piece>,
    /// Whether it has a color of its own, which the blanks beside it share.
    boxed: bool,
}

impl BarText {
    /// Text in the color of the line.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::of(vec![(text.into(), BarStyle::Part(ThemePart::Bar))])
    }

    /// Text drawn as a part of the theme.
    pub(crate) fn themed(text: impl Into<String>, part: ThemePart) -> Self {
        Self { pieces: vec![(text.into(), BarStyle::Part(part))], boxed: part != ThemePart::Bar }
    }

    /// Text in several styles.
    pub(crate) fn of(pieces: Vec<Piece>) -> Self {
        Self { pieces, boxed: false }
    }

    fn is_empty(&self) -> bool {
        cols_of(&self.pieces) == 0
    }
}

/// A part that is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatusText {
    long: Vec<BarText>,
    short: Vec<BarText>,
    /// How important it is; the least important parts are left out first.
    rank: u8,
    /// Whether it takes its short form before a window is left out.
    gives_way: bool,
}

/// A part with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PartContent {
    Session,
    Windows,
    Text(StatusText),
}

/// A line with its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LineContent {
    pub(crate) left: Vec<PartContent>,
    pub(crate) center: Vec<PartContent>,
    pub(crate) right: Vec<PartContent>,
}

/// The rank at which parts with a short form take it.
const SHORTENED: u8 = 6;

/// The rank of texts and commands, which are left out one after the other.
pub(super) const TEXT_RANK: u8 = 5;

/// The order in which parts are left out: those of rank 1 first. Parts of one rank go together.
fn rank(part: &StatusPart) -> u8 {
    match part {
        StatusPart::Title => 1,
        StatusPart::Panes | StatusPart::Exited => 2,
        StatusPart::Host | StatusPart::Load => 3,
        StatusPart::Battery | StatusPart::Branch => 4,
        StatusPart::Text(_) | StatusPart::Command(_) => TEXT_RANK,
        StatusPart::Messages => SHORTENED,
        StatusPart::Exit | StatusPart::Zoom => 7,
        StatusPart::Warnings | StatusPart::Agents => 8,
        StatusPart::Clock => 9,
        // These are never left out.
        StatusPart::Session | StatusPart::Windows => u8::MAX,
    }
}

impl StatusText {
    /// A part with these texts.
    pub(crate) fn new(part: &StatusPart, long: Vec<BarText>) -> Self {
        Self::with_short(part, long.clone(), long)
    }

    /// A part that has a short form.
    pub(super) fn with_short(part: &StatusPart, long: Vec<BarText>, short: Vec<BarText>) -> Self {
        Self { long, short, rank: rank(part), gives_way: false }
    }

    /// The part, in its short form before a window is left out.
    pub(super) fn giving_way_to_windows(self) -> Self {
        Self { gives_way: true, ..self }
    }

    pub(super) fn rank(&self) -> u8 {
        self.rank
    }

    /// The texts that are left when all parts up to a rank are left out, and perhaps windows as well.
    pub(super) fn texts(&self, left_out: u8, lacks_windows: bool) -> &[BarText] {
        match left_out {
            _ if left_out >= self.rank => &[],
            SHORTENED.. => &self.short,
            _ if lacks_windows && self.gives_way => &self.short,
            _ => &self.long,
        }
    }
}

/// Puts blanks around texts. A text with a color of its own has one on each side within it. Nothing stays nothing.
pub(super) fn spaced<'a>(texts: impl Iterator<Item = &'a BarText>) -> Vec<Piece> {
    let bar = BarStyle::Part(ThemePart::Bar);
    let mut spaced = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if text.boxed {
            spaced.extend(text.pieces.iter().map(|(text, style)| (format!(" {text} "), *style)));
            spaced.push((" ".to_owned(), bar));
        } else {
            spaced.extend(text.pieces.iter().cloned());
            spaced.push(("  ".to_owned(), bar));
        }
    }
    if let Some((last, _)) = spaced.last_mut() {
        last.truncate(1);
        spaced.insert(0, (" ".to_owned(), bar));
    }
    spaced
}
