//! A list to choose from: typing filters it, the arrow keys move, Enter chooses.

use std::borrow::Cow;
use std::cell::Cell as Shared;
use std::collections::HashMap;

use fugue_protocol::{PaneId, Size};
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::{Action, Button, MouseEvent};

use super::list_filter::ListFilter;
use super::list_marks::ListMarks;
use super::list_place::{Anchor, ListContent, ListPlace};
use super::list_row::ListRow;
use super::outcome::OverlayOutcome;

/// The longest filter: longer than any row, so that a paste costs nothing.
const LONGEST: usize = 200;

/// A narrower terminal has no room for details that few people read.
const DETAILS_COLS: u16 = 100;

/// A list with a filter.
pub(crate) struct List {
    pub(super) title: Cow<'static, str>,
    pub(super) rows: Vec<ListRow>,
    pub(super) filter: String,
    /// Whether `/` began a filter, of which every letter is part then, the first one too.
    pub(super) is_filtering: bool,
    /// The indexes of the matching rows, the best match first.
    pub(super) fitting: Vec<usize>,
    /// For each of them, the characters of its text that the filter found.
    pub(super) hits: Vec<Vec<u32>>,
    pub(super) chosen: usize,
    /// What Enter does, as a verb in the footer; empty for a list to read.
    pub(super) does: &'static str,
    /// Whether it is a menu, which shows a filter only once something is typed.
    pub(super) is_menu: bool,
    /// Whether details are left out in a narrow terminal and leave their room to long texts.
    pub(super) drops_details: bool,
    /// Shown instead of the rows when there are none.
    pub(super) empty: String,
    /// Whether a filter leaves the rows in their order.
    in_order: bool,
    pub(super) anchor: Anchor,
    /// The marked rows, where rows can be marked.
    pub(super) marks: Option<ListMarks>,
    /// Where it was drawn last, and its first visible row, for clicks.
    pub(super) place: Shared<ListPlace>,
    pub(super) first: Shared<usize>,
}

impl List {
    pub(crate) fn new(title: impl Into<Cow<'static, str>>, rows: Vec<ListRow>, chosen: usize) -> Self {
        let fitting = (0..rows.len()).collect();
        let mut list = Self {
            title: title.into(),
            hits: vec![Vec::new(); rows.len()],
            rows,
            filter: String::new(),
            is_filtering: false,
            fitting,
            chosen,
            does: "",
            is_menu: false,
            drops_details: false,
            empty: "Nothing to show".into(),
            in_order: false,
            anchor: Anchor::Center,
            marks: None,
            place: Shared::new(ListPlace::new(Size::DEFAULT, ListContent::default(), Anchor::Center)),
            first: Shared::default(),
        };
        list.go(chosen, 1);
        list
    }

    /// Sets what Enter does, for the footer.
    pub(crate) fn doing(self, does: &'static str) -> Self {
        Self { does, ..self }
    }

    /// Shows a filter only once something is typed.
    pub(crate) fn into_menu(self) -> Self {
        Self { is_menu: true, ..self }
    }

    /// Leaves details out in a narrow terminal, and their room to long texts.
    pub(crate) fn dropping_details(self) -> Self {
        Self { drops_details: true, ..self }
    }

    /// Whether the filter has a row.
    pub(super) fn shows_filter(&self) -> bool {
        !self.rows.is_empty() && (!self.is_menu || !self.filter.is_empty())
    }

    /// Whether details are shown in a terminal of this width.
    pub(super) fn shows_details(&self, cols: u16) -> bool {
        !self.drops_details || cols >= DETAILS_COLS
    }

    /// Sets the text for a list without rows.
    pub(crate) fn when_empty(self, empty: impl Into<String>) -> Self {
        Self { empty: empty.into(), ..self }
    }

    /// Leaves the rows in their order when they are filtered.
    pub(crate) fn in_order(self) -> Self {
        Self { in_order: true, ..self }
    }

    /// Draws it at a cell of the terminal.
    pub(crate) fn set_anchor(&mut self, row: u16, col: u16) {
        self.anchor = Anchor::Cell { row, col };
    }

