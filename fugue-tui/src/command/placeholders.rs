//! Placeholders: `{next-pane}` and the like stand for what the client knows about its place in the tree.

use crate::tree::Tree;

/// How a placeholder is filled in, or why it cannot be.
type Fill = fn(&Tree) -> Result<String, &'static str>;

/// The placeholders. A reason names the command that helps in angle brackets; it is shown as the key that runs it.
pub(crate) const PLACEHOLDERS: &[(&str, Fill)] = &[
    ("this-pane", |tree| text(tree.pane().map(|pane| pane.pane_id), "No current pane")),
    ("next-pane", |tree| text(tree.pane_by(1), "No next pane")),
    ("previous-pane", |tree| text(tree.pane_by(-1), "No previous pane")),
    ("last-pane", |tree| text(tree.last_pane(), "No last pane")),
    ("marked-pane", |tree| text(tree.marked(), "No pane is marked (press <mark> to mark one)")),
    ("marked-or-this-pane", |tree| {
        text(tree.marked().or_else(|| Some(tree.pane()?.pane_id)), "No current pane")
    }),
    ("pane-name", |tree| {
        Ok(tree.pane().and_then(|pane| pane.name.as_ref()).map(ToString::to_string).unwrap_or_default())
    }),
    ("next-window", |tree| text(tree.window_by(1), "No next window")),
    ("previous-window", |tree| text(tree.window_by(-1), "No previous window")),
    ("last-window", |tree| text(tree.last_window(), "No last window")),
    ("next-alert", |tree| text(tree.window_in_need(1), "No other window has an alert")),
    ("previous-alert", |tree| text(tree.window_in_need(-1), "No other window has an alert")),
    ("window-name", |tree| text(tree.window().map(|window| &window.name), "No current window")),
    ("next-session", |tree| text(tree.session_by(1), "No next session")),
    ("previous-session", |tree| text(tree.session_by(-1), "No previous session")),
    ("last-session", |tree| text(tree.last_session, "No last session")),
    ("session-name", |tree| text(tree.session().map(|session| &session.name), "No current session")),
    ("next-layout", |tree| Ok(tree.next_layout().to_string())),
    ("previous-layout", |tree| Ok(tree.previous_layout().to_string())),
];

fn text(value: Option<impl ToString>, missing: &'static str) -> Result<String, &'static str> {
    value.map(|value| value.to_string()).ok_or(missing)
}

/// Returns a word as it is, or the value of the placeholder that it names.
pub(super) fn fill(word: &str, tree: &Tree) -> Result<String, String> {
    let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
    let known = name.and_then(|name| PLACEHOLDERS.iter().find(|(known, _)| *known == name));
    known.map_or(Ok(word.to_owned()), |(_, fill)| fill(tree).map_err(str::to_owned))
}
