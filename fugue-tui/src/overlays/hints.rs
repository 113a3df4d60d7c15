//! Labels on the links and paths that are visible: typing a label copies what it is on, typing it in capitals opens it.

use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::keys::{Code, Key};
use fugue_screen::{Attrs, ColorOverrides, LinkSchemes, RowView, Underline};

use super::outcome::OverlayOutcome;
use crate::draw::{self, MessageKind, ViewOrigin};
use crate::paint::Canvas;
use crate::screen_targets::{self, ScreenTarget};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The letters of labels, the easiest to reach first.
const LETTERS: &str = "asdfghjklqwertyuiopzxcvbnm";

/// The most labels: all pairs of letters. No screen that a person reads has more links.
const MOST: usize = 26 * 26;

/// A pane with labels, as it was when they were made: they stay on what they name while the program goes on.
pub(crate) struct HintPane {
    pub(crate) pane: PaneId,
    /// Its place on the terminal, where that is not its place in the window.
    pub(crate) place: Option<Rect>,
    pub(crate) rows: Vec<RowView>,
    pub(crate) colors: ColorOverrides,
}

/// A label, and the places that it is on: the number of a pane, and cells of it.
struct HintLabel {
    text: String,
    target: ScreenTarget,
    pane: PaneId,
    places: Vec<(usize, Vec<(u16, u16)>)>,
}

/// The labels on the screen, and what is typed of one.
pub(crate) struct Hints {
    panes: Vec<HintPane>,
    labels: Vec<HintLabel>,
    /// How many targets have no label.
    unlabeled: usize,
    typed: String,
}

impl Hints {
    /// Labels everything that these panes show; nothing if there is nothing.
    pub(crate) fn new(panes: Vec<HintPane>, schemes: &LinkSchemes) -> Option<Self> {
        let mut labels: Vec<HintLabel> = Vec::new();
        for (number, pane) in panes.iter().enumerate() {
            for found in screen_targets::find(&pane.rows, schemes) {
                let place = (number, found.cells);
                // The same relative path may be another file in another pane.
                let same = |label: &&mut HintLabel| {
                    label.target == found.target
                        && (matches!(label.target, ScreenTarget::Link(_)) || label.pane == pane.pane)
                };
                match labels.iter_mut().find(same) {
                    Some(label) => label.places.push(place),
                    None => labels.push(HintLabel {
                        text: String::new(),
                        target: found.target,
                        pane: pane.pane,
                        places: vec![place],
                    }),
                }
            }
        }
        let unlabeled = labels.len().saturating_sub(MOST);
        labels.truncate(MOST);
        let texts = label_texts(labels.len());
        labels.iter_mut().zip(texts).for_each(|(label, text)| label.text = text);
        (!labels.is_empty()).then_some(Self { panes, labels, unlabeled, typed: String::new() })
    }

    pub(super) fn key(&mut self, key: Key) -> OverlayOutcome {
        match key.code {
            Code::Char(c) if c.is_ascii_alphabetic() && !key.mods.ctrl && !key.mods.alt => {
                self.type_letter(c.to_ascii_lowercase(), c.is_ascii_uppercase() || key.mods.shift)
            }
            Code::Backspace if self.typed.pop().is_some() => OverlayOutcome::Stay,
            _ => OverlayOutcome::Close,
        }
    }

    /// Completes a label. A letter that leads to none is ignored.
    fn type_letter(&mut self, letter: char, opens: bool) -> OverlayOutcome {
        self.typed.push(letter);
        let Some(label) = self.labels.iter().find(|label| label.text.starts_with(&self.typed)) else {
            self.typed.pop();
            return OverlayOutcome::Stay;
        };
        match (label.text == self.typed, opens) {
            (false, _) => OverlayOutcome::Stay,
            (true, true) => OverlayOutcome::Open(label.target.clone(), label.pane),
            (true, false) => OverlayOutcome::Copy(label.target.text()),
        }
    }

    /// Draws the panes with their labels.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        tree: &Tree,
        (origin, room): (ViewOrigin, Size),
        bottom: u16,
    ) {
        for (number, pane) in self.panes.iter().enumerate() {
            let own = || tree.find_pane(pane.pane).map(|view| (view.place, origin));
            let part = pane.place.map(|place| (place, ViewOrigin::default())).or_else(own);
            if let Some((place, skip)) =
                part.and_then(|(place, origin)| draw::visible_part(place, origin, room))
            {
                pane.draw(canvas, place, skip);
                self.labels.iter().for_each(|label| self.draw_label(canvas, label, number, (place, skip)));
            }
        }
        let more = match self.unlabeled {
            0 => String::new(),
            more => format!("; {more} more are not labeled"),
        };
        let words = format!(" Type a label to copy the item, or in capitals to open it{more} ");
        draw::question(canvas, bottom, &words, MessageKind::Info);
    }

    /// Draws a label on its places in a pane, unless something else is being typed.
    fn draw_label(
        &self,
        canvas: &mut Canvas,
        label: &HintLabel,
        pane: usize,
        (place, skip): (Rect, ViewOrigin),
    ) {
        let Some(rest) = label.text.strip_prefix(&self.typed) else { return };
        let mut style = canvas.style(ThemePart::CurrentMatch);
        style.attrs.insert(Attrs::BOLD);
        let seen = |(row, col): (u16, u16)| {
            let (row, col) = (row.checked_sub(skip.row)?, col.checked_sub(skip.col)?);
            (row < place.rows && col < place.cols).then_some((place.row + row, place.col + col))
        };
        for (_, cells) in label.places.iter().filter(|(number, _)| *number == pane) {
            for (row, col) in cells.iter().filter_map(|cell| seen(*cell)) {
                canvas.restyle(row, col, |cell| cell.underline = Underline::Single);
            }
            if let Some((row, col)) = cells.first().and_then(|cell| seen(*cell)) {
                let col = label_col(canvas, (row, col), place.col, rest.len() as u16);
                canvas.text(row, col, place.col + place.cols, rest, style);
            }
        }
    }
}

