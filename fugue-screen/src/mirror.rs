//! A viewer's copy of a screen, kept up to date by updates.

use crate::color_overrides::ColorOverrides;
use crate::cursor::Cursor;
use crate::geometry::Size;
use crate::images::ImagePiece;
use crate::modes::Modes;
use crate::row_view::RowView;
use crate::update::Update;

/// A viewer's copy of a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    /// The revision it shows, from which to ask for the next update. 0 before the first one.
    pub revision: u64,
    /// Size of the screen.
    pub size: Size,
    /// Whether the alternate screen is shown.
    pub alternate: bool,
    /// The cursor.
    pub cursor: Cursor,
    /// The modes.
    pub modes: Modes,
    /// The title.
    pub title: String,
    /// The colors that the program chose.
    pub colors: ColorOverrides,
    /// The visible parts of images, in the order in which they are drawn.
    pub images: Vec<ImagePiece>,
    /// All rows.
    pub rows: Vec<RowView>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            revision: 0,
            size: Size { cols: 0, rows: 0 },
            alternate: false,
            cursor: Cursor::default(),
            modes: Modes::default(),
            title: String::new(),
            colors: ColorOverrides::default(),
            images: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl Mirror {
    /// Applies an update. One that does not belong to this copy does no harm: it shows until the next full update.
    pub fn apply(&mut self, update: &Update) {
        self.revision = update.revision;
        self.size = update.size;
        self.alternate = update.alternate;
        self.cursor = update.cursor;
        self.modes = update.modes;
        if update.whole {
            self.rows.clear();
        }
        self.rows.resize_with(usize::from(update.size.rows), RowView::default);
        let scrolled = usize::from(update.scrolled).min(self.rows.len());
        self.rows.rotate_left(scrolled);
        let kept = self.rows.len() - scrolled;
        self.rows[kept..].fill(RowView::default());
        if let Some(title) = &update.title {
            self.title.clone_from(title);
        }
        if let Some(colors) = &update.colors {
            self.colors.clone_from(colors);
        }
        if let Some(images) = &update.images {
            self.images.clone_from(images);
        }
        for (number, row) in &update.rows {
            if let Some(mine) = self.rows.get_mut(usize::from(*number)) {
                mine.clone_from(row);
            }
        }
    }
}
