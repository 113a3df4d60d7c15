//! Finding the ends of expressions and of their parts. Only `#{` opens a brace; `#` before a sign makes it literal.

/// The place of the sign that closes an expression or a command.
pub(super) fn closing(text: &str, opened_by: char) -> Option<usize> {
    if opened_by == '{' {
        return find(text, &['}']);
    }
    let mut open = 0_usize;
    text.char_indices().find_map(|(at, c)| match c {
        ')' if open == 0 => Some(at),
        ')' => {
            open -= 1;
            None
        }
        '(' => {
            open += 1;
            None
        }
        _ => None,
    })
}

/// The first of some signs that is not inside another expression.
pub(super) fn find(text: &str, wanted: &[char]) -> Option<usize> {
    let mut open = 0_usize;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (c, next) {
            ('#', Some('{')) => {
                open += 1;
                chars.next();
            }
            ('#', Some(',' | '#' | '}' | ':')) => {
                chars.next();
            }
            (c, _) if open == 0 && wanted.contains(&c) => return Some(at),
            ('}', _) => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Splits at the commas that are not inside another expression, into at most this many parts.
pub(super) fn arguments(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while parts.len() + 1 < most
        && let Some(at) = find(rest, &[','])
    {
        parts.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    parts.push(rest);
    parts
}
