//! Links and paths on a screen: links that a program marked (OSC 8), addresses in the text, and paths of files, with
//! the line and column after them.

mod path;
mod url;

use std::sync::Arc;

use fugue_screen::{LinkSchemes, RowView};

pub(crate) use path::PathTarget;

/// Something on the screen that can be copied or opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScreenTarget {
    Link(String),
    Path(PathTarget),
}

impl ScreenTarget {
    /// The text to copy.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Link(address) => address.clone(),
            Self::Path(path) => path.to_string(),
        }
    }
}

/// A target, and the cells that show it, as row and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundTarget {
    pub(crate) target: ScreenTarget,
    pub(crate) cells: Vec<(u16, u16)>,
}

/// A character on the screen.
struct ShownChar {
    c: char,
    cell: (u16, u16),
    link: Option<Arc<str>>,
    /// It belongs to a target.
    used: bool,
}

/// The targets in rows, from the first to the last.
pub(crate) fn find(rows: &[RowView], schemes: &LinkSchemes) -> Vec<FoundTarget> {
    let mut found = Vec::new();
    let mut line = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        line.extend(characters(number as u16, row));
        if !row.wrapped || number + 1 == rows.len() {
            found.extend(find_in_line(std::mem::take(&mut line), schemes));
        }
    }
    found
}

/// The characters of a row. The first character of a cluster stands for it.
fn characters(row: u16, view: &RowView) -> Vec<ShownChar> {
    let (mut shown, mut col) = (Vec::new(), 0);
    for span in &view.spans {
        let chars = span.text.chars().take(if span.cluster { 1 } else { usize::MAX });
        for c in chars {
            shown.push(ShownChar { c, cell: (row, col), link: span.link.clone(), used: false });
            col += u16::from(span.width);
        }
    }
    shown
}

fn find_in_line(mut line: Vec<ShownChar>, schemes: &LinkSchemes) -> Vec<FoundTarget> {
    let mut found = take_links(&mut line, schemes);
    for take in [url::next, path::next] {
        let mut from = 0;
        while let Some((range, target)) = take(&line, from, schemes) {
            from = range.end;
            found.push(take_range(&mut line, range, target));
        }
    }
    found.sort_by_key(|place| place.cells.first().copied());
    found
}

/// Takes the links that the program marked, if their scheme is allowed.
fn take_links(line: &mut [ShownChar], schemes: &LinkSchemes) -> Vec<FoundTarget> {
    let (mut found, mut from) = (Vec::new(), 0);
    while from < line.len() {
        let link = line[from].link.clone();
        let end = line[from..].iter().position(|shown| shown.link != link).map_or(line.len(), |by| from + by);
        if let Some(address) = link.filter(|address| schemes.allows(address)) {
            found.push(take_range(line, from..end, ScreenTarget::Link(address.to_string())));
        }
        from = end;
    }
    found
}

fn take_range(line: &mut [ShownChar], range: std::ops::Range<usize>, target: ScreenTarget) -> FoundTarget {
    let taken = &mut line[range];
    taken.iter_mut().for_each(|shown| shown.used = true);
    FoundTarget { target, cells: taken.iter().map(|shown| shown.cell).collect() }
}

/// The characters from a position up to the first that fits.
fn until(line: &[ShownChar], from: usize, ends: impl Fn(&ShownChar) -> bool) -> &[ShownChar] {
    let end = line[from..].iter().position(ends).map_or(line.len(), |by| from + by);
    &line[from..end]
}

/// Whether a character is between words whatever is written: a blank, a quotation mark, the edge of a box.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || "\"'`<>|".contains(c) || ('\u{2500}'..='\u{259f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_screen::{Limits, Screen, Size};

    /// The targets of a screen with 30 columns.
    pub(super) fn targets(text: &str) -> Vec<String> {
        let mut screen = Screen::new(Size { cols: 30, rows: 12 }, Limits::default());
        screen.feed(text.replace('\n', "\r\n").as_bytes());
        let places = find(&screen.rows(), &LinkSchemes::default());
        places.into_iter().map(|place| place.target.text()).collect()
    }

    #[test]
    fn links_addresses_and_paths_are_found_in_their_order() {
        let link = "\x1b]8;;https://example.com/a\x1b\\docs\x1b]8;;\x1b\\";
        let text = format!("see src/a.rs:3 and {link}\nor http://b.c/d.");
        assert_eq!(targets(&text), ["src/a.rs:3", "https://example.com/a", "http://b.c/d"]);
    }

    #[test]
    fn an_address_may_be_wrapped() {
        let text = "go to https://example.com/a/very/long/path?with=query now";
        assert_eq!(targets(text), ["https://example.com/a/very/long/path?with=query"]);
    }

    #[test]
    fn letters_of_all_languages_are_part_of_an_address() {
        let text = "https://ja.example/é and\nhttps://x.org/日本。次";
        assert_eq!(targets(text), ["https://ja.example/%C3%A9", "https://x.org/%E6%97%A5%E6%9C%AC"]);
    }

    #[test]
    fn a_link_with_a_scheme_that_is_not_allowed_is_none() {
        assert_eq!(targets("\x1b]8;;javascript:x\x1b\\click\x1b]8;;\x1b\\ file:x"), [] as [&str; 0]);
    }

    #[test]
    fn the_cells_of_a_target_are_known() {
        let mut screen = Screen::new(Size { cols: 10, rows: 3 }, Limits::default());
        screen.feed("漢 /etc/passwd".as_bytes());
        let places = find(&screen.rows(), &LinkSchemes::default());
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].cells.first(), Some(&(0, 3)));
        assert_eq!(places[0].cells.last(), Some(&(1, 3)));
    }
}
