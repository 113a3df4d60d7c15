//! The lower border of a list: its keys, the number of the selected row, and how many rows are out of sight.

use fugue_protocol::Rect;
use unicode_width::UnicodeWidthStr;

use super::list::List;
use super::list_marks::BULK_KEYS;
use super::list_row::ListRow;
use super::list_rows::recolor;
use crate::paint::Canvas;
use crate::theme::ThemePart;

/// Columns between the keys.
const GAP: &str = "  ";

/// A key and what it does. `key` is empty for a plain note.
struct FootKey {
    key: String,
    does: String,
}

impl FootKey {
    fn new(key: impl Into<String>, does: impl Into<String>) -> Self {
        Self { key: key.into(), does: does.into() }
    }

    fn text(&self) -> String {
        if self.key.is_empty() { self.does.clone() } else { format!("{} {}", self.key, self.does) }
    }
}

impl List {
    /// The keys as text, as many as fit.
    pub(super) fn foot_text(&self, room: u16) -> String {
        joined(&self.foot_keys(room))
    }

    /// The keys that the border names, as many as fit.
    fn foot_keys(&self, room: u16) -> Vec<FootKey> {
        let close = || FootKey::new("Esc", "close");
        let marked = match self.marked() {
            _ if self.rows.is_empty() => return vec![close()],
            None => return self.enter_key().into_iter().chain(self.kill_keys()).chain([close()]).collect(),
            Some(marked) => marked,
        };
        if marked > 0 {
            let acts = BULK_KEYS.iter().map(|(key, _, word)| FootKey::new(self.mark_key_name(*key), *word));
            return std::iter::once(FootKey::new("", format!("{marked} marked"))).chain(acts).collect();
        }
        let keys = |all: Option<FootKey>| {
            let begin = self.enter_key().into_iter().chain([FootKey::new("Space", "mark")]).chain(all);
            begin.chain(self.answer_keys()).chain([close()]).collect::<Vec<_>>()
        };
        let long = keys(Some(FootKey::new(self.mark_key_name('a'), "mark all")));
        if joined(&long).width() <= usize::from(room) { long } else { keys(None) }
    }

    /// Enter, where it does something.
    fn enter_key(&self) -> Option<FootKey> {
        let has_command = self.row().is_some_and(|row| !row.command.is_empty());
        let does = match self.row().is_some_and(|row| row.choice.is_some()) {
            true => "answer",
            false => self.does,
        };
        (!self.does.is_empty() && has_command).then(|| FootKey::new("Enter", does))
    }

    /// The keys of a list whose rows can be killed, unless they would be part of a filter.
    fn kill_keys(&self) -> Vec<FootKey> {
        let kills = self.row().is_some_and(|row| row.kills.is_some());
        let kill = kills.then(|| FootKey::new("x", "kill"));
        let keys = kill.into_iter().chain([FootKey::new("/", "filter")]);
        keys.filter(|_| self.has_keys()).collect()
    }

    /// The digits that answer the selected agent. While a filter is typed, digits are part of it, and Enter answers with the
    /// selected choice.
    fn answer_keys(&self) -> Option<FootKey> {
        let asked = |row: &&ListRow| row.choice.is_some() && row.pane == self.preview();
        let digits = match self.rows.iter().filter(asked).count() {
            0 => return None,
            1 => "1".to_owned(),
            count => format!("1-{}", count.min(9)),
        };
        Some(match self.filter.is_empty() {
            true => FootKey::new(digits, "answer"),
            false => FootKey::new("C-u", format!("end the filter ({digits} answer then)")),
        })
    }

    /// The number of the selected row, unless all rows of a menu are in sight.
    fn foot_position(&self, hidden: usize) -> String {
        let is_whole = hidden == 0 && self.first.get() == 0;
        if self.is_menu && is_whole { String::new() } else { self.position_text() }
    }
}

fn joined(keys: &[FootKey]) -> String {
    keys.iter().map(FootKey::text).collect::<Vec<_>>().join(GAP)
}

/// Draws the lower border's texts.
pub(super) fn draw(list: &List, canvas: &mut Canvas, outer: Rect, hidden: usize) {
    let (row, end) = (outer.row + outer.rows - 1, outer.col + outer.cols);
    let position = list.foot_position(hidden);
    let more = if hidden > 0 { format!("{hidden} more") } else { String::new() };
    let both =
        [position.clone(), more.clone()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let room = |right: &str| outer.cols.saturating_sub(right.width() as u16 + 10);
    let fits = |right: &&String| list.foot_text(room(right)).width() <= usize::from(room(right));
    let shorter = if more.is_empty() { position } else { more };
    let candidates = [both.join(" · "), shorter];
    let right = candidates.iter().find(fits).unwrap_or(&candidates[1]);
    if !right.is_empty() {
        let col = end.saturating_sub(right.width() as u16 + 4);
        canvas.text(row, col, end, &format!(" {right} "), canvas.style(ThemePart::Faint));
    }
    let keys_end = end.saturating_sub(right.width() as u16 + 5);
    draw_keys(canvas, &list.foot_keys(room(right)), row, (outer.col + 2, keys_end));
}

/// Draws the keys, which differ in color from what they do.
fn draw_keys(canvas: &mut Canvas, keys: &[FootKey], row: u16, (begin, end): (u16, u16)) {
    let style = canvas.style(ThemePart::Faint);
    let after = canvas.truncated_text(row, begin, end, &format!(" {}", joined(keys)), style);
    canvas.text(row, after, end + 1, " ", style);
    let mut col = begin + 1;
    for key in keys {
        let key_end = col + key.key.width() as u16;
        recolor(canvas, row, col..key_end.min(after), ThemePart::ActiveBorder);
        col += (key.text().width() + GAP.width()) as u16;
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Size;

    use super::*;
    use crate::paint::Canvas;

    fn list(count: usize) -> List {
        let row = |number: usize| ListRow {
            text: format!("row {number}"),
            command: "x".into(),
            ..ListRow::default()
        };
        List::new("Rows", (0..count).map(row).collect(), 0).doing("run")
    }

    /// The lower border, and its characters that have the color of keys.
    fn border(list: &List) -> (String, String) {
        let mut canvas = Canvas::new(Size::new(80, 24));
        list.draw(&mut canvas, &std::collections::BTreeMap::new(), 23);
        let row = list.place.get().outer.row + list.place.get().outer.rows - 1;
        let style = canvas.style(ThemePart::ActiveBorder);
        let is_key = |col: &u16| canvas.row(row)[usize::from(*col)].style == style;
        let keys = (0..80).filter(is_key).filter_map(|col| canvas.char_at(row, col));
        (canvas.text_of(row), keys.filter(|c| !"╰─╯ ".contains(*c)).collect())
    }

    #[test]
    fn keys_have_their_own_color() {
        let (text, keys) = border(&list(3));
        assert!(text.contains("╰─ Enter run  Esc close ─") && text.contains("─ 1/3 ─╯"), "{text}");
        assert_eq!(keys, "EnterEsc");
    }

    #[test]
    fn enter_is_not_named_where_it_does_nothing() {
        let (text, keys) = border(&list(3).filtered("nothing"));
        assert!(text.contains("╰─ Esc close ─"), "{text}");
        assert_eq!(keys, "Esc");
    }

    #[test]
    fn a_menu_that_is_whole_is_not_counted() {
        assert!(!border(&list(3).into_menu()).0.contains("1/3"));
        let mut long = list(99).into_menu();
        assert!(border(&long).0.contains(" more ─╯"));
        long.key("End".parse().expect("a key"));
        assert!(border(&long).0.contains(" 99/99 ─╯"));
    }
}
