//! tmux's targets, as this client sees the tree: relative ones start where it looks. What is not found is passed on, so
//! that the daemon says what is wrong.

use fugue_protocol::targets::{TargetKind, TargetOrigin, TargetPlace, TargetTree};

use super::command_row::TmuxFlag;
use super::flags::ParsedFlags;
use crate::tree::Tree;

fn find(target: &str, tree: &Tree, kind: TargetKind) -> Option<TargetPlace> {
    let targets = TargetTree::of(&tree.sessions);
    let place = tree.pane().and_then(|pane| targets.place_of_pane(pane.pane_id));
    targets.find(target, kind, TargetOrigin { place, marked: tree.marked(), inexact: true }).ok()
}

/// A pane's id.
pub(super) fn pane(target: &str, tree: &Tree) -> String {
    let found = find(target, tree, TargetKind::Pane);
    found.map_or_else(|| target.to_owned(), |place| place.pane.to_string())
}

/// A window's id.
pub(super) fn window(target: &str, tree: &Tree) -> String {
    let found = find(target, tree, TargetKind::Window);
    found.map_or_else(|| target.trim_start_matches(':').to_owned(), |place| place.window.to_string())
}

/// A session's id.
pub(super) fn session(target: &str, tree: &Tree) -> String {
    let found = find(target, tree, TargetKind::Session);
    found.map_or_else(|| target.to_owned(), |place| place.session.to_string())
}

/// The session of a new window, which becomes its last; another place is for the command itself to find.
pub(super) fn into(target: &str, tree: &Tree) -> Result<String, String> {
    match target.strip_suffix(':').unwrap_or(target) {
        "" => Ok(tree.here.to_string()),
        name if name.contains(':') || name.parse::<usize>().is_ok() => Err(format!("-t {target}")),
        name => Ok(session(name, tree)),
    }
}

/// A window's new position: a number, a session, or both.
pub(super) fn place(target: &str, tree: &Tree) -> Result<Vec<String>, String> {
    let (to, number) = target.split_once(':').unwrap_or(("", target));
    let mut words = Vec::new();
    if !to.is_empty() {
        words.extend(["--to-session".to_owned(), session(to, tree)]);
    }
    if !number.is_empty() {
        // tmux refuses an index that is in use; fugue's own command would make room.
        if !number.bytes().all(|byte| byte.is_ascii_digit()) || is_taken(to, number, tree) {
            return Err(format!("-t {target}"));
        }
        words.extend(["--index".to_owned(), number.to_owned()]);
    }
    Ok(words)
}

/// Whether a session, or the one that is shown, has a window with this index.
fn is_taken(name: &str, number: &str, tree: &Tree) -> bool {
    let session = match name {
        "" => tree.find_session(tree.here),
        name => find(&format!("{name}:"), tree, TargetKind::Session)
            .and_then(|place| tree.find_session(place.session)),
    };
    let is_it = |index: usize| number.parse() == Ok(index);
    session.is_some_and(|session| session.windows.iter().any(|window| is_it(window.index)))
}

/// The size of a new pane, in cells or percent.
pub(super) fn share(size: &str, given: &ParsedFlags<'_>) -> Result<Vec<String>, String> {
    let wrong = || format!("Invalid size `{size}`: use a number of cells (20) or a percentage (30%)");
    let percent = size.strip_suffix('%');
    let number = percent.unwrap_or(size).parse::<u16>().map_err(|_| wrong())?.to_string();
    let flag = if percent.is_some() || given.has(&TmuxFlag::Percent) { "--percent" } else { "--cells" };
    Ok(vec![flag.to_owned(), number])
}

/// A directory. `fugue tmux` expands a format.
pub(super) fn directory(path: &str) -> Result<Vec<String>, String> {
    if path.contains('#') {
        return Err(format!("-c {path}"));
    }
    Ok(vec!["--cwd".to_owned(), path.to_owned()])
}

/// The directory of a new pane. `-c '#{pane_current_path}'`, which tmux users bind, is where it starts anyway.
pub(super) fn pane_directory(path: &str) -> Result<Vec<String>, String> {
    if path == "#{pane_current_path}" { Ok(Vec::new()) } else { directory(path) }
}
