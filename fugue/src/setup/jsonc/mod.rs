//! JSON with comments and trailing commas, read with the place of every value, so that a file can be edited without
//! touching any other byte of it.

mod edit;
mod layout;

use std::ops::Range;

use serde_json::{Map, Value};

pub(super) use edit::{add_member, append_element, remove_element, remove_member, remove_nested_element};

/// Deeper documents are refused: the reader is recursive, and no agent's settings come near.
const DEPTH: usize = 100;

/// A document and the places of its values.
#[derive(Debug, Clone)]
pub(super) struct Document<'a> {
    text: &'a str,
    root: JsoncNode,
}

/// A value in a document.
#[derive(Debug, Clone)]
struct JsoncNode {
    span: Range<usize>,
    kind: NodeKind,
}

#[derive(Debug, Clone)]
enum NodeKind {
    Object(Vec<Member>),
    Array(Vec<JsoncNode>),
    Scalar(Value),
}

/// A key and its value.
#[derive(Debug, Clone)]
struct Member {
    key: String,
    start: usize,
    value: JsoncNode,
}

impl JsoncNode {
    /// Returns the places of the members, keys included, or of the elements.
    fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            NodeKind::Object(members) => {
                members.iter().map(|member| member.start..member.value.span.end).collect()
            }
            NodeKind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            NodeKind::Scalar(_) => Vec::new(),
        }
    }

    /// Returns the position and the value of a member. Of several with the same key, the last one counts.
    fn member(&self, key: &str) -> Option<(usize, &Self)> {
        let NodeKind::Object(members) = &self.kind else { return None };
        let position = members.iter().rposition(|member| member.key == key)?;
        Some((position, &members[position].value))
    }

    fn value(&self) -> Value {
        match &self.kind {
            NodeKind::Object(members) => {
                let members = members.iter().map(|member| (member.key.clone(), member.value.value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            NodeKind::Array(elements) => elements.iter().map(Self::value).collect(),
            NodeKind::Scalar(value) => value.clone(),
        }
    }
}

impl<'a> Document<'a> {
    /// Reads a document. The error says what is wrong, and in which line.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let mut reader = JsoncReader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
        let root = reader.node(DEPTH).and_then(|root| {
            reader.skip_blanks()?;
            if reader.at < text.len() { Err("unexpected text after the end".into()) } else { Ok(root) }
        });
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let root = root.map_err(|why: String| format!("{why} on line {}", line(reader.at)))?;
        Ok(Self { text, root })
    }

    /// Returns the text of the document.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the value at a path of keys.
    pub(super) fn get(&self, path: &[&str]) -> Option<Value> {
        self.node(path).map(JsoncNode::value)
    }

    fn node(&self, path: &[&str]) -> Option<&JsoncNode> {
        path.iter().try_fold(&self.root, |node, key| node.member(key).map(|(_, value)| value))
    }
}

/// Returns the number of bytes of the spaces and comments that a text begins with; an error if a comment has no end.
fn blank_length(text: &str) -> Result<usize, String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").ok_or("unterminated comment")?.1;
        } else {
            return Ok(text.len() - rest.len());
        }
    }
}

struct JsoncReader<'a> {
    text: &'a str,
    at: usize,
}

impl JsoncReader<'_> {
    fn skip_blanks(&mut self) -> Result<(), String> {
        self.at += blank_length(&self.text[self.at..])?;
        Ok(())
    }

    fn peek(&mut self) -> Result<u8, String> {
        self.skip_blanks()?;
        self.text.as_bytes().get(self.at).copied().ok_or_else(|| "unexpected end of file".into())
    }

    fn node(&mut self, depth: usize) -> Result<JsoncNode, String> {
        if depth == 0 {
            return Err("values are nested too deeply".into());
        }
        let (first, start) = (self.peek()?, self.at);
        let kind = match first {
            b'{' => NodeKind::Object(self.list(b'}', |reader| reader.member(depth - 1))?),
            b'[' => NodeKind::Array(self.list(b']', |reader| reader.node(depth - 1))?),
            _ => NodeKind::Scalar(self.scalar()?),
        };
        Ok(JsoncNode { span: start..self.at, kind })
    }

    fn list<T>(
        &mut self,
        close: u8,
        item: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.at += 1;
        let mut items = Vec::new();
        while self.peek()? != close {
            items.push(item(self)?);
            match self.peek()? {
                b',' => self.at += 1,
                next if next == close => {}
                _ => return Err("a comma is missing".into()),
            }
        }
        self.at += 1;
        Ok(items)
    }

    fn member(&mut self, depth: usize) -> Result<Member, String> {
        self.peek()?;
        let start = self.at;
        let Value::String(key) = self.scalar()? else { return Err("a key is not a string".into()) };
        if self.peek()? != b':' {
            return Err("a colon is missing".into());
        }
        self.at += 1;
        Ok(Member { key, start, value: self.node(depth)? })
    }

    fn scalar(&mut self) -> Result<Value, String> {
        let rest = &self.text[self.at..];
        let length = match rest.strip_prefix('"') {
            Some(string) => 2 + string_length(string).ok_or("unterminated string")?,
            None => rest.find(|c: char| c.is_whitespace() || ",:]}/\"{[".contains(c)).unwrap_or(rest.len()),
        };
        let value = serde_json::from_str(&rest[..length]).map_err(|_| "invalid value")?;
        self.at += length;
        Ok(value)
    }
}

/// Returns the length of the string that a text begins with, up to its closing quote.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text =
            "\u{feff}// first\n{ /* a */ \"a\": [1, \"x\\\"]\", ], // end\r\n \"b\": {\"c\": null,}, }\n";
        let document = Document::parse(text).expect("it is valid");
        assert_eq!(document.root.value(), json!({ "a": [1, "x\"]"], "b": { "c": null } }));
        assert_eq!(document.get(&["b", "c"]), Some(Value::Null));
    }

    #[test]
    fn an_invalid_document_is_refused_with_the_line_of_the_mistake() {
        for (text, why) in [
            ("", "unexpected end of file on line 1"),
            ("{\n  \"a\": 1\n  \"b\": 2\n}", "a comma is missing on line 3"),
            ("{\"a\" 1}", "a colon is missing on line 1"),
            ("{\"a\": nul}", "invalid value on line 1"),
            ("{\"a\": \"b}", "unterminated string on line 1"),
            ("{} {}", "unexpected text after the end on line 1"),
            ("{\n/* x }", "unterminated comment on line 1"),
            ("{1: 2}", "a key is not a string on line 1"),
        ] {
            assert_eq!(Document::parse(text).expect_err(text), why, "{text}");
        }
        assert!(Document::parse(&"[".repeat(100_000)).is_err());
    }
}
