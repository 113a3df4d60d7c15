//! The parts of long lines that are shown around matches.

use std::ops::Range;

/// A line up to this length is shown whole.
const WHOLE_LINE: usize = 400;

/// The bytes that are shown on each side of a match in a longer line.
const MARGIN: usize = 160;

/// The most windows of one line; a line with more matches is shown by these.
const MAX_WINDOWS: usize = 10;

/// Returns the offset of each match that is shown, with the text around it. Matches that are close share a window.
pub(crate) fn windows(line: &str, found: &[Range<usize>]) -> Vec<(usize, String)> {
    let Some(first) = found.first() else { return Vec::new() };
    if line.len() <= WHOLE_LINE {
        return vec![(first.start, line.to_owned())];
    }
    let mut shared: Vec<Range<usize>> = Vec::new();
    for found in found {
        match shared.last_mut().filter(|last| found.end < last.start + MARGIN) {
            Some(last) => last.end = found.end,
            None => shared.push(found.clone()),
        }
    }
    let more = shared.len().saturating_sub(MAX_WINDOWS);
    let mut windows: Vec<_> =
        shared.iter().take(MAX_WINDOWS).map(|at| (at.start, window(line, at, 2 * MARGIN))).collect();
    if let Some((_, last)) = windows.last_mut().filter(|_| more > 0) {
        last.push_str(&format!(" (and {more} more matches on this line)"));
    }
    windows
}

/// Returns the part of a line around a range, with as many bytes beside it, and the line's length if that is not all.
pub(crate) fn window(line: &str, at: &Range<usize>, beside: usize) -> String {
    let start = line.floor_char_boundary(at.start.saturating_sub(beside / 2));
    let end =
        line.ceil_char_boundary((at.end.min(at.start + MARGIN.max(beside)) + beside / 2).min(line.len()));
    match (start, end == line.len()) {
        (0, true) => line.to_owned(),
        (0, false) => format!("{}… (line of {} bytes)", &line[..end], line.len()),
        (_, at_end) => {
            let more = if at_end { "" } else { "…" };
            format!("…{}{more} (line of {} bytes)", &line[start..end], line.len())
        }
    }
}

/// Returns the beginning of a line.
pub(crate) fn beginning(line: &str) -> String {
    if line.len() <= WHOLE_LINE { line.to_owned() } else { window(line, &(0..0), 2 * MARGIN) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(windows("an error", std::slice::from_ref(&(3..8))), [(3, "an error".to_owned())]);
        assert_eq!(beginning("an error"), "an error");
    }

    #[test]
    fn of_a_long_line_what_is_around_each_match_is_shown() {
        let line = format!("{}ONE{}TWO é", "a".repeat(1_000), "b".repeat(1_000));
        let shown = windows(&line, &[1_000..1_003, 2_003..2_006]);
        let (a, b) = ("a".repeat(160), "b".repeat(160));
        assert_eq!(shown[0], (1_000, format!("…{a}ONE{b}… (line of 2009 bytes)")));
        assert_eq!(shown[1], (2_003, format!("…{b}TWO é (line of 2009 bytes)")));
    }

    #[test]
    fn matches_that_are_close_share_a_window_and_too_many_are_counted() {
        let line = "x".repeat(10_000);
        let close: Vec<_> = [5_000, 5_050].iter().map(|at| *at..at + 1).collect();
        assert_eq!(windows(&line, &close).len(), 1);
        let many: Vec<_> = (0..20).map(|number| number * 500..number * 500 + 1).collect();
        let shown = windows(&line, &many);
        assert_eq!(shown.len(), 10);
        assert!(shown[9].1.ends_with("(and 10 more matches on this line)"), "{}", shown[9].1);
    }
}
