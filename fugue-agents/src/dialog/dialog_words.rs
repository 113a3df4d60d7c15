//! What the words of a dialog say: its subject, and the effect of each choice.

use fugue_protocol::dialogs::{ChoiceEffect, DialogChoice, DialogKind};

/// The subject of a dialog, by the words in its heading and its question. One that is not known counts as a request for
/// permission, which only people may answer.
pub(crate) fn kind_of(texts: &[&str]) -> DialogKind {
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
pub(crate) fn choice(label: &str) -> DialogChoice {
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
    DialogChoice::new(label, effect)
}
