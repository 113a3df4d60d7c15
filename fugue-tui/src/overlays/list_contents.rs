//! The rows of the lists: keys, commands, agents, buffers, the tree, menus.

use fugue_protocol::Timestamp;
use fugue_protocol::dialogs::DialogChoice;
use fugue_protocol::verbs::{AnswerPermission, VERBS, VerbSpec};
use fugue_protocol::views::{PaneView, PermissionList, SessionView, WindowView};

use super::list::{List, ListRow};
use crate::agents::{self, AgentLine, AgentLineKind};
use crate::command::client_commands;
use crate::draw;
use crate::keys::bindings::Keys;
use crate::paste_buffers::PasteBuffers;
use crate::tree::Tree;

/// All key bindings.
pub(crate) fn help(keys: &Keys) -> List {
    let rows = keys.bindings.iter().map(|binding| ListRow {
        text: format!("{:<12} {}", keys.name(binding), binding.about),
        detail: binding.command.to_string(),
        command: binding.command.to_string(),
        pane: None,
    });
    List::new("Keys (type to filter, Enter to run):", rows.collect(), 0)
}

/// All commands and panes.
pub(crate) fn palette(tree: &Tree, keys: &Keys) -> List {
    let bound = keys.bindings.iter().map(|binding| ListRow {
        text: binding.about.to_string(),
        detail: format!("{}  {}", keys.name(binding), binding.command),
        command: binding.command.to_string(),
        pane: None,
    });
    let panes = tree.panes().map(|pane| ListRow {
        text: match &pane.agent {
            Some(agent) => format!("go to agent {} ({})", agent.name, agent.state.words()),
            None => format!("go to {}", draw::label(pane)),
        },
        detail: location(tree, pane),
        command: go_to_line(tree, pane),
        pane: Some(pane.pane_id),
    });
    let verbs = VERBS.iter().map(|verb| ListRow {
        text: verb.name.into(),
        detail: verb.command().get_about().map(ToString::to_string).unwrap_or_default(),
        command: format!("command-prompt '{} '", verb.name),
        pane: None,
    });
    let own = client_commands::OWN.iter().map(|(name, about)| ListRow {
        text: (*name).into(),
        detail: (*about).into(),
        command: (*name).into(),
        pane: None,
    });
    List::new("Run:", bound.chain(panes).chain(verbs).chain(own).collect(), 0)
}

/// The paste buffers, the newest first; Enter pastes one.
pub(crate) fn buffers(buffers: &PasteBuffers) -> List {
    let rows = buffers.all().into_iter().enumerate().map(|(number, text)| {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
        ListRow {
            text: format!("{number}: {line}"),
            detail: crate::tty::clipboard::count_characters(&text),
            command: format!("paste-buffer {number}"),
            pane: None,
        }
    });
    List::new("Paste:", rows.collect(), 0).when_empty("Nothing copied yet")
}

/// All agents below their sessions, with a preview of the selected one.
pub(crate) fn agents(tree: &Tree, asked: &PermissionList, now: Timestamp) -> List {
    let row = |line: AgentLine<'_>| {
        let indent = "  ".repeat(line.depth);
        match line.kind {
            AgentLineKind::Session(session) => ListRow {
                text: format!("{indent}{}", session.name),
                detail: agents::session_text(session),
                command: format!("attach {}", session.session_id),
                pane: active_pane(session.windows.iter().find(|window| window.active)),
            },
            AgentLineKind::Pane(pane) => {
                let (sign, _, name, about) = agents::pane_text(pane, now);
                let state = pane.agent.as_ref().map(|agent| agent.state.words()).unwrap_or_default();
                ListRow {
                    text: format!("{indent}  {sign} {name}"),
                    detail: format!("{state}  {about}").trim().to_owned(),
                    command: go_to_line(tree, pane),
                    pane: Some(pane.pane_id),
                }
            }
        }
    };
    let rows = |line: AgentLine<'_>| {
        let choices = match line.kind {
            AgentLineKind::Pane(pane) => choices(pane, asked, line.depth),
            AgentLineKind::Session(_) => Vec::new(),
        };
        std::iter::once(row(line)).chain(choices).collect::<Vec<_>>()
    };
    let lines = agents::lines(tree).into_iter().flat_map(rows);
    List::new("Agents:", lines.collect(), 0).counting(agents::count(tree))
}

/// The choices of the dialog in a pane; Enter answers it.
fn choices(pane: &PaneView, asked: &PermissionList, depth: usize) -> Vec<ListRow> {
    let own = asked.permissions.iter().find(|one| one.pane_id == pane.pane_id);
    let Some((dialog, id)) = own.and_then(|own| own.dialog.as_ref().zip(own.dialog_id.as_ref())) else {
        return Vec::new();
    };
    let indent = "  ".repeat(depth);
    let row = |(at, choice): (usize, &DialogChoice)| ListRow {
        text: format!("{indent}      {} {}", at + 1, choice.label),
        detail: if at == 0 { dialog.subject() } else { String::new() },
        command: format!("{} {id} {}", AnswerPermission::NAME, at + 1),
        pane: Some(pane.pane_id),
    };
    dialog.choices.iter().enumerate().map(row).collect()
}

