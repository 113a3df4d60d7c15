//! Text with escape sequences between its characters, measured and sliced by the characters alone.

/// Returns the number of bytes that are not part of an escape sequence.
pub fn visible_bytes(text: &str) -> usize {
    pieces(text).filter(|piece| !piece.starts_with('\u{1b}')).map(str::len).sum()
}

/// Returns the part of a line between two offsets, which do not count escape sequences. All sequences are kept, so that
/// the part has the style that it has in the line.
pub fn slice(line: &str, from: usize, to: usize) -> String {
    let (mut part, mut at) = (String::new(), 0);
    for piece in pieces(line) {
        if piece.starts_with('\u{1b}') {
            part.push_str(piece);
            continue;
        }
        let start = piece.floor_char_boundary(from.saturating_sub(at));
        let end = piece.floor_char_boundary(to.saturating_sub(at));
        part.push_str(piece.get(start..end).unwrap_or_default());
        at += piece.len();
    }
    part
}

/// Splits a text into escape sequences and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = match rest.find('\u{1b}')? {
            0 => sequence_bytes(rest),
            plain => plain,
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
    .chain(last_piece(text))
}

/// The text after the last escape sequence.
fn last_piece(text: &str) -> Option<&str> {
    let last = text.rfind('\u{1b}').map_or(text, |at| {
        let sequence = &text[at..];
        &sequence[sequence_bytes(sequence)..]
    });
    (!last.is_empty()).then_some(last)
}

/// The length of the escape sequence that a text begins with: a CSI, an OSC, or a character after ESC.
fn sequence_bytes(text: &str) -> usize {
    let end = match text.as_bytes().get(1) {
        Some(b'[') => text[2..].find(|c: char| ('@'..='~').contains(&c)).map(|at| at + 3),
        Some(b']') => text[2..].find(['\u{7}', '\u{1b}']).map(|at| at + 3),
        _ => text.char_indices().nth(2).map(|(at, _)| at),
    };
    let end = end.unwrap_or(text.len());
    // The string terminator is ESC and a backslash.
    if text[..end].ends_with('\u{1b}') && end > 2 { (end + 1).min(text.len()) } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_count() {
        let text = "a\u{1b}[1;31mbé\u{1b}[m\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}!";
        assert_eq!(visible_bytes(text), "abélink!".len());
        assert_eq!(visible_bytes("plain"), 5);
        assert_eq!(visible_bytes("\u{1b}[1m"), 0);
    }

    #[test]
    fn a_part_keeps_the_style_of_its_line() {
        assert_eq!(slice("ab\u{1b}[1mcd\u{1b}[mef", 3, 5), "\u{1b}[1md\u{1b}[me");
        assert_eq!(slice("abc", 1, usize::MAX), "bc");
    }
}