    /// Whether it has this title.
    pub(crate) fn is_titled(&self, title: &str) -> bool {
        self.title == title
    }

    /// Replaces the rows. The filter stays, and so does the selected row: what Enter would do never changes under the
    /// user's hand. If it is gone, the first row of its pane is selected. Agents stay where they are as long as the list is
    /// open, and new ones come last.
    pub(crate) fn renew(&mut self, newer: Self) {
        let before = self.row().map(|row| (row.command.clone(), row.pane));
        let rows = std::mem::take(&mut self.rows);
        self.rows = if self.marks.is_some() { in_old_order(&rows, newer.rows) } else { newer.rows };
        self.drop_lost_marks();
        self.narrow();
        let Some((command, pane)) = before else { return };
        let find = |fits: &dyn Fn(&ListRow) -> bool| self.fitting.iter().position(|at| fits(&self.rows[*at]));
        let own = find(&|row| row.command == command);
        let found = own.or_else(|| find(&|row| pane.is_some() && row.pane == pane));
        self.chosen = found.unwrap_or(0);
        if let Some(marks) = &mut self.marks {
            marks.is_lost |= found.is_none();
        }
    }

    pub(super) fn row(&self) -> Option<&ListRow> {
        self.rows.get(*self.fitting.get(self.chosen)?)
    }

    /// The pane that is previewed.
    pub(super) fn preview(&self) -> Option<PaneId> {
        self.row()?.pane
    }

    /// The name of what is previewed.
    pub(super) fn preview_name(&self) -> &str {
        let name = |row: &ListRow| row.name.is_empty();
        self.row().map_or("", |row| if name(row) { row.text.trim() } else { row.name.as_str() })
    }

    pub(super) fn key(&mut self, key: Key) -> OverlayOutcome {
        if let Some(outcome) = self.mark_key(key) {
            return outcome;
        }
        if let Some(marks) = &mut self.marks {
            marks.is_lost = false;
        }
        if let Some(at) = self.shortcut(key) {
            self.chosen = at;
            return self.choose();
        }
        match (key.mods.ctrl, key.code) {
            // As in tmux's view of a command's output.
            (false, Code::Char('q')) if self.is_only_read() => return OverlayOutcome::Close,
            (_, Code::Escape) | (true, Code::Char('c' | 'g')) => return OverlayOutcome::Close,
            (_, Code::Enter) => return self.choose(),
            (_, Code::Up) | (true, Code::Char('p' | 'k')) => self.go(self.chosen.saturating_sub(1), -1),
            (_, Code::Down | Code::Tab) | (true, Code::Char('n' | 'j')) => self.go(self.chosen + 1, 1),
            (_, Code::PageUp) => self.go(self.chosen.saturating_sub(10), -1),
            (_, Code::PageDown) => self.go(self.chosen + 10, 1),
            (_, Code::Home) => self.go(0, 1),
            (_, Code::End) => self.go(usize::MAX, -1),
            (_, Code::Backspace) => {
                self.is_filtering &= self.filter.pop().is_some();
                self.narrow();
            }
            (true, Code::Char('u')) => {
                self.filter.clear();
                self.is_filtering = false;
                self.narrow();
            }
            // As in tmux's tree.
            (false, Code::Char('x')) if self.has_keys() => return self.kill(),
            (true, Code::Char('x')) if self.can_kill() => return self.kill(),
            (false, Code::Char('/')) if self.has_keys() => self.is_filtering = true,
            (false, Code::Char(c)) => self.narrow_by(std::iter::once(c)),
            _ => {}
        }
        OverlayOutcome::Stay
    }

    /// The place of the row that a key chooses.
    fn shortcut(&self, key: Key) -> Option<usize> {
        let is_free = self.filter.is_empty() && !self.is_filtering;
        self.fitting.iter().position(|at| is_free && self.rows[*at].shortcut == Some(key))
    }

    /// Whether no row does anything and no filter is being typed.
    fn is_only_read(&self) -> bool {
        self.filter.is_empty() && self.rows.iter().all(|row| row.command.is_empty())
    }

