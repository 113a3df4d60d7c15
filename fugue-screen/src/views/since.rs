//! The visible screen without what was there before a revision, for those who ask what a program has drawn since it was
//! started: rows and titles that another program left are not its own.

use super::json::ScreenView;
use crate::row_view::RowView;
use crate::screen::Screen;

impl Screen {
    /// The visible screen, in which rows that were not drawn since `revision` are blank.
    pub fn view_since(&self, revision: u64) -> ScreenView {
        let mut view = self.view();
        for (row, _) in view.rows.iter_mut().zip(self.is_drawn_since(revision)).filter(|(_, drawn)| !drawn) {
            *row = RowView::default();
        }
        view.title = self.title_since(revision).to_owned();
        view
    }

    /// The visible rows as text, in which those that were not drawn since `revision` are blank.
    pub fn screen_rows_since(&self, revision: u64) -> Vec<String> {
        let rows = self.screen_rows().into_iter().zip(self.is_drawn_since(revision));
        rows.map(|(row, drawn)| if drawn { row } else { String::new() }).collect()
    }

    /// The window title, if a program has set it since `revision`.
    pub fn title_since(&self, revision: u64) -> &str {
        let title = &self.terminal.reports.title;
        if title.set_in > revision { &title.current } else { "" }
    }

    /// Whether each row was drawn since `revision`.
    fn is_drawn_since(&self, revision: u64) -> impl Iterator<Item = bool> {
        self.terminal.buffers.grid.rows.iter().map(move |row| row.revision > revision)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Screen, Size};

    fn screen(rows: u16) -> Screen {
        Screen::new(Size { cols: 10, rows }, Limits::default())
    }

    #[test]
    fn what_another_program_left_is_not_shown_wherever_it_scrolls_and_at_any_width() {
        let mut screen = screen(5);
        screen.feed(b"\x1b]2;old\x07left above\r\n\r\n\r\n\r\nleft below\x1b[2;1H");
        let begun = screen.revision();
        assert_eq!(screen.screen_rows_since(begun), [""; 5]);
        assert_eq!(screen.title_since(begun), "");
        screen.feed(b"new\x1b]2;old\x07");
        assert_eq!(screen.screen_rows_since(begun), ["", "new", "", "", ""]);
        assert_eq!(screen.title_since(begun), "old", "it was set again");
        screen.feed(b"\x1b[5;10H\n");
        assert_eq!(screen.screen_rows_since(begun), ["new", "", "", "", ""], "all rows scrolled");
        screen.resize(Size { cols: 5, rows: 6 });
        assert!(screen.screen_rows().contains(&"left".to_owned()), "{:?}", screen.screen_rows());
        let shown: Vec<_> =
            screen.screen_rows_since(begun).into_iter().filter(|row| !row.is_empty()).collect();
        assert_eq!(shown, ["new"]);
        let view = screen.view_since(begun);
        assert_eq!((view.rows.len(), view.title.as_str()), (6, "old"));
        let texts: Vec<_> = view.rows.iter().map(|row| row.text()).filter(|row| !row.is_empty()).collect();
        assert_eq!(texts, ["new"]);
    }

    #[test]
    fn the_next_program_in_a_pane_has_drawn_nothing() {
        let mut screen = screen(3);
        screen.feed(b"\x1b[?1049hfull screen");
        screen.begin_program();
        let begun = screen.revision();
        assert_eq!(screen.screen_rows_since(begun), [""; 3]);
        screen.feed(b"\x1b[?1049hnext");
        assert_eq!(screen.screen_rows_since(begun), ["next", "", ""]);
    }
}
