//! The style in which a document is written: its newlines, its indentation, its spaces.

use serde_json::Value;

use super::{Document, JsoncNode};

/// The style of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsoncLayout {
    newline: &'static str,
    /// One step of indentation; `None` for a document on a single line.
    step: Option<String>,
    /// Whether a space follows each colon and comma.
    spaced: bool,
}

/// The whitespace at the beginning of the line that holds a place, if nothing else precedes the place in that line.
pub(super) fn indentation(text: &str, place: usize) -> Option<&str> {
    let line = &text[text[..place].rfind('\n')? + 1..place];
    line.chars().all(char::is_whitespace).then_some(line)
}

impl JsoncLayout {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let (text, root) = (document.text, &document.root);
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = root.items().first().map(|item| item.start);
        let step = match first {
            Some(first) => indentation(text, first).map(str::to_owned),
            None => Some("  ".into()),
        };
        let spaced = step.is_some() || text[root.span.clone()].contains("\": ");
        Self { newline, step: step.map(|step| if step.is_empty() { "  ".into() } else { step }), spaced }
    }

    /// The same style, for a list that is written on a single line.
    pub(super) fn on_one_line(&self) -> Self {
        Self { step: None, ..self.clone() }
    }

    /// The same style, for a list that must be spread over lines.
    pub(super) fn on_lines(&self) -> Self {
        Self { step: Some(self.step.clone().unwrap_or_else(|| "  ".into())), ..self.clone() }
    }

    /// Whether lists are spread over lines.
    pub(super) fn is_spread(&self) -> bool {
        self.step.is_some()
    }

    /// A line break, and the indentation of an item in a list that is indented by `base`.
    pub(super) fn item_break(&self, base: &str) -> String {
        self.step.as_ref().map(|step| format!("{}{base}{step}", self.newline)).unwrap_or_default()
    }

    /// A line break, and the indentation of the bracket that closes a list.
    pub(super) fn close_break(&self, base: &str) -> String {
        self.step.as_ref().map(|_| format!("{}{base}", self.newline)).unwrap_or_default()
    }

    /// What follows the comma between two items of a list on one line.
    pub(super) fn gap(&self) -> &'static str {
        if self.spaced { " " } else { "" }
    }

    /// A line break with this indentation.
    pub(super) fn line_break(&self, indentation: &str) -> String {
        format!("{}{indentation}", self.newline)
    }

    /// The text of a member, without its surroundings.
    pub(super) fn member(&self, key: &str, value: &Value, base: &str) -> String {
        format!("{}:{}{}", Value::from(key), self.gap(), self.value(value, base))
    }

    /// The text of a value that begins in a line indented by `base`.
    pub(super) fn value(&self, value: &Value, base: &str) -> String {
        let inner = format!("{base}{}", self.step.as_deref().unwrap_or_default());
        match value {
            Value::Object(members) if !members.is_empty() => {
                let items = members.iter().map(|(key, value)| self.member(key, value, &inner));
                self.list('{', items.collect(), '}', base)
            }
            Value::Array(elements) if !elements.is_empty() => {
                let items = elements.iter().map(|element| self.value(element, &inner));
                self.list('[', items.collect(), ']', base)
            }
            other => other.to_string(),
        }
    }

    fn list(&self, open: char, items: Vec<String>, close: char, base: &str) -> String {
        let (first, last) = (self.item_break(base), self.close_break(base));
        let between = if self.is_spread() { format!(",{first}") } else { format!(",{}", self.gap()) };
        format!("{open}{first}{}{last}{close}", items.join(&between))
    }
}

/// The indentation of the line in which a node begins.
pub(super) fn base_of<'a>(text: &'a str, node: &JsoncNode) -> &'a str {
    let line = &text[text[..node.span.start].rfind('\n').map_or(0, |end| end + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
