//! Edits of a TOML file as text: the rest of the file, comments and line endings included, stays as it is. The result of
//! an edit is parsed to make sure of that.

use toml::{Table, Value};

/// Parses a file. The error says what is wrong, and on which line.
pub(super) fn parse(text: &str) -> Result<Table, String> {
    text.trim_start_matches('\u{feff}').parse().map_err(|why: toml::de::Error| {
        let line = why.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("{} on line {line}", why.message())
    })
}

pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the lines with their line breaks, and where they begin.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// Returns the path of a table's header; `None` for any other line.
pub(super) fn header(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    if !line.starts_with('[') {
        return None;
    }
    let (mut path, mut table) = (Vec::new(), line.parse::<Table>().ok()?);
    while let Some((key, value)) = table.into_iter().next() {
        path.push(key);
        table = if let Value::Table(inner) = value { inner } else { Table::new() };
    }
    Some(path)
}

/// Appends a table, after an empty line.
pub(super) fn append(text: &str, lines: &[String]) -> String {
    let newline = newline(text);
    let gap = match text {
        "" => "",
        text if text.ends_with(&newline.repeat(2)) => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    let lines: String = lines.iter().map(|line| format!("{line}{newline}")).collect();
    format!("{text}{gap}{lines}")
}

/// Inserts a line after the header of a table; `None` if no line is such a header.
pub(super) fn insert_after_header(text: &str, path: &[&str], line: &str) -> Option<String> {
    let (start, header) = lines(text).find(|(_, line)| header(line).is_some_and(|of| of == path))?;
    let at = start + header.len();
    let before = if header.ends_with('\n') { "" } else { newline(text) };
    Some(format!("{}{before}{line}{}{}", &text[..at], newline(text), &text[at..]))
}

/// Removes the empty line at the end of a text, which `append` may have written.
pub(super) fn drop_empty_line(text: &mut String) {
    for end in ["\r\n\r\n", "\n\n"] {
        if text.ends_with(end) {
            text.truncate(text.len() - end.len() / 2);
            return;
        }
    }
}

/// Returns the edited text, if nothing but the value at a path differs; otherwise the error `failed`.
pub(super) fn checked(before: &str, after: String, path: [&str; 2], failed: &str) -> Result<String, String> {
    let others = |text: &str| -> Result<Table, String> {
        let mut table = parse(text)?;
        if let Some(inner) = table.get_mut(path[0]).and_then(Value::as_table_mut) {
            inner.remove(path[1]);
        }
        // An empty table means the same as none.
        table.retain(|name, value| name != path[0] || value.as_table().is_none_or(|inner| !inner.is_empty()));
        Ok(table)
    };
    match (others(before), others(&after)) {
        (Ok(before), Ok(others)) if before == others => Ok(after),
        _ => Err(failed.to_owned()),
    }
}
