//! The conditions in a text of tmux commands: `%if`, `%elif`, `%else` and `%endif`.

use crate::format::is_true;

/// Expands the format of a condition; the error says why it cannot be expanded.
pub(super) type Expand<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// The words that are about conditions.
const DIRECTIVES: [&str; 4] = ["%if", "%elif", "%else", "%endif"];

/// Whether a word is one of those that are about conditions.
pub(super) fn is_directive(word: &str) -> bool {
    DIRECTIVES.contains(&word)
}

/// Whether these are all words of a directive, so that a command may follow on the same line.
pub(super) fn is_whole(words: &[String]) -> bool {
    match words {
        [name] => name == "%else" || name == "%endif",
        [name, _] => name == "%if" || name == "%elif",
        _ => false,
    }
}

/// An open `%if`.
#[derive(Clone, Copy)]
struct OpenCondition {
    /// Whether no later branch can be included.
    settled: bool,
    /// Whether the current branch is included.
    included: bool,
}

/// The open conditions, the outermost first.
#[derive(Default)]
pub(super) struct Conditions {
    open: Vec<OpenCondition>,
}

impl Conditions {
    /// Whether a command at this place is included.
    pub(super) fn include(&self) -> bool {
        self.open.iter().all(|condition| condition.included)
    }

    /// Takes a directive; returns whether it was one. If its condition cannot be expanded, neither its branch nor a later
    /// one is included.
    pub(super) fn take(&mut self, words: &[String], expand: &Expand<'_>) -> Result<bool, String> {
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["%if", condition, ..] => {
                let settled = !self.include();
                self.open.push(OpenCondition { settled, included: false });
                self.branch(condition, expand)?;
            }
            ["%elif", condition, ..] => self.branch(condition, expand)?,
            ["%else", ..] => self.branch("1", expand)?,
            ["%endif", ..] => drop(self.open.pop()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Begins a branch. Its condition is expanded only if it decides something.
    fn branch(&mut self, condition: &str, expand: &Expand<'_>) -> Result<(), String> {
        let Some(last) = self.open.last_mut() else { return Ok(()) };
        last.included = false;
        if last.settled {
            return Ok(());
        }
        let expanded = expand(condition);
        last.settled = expanded.as_ref().map_or(true, |value| is_true(value));
        last.included = expanded.is_ok() && last.settled;
        expanded.map(drop)
    }
}