/// The menu of a pane.
pub(crate) fn pane_menu(keys: &Keys) -> List {
    menu("Pane:", keys, PANE_MENU)
}

/// The menu of a window.
pub(crate) fn window_menu(keys: &Keys) -> List {
    menu("Window:", keys, WINDOW_MENU)
}

const PANE_MENU: &[(&str, &str)] = &[
    ("copy-mode", "copy mode: scroll, search and copy"),
    ("paste-buffer", "paste newest buffer"),
    ("create-pane --right", "split: new pane on the right"),
    ("create-pane --below", "split: new pane below"),
    ("zoom-pane", "zoom or unzoom"),
    ("swap-panes --with {previous-pane}", "swap with previous pane"),
    ("swap-panes --with {next-pane}", "swap with next pane"),
    ("mark", "mark or unmark"),
    ("swap-panes --with {marked-pane}", "swap with marked pane"),
    ("move-pane", "move beside another pane, in any session"),
    ("break-pane", "move to a new window"),
    ("ask 'Rename pane: ' {pane-name} 'rename-pane -- {answer}'", "rename"),
    ("respawn-pane --kill", "restart program"),
    ("confirm close-pane", "close"),
];

const WINDOW_MENU: &[(&str, &str)] = &[
    ("ask 'Rename window: ' {window-name} 'rename-window -- {answer}'", "rename"),
    ("move-window --index {window-before}", "move left"),
    ("move-window --index {window-after}", "move right"),
    ("select-layout {next-layout}", "next layout"),
    ("select-layout {even-layout}", "even out pane sizes"),
    ("create-window", "new window"),
    ("confirm kill-window", "kill"),
];

fn menu(title: &'static str, keys: &Keys, rows: &[(&str, &str)]) -> List {
    let row = |(command, about): &(&str, &str)| ListRow {
        text: (*about).into(),
        detail: keys.of(command).unwrap_or_default(),
        command: (*command).into(),
        pane: None,
    };
    List::new(title, rows.iter().map(row).collect(), 0)
}

/// The panes of all sessions, beside which the active pane can go.
pub(crate) fn destinations(tree: &Tree) -> List {
    let Some(here) = tree.pane() else { return List::new("Move pane beside:", Vec::new(), 0) };
    let others = tree.panes().filter(|pane| pane.pane_id != here.pane_id);
    let row = |pane: &PaneView| ListRow {
        text: draw::label(pane),
        detail: location(tree, pane),
        command: format!("join-pane -t {} --beside {}", here.pane_id, pane.pane_id),
        pane: Some(pane.pane_id),
    };
    List::new("Move pane beside:", others.map(row).collect(), 0).when_empty("No other pane")
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
    List::new("Go to:", rows, here)
}

fn session_row(session: &SessionView) -> ListRow {
    let windows = session.windows.len();
    let tags: String = session.tags.iter().map(|tag| format!("  #{tag}")).collect();
    ListRow {
        text: session.name.to_string(),
        detail: format!("{windows} window{}{tags}", if windows == 1 { "" } else { "s" }),
        command: format!("attach {}", session.session_id),
        pane: active_pane(session.windows.iter().find(|window| window.active)),
    }
}

fn window_row(tree: &Tree, window: &WindowView) -> ListRow {
    let active = window.panes.iter().find(|pane| pane.active);
    let mark = if window.active { "*" } else { "" };
    ListRow {
        text: format!("  {}: {}{mark}", window.index, window.name),
        detail: active.map(pane_state).unwrap_or_default(),
        command: active.map(|pane| go_to_line(tree, pane)).unwrap_or_default(),
        pane: active_pane(Some(window)),
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
    }
}

/// The label of a pane, and its agent's state.
fn pane_state(pane: &PaneView) -> String {
    let Some(agent) = &pane.agent else { return draw::label(pane) };
    let reason = agent.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let (sign, _) = agents::state_symbol(agent.state);
    format!("{sign} {} {}{reason}", agents::name_of(agent, pane), agent.state.words())
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

fn location(tree: &Tree, pane: &PaneView) -> String {
    let session = tree.sessions.iter().find(|session| session.session_id == pane.session_id);
    let session = session.map(|session| session.name.to_string()).unwrap_or_default();
    let window = tree.find_window(pane.window_id).map(|window| format!("{}:{}", window.index, window.name));
    format!("{session}  {}", window.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_a_menu_is_a_valid_command() {
        for (line, _) in PANE_MENU.iter().chain(WINDOW_MENU) {
            crate::command::check(line, &[]).unwrap_or_else(|why| panic!("{line}: {why}"));
        }
    }
}