/// The column of a label: before what it names if the cells there are blank, so that all of that can be read.
fn label_col(canvas: &Canvas, (row, col): (u16, u16), begin: u16, cols: u16) -> u16 {
    let before = col.checked_sub(cols).filter(|before| *before >= begin);
    let is_free = |from: &u16| (*from..col).all(|at| canvas.char_at(row, at) == Some(' '));
    before.filter(is_free).unwrap_or(col)
}

impl HintPane {
    fn draw(&self, canvas: &mut Canvas, place: Rect, skip: ViewOrigin) {
        let (begin, end) = (place.col, place.col + place.cols);
        for (row, view) in
            (place.row..place.row + place.rows).zip(self.rows.iter().skip(usize::from(skip.row)))
        {
            canvas.view(row, (begin, end), skip.col, view);
            if !self.colors.is_empty() {
                (begin..end).for_each(|col| canvas.restyle(row, col, |style| self.colors.apply_to(style)));
            }
        }
    }
}

/// The texts of so many labels: single letters as long as they suffice, otherwise pairs, so that none begins another.
fn label_texts(count: usize) -> Vec<String> {
    let letters = || LETTERS.chars();
    match count <= LETTERS.len() {
        true => letters().take(count).map(String::from).collect(),
        false => letters().flat_map(|a| letters().map(move |b| format!("{a}{b}"))).take(count).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_screen::Span;

    fn row(text: &str) -> RowView {
        let span = Span { text: text.into(), width: 1, ..Span::default() };
        RowView { spans: vec![span], wrapped: false }
    }

    fn hints(panes: &[&[&str]]) -> Option<Hints> {
        let pane = |(number, rows): (usize, &&[&str])| HintPane {
            pane: PaneId::from_bytes([number as u8; 16]),
            place: Some(Rect { col: 0, row: 0, cols: 40, rows: 10 }),
            rows: rows.iter().map(|text| row(text)).collect(),
            colors: ColorOverrides::default(),
        };
        Hints::new(panes.iter().enumerate().map(pane).collect(), &LinkSchemes::default())
    }

    fn press(hints: &mut Hints, keys: &str) -> OverlayOutcome {
        keys.split(' ').map(|key| hints.key(key.parse().unwrap())).last().expect("a key")
    }

    #[test]
    fn a_letter_copies_and_a_capital_opens() {
        let open = || hints(&[&["http://a.b", "see src/a.rs:3"]]).expect("labels");
        assert_eq!(press(&mut open(), "a"), OverlayOutcome::Copy("http://a.b".into()));
        assert_eq!(press(&mut open(), "s"), OverlayOutcome::Copy("src/a.rs:3".into()));
        let link = ScreenTarget::Link("http://a.b".into());
        assert_eq!(press(&mut open(), "A"), OverlayOutcome::Open(link, PaneId::from_bytes([0; 16])));
        assert_eq!(press(&mut open(), "d"), OverlayOutcome::Stay, "no label");
        assert_eq!(press(&mut open(), "Escape"), OverlayOutcome::Close);
        assert!(hints(&[&["nothing here"]]).is_none());
    }

    #[test]
    fn what_occurs_twice_has_one_label() {
        let labels =
            hints(&[&["http://a.b http://a.b", "x/y.z"], &["http://a.b x/y.z"]]).expect("labels").labels;
        let places: Vec<_> = labels.iter().map(|label| (label.text.as_str(), label.places.len())).collect();
        assert_eq!(places, [("a", 3), ("s", 1), ("d", 1)], "a path is another one in another pane");
    }

    #[test]
    fn past_26_targets_labels_have_two_letters_and_their_number_is_bounded() {
        let texts: Vec<String> = (0..700).map(|n| format!("/x/{n}")).collect();
        let rows: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut many = hints(&[&rows[..27]]).expect("labels");
        assert_eq!(press(&mut many, "a"), OverlayOutcome::Stay);
        assert_eq!(press(&mut many, "Backspace s a"), OverlayOutcome::Copy("/x/26".into()));
        let most = hints(&[&rows]).expect("labels");
        assert_eq!((most.labels.len(), most.unlabeled), (676, 24));
        let mut seen: Vec<&str> = most.labels.iter().map(|label| label.text.as_str()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 676);
    }

    #[test]
    fn labels_are_drawn_before_what_they_name_or_over_it() {
        let mut canvas = Canvas::new(Size::new(60, 4));
        let tree = Tree::new(fugue_protocol::SessionId::from_bytes([0; 16]));
        let open = hints(&[&["see http://a.b", "/a/b"]]).expect("labels");
        open.draw(&mut canvas, &tree, (ViewOrigin::default(), Size::new(60, 3)), 3);
        assert!(canvas.text_of(0).starts_with("seeahttp://a.b"), "{}", canvas.text_of(0));
        assert!(canvas.text_of(1).starts_with("sa/b"), "no blank is before it: {}", canvas.text_of(1));
        assert!(canvas.text_of(3).starts_with(" Type a label to copy the item, or in capitals to open it "));
    }
}
