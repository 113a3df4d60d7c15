//! Dialogs on the screens of agents: the question, what it is about, the choices, and which one is selected. A dialog is
//! read only if it is the last thing on the screen, so that text which merely looks like one is not taken for one.

use fugue_protocol::dialogs::{Dialog, DialogKind};
use fugue_screen::ScreenView;

mod choice_row;
mod choice_rows;
mod dialog_row;
mod dialog_words;
mod marked;
mod numbered;
mod shown_command;

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

pub use choice_rows::is_empty_field;

/// Returns the dialog on an agent's screen, if there is one.
pub fn dialog(agent: &str, view: &ScreenView) -> Option<Dialog> {
    match agent {
        "opencode" => {
            let others = || choice_row::find(view).or_else(|| choice_row::review(view));
            numbered::find(agent, view).or_else(others)
        }
        "claude" | "codex" | "gemini" => numbered::find(agent, view),
        _ => None,
    }
}

/// Returns the keys that move the selection in an agent's dialogs.
pub fn selection_keys(agent: &str, dialog: &Dialog) -> SelectionKeys {
    match agent {
        "opencode" if dialog.kind != DialogKind::Question => {
            SelectionKeys { next: "Right", previous: "Left", submit: None }
        }
        "opencode" => SelectionKeys { next: "Down", previous: "Up", submit: Some("Tab") },
        _ => SelectionKeys { next: "Down", previous: "Up", submit: None },
    }
}
