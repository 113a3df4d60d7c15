//! Edits of a document, each of which leaves every other byte as it was. Removing what was added restores the text.

use std::ops::Range;

use serde_json::{Map, Value};

use super::layout::{JsoncLayout, base_of, indentation};
use super::{Document, JsoncNode, NodeKind, blank_length};

/// A range of the text and what replaces it.
type Splice = (Range<usize>, String);

/// Adds a member at a path where there is none, together with the objects around it that are missing. The error names
/// what is in the way.
pub(crate) fn add_member(document: &Document<'_>, path: &[&str], value: &Value) -> Result<String, String> {
    let known = (0..path.len()).rev().find(|&length| document.node(&path[..length]).is_some()).unwrap_or(0);
    let parent = document.node(&path[..known]).ok_or("the document is empty")?;
    if !matches!(parent.kind, NodeKind::Object(_)) {
        let name =
            if known == 0 { "the document".into() } else { format!("\"{}\"", path[..known].join(".")) };
        return Err(format!("{name} is not an object"));
    }
    let wrap = |value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), value)]));
    let value = path[known + 1..].iter().rev().fold(value.clone(), wrap);
    Ok(append(document, parent, |layout, base| layout.member(path[known], &value, base)))
}

/// Appends an element to the array at a path, which must exist.
pub(crate) fn append_element(
    document: &Document<'_>,
    path: &[&str],
    value: &Value,
) -> Result<String, String> {
    match document.node(path).filter(|node| matches!(node.kind, NodeKind::Array(_))) {
        Some(array) => Ok(append(document, array, |layout, base| layout.value(value, base))),
        None => Err(format!("\"{}\" is not a list", path.join("."))),
    }
}

/// Removes the member at a path, if it is there.
pub(crate) fn remove_member(document: &Document<'_>, path: &[&str]) -> String {
    let Some((key, parent)) = path.split_last() else { return document.text.into() };
    let parent = document.node(parent);
    match parent.and_then(|parent| Some((parent, parent.member(key)?.0))) {
        Some((parent, position)) => remove(document.text, parent, position),
        None => document.text.into(),
    }
}

/// Removes an element of the array at a path.
pub(crate) fn remove_element(document: &Document<'_>, path: &[&str], position: usize) -> String {
    match document.node(path).filter(|node| position < node.items().len()) {
        Some(array) => remove(document.text, array, position),
        None => document.text.into(),
    }
}

/// Removes an element of the array that is the member `key` of an element of the array at a path.
pub(crate) fn remove_nested_element(
    document: &Document<'_>,
    path: &[&str],
    element: usize,
    key: &str,
    position: usize,
) -> String {
    let array = document.node(path).and_then(|outer| match &outer.kind {
        NodeKind::Array(elements) => elements.get(element)?.member(key),
        _ => None,
    });
    match array.filter(|(_, inner)| position < inner.items().len()) {
        Some((_, inner)) => remove(document.text, inner, position),
        None => document.text.into(),
    }
}

/// Appends an item to a list: `item` gets the style and the indentation to write it in.
fn append(document: &Document<'_>, list: &JsoncNode, item: impl Fn(&JsoncLayout, &str) -> String) -> String {
    let (text, layout) = (document.text, JsoncLayout::of(document));
    let splices = match list.items().last() {
        Some(last) => append_after(text, &layout, list, last, item),
        None => {
            let base = base_of(text, list);
            let inside = list.span.start + 1..list.span.end - 1;
            let kept = text[inside.clone()].trim_end();
            // Only a line break ends a comment that begins with two slashes.
            let layout = if kept.contains("//") { layout.on_lines() } else { layout };
            let first = layout.item_break(base);
            let item = item(&layout, first.trim_start_matches(['\r', '\n']));
            vec![(inside, format!("{kept}{first}{item}{}", layout.close_break(base)))]
        }
    };
    splice(text, splices)
}

fn append_after(
    text: &str,
    layout: &JsoncLayout,
    list: &JsoncNode,
    last: &Range<usize>,
    item: impl Fn(&JsoncLayout, &str) -> String,
) -> Vec<Splice> {
    let trailing = comma_after(text, last.end, list);
    let end = trailing.map_or(last.end, |comma| comma + 1);
    let comma = if trailing.is_some() { "," } else { "" };
    let mut splices = Vec::new();
    if trailing.is_none() {
        splices.push((last.end..last.end, ",".into()));
    }
    match indentation(text, last.start) {
        Some(indentation) => {
            let at = end_of_line(text, end);
            let item = item(layout, indentation);
            splices.push((at..at, format!("{}{item}{comma}", layout.line_break(indentation))));
        }
        None => {
            let item = item(&layout.on_one_line(), "");
            splices.push((end..end, format!("{}{item}{comma}", layout.gap())));
        }
    }
    splices
}

