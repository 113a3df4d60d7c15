//! tmux's formats: `#{pane_id}`, `#S`, conditions, comparisons, modifiers and loops. Pure: the values of names, the time
//! and the items of loops come from a [`FormatSource`].

mod arithmetic;
mod expression;
mod machine;
mod modifiers;
mod place;
mod scanner;
mod text_modifiers;
mod variables;
mod without_session;

pub use machine::HostFacts;
pub use place::{FormatContext, FormatPlace};
pub use without_session::expand_without_session;

use std::cell::Cell;

/// Deeper formats are not expanded: the evaluator is recursive.
const DEPTH: usize = 20;

/// The most expressions that one format evaluates, so that loops within loops end.
const STEPS: usize = 20_000;

/// The longest text that a format becomes; nobody reads more, and padding could ask for any length.
const BYTES: usize = 64 << 10;

/// The one-letter names.
const LETTERS: [(char, &str); 9] = [
    ('D', "pane_id"),
    ('F', "window_flags"),
    ('H', "host"),
    ('h', "host_short"),
    ('I', "window_index"),
    ('P', "pane_index"),
    ('S', "session_name"),
    ('T', "pane_title"),
    ('W', "window_name"),
];

/// What a loop goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum LoopKind {
    Sessions,
    Windows,
    Panes,
}

/// One item of a loop, and whether it is the current one.
pub type LoopItem<'a> = (bool, Box<dyn FormatSource + 'a>);

/// Where a format gets its values from.
pub trait FormatSource {
    /// The value of a name; nothing if it is unknown.
    fn value(&self, name: &str) -> Option<String>;

    /// The items of a loop.
    fn items(&self, _kind: LoopKind) -> Vec<LoopItem<'_>> {
        Vec::new()
    }

    /// The output of a shell command, `#(…)`.
    fn output(&self, _command: &str) -> String {
        String::new()
    }

    /// The current time, in seconds.
    fn now(&self) -> i64 {
        0
    }
}

impl<F: Fn(&str) -> Option<String>> FormatSource for F {
    fn value(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// Expands a format.
pub fn expand(format: &str, source: &dyn FormatSource) -> String {
    let steps = Cell::new(STEPS);
    Expansion { source, depth: DEPTH, steps: &steps, in_command: false, runs_commands: true }.text(format)
}

/// Expands a format that becomes part of a command, of a shell's or of tmux's. Values lose the characters with which the
/// program that set them, such as a title, could run something else.
pub fn expand_in_command(format: &str, source: &dyn FormatSource) -> String {
    let steps = Cell::new(STEPS);
    Expansion { source, depth: DEPTH, steps: &steps, in_command: true, runs_commands: true }.text(format)
}

/// The same, after the time specifiers in it.
pub fn expand_in_command_with_time(format: &str, source: &dyn FormatSource) -> String {
    expand_in_command(&text_modifiers::time(source.now(), format), source)
}

/// Expands a format, after the time specifiers in it (`%H:%M`), as the status line does.
pub fn expand_with_time(format: &str, source: &dyn FormatSource) -> String {
    expand(&text_modifiers::time(source.now(), format), source)
}

/// Whether a value counts as true.
pub fn is_true(value: &str) -> bool {
    !value.is_empty() && value != "0"
}

/// An expansion in progress.
#[derive(Clone, Copy)]
struct Expansion<'a> {
    source: &'a dyn FormatSource,
    depth: usize,
    steps: &'a Cell<usize>,
    /// Whether the text becomes part of a shell command.
    in_command: bool,
    /// Whether `#(…)` runs a command. In a value that is expanded once more (`#{E:pane_title}`) it does not: a program
    /// may have set the value.
    runs_commands: bool,
}

impl Expansion<'_> {
    /// Expands text with expressions in it.
    fn text(self, format: &str) -> String {
        let mut text = String::new();
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('#') {
            text += before;
            rest = self.next(after, &mut text);
            if text.len() > BYTES {
                break;
            }
        }
        text += rest;
        truncated(text)
    }

    /// Expands what follows a `#`, and returns what comes after it.
    fn next<'t>(self, after: &'t str, text: &mut String) -> &'t str {
        let Some(sign) = after.chars().next() else {
            text.push('#');
            return after;
        };
        let behind = &after[sign.len_utf8()..];
        let named = LETTERS.iter().find(|(letter, _)| *letter == sign);
        match (sign, named) {
            ('{' | '(', _) => match scanner::closing(behind, sign) {
                Some(end) => {
                    *text += &self.enclosed(sign, &behind[..end]);
                    &behind[end + 1..]
                }
                None => "",
            },
            ('#' | ',' | '}', _) => {
                text.push(sign);
                behind
            }
            (_, Some((_, name))) => {
                *text += &self.value(name).unwrap_or_default();
                behind
            }
            _ => {
                text.push('#');
                after
            }
        }
    }

    fn enclosed(self, sign: char, inside: &str) -> String {
        let spent = self.steps.get().checked_sub(1).filter(|_| self.depth > 0);
        let Some(left) = spent else { return String::new() };
        self.steps.set(left);
        let inner = Self { depth: self.depth - 1, ..self };
        match sign {
            '(' if !self.runs_commands => String::new(),
            '(' => self.source.output(&Self { in_command: true, ..inner }.text(inside)),
            _ => inner.expression(inside),
        }
    }

    /// The value of a name. In a command it has no character with which a program, whose title it may be, could make the
    /// shell run something else.
    fn value(self, name: &str) -> Option<String> {
        let value = self.source.value(name)?;
        Some(if self.in_command { plain(&value) } else { value })
    }
}

/// A value without the characters that mean something in a format, a shell command or a line of commands.
pub(crate) fn plain(value: &str) -> String {
    let is_safe = |c: &char| c.is_alphanumeric() || " -_./:@%+=,~".contains(*c);
    value.chars().filter(is_safe).collect()
}

/// The text, cut at the longest allowed length.
fn truncated(mut text: String) -> String {
    if text.len() > BYTES {
        let end = (0..=BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests;
