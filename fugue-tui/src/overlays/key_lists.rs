//! Lists of keys and commands: help, the palette and menus.

use fugue_protocol::verbs::VERBS;

use super::list::{List, ListRow};
use super::list_contents::{go_to_line, location};
use crate::agents;
use crate::command::client_commands;
use crate::draw;
use crate::keys::bindings::{Binding, GROUPS, Keys};
use crate::tree::Tree;

/// The group of keys that a person has bound to something else.
const OWN_KEYS: &str = "Your own keys";

/// All key bindings, by task.
pub(crate) fn help(keys: &Keys) -> List {
    let mut rows = Vec::new();
    let names = GROUPS.iter().map(|(name, _)| *name).chain([OWN_KEYS]);
    for group in names {
        let bindings: Vec<&Binding> =
            keys.bindings.iter().filter(|binding| group_of(binding) == group).collect();
        if bindings.is_empty() {
            continue;
        }
        rows.push(ListRow { text: group.into(), heading: true, ..ListRow::default() });
        let (digits, others): (Vec<&Binding>, Vec<&Binding>) =
            bindings.into_iter().partition(|one| is_digit(one));
        rows.extend(others.iter().map(|binding| key_row(keys, binding, group)));
        rows.extend(digit_row(keys, &digits, group));
    }
    List::new("Keys", rows, 0).in_order()
}

/// The group in which a binding's command is by default.
fn group_of(binding: &Binding) -> &'static str {
    let has = |(_, rows): &&(&str, &[_])| {
        let rows: &[crate::keys::bindings::BindingRow] = rows;
        rows.iter().any(|row| row.command == binding.command)
    };
    GROUPS.iter().find(has).map_or(OWN_KEYS, |(name, _)| name)
}

/// Whether a key goes to the window of its number.
fn is_digit(binding: &Binding) -> bool {
    let key = binding.key.to_string();
    key.len() == 1
        && key.as_bytes()[0].is_ascii_digit()
        && binding.command == format!("select-window -w {key}")
}

fn key_row(keys: &Keys, binding: &Binding, group: &str) -> ListRow {
    ListRow {
        text: format!("  {:<12} {}", keys.name(binding), binding.about),
        detail: binding.command.to_string(),
        also: group.into(),
        command: binding.command.to_string(),
        ..ListRow::default()
    }
}

/// One row for the keys that go to windows by their numbers.
fn digit_row(keys: &Keys, digits: &[&Binding], group: &str) -> Option<ListRow> {
    let (first, last) = (digits.first()?, digits.last()?);
    let all: Vec<String> = digits.iter().map(|binding| format!("window {}", binding.key)).collect();
    let (key, about) = (format!("{}…{}", keys.name(first), last.key), "window by its number");
    Some(ListRow {
        text: format!("  {key:<12} {about}"),
        detail: "select-window -w NUMBER".into(),
        also: format!("{group} {}", all.join(" ")),
        command: "choose-tree".into(),
        ..ListRow::default()
    })
}

/// All commands and panes.
pub(crate) fn palette(tree: &Tree, keys: &Keys) -> List {
    let bound = keys.bindings.iter().map(|binding| ListRow {
        text: binding.about.to_string(),
        detail: format!("{}  {}", keys.name(binding), binding.command),
        command: binding.command.to_string(),
        ..ListRow::default()
    });
    let panes = tree.panes().map(|pane| ListRow {
        text: match &pane.agent {
            Some(agent) => format!("go to agent {} ({})", agent.name, agents::state_words(agent.state)),
            None => format!("go to {}", draw::label(pane)),
        },
        detail: location(tree, pane),
        command: go_to_line(tree, pane),
        pane: Some(pane.pane_id),
        ..ListRow::default()
    });
    let verbs = VERBS.iter().map(|verb| ListRow {
        text: verb.name.into(),
        detail: verb.command().get_about().map(ToString::to_string).unwrap_or_default(),
        command: format!("command-prompt '{} '", verb.name),
        ..ListRow::default()
    });
    let own = client_commands::OWN.iter().map(|(name, about)| ListRow {
        text: (*name).into(),
        detail: (*about).into(),
        command: (*name).into(),
        ..ListRow::default()
    });
    List::new("Run", bound.chain(panes).chain(verbs).chain(own).collect(), 0)
}

/// The menu of a pane.
pub(crate) fn pane_menu(keys: &Keys) -> List {
    menu("Pane", keys, PANE_MENU)
}

/// The menu of a window.
pub(crate) fn window_menu(keys: &Keys) -> List {
    menu("Window", keys, WINDOW_MENU)
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
        ..ListRow::default()
    };
    List::new(title, rows.iter().map(row).collect(), 0)
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
