//! The places of the parts of a line. What does not fit is left out part by part, the least important first; the session
//! and the windows stay, and the list of windows shows what it has room for.

use fugue_protocol::views::SessionView;
use unicode_width::UnicodeWidthStr;

use super::content::{
    BarStyle, LineContent, PartContent, Piece, PlacedItem, StatusTarget, StatusText, TEXT_RANK, cols_of,
    spaced,
};
use super::window_list::{CURRENT, MARK_COLS, WindowLabel, cut, window_items};
use crate::theme::ThemePart;
use crate::tree::{Tree, full_name};

/// What was left out so far: all parts up to a rank, this many of the texts and commands, and perhaps windows.
#[derive(Clone, Copy)]
struct LeftOut {
    rank: u8,
    texts: usize,
    windows: bool,
}

impl LeftOut {
    /// All parts but those that stay.
    const ALL: Self = Self { rank: u8::MAX, texts: usize::MAX, windows: true };

    fn parts(rank: u8, texts: usize) -> Self {
        Self { rank, texts, windows: false }
    }
}

/// Parts that belong together on a side.
enum StatusBlock {
    Session,
    Windows,
    /// Texts with blanks between them.
    Texts(Vec<Piece>),
}

/// A line whose sides are divided into blocks.
struct Blocks {
    sides: [Vec<StatusBlock>; 3],
}

impl Blocks {
    fn of(line: &LineContent, left_out: LeftOut) -> Self {
        // The order in which texts go: from the inner end of the right side to the start of the line.
        let (mut order, mut sides) = (0, [Vec::new(), Vec::new(), Vec::new()]);
        let parts = [&line.right, &line.center, &line.left];
        for (at, side) in parts.into_iter().enumerate() {
            let backwards = at > 0;
            let count = side.iter().filter(|part| is_text(part)).count();
            let position = |within: usize| order + if backwards { count - 1 - within } else { within };
            sides[2 - at] = blocks_of(side, left_out, position);
            order += count;
        }
        Self { sides }
    }

    /// The columns of all texts.
    fn text_cols(&self) -> usize {
        let blocks = self.sides.iter().flatten();
        blocks.map(|block| if let StatusBlock::Texts(pieces) = block { cols_of(pieces) } else { 0 }).sum()
    }
}

fn is_text(part: &PartContent) -> bool {
    matches!(part, PartContent::Text(text) if text.rank() == TEXT_RANK)
}

fn blocks_of(side: &[PartContent], left_out: LeftOut, position: impl Fn(usize) -> usize) -> Vec<StatusBlock> {
    let (mut blocks, mut run, mut within) = (Vec::new(), Vec::new(), 0);
    let close = |run: &mut Vec<&StatusText>, blocks: &mut Vec<StatusBlock>| {
        let pieces = spaced(run.drain(..).flat_map(|part| part.texts(left_out.rank, left_out.windows)));
        if !pieces.is_empty() {
            blocks.push(StatusBlock::Texts(pieces));
        }
    };
    for part in side {
        match part {
            PartContent::Text(text) => {
                let is_gone = is_text(part) && position(within) < left_out.texts;
                within += usize::from(is_text(part));
                run.extend((!is_gone).then_some(text));
            }
            PartContent::Session => {
                close(&mut run, &mut blocks);
                blocks.push(StatusBlock::Session);
            }
            PartContent::Windows => {
                close(&mut run, &mut blocks);
                blocks.push(StatusBlock::Windows);
            }
        }
    }
    close(&mut run, &mut blocks);
    blocks
}

/// The steps in which parts are left out.
fn steps(line: &LineContent) -> impl Iterator<Item = LeftOut> {
    let texts =
        [&line.left, &line.center, &line.right].into_iter().flatten().filter(|part| is_text(part)).count();
    let before = (0..TEXT_RANK).map(|rank| LeftOut::parts(rank, 0));
    let between = (1..texts.max(1)).map(|texts| LeftOut::parts(TEXT_RANK - 1, texts));
    let after = (TEXT_RANK..=9).map(move |rank| LeftOut::parts(rank, texts));
    before.chain(between).chain(after)
}

/// What stays, whatever else is left out.
struct KeptParts<'a> {
    /// The session's name with blanks around it; empty if it is not on the line.
    name: String,
    /// The windows; none if they are not on the line.
    labels: Vec<WindowLabel<'a>>,
}

