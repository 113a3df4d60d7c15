//! tmux's default keys (`tmux-keys.txt`, as `list-keys` prints them) compared with fugue's: each does the same here, or
//! is listed with the reason why not. `docs/keys.md` is generated here.

use std::fmt::Write;
use std::process::Command;

use fugue_screen::keys::Key;

use super::bindings::{GROUPS, Keys, PREFIX, default_bindings};
use crate::command::placeholders::PLACEHOLDERS;
use crate::copy_mode::action_table::{ACTS, Act};
use crate::copy_mode::key_tables::{EMACS, VI};
use crate::theme::part_names;
use crate::tmux;

/// tmux's keys, a table and a key in each line.
const TMUX: &str = include_str!("tmux-keys.txt");

/// The beginning of the section about copy mode.
const COPY_MODE: &str = "
## Copy mode

`copy_keys` in `[client]` selects the column that takes precedence; keys that are only in the other
column also work. To repeat a key, type a number before it (for emacs keys, hold Meta while typing the number).

A search is a regular expression. The view jumps to matches as you type; Escape returns to where
you were. Lowercase letters also match uppercase ones, unless the pattern contains an uppercase letter. Matches are
counted up to 10,000.

Unlike in tmux, a page is as high as the pane (tmux: two rows less), `$` goes to the last character, so no line break is
copied with it, and `H`, `M` and `L` keep the column.

tmux has `previous-prompt` and `next-prompt` too, but binds no keys to them. These keys, and those
for a command's output, need a shell that emits prompt marks (OSC 133).

| vi | emacs | name | action |
|---|---|---|---|
";

/// Keys that tmux binds and fugue does not, with the reason.
const OMITTED: &[(&str, &str, &str)] = &[
    ("prefix", "C", "customize-mode edits tmux's options; fugue's settings are in `config.toml`"),
    (
        "prefix",
        "Delete",
        "if a window is larger than the terminal, the part around the cursor is always visible",
    ),
    ("prefix", "S-Up", "same as `Delete`"),
    ("prefix", "S-Down", "same as `Delete`"),
    ("prefix", "S-Left", "same as `Delete`"),
    ("prefix", "S-Right", "same as `Delete`"),
];

/// The mouse: tmux's names, and what happens here.
const MOUSE: &[(&str, &str)] = &[
    ("MouseDown1Pane", "select pane; in copy mode, move the cursor"),
    ("MouseDown1Status", "select window; on the session name, choose session, window or pane"),
    ("MouseDown2Pane", "paste newest buffer"),
    ("MouseDown3Pane", "pane menu"),
    ("M-MouseDown3Pane", "pane menu"),
    ("MouseDown3Status", "window menu"),
    ("MouseDown3StatusLeft", "window menu"),
    ("MouseDrag1Pane", "select text"),
    ("MouseDragEnd1Pane", "copy the selection"),
    ("MouseDrag1Border", "move border"),
    ("WheelUpPane", "scroll up in copy mode; programs that use the mouse get the event instead"),
    ("WheelDownPane", "scroll down in copy mode; programs that use the mouse get the event instead"),
    ("WheelUpStatus", "previous window"),
    ("WheelDownStatus", "next window"),
    ("DoubleClick1Pane", "select and copy the word"),
    ("TripleClick1Pane", "select and copy the line"),
];

fn key(name: &str) -> Key {
    name.parse().unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// Whether a key is a digit of a repeat count.
fn is_count(table: &str, name: &str) -> bool {
    let digit = if table == "copy-mode" { name.strip_prefix("M-") } else { Some(name) };
    table.starts_with("copy-mode") && digit.is_some_and(|digit| ("1"..="9").contains(&digit))
}

fn is_bound(table: &str, name: &str) -> bool {
    if MOUSE.iter().any(|(known, _)| *known == name) || is_count(table, name) {
        return true;
    }
    match table {
        "prefix" => default_bindings().any(|row| key(row.key) == key(name)),
        "copy-mode-vi" => VI.iter().any(|(known, _)| key(known) == key(name)),
        "copy-mode" => EMACS.iter().any(|(known, _)| key(known) == key(name)),
        _ => false,
    }
}

fn is_omitted(table: &str, name: &str) -> bool {
    OMITTED.iter().any(|(other, known, _)| *other == table && key(known) == key(name))
}

fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TMUX.lines().filter_map(|line| line.split_once(' '))
}

#[test]
fn every_tmux_key_is_bound_or_omitted_for_a_reason() {
    let missing: Vec<_> =
        rows().filter(|(table, name)| !is_bound(table, name) && !is_omitted(table, name)).collect();
    assert_eq!(missing, []);
    let both: Vec<_> = OMITTED.iter().filter(|(table, name, _)| is_bound(table, name)).collect();
    assert!(both.is_empty(), "bound after all: {both:?}");
}

/// The version of tmux whose keys are listed.
const VERSION: &str = "tmux 3.3a";

/// The output of tmux, if it is installed.
fn tmux_output(words: &[&str]) -> Option<String> {
    let said = Command::new("tmux").args(words).env_remove("TMUX").output().ok()?;
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

/// `bind-key -r -T prefix \\; last-pane` binds `;` in the table `prefix`.
fn parse_binding(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("-T ")?;
    let mut words = rest.split_whitespace();
    let (table, key) = (words.next()?, words.next()?);
    let quoted = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).filter(|key| !key.is_empty());
    let bare = quoted.or_else(|| key.strip_prefix('\\')).unwrap_or(key);
    Some((table.to_owned(), bare.to_owned()))
}