    /// Whether its rows can be killed.
    fn can_kill(&self) -> bool {
        self.rows.iter().any(|row| row.kills.is_some())
    }

    /// Whether letters are keys of the list, not part of a filter.
    pub(super) fn has_keys(&self) -> bool {
        self.can_kill() && self.filter.is_empty() && !self.is_filtering
    }

    /// Kills what the selected row stands for.
    fn kill(&self) -> OverlayOutcome {
        self.row().and_then(|row| row.kills).map_or(OverlayOutcome::Stay, OverlayOutcome::Kill)
    }

    fn choose(&self) -> OverlayOutcome {
        match self.row().map(|row| row.command.as_str()) {
            None => OverlayOutcome::Close,
            Some("") if self.does.is_empty() => OverlayOutcome::Close,
            Some("") => OverlayOutcome::Stay,
            Some(command) => OverlayOutcome::Run(command.to_owned()),
        }
    }

    /// Appends to the filter, and filters once.
    pub(super) fn narrow_by(&mut self, text: impl Iterator<Item = char>) {
        let room = LONGEST.saturating_sub(self.filter.chars().count());
        self.filter.extend(text.take(room));
        self.narrow();
    }

    /// Sets the filter.
    pub(crate) fn filtered(mut self, text: &str) -> Self {
        if !text.is_empty() {
            text.clone_into(&mut self.filter);
            self.narrow();
        }
        self
    }

    /// A click chooses a row or, outside the list, closes it; the wheel moves.
    pub(super) fn mouse(&mut self, event: MouseEvent) -> OverlayOutcome {
        match event.action {
            Action::Press(Button::WheelUp) => self.go(self.chosen.saturating_sub(1), -1),
            Action::Press(Button::WheelDown) => self.go(self.chosen + 1, 1),
            Action::Press(Button::Left | Button::Right)
                if !self.place.get().contains(event.row, event.col) =>
            {
                return OverlayOutcome::Close;
            }
            Action::Press(Button::Left) => {
                let at = self.place.get().row_at(event.row).map(|row| self.first.get() + row);
                let row = at.and_then(|at| self.rows.get(*self.fitting.get(at)?));
                if let Some((at, _)) = at.zip(row.filter(|row| row.is_choosable())) {
                    self.chosen = at;
                    return self.choose();
                }
            }
            _ => {}
        }
        OverlayOutcome::Stay
    }

    /// Selects a row. A heading is skipped in the direction of the move, or else in the other one.
    fn go(&mut self, to: usize, step: isize) {
        let last = self.fitting.len().saturating_sub(1);
        let to = to.min(last);
        let is_row = |at: &usize| self.fitting.get(*at).is_some_and(|row| self.rows[*row].is_choosable());
        let (after, before) = ((to..=last).find(is_row), (0..=to).rev().find(is_row));
        self.chosen = if step > 0 { after.or(before) } else { before.or(after) }.unwrap_or(to);
    }

    fn narrow(&mut self) {
        let mut filter = ListFilter::new(&self.filter);
        let is_filtered = !self.filter.trim().is_empty();
        let rows = self.rows.iter().enumerate().filter(|(_, row)| row.is_choosable() || !is_filtered);
        let mut found: Vec<_> = rows.filter_map(|(at, row)| Some((filter.find(row)?, at))).collect();
        if is_filtered && !self.in_order {
            found.sort_by_key(|((rank, _), at)| (std::cmp::Reverse(*rank), *at));
        }
        (self.fitting, self.hits) = found.into_iter().map(|((_, hits), at)| (at, hits)).unzip();
        self.go(0, 1);
    }

    /// The number of the selected thing and how many there are; an agent's choices do not count.
    pub(super) fn position_text(&self) -> String {
        let counts = |at: &&usize| self.rows[**at].is_choosable() && self.rows[**at].choice.is_none();
        let all = self.fitting.iter().filter(counts).count();
        let upto = self.fitting.iter().take(self.chosen + 1).filter(counts).count();
        if all == 0 { String::new() } else { format!("{}/{all}", upto.max(1)) }
    }
}