impl<'a> KeptParts<'a> {
    fn of(line: &LineContent, tree: &Tree, session: &'a SessionView) -> Self {
        let has = |part: &PartContent| {
            [&line.left, &line.center, &line.right].into_iter().flatten().any(|of| of == part)
        };
        let name = if has(&PartContent::Session) {
            format!(" {} ", full_name(tree.host.as_deref(), &session.name))
        } else {
            String::new()
        };
        let windows = session.windows.iter().filter(|_| has(&PartContent::Windows));
        Self { name, labels: windows.map(|window| WindowLabel::of(tree, window)).collect() }
    }

    /// The columns of the name and the blank behind it.
    fn name_cols(&self) -> usize {
        if self.name.is_empty() { 0 } else { self.name.width() + 1 }
    }

    fn list_cols(&self) -> usize {
        self.labels.iter().map(|label| label.text.width()).sum()
    }

    fn cols(&self) -> usize {
        self.name_cols() + self.list_cols()
    }

    /// A long name is cut, so that it leaves room for the list of windows.
    fn shortened(self, all: usize) -> Self {
        Self { name: cut(&self.name, 0, (all / 3).max(8)), ..self }
    }

    /// The least columns: a cut name, and the current window between two marks.
    fn least(&self, all: usize) -> usize {
        let current = self.labels.iter().find(|label| label.window.active);
        let current = current.map_or(0, |label| label.text.width().min(CURRENT) + MARK_COLS);
        self.name_cols().min((all / 3).max(8) + 1) + current
    }
}

/// Places the parts of a line.
pub(super) fn placed(line: &LineContent, tree: &Tree, session: &SessionView, cols: u16) -> Vec<PlacedItem> {
    let all = usize::from(cols);
    let kept = KeptParts::of(line, tree, session);
    // These never need more than half of the line, unless that is too little even for the least.
    let room = all.saturating_sub(kept.cols().min(kept.least(all).max(all / 2)));
    let step = steps(line).find(|step| Blocks::of(line, *step).text_cols() <= room).unwrap_or(LeftOut::ALL);
    let windows = kept.cols() + Blocks::of(line, step).text_cols() > all;
    let blocks = Blocks::of(line, LeftOut { windows, ..step });
    let rest = all - blocks.text_cols().min(all);
    let kept = if kept.cols() > rest { kept.shortened(all) } else { kept };
    let list_cols = kept.list_cols().min(rest.saturating_sub(kept.name_cols()));
    LinePlacement { kept, list_cols, cols: all }.place(&blocks)
}

/// A line that is being placed.
struct LinePlacement<'a> {
    kept: KeptParts<'a>,
    /// The columns of the list of windows.
    list_cols: usize,
    cols: usize,
}

impl LinePlacement<'_> {
    fn place(&self, blocks: &Blocks) -> Vec<PlacedItem> {
        let [left, center, right] = &blocks.sides;
        let (left_cols, center_cols, right_cols) = (self.width(left), self.width(center), self.width(right));
        let right_start = self.cols.saturating_sub(right_cols);
        let middle = self.cols.saturating_sub(center_cols) / 2;
        let middle = middle.min(right_start.saturating_sub(center_cols)).max(left_cols);
        let mut items = Vec::new();
        self.side(left, 0, right_start, &mut items);
        self.side(center, middle, right_start, &mut items);
        self.side(right, right_start, self.cols, &mut items);
        items
    }

    fn width(&self, blocks: &[StatusBlock]) -> usize {
        let width = |block: &StatusBlock| match block {
            StatusBlock::Session => self.kept.name_cols(),
            StatusBlock::Windows => self.list_cols,
            StatusBlock::Texts(pieces) => cols_of(pieces),
        };
        blocks.iter().map(width).sum()
    }

    fn side(&self, blocks: &[StatusBlock], start: usize, end: usize, items: &mut Vec<PlacedItem>) {
        let mut col = start;
        for block in blocks {
            let room = end.saturating_sub(col);
            match block {
                StatusBlock::Session => {
                    let pieces = vec![(cut(&self.kept.name, 0, room), BarStyle::Part(ThemePart::BarSession))];
                    items.push(PlacedItem { col: col as u16, pieces, target: Some(StatusTarget::Session) });
                }
                StatusBlock::Windows => {
                    items.extend(window_items(&self.kept.labels, col, self.list_cols.min(room)));
                }
                StatusBlock::Texts(pieces) => {
                    items.push(PlacedItem { col: col as u16, pieces: pieces.clone(), target: None });
                }
            }
            col += self.width(std::slice::from_ref(block));
        }
    }
}
