//! Lists of keys and commands: help, the palette and menus.

use fugue_protocol::verbs::VERBS;
use fugue_protocol::views::PaneView;
use fugue_protocol::wording::capitalized;
use unicode_width::UnicodeWidthStr;

use super::list::List;
use super::list_contents::{go_to_line, location};
use super::list_row::ListRow;
use crate::agents;
use crate::command::client_commands;
use crate::draw;
use crate::keys::bindings::{Binding, GROUPS, Keys};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The group of keys that a person has bound to something else.
const OWN_KEYS: &str = "Your key bindings";

/// All key bindings, by task.
pub(crate) fn help(keys: &Keys) -> List {
    let mut rows = Vec::new();
    let cols = keys.bindings.iter().map(|binding| keys.name(binding).width()).max().unwrap_or(0);
    let names = GROUPS.iter().map(|(name, _)| *name).chain([OWN_KEYS]);
    for group in names {
        let bindings: Vec<&Binding> =
            keys.bindings.iter().filter(|binding| group_of(binding) == group).collect();
        if bindings.is_empty() {
            continue;
        }
        if !rows.is_empty() {
            rows.push(ListRow { note: true, ..ListRow::default() });
        }
        rows.push(ListRow { text: group.into(), bold: usize::MAX, heading: true, ..ListRow::default() });
        let (digits, others): (Vec<&Binding>, Vec<&Binding>) =
            bindings.into_iter().partition(|one| is_digit(one));
        rows.extend(others.iter().map(|binding| key_row(keys, binding, group, cols)));
        rows.extend(digit_row(keys, &digits, group, cols));
    }
    List::new("Keys", rows, 0).in_order().dropping_details().doing("run")
}

/// The group in which a binding's command is by default.
fn group_of(binding: &Binding) -> &'static str {
    let has = |(_, rows): &&(&str, &[_])| {
        let rows: &[crate::keys::bindings::BindingRow] = rows;
        rows.iter().any(|row| row.command == binding.command)
    };
    GROUPS.iter().find(has).map_or(OWN_KEYS, |(name, _)| name)
}

/// Whether a key is a digit that selects the window with that index.
fn is_digit(binding: &Binding) -> bool {
    let key = binding.key.to_string();
    key.len() == 1
        && key.as_bytes()[0].is_ascii_digit()
        && binding.command == format!("select-window -w {key}")
}

fn key_row(keys: &Keys, binding: &Binding, group: &str, cols: usize) -> ListRow {
    ListRow {
        text: format!("  {:<cols$}  {}", keys.name(binding), binding.about),
        lead: Some((cols + 2, ThemePart::ActiveBorder)),
        detail: binding.command.to_string(),
        also: group.into(),
        command: binding.command.to_string(),
        ..ListRow::default()
    }
}

/// One row for the keys that go to windows by their numbers.
fn digit_row(keys: &Keys, digits: &[&Binding], group: &str, cols: usize) -> Option<ListRow> {
    let (first, last) = (digits.first()?, digits.last()?);
    let all: Vec<String> = digits.iter().map(|binding| format!("window {}", binding.key)).collect();
    let (key, about) = (format!("{}…{}", keys.name(first), last.key), "select a window by number");
    Some(ListRow {
        text: format!("  {key:<cols$}  {about}"),
        lead: Some((cols + 2, ThemePart::ActiveBorder)),
        detail: "select-window -w NUMBER".into(),
        also: format!("{group} {}", all.join(" ")),
        command: "choose-tree".into(),
        ..ListRow::default()
    })
}

