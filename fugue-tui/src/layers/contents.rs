//! What the lists hold: the keys, the commands, the tree.

use fugue_protocol::Verb;
use fugue_protocol::verbs::NAMES;
use fugue_protocol::views::{PaneView, SessionView, WindowView};

use super::list::{List, Row};
use crate::draw;
use crate::keys::command;
use crate::keys::table::Keys;
use crate::tree::Tree;

/// All keys.
pub(crate) fn help(keys: &Keys) -> List {
    let rows = keys.bindings.iter().map(|binding| Row {
        text: format!("{:<12} {}", keys.name(binding), binding.about),
        detail: binding.command.to_string(),
        command: binding.command.to_string(),
        pane: None,
    });
    List::new("keys (type to find, Enter does it):", rows.collect(), 0)
}

/// All commands and panes.
pub(crate) fn palette(tree: &Tree, keys: &Keys) -> List {
    let bound = keys.bindings.iter().map(|binding| Row {
        text: binding.about.to_string(),
        detail: format!("{}  {}", keys.name(binding), binding.command),
        command: binding.command.to_string(),
        pane: None,
    });
    let panes = tree.panes().map(|pane| Row {
        text: format!("go to {}", draw::label(pane)),
        detail: where_is(tree, pane),
        command: going(tree, pane),
        pane: Some(pane.pane_id),
    });
    let verbs = NAMES.iter().map(|name| Row {
        text: (*name).into(),
        detail: Verb::command(name).and_then(|verb| Some(verb.get_about()?.to_string())).unwrap_or_default(),
        command: format!("command-prompt '{name} '"),
        pane: None,
    });
    let own = command::OWN.iter().map(|(name, about)| Row {
        text: (*name).into(),
        detail: (*about).into(),
        command: (*name).into(),
        pane: None,
    });
    List::new("do:", bound.chain(panes).chain(verbs).chain(own).collect(), 0)
}

/// Sessions, their windows, their panes.
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
    List::new("go to:", rows, here)
}

fn session_row(session: &SessionView) -> Row {
    let windows = session.windows.len();
    let tags: String = session.tags.iter().map(|tag| format!("  #{tag}")).collect();
    Row {
        text: session.name.to_string(),
        detail: format!("{windows} window{}{tags}", if windows == 1 { "" } else { "s" }),
        command: format!("attach {}", session.session_id),
        pane: front(session.windows.iter().find(|window| window.active)),
    }
}

fn window_row(tree: &Tree, window: &WindowView) -> Row {
    let active = window.panes.iter().find(|pane| pane.active);
    let mark = if window.active { "*" } else { "" };
    Row {
        text: format!("  {}: {}{mark}", window.index, window.name),
        detail: active.map(draw::label).unwrap_or_default(),
        command: active.map(|pane| going(tree, pane)).unwrap_or_default(),
        pane: front(Some(window)),
    }
}

fn pane_row(tree: &Tree, pane: &PaneView) -> Row {
    Row {
        text: format!("     {}{}", draw::label(pane), if pane.active { "*" } else { "" }),
        detail: pane.cwd.clone().unwrap_or_default(),
        command: going(tree, pane),
        pane: Some(pane.pane_id),
    }
}

fn front(window: Option<&WindowView>) -> Option<fugue_protocol::PaneId> {
    window?.panes.iter().find(|pane| pane.active).map(|pane| pane.pane_id)
}

/// The command that leads to a pane.
fn going(tree: &Tree, pane: &PaneView) -> String {
    let session = tree.sessions.iter().find(|session| session.session_id == pane.session_id);
    let session = session.map(|session| session.session_id.to_string()).unwrap_or_default();
    format!("attach {session} {}", pane.pane_id)
}

fn where_is(tree: &Tree, pane: &PaneView) -> String {
    let session = tree.sessions.iter().find(|session| session.session_id == pane.session_id);
    let session = session.map(|session| session.name.to_string()).unwrap_or_default();
    let window = tree.find_window(pane.window_id).map(|window| format!("{}:{}", window.index, window.name));
    format!("{session}  {}", window.unwrap_or_default())
}