#[test]
fn with_tmux_3_3a_the_list_of_tmux_keys_matches_tmux() {
    assert_eq!(tmux_output(&["-V"]).unwrap_or_default().trim(), VERSION, "the version that is listed");
    let server = format!("fugue-parity-{}", std::process::id());
    let output = tmux_output(&["-L", &server, "-f", "/dev/null", "start-server", ";", "list-keys"]);
    let output = output.unwrap_or_default();
    assert!(output.lines().count() > 200, "{output}");
    let listed: Vec<_> = rows().map(|(table, key)| (table.to_owned(), key.to_owned())).collect();
    let missing: Vec<_> =
        output.lines().filter_map(parse_binding).filter(|row| !listed.contains(row)).collect();
    assert_eq!(missing, []);
}

#[test]
fn the_page_of_keys_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/keys.md");
    let page = page();
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::write(path, &page).expect("the page is written");
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(there == page, "docs/keys.md is out of date: run this test with FUGUE_RENEW=1");
}

/// Text as code in a Markdown table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// Names as a Markdown list in one sentence.
fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} and {last}", names.join(", "))
}

fn page() -> String {
    let placeholders = listed(PLACEHOLDERS.iter().map(|(name, _)| format!("{{{name}}}")));
    let parts = listed(part_names().map(str::to_owned));
    let page = include_str!("page.md").replace("@PLACEHOLDERS@", &placeholders).replace("@PARTS@", &parts);
    [page, prefix_keys(), mouse(), copy_mode_keys(), LISTS.into(), omitted_keys(), omitted_commands()]
        .concat()
}

fn prefix_keys() -> String {
    let mut out = String::new();
    for (group, rows) in GROUPS {
        let _ = writeln!(out, "\n### {group}\n\n| key | action | command |\n|---|---|---|");
        for row in *rows {
            let again = if row.repeats { " (repeats)" } else { "" };
            let key = code(&format!("{PREFIX} {}", row.key));
            let _ = writeln!(out, "| {key} | {}{again} | {} |", row.about, code(row.command));
        }
    }
    out
}

fn mouse() -> String {
    let rows = MOUSE.iter().map(|(name, about)| format!("| {} | {about} |\n", code(name)));
    "\n## Mouse\n\n| tmux's name | action |\n|---|---|\n".to_owned() + &rows.collect::<String>()
}

/// The keys of lists, those of the tree, and those of the list of agents.
const LISTS: &str = "
## Lists

These keys work in every list: keys, windows, sessions, agents, buffers, clients, and the palette. Anything else that
you type filters the list.

| key | action |
|---|---|
| `Up` `C-p` `C-k` | previous row |
| `Down` `Tab` `C-n` `C-j` | next row |
| `PageUp` `PageDown` | ten rows up or down |
| `Home` `End` | first or last row |
| `Enter` | choose the row |
| `C-u` | clear the filter |
| `Escape` `C-c` `C-g` | close the list |

## Tree

These keys work in the trees that `C-b w` and `C-b s` open, in addition to the keys that work in every list. As in tmux,
the tree stays open after the question. Sessions on other hosts cannot be killed from here.

| key | action |
|---|---|
| `x` | kill the selected session, window or pane, after confirmation, if the filter is empty |
| `C-x` | the same, also while you type a filter |
| `/` | type a filter, whose first letter may be `x` |

## List of agents

These keys work in the list that `C-b A` opens, in addition to the keys that work in every list. Actions apply to all
marked agents on the current session's host or, if none are marked, to the selected agent. Dialogs are always answered
one at a time. If one of these keys is your prefix, use Meta instead of Control. Agents on [other hosts](hosts.md) are
listed as `host/session`; Enter jumps to the selected agent, and `C-b L` or `C-b Tab` goes back. While the list is open,
agents stay in their order. An agent on the current host is shown as done when it became idle after working and its pane has
not been visible since.

| key | action |
|---|---|
| `1` to `9` | answer the selected agent's dialog; while filtering, digits are part of the filter, and `C-u` ends it |
| `Space` | mark or unmark the agent; while filtering, use `C-Space` |
| `C-a` | mark or unmark all agents that match the filter |
| `C-s` | send a message to their sessions |
| `C-y` | type a prompt into their panes and submit it; agents that are waiting for an answer are left out |
| `C-e` | interrupt those that are working, after confirmation |
| `C-t` | tag their sessions |
| `C-x` | close their panes, after confirmation |
";

fn omitted_keys() -> String {
    let row = |(table, name, reason): &(&str, &str, &str)| {
        format!("| {} | {reason} |\n", code(&format!("{table} {name}")))
    };
    let rows: String = OMITTED.iter().map(row).collect();
    format!("\n## tmux keys that fugue does not bind\n\n| key | reason |\n|---|---|\n{rows}")
}

fn omitted_commands() -> String {
    let row = |(name, instead): (&str, &str)| {
        format!("| {} | {} |\n", code(name), Keys::default().name_keys(instead))
    };
    let rows: String = tmux::omitted().map(row).collect();
    format!("\n## tmux commands that fugue does not have\n\n| command | instead |\n|---|---|\n{rows}")
}

fn copy_mode_keys() -> String {
    let mut acts: Vec<_> = Vec::new();
    for (_, act) in VI.iter().chain(EMACS) {
        if !acts.contains(act) {
            acts.push(*act);
        }
    }
    let keys = |table: &[(&str, Act)], act| {
        let keys = table.iter().filter(|(_, other)| *other == act).map(|(key, _)| code(key));
        keys.collect::<Vec<_>>().join(" ")
    };
    let mut out = String::from(COPY_MODE);
    for act in acts {
        let (name, _, about) = ACTS.iter().find(|(_, known, _)| *known == act).expect("a name");
        let _ = writeln!(out, "| {} | {} | {} | {about} |", keys(VI, act), keys(EMACS, act), code(name));
    }
    out
}
