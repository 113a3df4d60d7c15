//! Dialogs: what an agent in a pane asks a person, read from its screen.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The subject of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DialogKind {
    /// The agent wants to do something, such as run a command or edit a file.
    Permission,
    /// The agent asks when it starts, for example whether the user trusts the directory.
    Startup,
    /// The agent asks a question about its task.
    Question,
}

/// The effect of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ChoiceEffect {
    /// Allows this once.
    Allow,
    /// Rejects this.
    Deny,
    /// Something else, such as allowing more than this.
    Other,
}

/// A choice in a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DialogChoice {
    /// Its text in the dialog.
    pub label: String,
    /// What it does.
    pub effect: ChoiceEffect,
    /// Whether it is a field for an answer of your own, which is given with the choice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_text: bool,
    /// Whether what is typed goes into this field now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
    /// Whether it is checked, if several choices can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub checked: Option<bool>,
    /// Whether it finishes a dialog in which several choices can be checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub submits: bool,
}

impl DialogChoice {
    /// A choice with this text and effect, and nothing to type or to check.
    pub fn new(label: &str, effect: ChoiceEffect) -> Self {
        let label = label.to_owned();
        Self { label, effect, takes_text: false, is_open: false, checked: None, submits: false }
    }

    /// Its text, after the box of a choice that can be checked.
    pub fn shown(&self) -> String {
        match self.checked {
            Some(true) => format!("[x] {}", self.label),
            Some(false) => format!("[ ] {}", self.label),
            None => self.label.clone(),
        }
    }

    /// Whether two looks show the same choice. A box may be checked meanwhile, and a field may be filled in.
    fn is_same(&self, other: &Self) -> bool {
        let is_field = self.takes_text && other.takes_text;
        (is_field || self.label == other.label)
            && (self.effect, self.takes_text, self.checked.is_some(), self.submits)
                == (other.effect, other.takes_text, other.checked.is_some(), other.submits)
    }
}

/// A dialog on an agent's screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Dialog {
    /// Its subject.
    pub kind: DialogKind,
    /// Its heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub title: Option<String>,
    /// The question.
    pub question: String,
    /// What the question is about, such as a command, as the dialog shows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<String>,
    /// The command to approve, if the dialog shows one in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// The choices, in order.
    pub choices: Vec<DialogChoice>,
    /// Number of the selected choice, counted from 1.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub selected: usize,
}

/// A dialog that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDialog {
    /// Its id, which no other dialog has.
    pub id: String,
    /// When it was first seen.
    pub since: Timestamp,
    /// What it shows.
    pub dialog: Dialog,
}

impl Dialog {
    /// What is asked, in one line: the command or text to approve, or else the question. `⏎` is the end of a row, which
    /// may be the end of a command.
    pub fn subject(&self) -> String {
        let detail = (!self.detail.is_empty()).then(|| self.detail.join(" ⏎ "));
        self.command.clone().or(detail).unwrap_or_else(|| self.question.clone())
    }

    /// Whether two looks show the same dialog. Which choice is selected, which ones are checked and what is typed into a
    /// field does not matter.
    pub fn is_same(&self, other: &Self) -> bool {
        let texts = |one: &Self| (one.kind, one.title.clone(), one.command.clone());
        texts(self) == texts(other)
            && (&self.question, &self.detail) == (&other.question, &other.detail)
            && self.choices.len() == other.choices.len()
            && self.choices.iter().zip(&other.choices).all(|(one, other)| one.is_same(other))
    }

    /// The place of a choice (counted from 1) from top to bottom: the one that finishes the dialog has the last number,
    /// and is below those that can be checked.
    pub fn place(&self, number: usize) -> (usize, usize) {
        let choice = number.checked_sub(1).and_then(|at| self.choices.get(at));
        let group = match choice {
            Some(choice) if choice.submits => 1,
            Some(choice) if choice.checked.is_none() && self.choices.iter().any(|one| one.submits) => 2,
            _ => 0,
        };
        (group, number)
    }

    /// Finds a choice by its number (from 1) or its text; none if that is ambiguous.
    pub fn find(&self, wanted: &str) -> Option<usize> {
        let number = wanted.parse::<usize>().ok().filter(|number| (1..=self.choices.len()).contains(number));
        let wanted = wanted.to_lowercase();
        let labels = || self.choices.iter().map(|choice| choice.label.to_lowercase());
        let exact = || labels().position(|label| label == wanted).map(|at| at + 1);
        let prefix = || {
            let mut found = labels().enumerate().filter(|(_, label)| label.starts_with(&wanted));
            found.next().filter(|_| found.next().is_none()).map(|(at, _)| at + 1)
        };
        number.or_else(exact).or_else(prefix)
    }

    /// The number (from 1) of the only choice with this effect.
    pub fn only(&self, effect: ChoiceEffect) -> Option<usize> {
        let mut found = self.choices.iter().enumerate().filter(|(_, choice)| choice.effect == effect);
        found.next().filter(|_| found.next().is_none()).map(|(at, _)| at + 1)
    }
}

impl fmt::Display for DialogKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Permission => "permission",
            Self::Startup => "startup",
            Self::Question => "question",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialog(labels: &[&str]) -> Dialog {
        let choice = |label: &&str| DialogChoice::new(label, ChoiceEffect::Other);
        Dialog {
            kind: DialogKind::Permission,
            title: None,
            question: "Proceed?".into(),
            detail: Vec::new(),
            command: None,
            choices: labels.iter().map(choice).collect(),
            selected: 1,
        }
    }

    #[test]
    fn a_choice_is_found_by_number_text_or_unambiguous_beginning() {
        let dialog = dialog(&["Yes", "Yes, and always", "No"]);
        let found = ["2", "4", "0", "yes", "yes, and", "n", "y", "maybe"].map(|wanted| dialog.find(wanted));
        assert_eq!(found, [Some(2), None, None, Some(1), Some(2), Some(3), None, None]);
    }

    #[test]
    fn a_dialog_stays_the_same_when_another_choice_is_selected() {
        let one = dialog(&["Yes", "No"]);
        assert!(one.is_same(&Dialog { selected: 2, ..one.clone() }));
        assert!(!one.is_same(&Dialog { detail: vec!["rm -rf /".into()], ..one.clone() }));
        assert!(!one.is_same(&dialog(&["Yes", "Never"])));
    }

    #[test]
    fn a_dialog_stays_the_same_when_a_box_is_checked_or_its_field_is_filled_in() {
        let field = |label: &str, checked| {
            let mut one = dialog(&["Red", label, "Chat", "Submit"]);
            one.choices[0].checked = Some(checked);
            (one.choices[1].checked, one.choices[1].takes_text) = (Some(checked), true);
            one.choices[3].submits = true;
            one
        };
        assert!(field("Type something", false).is_same(&field("Green", true)));
        assert!(!field("Type something", false).is_same(&dialog(&[
            "Red",
            "Type something",
            "Chat",
            "Submit"
        ])));
        let one = field("Type something", true);
        let mut order = [1, 2, 3, 4];
        order.sort_by_key(|number| one.place(*number));
        assert_eq!(order, [1, 2, 4, 3], "what submits is below the boxes");
        assert_eq!(one.choices[0].shown(), "[x] Red");
    }
}
