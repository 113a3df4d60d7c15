//! Edits of a TOML text with `toml_edit`, which keeps comments, order and spacing. Line ends, and a byte order mark, are
//! kept here: `toml_edit` writes a line feed after each entry.

use similar::{ChangeTag, TextDiff};
use toml_edit::{DocumentMut, Item, RawString, Table};

/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Splits the byte order mark from the rest of a text.
pub(crate) fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 })
}

/// Edits a text. The error says what is wrong with it, and on which line, or is the one of the edit.
pub(crate) fn edit(
    text: &str,
    edit: impl FnOnce(&mut DocumentMut) -> Result<(), String>,
) -> Result<String, String> {
    let (mark, before) = split_mark(text);
    let line_feeds = before.replace("\r\n", "\n");
    let mut document = line_feeds.parse::<DocumentMut>().map_err(|why| {
        let start = why.span().map_or(0, |span| span.start.min(line_feeds.len()));
        format!("{} on line {}", why.message(), line_feeds[..start].matches('\n').count() + 1)
    })?;
    edit(&mut document)?;
    Ok(format!("{mark}{}", with_line_ends_of(before, &line_feeds, &document.to_string())))
}

/// Gives the lines that were there before their line ends again, and the others the usual one of the text.
fn with_line_ends_of(before: &str, line_feeds: &str, after: &str) -> String {
    let newline = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let diff = TextDiff::from_lines(line_feeds, after);
    let kept = diff.iter_all_changes().map(|change| match (change.tag(), change.old_index()) {
        (ChangeTag::Equal, Some(line)) => lines[line].to_owned(),
        (ChangeTag::Delete, _) => String::new(),
        _ => change.value().replace('\n', newline),
    });
    kept.collect()
}

/// Returns the table at a path of keys, which is created if it is missing. The error names what is in the way.
pub(crate) fn table_at<'a>(document: &'a mut DocumentMut, path: &[&str]) -> Result<&'a mut Item, String> {
    let is_table = |item: &Item, depth: usize| match item.is_table_like() {
        true => Ok(()),
        false => Err(format!("\"{}\" is not a table", path[..depth].join("."))),
    };
    path.iter().enumerate().try_fold(document.as_item_mut(), |item, (depth, key)| {
        let table = item.as_table_like_mut().ok_or("the document is not a table")?;
        let mut new = Table::new();
        new.set_implicit(true);
        let item = table.entry(key).or_insert(Item::Table(new));
        is_table(item, depth + 1).map(|()| item)
    })
}

/// Sets an entry of a section; nothing names the top of the text. The comment after an entry is kept.
pub(crate) fn set(
    document: &mut DocumentMut,
    section: Option<&str>,
    key: &str,
    mut value: toml_edit::Value,
) -> Result<(), String> {
    if let Some(section) = section.filter(|section| !document.contains_key(section)) {
        let mut table: Table = std::iter::once((key, value)).collect();
        place_last(document, &mut table);
        document.insert(section, Item::Table(table));
        return Ok(());
    }
    let is_first = section.is_none() && !document.iter().any(|(_, item)| item.is_value());
    let path: Vec<&str> = section.into_iter().collect();
    let table = table_at(document, &path)?.as_table_like_mut().ok_or("the document is not a table")?;
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
    // An empty line separates the top of the text from the sections.
    if let Some(table) = first_after(document.as_table_mut(), isize::MIN).filter(|_| is_first) {
        let prefix = text_of(table.decor().prefix()).unwrap_or_default();
        table.decor_mut().set_prefix(format!("\n{}", prefix.trim_start_matches('\n')));
    }
    Ok(())
}

/// Puts a new table at the end of the text, below an empty line and the comments that the text ends with.
pub(crate) fn place_last(document: &mut DocumentMut, table: &mut Table) {
    let (text, end) = (document.to_string(), text_of(Some(document.trailing())).unwrap_or_default());
    let gap = if text.trim().is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
    table.decor_mut().set_prefix(format!("{end}{gap}"));
    table.set_position(Some(isize::MAX));
    document.set_trailing("");
}

/// Removes what is at a path, if it is there; returns whether it was. The comments above it are kept: they can be about
/// what was there before it.
pub(crate) fn remove(document: &mut DocumentMut, path: &[&str]) -> Result<bool, String> {
    let Some((key, parents)) = path.split_last() else { return Ok(false) };
    let parent = table_at(document, parents)?;
    let section = parent.as_table().and_then(Table::position);
    let Some(table) = parent.as_table_like_mut() else { return Ok(false) };
    let above = table.key(key).and_then(|key| text_of(key.leaf_decor().prefix()));
    let next = table.iter().skip_while(|(name, _)| name != key).nth(1);
    let next = next.filter(|(_, item)| item.is_value()).map(|(name, _)| name.to_owned());
    let (kept, position) = match table.remove(key) {
        None => return Ok(false),
        Some(Item::Table(removed)) => {
            let above = text_of(removed.decor().prefix()).unwrap_or_default();
            (above.strip_suffix('\n').unwrap_or(&above).to_owned(), removed.position())
        }
        Some(_) => (above.unwrap_or_default(), Some(section.unwrap_or(isize::MIN))),
    };
    let joined = |own: Option<&RawString>| format!("{kept}{}", text_of(own).unwrap_or_default());
    if !kept.contains('#') {
    } else if let Some(mut next) =
        next.and_then(|next| table_at(document, parents).ok()?.as_table_like_mut()?.key_mut(&next))
    {
        let prefix = joined(next.leaf_decor().prefix());
        next.leaf_decor_mut().set_prefix(prefix);
    } else if let Some(next) = first_after(document.as_table_mut(), position.unwrap_or(isize::MAX)) {
        let prefix = joined(next.decor().prefix());
        next.decor_mut().set_prefix(prefix);
    } else {
        let end = joined(Some(document.trailing()));
        document.set_trailing(end);
    }
    Ok(true)
}

fn text_of(text: Option<&RawString>) -> Option<String> {
    text?.as_str().map(str::to_owned)
}

/// Returns the table whose header is the first one after a position.
fn first_after(table: &mut Table, position: isize) -> Option<&mut Table> {
    let inner = table.iter_mut().flat_map(|(_, item)| -> Vec<&mut Table> {
        match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter_mut().collect(),
            _ => Vec::new(),
        }
    });
    let first = inner.filter_map(|inner| {
        let at = inner.position().filter(|at| *at > position);
        if at.is_some() && !inner.is_implicit() { Some(inner) } else { first_after(inner, position) }
    });
    first.min_by_key(|table| table.position())
}