/// All commands and panes, each act once: what it does, its command and its key. Agents and panes come before commands
/// that have no key.
pub(crate) fn palette(tree: &Tree, keys: &Keys) -> List {
    let is_first =
        |at: usize| keys.bindings[..at].iter().all(|other| other.command != keys.bindings[at].command);
    let bound = keys.bindings.iter().enumerate().filter(|(at, _)| is_first(*at)).map(|(_, binding)| {
        act_row(&sentence(binding), &binding.command, &binding.command, keys.name(binding))
    });
    let panes = tree.all_panes().map(|pane| go_row(tree, pane));
    let is_bound = |name: &str| keys.bindings.iter().any(|binding| binding.command == name);
    let verbs = VERBS.iter().filter(|verb| !is_bound(verb.name)).map(|verb| {
        let about = verb.command().get_about().map(ToString::to_string).unwrap_or_default();
        act_row(&capitalized(&about), verb.name, &format!("command-prompt '{} '", verb.name), String::new())
    });
    let own = client_commands::OWN.iter().filter(|(name, _)| !is_bound(name));
    let own = own.map(|(name, about)| act_row(&capitalized(about), name, name, String::new()));
    List::new("Run", bound.chain(panes).chain(verbs).chain(own).collect(), 0).dropping_details().doing("run")
}

/// The description of a binding, with a capital. A command that a person has bound without a description stays as it was
/// typed.
fn sentence(binding: &Binding) -> String {
    let is_command = binding.about == binding.command && group_of(binding) == OWN_KEYS;
    if is_command { binding.command.to_string() } else { capitalized(&binding.about) }
}

/// A row for something that can be done.
fn act_row(about: &str, command: &str, line: &str, key: String) -> ListRow {
    ListRow { text: about.into(), detail: command.into(), command: line.into(), key, ..ListRow::default() }
}

/// A row for a pane to go to.
fn go_row(tree: &Tree, pane: &PaneView) -> ListRow {
    let (text, sign) = match &pane.agent {
        Some(agent) => {
            let words = format!("Go to agent {} ({})", agent.name, agent.state_words());
            (words, Some(agents::state_symbol(agent.state)))
        }
        None => (format!("Go to {}", draw::label(pane)), None),
    };
    ListRow {
        text: format!("{text} in {}", location(tree, pane)),
        sign,
        command: go_to_line(pane),
        // The screens of other hosts are not here.
        pane: tree.find_pane(pane.pane_id).map(|pane| pane.pane_id),
        ..ListRow::default()
    }
}

/// The menu of a pane.
pub(crate) fn pane_menu(title: String, keys: &Keys) -> List {
    menu(title, keys, PANE_MENU)
}

/// The menu of a window.
pub(crate) fn window_menu(title: String, keys: &Keys) -> List {
    menu(title, keys, WINDOW_MENU)
}

/// A line between groups of a menu.
const LINE: (&str, &str) = ("", "");

/// The commands of a menu; those of the last group end something.
const PANE_MENU: &[(&str, &str)] = &[
    ("copy-mode", "copy mode: scroll, search and copy"),
    ("paste-buffer", "paste newest buffer"),
    LINE,
    ("create-pane --right", "split: new pane on the right"),
    ("create-pane --below", "split: new pane below"),
    ("zoom-pane", "zoom or unzoom"),
    LINE,
    ("swap-panes --with {previous-pane}", "swap with previous pane"),
    ("swap-panes --with {next-pane}", "swap with next pane"),
    ("mark", "mark or unmark"),
    ("swap-panes --with {marked-pane}", "swap with marked pane"),
    ("move-pane", "move beside another pane, in any session"),
    ("break-pane", "move to a new window"),
    ("ask 'Rename pane: ' {pane-name} 'rename-pane -- {answer}'", "rename"),
    LINE,
    ("respawn-pane --kill", "restart program"),
    ("confirm close-pane", "close"),
];

const WINDOW_MENU: &[(&str, &str)] = &[
    ("create-window", "new window"),
    ("ask 'Rename window: ' {window-name} 'rename-window -- {answer}'", "rename"),
    ("swap-windows --with {previous-window}", "swap with previous window"),
    ("swap-windows --with {next-window}", "swap with next window"),
    LINE,
    ("select-layout {next-layout}", "next layout"),
    ("tmux select-layout -E", "even out pane sizes"),
    LINE,
    ("confirm kill-window", "kill"),
];

