//! JSON with comments and trailing commas, edited with `jsonc-parser`.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Value, json};

use super::{Edit, not_an_object};
use crate::toml_text::split_mark;

/// What the agents read. The rest of JSON5 is a mistake in their files.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &OPTIONS).map_err(|why| format!("{} on line {}", why.kind(), why.line_display()))
}

/// Reads a text, without a byte order mark. One that contains only comments is an empty object.
pub(super) fn values(text: &str) -> Result<Value, String> {
    Ok(parse(text)?.to_serde_value().unwrap_or_else(|| json!({})))
}

/// Edits a text.
pub(super) fn edit(text: &str, edit: &Edit) -> Result<String, String> {
    let (mark, text) = split_mark(text);
    let root = parse(text)?;
    match edit {
        Edit::Insert { path, value } => {
            let (parent, key) = parent(&root, path)?;
            parent.append(key, input(value));
        }
        Edit::Append { path, value } => {
            let (parent, key) = parent(&root, path)?;
            let list = parent.array_value_or_create(key);
            list.ok_or_else(|| format!("\"{}\" is not a list", path.join(".")))?.append(input(value));
        }
        Edit::Remove { path } => {
            // What is on the same line is removed along with a node.
            let Some(found) = node(&root, path) else { return Ok(format!("{mark}{text}")) };
            separate_comments(&found);
            let root = parse(&root.to_string())?;
            node(&root, path).into_iter().for_each(CstNode::remove);
            return Ok(format!("{mark}{root}"));
        }
    }
    Ok(format!("{mark}{root}"))
}

/// Returns the object that a path leads into, and the last key. Objects that are missing are created.
fn parent<'a>(root: &CstRootNode, path: &'a [String]) -> Result<(CstObject, &'a str), String> {
    let (key, parents) = path.split_last().ok_or_else(|| not_an_object(path))?;
    let document = root.object_value_or_create().ok_or_else(|| not_an_object(&[]))?;
    let parent = parents.iter().enumerate().try_fold(document, |object, (depth, key)| {
        object.object_value_or_create(key).ok_or_else(|| not_an_object(&parents[..=depth]))
    })?;
    Ok((parent, key))
}

/// Returns the member or the element at a path.
fn node(root: &CstRootNode, path: &[String]) -> Option<CstNode> {
    let (key, parents) = path.split_last()?;
    let parent =
        parents.iter().try_fold(root.value()?, |node, key| match child(&node, key)?.as_object_prop() {
            Some(member) => member.value(),
            None => child(&node, key),
        })?;
    child(&parent, key)
}

fn child(node: &CstNode, key: &str) -> Option<CstNode> {
    match node.as_object() {
        Some(object) => Some(member(&object, key)?.into()),
        None => node.as_array()?.elements().into_iter().nth(key.parse().ok()?),
    }
}

/// Puts comments that are on the same line as a node on lines of their own.
fn separate_comments(node: &CstNode) {
    let is_near = |node: &CstNode| node.is_comma() || node.is_trivia() && !node.is_newline();
    let comment = |node: CstNode| node.as_comment();
    if let Some(next) = node.next_siblings().take_while(is_near).find_map(comment) {
        next.set_raw_value(format!("\n{}", next.raw_value()));
    }
    if let Some(previous) = node.previous_siblings().take_while(is_near).find_map(comment) {
        previous.set_raw_value(format!("{}\n", previous.raw_value()));
    }
}

/// Of several members with the same key, the last one counts.
fn member(object: &CstObject, key: &str) -> Option<CstObjectProp> {
    object.properties().into_iter().rfind(|member| member.decoded_name().as_deref() == Some(key))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => text.as_str().into(),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
