//! The rows of the lists of buffers and panes, and of the tree.

use fugue_protocol::views::{PaneView, SessionView, WindowView};

use super::list::{List, ListRow};
use crate::agents;
use crate::draw;
use crate::paste_buffers::PasteBuffers;
use crate::tree::Tree;

/// The paste buffers, the newest first; Enter pastes one.
pub(crate) fn buffers(buffers: &PasteBuffers, copy_key: &str) -> List {
    let rows = buffers.all().into_iter().enumerate().map(|(number, text)| {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
        ListRow {
            text: format!("{number}: {line}"),
            detail: crate::tty::clipboard::count_characters(&text),
            command: format!("paste-buffer {number}"),
            ..ListRow::default()
        }
    });
    List::new("Paste", rows.collect(), 0)
        .when_empty(format!("Nothing copied yet; {copy_key} starts copy mode"))
}

/// The panes of all sessions, beside which the active pane can go.
pub(crate) fn destinations(tree: &Tree) -> List {
    let Some(here) = tree.pane() else { return List::new("Move pane beside", Vec::new(), 0) };
    let others = tree.panes().filter(|pane| pane.pane_id != here.pane_id);
    let row = |pane: &PaneView| ListRow {
        text: draw::label(pane),
        detail: location(tree, pane),
        command: format!("join-pane -t {} --beside {}", here.pane_id, pane.pane_id),
        pane: Some(pane.pane_id),
        ..ListRow::default()
    };
    List::new("Move pane beside", others.map(row).collect(), 0)
        .when_empty("No other pane; split this one first")
}

/// Sessions, their windows and their panes.
pub(crate) fn tree(tree: &Tree) -> List {
    let mut rows = Vec::new();
    let mut here = 0;
    for session in &tree.sessions {
        rows.push(session_row(session));
        for window in &session.windows {
            if session.session_id == tree.here && window.active {
                here = rows.len();
            }
            rows.push(window_row(tree, window));
            if window.panes.len() > 1 {
                rows.extend(window.panes.iter().map(|pane| pane_row(tree, pane)));
            }
        }
    }
    List::new("Go to", rows, here).in_order()
}

fn session_row(session: &SessionView) -> ListRow {
    let windows = session.windows.len();
    let tags: String = session.tags.iter().map(|tag| format!("  #{tag}")).collect();
    ListRow {
        text: session.name.to_string(),
        detail: format!("{windows} window{}{tags}", if windows == 1 { "" } else { "s" }),
        command: format!("attach {}", session.session_id),
        pane: active_pane(session.windows.iter().find(|window| window.active)),
        ..ListRow::default()
    }
}

fn window_row(tree: &Tree, window: &WindowView) -> ListRow {
    let active = window.panes.iter().find(|pane| pane.active);
    let mark = if window.active { "*" } else { "" };
    ListRow {
        text: format!("  {}: {}{mark}{}", window.index, window.name, tree.activity_mark(window)),
        detail: active.map(pane_state).unwrap_or_default(),
        command: active.map(|pane| go_to_line(tree, pane)).unwrap_or_default(),
        pane: active_pane(Some(window)),
        also: tree
            .find_session(window.session_id)
            .map(|session| session.name.to_string())
            .unwrap_or_default(),
        ..ListRow::default()
    }
}

fn pane_row(tree: &Tree, pane: &PaneView) -> ListRow {
    ListRow {
        text: format!("     {}{}", draw::label(pane), if pane.active { "*" } else { "" }),
        detail: pane
            .agent
            .as_ref()
            .map_or_else(|| pane.cwd.clone().unwrap_or_default(), |_| pane_state(pane)),
        command: go_to_line(tree, pane),
        pane: Some(pane.pane_id),
        ..ListRow::default()
    }
}

/// The label of a pane, and its agent's state.
fn pane_state(pane: &PaneView) -> String {
    let Some(agent) = &pane.agent else { return draw::label(pane) };
    let reason = agent.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let (sign, _) = agents::state_symbol(agent.state);
    format!("{sign} {} {}{reason}", agents::name_of(agent, pane), agents::state_words(agent.state))
}

fn active_pane(window: Option<&WindowView>) -> Option<fugue_protocol::PaneId> {
    window?.panes.iter().find(|pane| pane.active).map(|pane| pane.pane_id)
}

/// The command that goes to a pane.
pub(crate) fn go_to_line(tree: &Tree, pane: &PaneView) -> String {
    let session = tree.sessions.iter().find(|session| session.session_id == pane.session_id);
    let session = session.map(|session| session.session_id.to_string()).unwrap_or_default();
    format!("attach {session} {}", pane.pane_id)
}

pub(super) fn location(tree: &Tree, pane: &PaneView) -> String {
    let session = tree.sessions.iter().find(|session| session.session_id == pane.session_id);
    let session = session.map(|session| session.name.to_string()).unwrap_or_default();
    let window = tree.find_window(pane.window_id).map(|window| format!("{}:{}", window.index, window.name));
    format!("{session}  {}", window.unwrap_or_default())
}