/// Whether a row belongs to the one above it: a note, or a choice of an agent's dialog.
fn belongs_to_other(row: &ListRow) -> bool {
    row.note || row.choice.is_some()
}

/// New rows, with the agents among them in the order of the old ones.
fn in_old_order(old: &[ListRow], new: Vec<ListRow>) -> Vec<ListRow> {
    let heads = old.iter().filter(|row| !belongs_to_other(row)).map(|row| row.command.as_str());
    let places: HashMap<&str, usize> = heads.zip(0..).collect();
    let mut groups: Vec<Vec<ListRow>> = Vec::new();
    for row in new {
        match groups.last_mut().filter(|_| belongs_to_other(&row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.sort_by_key(|group| places.get(group[0].command.as_str()).copied().unwrap_or(usize::MAX));
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlays::RowTarget;

    fn row(text: &str, detail: &str) -> ListRow {
        ListRow { text: text.into(), detail: detail.into(), command: text.into(), ..ListRow::default() }
    }

    #[test]
    fn a_filter_has_a_limit() {
        let mut list = List::new("", Vec::new(), 0);
        list.narrow_by("a".repeat(LONGEST - 1).chars());
        list.narrow_by("bc".chars());
        assert_eq!(list.filter.len(), LONGEST);
        assert!(list.filter.ends_with("ab"));
    }

    #[test]
    fn q_closes_output_and_filters_everything_else() {
        let press = |list: &mut List, key: &str| list.key(key.parse().expect("a key"));
        let mut output = List::new("", vec![ListRow { text: "a line".into(), ..ListRow::default() }], 0);
        assert_eq!(press(&mut output, "q"), OverlayOutcome::Close);
        assert_eq!(press(&mut output, "l"), OverlayOutcome::Stay);
        assert_eq!(press(&mut output, "q"), OverlayOutcome::Stay);
        assert_eq!(output.filter, "lq");
        let mut list = List::new("", vec![row("quit", "")], 0);
        assert_eq!(press(&mut list, "q"), OverlayOutcome::Stay);
        assert_eq!(list.filter, "q");
    }

    #[test]
    fn x_kills_a_row_of_the_tree_unless_a_filter_is_typed() {
        let target = RowTarget::Session(fugue_protocol::SessionId::from_bytes([1; 16]));
        let press = |list: &mut List, keys: &str| {
            keys.split(' ').map(|key| list.key(key.parse().expect("a key"))).last().expect("a key")
        };
        let tree = || {
            let mine = ListRow { kills: Some(target), ..row("box", "") };
            List::new("", vec![mine, row("far/xen", "")], 0).in_order().doing("go there")
        };
        assert_eq!(press(&mut tree(), "x"), OverlayOutcome::Kill(target));
        assert_eq!(press(&mut tree(), "Down x"), OverlayOutcome::Stay, "it is on another host");
        assert_eq!(tree().foot_text(u16::MAX), "Enter go there  x kill  / filter  Esc close");
        let mut list = tree();
        assert_eq!(press(&mut list, "/"), OverlayOutcome::Stay);
        assert_eq!(list.foot_text(u16::MAX), "Enter go there  Esc close");
        assert_eq!((press(&mut list, "x"), list.filter.as_str()), (OverlayOutcome::Stay, "x"));
        assert_eq!(press(&mut list, "C-x"), OverlayOutcome::Kill(target), "while filtering");
        assert_eq!((press(&mut list, "Backspace x"), list.filter.as_str()), (OverlayOutcome::Stay, "x"));
        assert_eq!(
            press(&mut list, "Backspace Backspace x"),
            OverlayOutcome::Kill(target),
            "the filter is closed"
        );
        let mut list = tree();
        press(&mut list, "b o x");
        assert_eq!(list.filter, "box");
        let mut other = List::new("", vec![row("x-ray", "")], 0);
        press(&mut other, "x");
        assert_eq!(other.filter, "x", "rows that cannot be killed are filtered");
    }

    #[test]
    fn letters_match_names_and_whole_words_match_sentences() {
        let rows = || {
            vec![
                row("subscribe-events", "Stream what happens, from an event on"),
                row("zoom-pane", "Fill it"),
            ]
        };
        let found = |filter: &str| List::new("", rows(), 0).filtered(filter).fitting;
        assert_eq!(found("zmp"), [1]);
        assert_eq!(found("fill zoom"), [1]);
        assert_eq!(found("STREAM"), [0]);
        assert_eq!(found("strm"), [] as [usize; 0], "letters of a sentence are not a word");
    }

    #[test]
    fn headings_are_skipped_and_filtered_away() {
        let heading = |text: &str| ListRow { heading: true, ..row(text, "") };
        let rows = vec![heading("One"), row("a", ""), heading("Two"), row("b", "")];
        let mut list = List::new("", rows, 0);
        assert_eq!(list.chosen, 1);
        list.key(Key::plain(Code::Down));
        assert_eq!(list.choose(), OverlayOutcome::Run("b".into()));
        list.key(Key::plain(Code::Up));
        assert_eq!(list.choose(), OverlayOutcome::Run("a".into()));
        list.key(Key::plain(Code::Home));
        assert_eq!(list.chosen, 1);
        let rows = (0..100).map(|at| if at % 4 == 0 { heading("Some") } else { row("a", "") }).collect();
        let mut canvas = crate::paint::Canvas::new(Size::new(80, 24));
        List::new("", rows, 0).draw(&mut canvas, &std::collections::BTreeMap::new(), 23);
        let shown: Vec<String> = (0..24).map(|row| canvas.text_of(row)).collect();
        let keys = shown.iter().filter(|row| row.contains("│ a ")).count();
        assert!(shown.iter().any(|row| row.contains(&format!(" {} more ", 75 - keys))), "{shown:?}");
        assert_eq!((list.position_text().as_str(), list.filtered("o").fitting), ("1/2", vec![]));
    }

    #[test]
    fn agents_stay_where_they_are_while_their_list_is_open() {
        let row = |command: &str, choice: Option<usize>| ListRow {
            text: command.into(),
            command: command.into(),
            choice,
            ..ListRow::default()
        };
        let note = || ListRow { text: "asks".into(), note: true, ..ListRow::default() };
        let mut open =
            List::new("", vec![row("go 1", None), row("go 2", None), row("go 3", None)], 1).with_marks();
        let newer = vec![
            row("go 4", None),
            row("go 3", None),
            note(),
            row("yes", Some(1)),
            row("go 1", None),
            row("go 2", None),
        ];
        open.renew(List::new("", newer, 0));
        let texts: Vec<&str> = open.rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["go 1", "go 2", "go 3", "asks", "yes", "go 4"]);
        assert_eq!(open.row().map(|row| row.text.as_str()), Some("go 2"));
    }

    #[test]
    fn a_renewed_list_keeps_its_selection_or_goes_to_the_row_of_its_pane() {
        let pane = |number: u8| Some(PaneId::from_bytes([number; 16]));
        let row = |command: &str, pane: Option<PaneId>| ListRow {
            text: command.into(),
            command: command.into(),
            pane,
            ..ListRow::default()
        };
        let list = |rows: &[(&str, u8)]| {
            List::new("", rows.iter().map(|(command, number)| row(command, pane(*number))).collect(), 0)
        };
        let mut open = list(&[("go 1", 1), ("answer a 1", 1), ("go 2", 2)]);
        open.chosen = 1;
        let chosen = |list: &List| list.row().map(|row| row.command.clone());
        open.renew(list(&[("go 2", 2), ("answer b 1", 2), ("go 1", 1), ("answer a 1", 1)]));
        assert_eq!(chosen(&open).as_deref(), Some("answer a 1"));
        open.renew(list(&[("go 2", 2), ("go 1", 1), ("answer c 1", 1)]));
        assert_eq!(chosen(&open).as_deref(), Some("go 1"), "it is another question");
        open.renew(list(&[("go 2", 2)]));
        assert_eq!(chosen(&open).as_deref(), Some("go 2"));
    }
}
