//! The screen as JSON. A span has only those style attributes that differ from plain text.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::cursor::Cursor;
use crate::geometry::Size;
use crate::row_view::{RowView, Span};
use crate::screen::Screen;
use crate::style::{Attrs, Color, Underline};

/// The visible screen, to be serialized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScreenView {
    /// Its revision.
    pub revision: u64,
    /// Its size.
    pub size: Size,
    /// The cursor.
    pub cursor: Cursor,
    /// The title the program set.
    pub title: String,
    /// Whether a full-screen program uses the alternate screen.
    pub alternate: bool,
    /// The rows.
    pub rows: Vec<RowView>,
}

impl Screen {
    /// The visible screen with its styles, for JSON.
    pub fn view(&self) -> ScreenView {
        ScreenView {
            revision: self.revision(),
            size: self.size(),
            cursor: self.cursor(),
            title: self.title().to_owned(),
            alternate: self.on_alternate(),
            rows: self.rows(),
        }
    }
}

/// Names of attributes in JSON.
const ATTRS: [(Attrs, &str); 8] = [
    (Attrs::BOLD, "bold"),
    (Attrs::DIM, "dim"),
    (Attrs::ITALIC, "italic"),
    (Attrs::BLINK, "blink"),
    (Attrs::REVERSE, "reverse"),
    (Attrs::HIDDEN, "hidden"),
    (Attrs::STRIKE, "strike"),
    (Attrs::OVERLINE, "overline"),
];

/// A span is written as its text and whatever differs from plain text.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write_span(self, to)
    }
}

fn write_span<S: Serializer>(span: &Span, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(None)?;
    map.serialize_entry("text", &span.text)?;
    let colors =
        [("fg", span.style.fg), ("bg", span.style.bg), ("underline-color", span.style.underline_color)];
    for (name, color) in colors.into_iter().filter(|(_, color)| *color != Color::Default) {
        map.serialize_entry(name, &name_of(color))?;
    }
    if span.style.underline != Underline::None {
        map.serialize_entry("underline", &span.style.underline)?;
    }
    for (_, name) in ATTRS.iter().filter(|(attr, _)| span.style.attrs.contains(*attr)) {
        map.serialize_entry(name, &true)?;
    }
    if let Some(link) = span.link.as_deref() {
        map.serialize_entry("link", link)?;
    }
    if span.width == 2 {
        map.serialize_entry("width", &2)?;
    }
    map.end()
}

/// A palette number, or `#rrggbb`.
fn name_of(color: Color) -> String {
    match color {
        Color::Default => "default".to_owned(),
        Color::Indexed(n) => n.to_string(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    }
}
