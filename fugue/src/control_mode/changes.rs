//! What changed between two lists of sessions, as tmux's notifications for a client that shows one of them.

use std::collections::BTreeMap;

use fugue_protocol::views::{SessionView, WindowView};
use fugue_protocol::{SessionId, WindowId};
use fugue_tmux::layout;

/// The notifications, in tmux's order: windows that are new, what else is different, and windows that are gone.
pub(super) fn between(before: &[SessionView], after: &[SessionView], shown: SessionId) -> Vec<String> {
    let (old, new) = (windows(before), windows(after));
    let mut told = Vec::new();
    for (id, window) in new.iter().filter(|(id, _)| !old.contains_key(*id)) {
        told.push(format!("{} @{}", kind("add", new[id].session_id, shown), window.number));
    }
    let names = |sessions: &[SessionView]| sessions.iter().map(|one| one.session_id).collect::<Vec<_>>();
    if names(before) != names(after) {
        told.push("%sessions-changed".to_owned());
    }
    for session in after {
        if let Some(old) = before.iter().find(|old| old.session_id == session.session_id) {
            told.extend(of_session(old, session));
        }
    }
    for (id, window) in &new {
        if let Some(old) = old.get(id) {
            told.extend(of_window(old, window, shown));
        }
    }
    for (id, window) in old.iter().filter(|(id, _)| !new.contains_key(*id)) {
        told.push(format!("{} @{}", kind("close", old[id].session_id, shown), window.number));
    }
    told
}

/// All windows.
fn windows(sessions: &[SessionView]) -> BTreeMap<WindowId, &WindowView> {
    sessions.iter().flat_map(|session| &session.windows).map(|window| (window.window_id, window)).collect()
}

/// The name of a notification about a window, which differs for windows of other sessions.
fn kind(what: &str, session: SessionId, shown: SessionId) -> String {
    let unlinked = if session == shown { "" } else { "unlinked-" };
    format!("%{unlinked}window-{what}")
}

fn of_session(old: &SessionView, new: &SessionView) -> Vec<String> {
    let renamed = (old.name != new.name).then(|| format!("%session-renamed ${} {}", new.number, new.name));
    let active = |session: &SessionView| {
        session.windows.iter().find(|window| window.active).map(|window| window.number)
    };
    let selected = active(new).filter(|window| active(old) != Some(*window));
    let selected = selected.map(|window| format!("%session-window-changed ${} @{window}", new.number));
    renamed.into_iter().chain(selected).collect()
}

fn of_window(old: &WindowView, new: &WindowView, shown: SessionId) -> Vec<String> {
    let mut told = Vec::new();
    let active = |window: &WindowView| window.panes.iter().find(|pane| pane.active).map(|pane| pane.number);
    if let Some(pane) = active(new).filter(|pane| active(old) != Some(*pane)) {
        told.push(format!("%window-pane-changed @{} %{pane}", new.number));
    }
    if new.session_id == shown && places(old) != places(new) {
        told.push(layout_change(new, old));
    }
    if old.name != new.name {
        told.push(format!("{} @{} {}", kind("renamed", new.session_id, shown), new.number, new.name));
    }
    told
}

/// What a layout notification is about.
fn places(window: &WindowView) -> (bool, Vec<(u64, fugue_protocol::Rect)>) {
    (window.zoomed, window.panes.iter().map(|pane| (pane.number, pane.place)).collect())
}

/// The layout of a window, and that of its visible panes. While a pane is zoomed, the layout is the one before.
fn layout_change(window: &WindowView, before: &WindowView) -> String {
    let visible = match window.zoomed {
        true => {
            let mut alone = window.clone();
            alone.panes.retain(|pane| pane.active);
            alone.zoomed = false;
            layout::text(&alone)
        }
        false => layout::text(window),
    }
    .unwrap_or_default();
    let whole = layout::text(window).or_else(|| layout::text(before)).unwrap_or_else(|| visible.clone());
    let flags = [(window.active, '*'), (window.last, '-'), (window.zoomed, 'Z')];
    let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).collect();
    format!("%layout-change @{} {whole} {visible} {flags}", window.number).trim_end().to_owned()
}
