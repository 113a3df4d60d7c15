//! Dialogs on the screens of agents: the question, what it is about, the choices, and which one is selected. A dialog is
//! read only if it is the last thing on the screen, so that text which merely looks like one is not taken for one. How
//! each agent draws its dialogs is in its module; here is what they have in common.

pub(crate) mod choice_rows;
pub(crate) mod dialog_row;
pub(crate) mod dialog_words;
pub(crate) mod numbered;
pub(crate) mod shown_command;

/// The keys that move the selection to the next and to the previous choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionKeys {
    /// Names of keys, as `send-input` takes them.
    pub next: &'static str,
    /// The same.
    pub previous: &'static str,
    /// The key that finishes a dialog in which several choices can be checked, if that is no choice to be selected.
    pub submit: Option<&'static str>,
}

impl SelectionKeys {
    /// The keys for choices that are one below the other.
    pub(crate) const VERTICAL: Self = Self { next: "Down", previous: "Up", submit: None };
}