/// Removes an item of a list, with the comma that it needs no longer.
fn remove(text: &str, list: &JsoncNode, position: usize) -> String {
    let items = list.items();
    let item = &items[position];
    let start = indentation(text, item.start).map_or(item.start, |_| line_break_before(text, item.start));
    if items.len() == 1 {
        let end = comma_after(text, item.end, list).map_or(item.end, |comma| comma + 1);
        let inside = list.span.start + 1..list.span.end - 1;
        let kept = format!("{}{}", &text[inside.start..start], &text[end..inside.end]);
        // Comments stay; spaces alone would be left over.
        let kept = if kept.trim().is_empty() { String::new() } else { kept };
        return splice(text, vec![(inside, kept)]);
    }
    match comma_after(text, item.end, list) {
        // Its line, up to the end of its comma; in a list on one line, the spaces before the next item too.
        Some(comma) if start < item.start => splice(text, vec![(start..comma + 1, String::new())]),
        Some(comma) if position + 1 == items.len() => {
            let before = text[..item.start].trim_end().len();
            splice(text, vec![(before..comma + 1, String::new())])
        }
        Some(comma) => {
            let rest = &text[comma + 1..];
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            splice(text, vec![(item.start..comma + 1 + spaces, String::new())])
        }
        None => {
            let previous = comma_after(text, items[position - 1].end, list).unwrap_or(start);
            if start < item.start {
                let comma = previous..(previous + 1).min(start);
                splice(text, vec![(comma, String::new()), (start..item.end, String::new())])
            } else {
                splice(text, vec![(previous..item.end, String::new())])
            }
        }
    }
}

/// The place of the comma after an item that ends at `end`.
fn comma_after(text: &str, end: usize, list: &JsoncNode) -> Option<usize> {
    let at = end + blank_length(&text[end..]).ok()?;
    (at < list.span.end && text[at..].starts_with(',')).then_some(at)
}

/// The place of the line break before an item that begins its line.
fn line_break_before(text: &str, start: usize) -> usize {
    let newline = text[..start].rfind('\n').unwrap_or(start);
    newline - usize::from(text[..newline].ends_with('\r'))
}

/// The end of the line of `at`, if only spaces and a comment follow in that line; otherwise `at` itself.
fn end_of_line(text: &str, at: usize) -> usize {
    let line = &text[at..];
    let line = &line[..line.find('\n').unwrap_or(0)];
    let rest = line.trim_end();
    let comment = rest.trim_start();
    let closed = comment.starts_with("/*") && comment.find("*/") == Some(comment.len().wrapping_sub(2));
    if comment.starts_with("//") || closed { at + rest.len() } else { at }
}

/// Applies splices, which are in order and do not overlap.
fn splice(text: &str, splices: Vec<Splice>) -> String {
    let mut result = text.to_owned();
    for (range, with) in splices.into_iter().rev() {
        result.replace_range(range, &with);
    }
    result
}

#[cfg(test)]
mod tests {
    use fugue_testkit::Random;
    use serde_json::json;

    use super::*;

