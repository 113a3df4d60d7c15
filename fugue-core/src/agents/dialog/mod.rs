//! Dialogs on the screens of agents: the question, what it is about, the choices, and which one is selected. A dialog is
//! read only if it is the last thing on the screen, so that text which merely looks like one is not taken for one.

use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogChoice, DialogKind};
use fugue_screen::ScreenView;

mod choice_row;
mod dialog_row;
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
}

/// Returns the dialog on an agent's screen, if there is one.
pub fn dialog(agent: &str, view: &ScreenView) -> Option<Dialog> {
    match agent {
        "opencode" => numbered::find(agent, view).or_else(|| choice_row::find(view)),
        "claude" | "codex" | "gemini" => numbered::find(agent, view),
        _ => None,
    }
}

/// Returns the keys that move the selection in an agent's dialogs.
pub fn selection_keys(agent: &str, dialog: &Dialog) -> SelectionKeys {
    match agent {
        "opencode" if dialog.kind != DialogKind::Question => {
            SelectionKeys { next: "Right", previous: "Left" }
        }
        _ => SelectionKeys { next: "Down", previous: "Up" },
    }
}

/// The subject of a dialog, by the words in its heading and its question. One that is not known counts as a request for
/// permission, which only people may answer.
fn kind_of(texts: &[&str]) -> DialogKind {
    let all = texts.join(" ").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    if has(&["trust", "hooks need review", "hook needs review", "safety check"]) {
        DialogKind::Startup
    } else if has(&[
        "do you want to",
        "would you like to",
        "allow",
        "permission",
        "apply this change",
        "implement this plan",
        "start implementation",
        "plan mode",
        "approve",
    ]) {
        DialogKind::Permission
    } else {
        DialogKind::Question
    }
}

/// A choice with the effect that its text announces.
fn choice(label: &str) -> DialogChoice {
    let lower = label.to_lowercase();
    let more =
        ["always", "don't ask", "do not ask", "session", "all edits", "auto", "and ", "future", "parent"];
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    let effect = if begins(&["no", "reject", "deny", "don't", "cancel"]) {
        ChoiceEffect::Deny
    } else if begins(&["yes", "allow", "approve"]) && !more.iter().any(|word| lower.contains(word)) {
        ChoiceEffect::Allow
    } else {
        ChoiceEffect::Other
    };
    DialogChoice { label: label.to_owned(), effect }
}