fn menu(title: String, keys: &Keys, rows: &[(&str, &str)]) -> List {
    let last_group = rows.iter().rposition(|row| *row == LINE).unwrap_or(rows.len());
    let row = |(at, (command, about)): (usize, &(&str, &str))| ListRow {
        text: capitalized(about),
        part: (at > last_group).then_some(ThemePart::Failed),
        key: keys.of(command).unwrap_or_default(),
        command: (*command).into(),
        heading: command.is_empty(),
        ..ListRow::default()
    };
    List::new(title, rows.iter().enumerate().map(row).collect(), 0).into_menu().doing("run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_lists_each_act_once_and_begins_it_with_a_capital() {
        let list = palette(&Tree::new(fugue_protocol::SessionId::from_bytes([1; 16])), &Keys::default());
        let mut seen = std::collections::BTreeSet::new();
        for row in &list.rows {
            assert!(seen.insert(row.detail.clone()), "{}", row.detail);
            assert!(row.text.starts_with(|c: char| !c.is_lowercase()), "{}", row.text);
        }
    }

    #[test]
    fn the_palette_shows_a_command_that_a_person_has_bound_as_it_was_typed() {
        let mut keys = Keys::default();
        for (key, command, about) in [("X", "display hi", "display hi"), ("Y", "display ho", "say ho")] {
            keys.bind(Binding {
                key: key.parse().expect("a key"),
                table: fugue_config::KeyTable::Prefix,
                command: command.into(),
                repeats: false,
                about: about.into(),
            });
        }
        let list = palette(&Tree::new(fugue_protocol::SessionId::from_bytes([1; 16])), &keys);
        let of = |key: &str| list.rows.iter().find(|row| row.key == key).map(|row| row.text.as_str());
        assert_eq!((of("C-b X"), of("C-b Y")), (Some("display hi"), Some("Say ho")));
    }

    fn drawn(list: &List, cols: u16, rows: u16) -> String {
        use fugue_protocol::Size;
        let mut canvas = crate::paint::Canvas::new(Size::new(cols, rows));
        list.draw(&mut canvas, &std::collections::BTreeMap::new(), rows - 1);
        (0..rows).map(|row| canvas.text_of(row)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn help_shows_whole_descriptions_and_cuts_commands() {
        for (cols, rows) in [(80, 120), (100, 120), (120, 120), (200, 120)] {
            let (keys, shown) = (Keys::default(), drawn(&help(&Keys::default()), cols, rows));
            for binding in keys.bindings.iter().filter(|binding| !is_digit(binding)) {
                let row = format!("{}  ", keys.name(binding));
                let is_whole = |line: &&str| line.contains(&row) && line.contains(binding.about.as_ref());
                assert!(shown.lines().any(|line| is_whole(&line)), "{}\n{shown}", binding.about);
            }
        }
        let shown = drawn(&help(&Keys::default()), 120, 40);
        let rows: Vec<&str> = shown.lines().collect();
        let heading = rows.iter().position(|row| row.contains("Layouts and sizes")).expect("a heading");
        assert!(rows[heading - 1].trim_matches(['│', ' ']).is_empty(), "{shown}");
        let shown = drawn(&help(&Keys::default()).filtered("pane"), 120, 40);
        let inside =
            shown.lines().skip_while(|row| !row.contains("> pane")).take_while(|row| !row.contains('╰'));
        let blank = inside.filter(|row| row.trim_matches(['│', ' ']).is_empty()).count();
        assert_eq!(blank, 0, "{shown}");
    }

    #[test]
    fn a_menu_is_grouped_and_shows_a_filter_only_once_it_is_used() {
        let drawn = |list: &List| drawn(list, 80, 24);
        let menu = || pane_menu("bash · ~/shop".into(), &Keys::default());
        let shown = drawn(&menu());
        assert!(
            shown.contains("╭─ bash · ~/shop ─") && shown.contains("├──") && !shown.contains("filter"),
            "{shown}"
        );
        let shown = drawn(&menu().filtered("zoom"));
        assert!(shown.contains("│ > zoom ") && !shown.contains("├──"), "{shown}");
    }

    #[test]
    fn every_row_of_a_menu_is_a_valid_command() {
        for (line, _) in PANE_MENU.iter().chain(WINDOW_MENU).filter(|row| **row != LINE) {
            crate::command::check(line, &[]).unwrap_or_else(|why| panic!("{line}: {why}"));
        }
    }
}