    fn edit(text: &str, edit: impl Fn(&Document<'_>) -> String) -> String {
        edit(&Document::parse(text).expect("it is valid"))
    }

    fn set(text: &str, path: &[&str], value: &Value) -> String {
        edit(text, |document| add_member(document, path, value).expect("it can be set"))
    }

    #[test]
    fn a_member_is_added_in_the_style_of_the_file() {
        for (before, after) in [
            ("{}", "{\n  \"s\": {\n    \"f\": [\n      1\n    ]\n  }\n}"),
            ("{\"a\":1}", "{\"a\":1,\"s\":{\"f\":[1]}}"),
            ("{\"a\": 1}\n", "{\"a\": 1, \"s\": {\"f\": [1]}}\n"),
            (
                "{\r\n\t\"a\": 1\r\n}\r\n",
                "{\r\n\t\"a\": 1,\r\n\t\"s\": {\r\n\t\t\"f\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n",
            ),
            ("{\n  \"s\": {\"x\": 2}, // why\n}", "{\n  \"s\": {\"x\": 2, \"f\": [1]}, // why\n}"),
            (
                "{\n    \"a\": 1 // why\n}",
                "{\n    \"a\": 1, // why\n    \"s\": {\n        \"f\": [\n            1\n        ]\n    }\n}",
            ),
            ("{ \"s\": { // why\n} }", "{ \"s\": { // why\n  \"f\": [\n    1\n  ]\n} }"),
            (
                "{\n  \"a\": 1, /* b */\n}",
                "{\n  \"a\": 1, /* b */\n  \"s\": {\n    \"f\": [\n      1\n    ]\n  },\n}",
            ),
        ] {
            assert_eq!(set(before, &["s", "f"], &json!([1])), after);
        }
    }

    #[test]
    fn removing_what_was_added_restores_every_byte() {
        for text in [
            "{\"a\":1}",
            "{ \"a\": 1 }",
            "{\"a\": 1,}",
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1,\n}\n",
            "{\n\t\"a\": 1, // c\n\t// d\n}",
            "{\r\n   \"a\": {}\r\n   /* e */ }\r\n",
            "// top\n{\"a\": [\n1]\n , \"b\": 2 }",
            "{}",
        ] {
            let added = set(text, &["s"], &json!({ "f": [1, 2] }));
            assert_eq!(edit(&added, |document| remove_member(document, &["s"])), text, "{added}");
        }
    }

    #[test]
    fn elements_are_appended_and_removed_alike() {
        for text in ["{\"h\": [1, 2]}", "{\n  \"h\": [\n    1, // one\n    2\n  ]\n}", "{\n  \"h\": []\n}"] {
            let added =
                edit(text, |document| append_element(document, &["h"], &json!({ "x": 3 })).expect("a list"));
            let count =
                Document::parse(&added).expect("valid").node(&["h"]).map_or(0, |list| list.items().len());
            assert_eq!(edit(&added, |document| remove_element(document, &["h"], count - 1)), text, "{added}");
        }
        assert_eq!(
            edit("{\"h\": [1, 2, 3]}", |document| remove_element(document, &["h"], 0)),
            "{\"h\": [2, 3]}"
        );
        assert_eq!(edit("[\n 1,\n 2,\n 3\n]", |document| remove_element(document, &[], 1)), "[\n 1,\n 3\n]");
    }

    /// A random object, with comments, trailing commas and blank space wherever they may be.
    fn object(random: &mut Random, depth: u64) -> String {
        let mut text = String::from("{");
        for number in 0..random.below(4) {
            text += blank(random);
            text += &format!("\"k{number}\"{}:{}", blank(random), blank(random));
            text += &match random.below(4) {
                0 if depth > 0 => object(random, depth - 1),
                1 => format!("[1,{}2{}]", blank(random), blank(random)),
                2 => "\"// } ,\\\"\"".to_owned(),
                _ => "null".to_owned(),
            };
            text += blank(random);
            text += ",";
        }
        if text.ends_with(',') && random.below(2) == 0 {
            text.pop();
        }
        text + blank(random) + "}"
    }

    fn blank(random: &mut Random) -> &'static str {
        ["", " ", "\n  ", "\r\n\t", " // c\n    ", "/* } */", "\n\n", "// d\n"][random.below(8) as usize]
    }

    #[test]
    fn any_document_is_the_same_after_a_member_was_added_and_removed() {
        let mut random = Random(15);
        for _ in 0..2_000 {
            let text = object(&mut random, 3);
            let before = Document::parse(&text).expect(&text);
            let value = json!({ "command": "fugue", "args": ["mcp"] });
            let added = set(&text, &["servers", "fugue"], &value);
            let after = Document::parse(&added).expect(&added);
            assert_eq!(after.get(&["servers", "fugue"]), Some(value), "{added}");
            let removed = remove_member(&after, &["servers"]);
            // Of an object that was empty, the spaces between its braces are not kept.
            if before.root.items().is_empty() {
                assert_eq!(Document::parse(&removed).expect(&removed).root.value(), json!({}));
            } else {
                assert_eq!(removed, text, "{added}");
            }
        }
    }

    #[test]
    fn what_is_in_the_way_is_named() {
        let document = Document::parse("{\"s\": {\"t\": 3}}").expect("valid");
        let refused = add_member(&document, &["s", "t", "f"], &json!(1)).expect_err("a number");
        assert_eq!(refused, "\"s.t\" is not an object");
        assert!(append_element(&document, &["s"], &json!(1)).is_err());
    }
}
