//! tmux's targets: `session:window.pane`, numbers, `+`, `-` and `!`. Anything else is passed on, so that names and ids
//! work, too.

use fugue_protocol::views::WindowView;

use super::command_table::TmuxFlag;
use super::flags::ParsedFlags;
use crate::tree::Tree;

/// A pane's id, or a name that fugue understands.
pub(super) fn pane(target: &str, tree: &Tree) -> Result<String, String> {
    let (place, number) = match target.rsplit_once('.') {
        Some((place, number)) => (place, number),
        None if target.contains(':') => (target, ""),
        None => ("", target),
    };
    let window = window_of(place, tree);
    let found = window.and_then(|window| match number.parse::<usize>() {
        Ok(number) => window.panes.get(number),
        Err(_) => window.panes.iter().find(|pane| pane.active && number.is_empty()),
    });
    match (found, window, number.parse::<usize>()) {
        (Some(pane), ..) => Ok(pane.pane_id.to_string()),
        (None, Some(window), Ok(number)) if number < 1000 => Err(format!(
            "No pane {number} in window {}; the highest pane number is {}",
            window.index,
            window.panes.len().saturating_sub(1)
        )),
        _ => Ok(special(target, "pane")
            .or_else(|| in_front(target, tree))
            .unwrap_or_else(|| target.to_owned())),
    }
}

/// The active pane of the session of this name.
fn in_front(session: &str, tree: &Tree) -> Option<String> {
    let session = tree.sessions.iter().find(|view| view.name.to_string() == session)?;
    let window = session.windows.iter().find(|window| window.active)?;
    window.panes.iter().find(|pane| pane.active).map(|pane| pane.pane_id.to_string())
}

/// A window's id, or a name that fugue understands.
pub(super) fn window(target: &str, tree: &Tree) -> Result<String, String> {
    if let Some(word) = special(target.trim_start_matches(':'), "window") {
        return Ok(word);
    }
    match window_of(target, tree) {
        Some(window) => Ok(window.window_id.to_string()),
        None => Ok(target.trim_start_matches(':').to_owned()),
    }
}

/// The window of `session:window`, of which either may be missing; a number alone is a window's.
fn window_of<'a>(place: &str, tree: &'a Tree) -> Option<&'a WindowView> {
    let (session, window) = place.split_once(':').unwrap_or(("", place));
    let session = match session.trim_start_matches('=') {
        "" => tree.session(),
        name => tree.sessions.iter().find(|session| session.name.to_string() == name),
    }?;
    let named = |view: &&WindowView| view.name.to_string() == window;
    match (window, window.parse::<usize>()) {
        ("", _) => session.windows.iter().find(|window| window.active),
        (_, Ok(index)) => session.windows.iter().find(|window| window.index == index),
        ("^", _) => session.windows.first(),
        ("$", _) => session.windows.last(),
        _ => session.windows.iter().find(named),
    }
}

/// The placeholder for a relative target.
fn special(sign: &str, what: &str) -> Option<String> {
    let word = match sign {
        "+" | "+1" | "{next}" => "next",
        "-" | "-1" | "{previous}" => "previous",
        "!" | "{last}" => "last",
        "~" | "{marked}" if what == "pane" => "marked",
        _ => return None,
    };
    Some(format!("{{{word}-{what}}}"))
}

/// The session's name in a target; a window after it is ignored.
pub(super) fn session(target: &str) -> String {
    let name = target.split_once(':').map_or(target, |(name, _)| name);
    name.trim_start_matches('=').to_owned()
}

/// The session of a new window, which becomes its last.
pub(super) fn into(target: &str, tree: &Tree) -> Result<String, String> {
    let number = target.split_once(':').map_or("", |(_, number)| number);
    if number.is_empty() && target.parse::<usize>().is_err() {
        let here = tree.session().map(|here| here.name.to_string()).unwrap_or_default();
        return Ok(Some(session(target)).filter(|name| !name.is_empty()).unwrap_or(here));
    }
    Err("New windows are added at the end; `move-window -t NUMBER` moves one".into())
}

/// A window's new position: a number, a session, or both.
pub(super) fn place(target: &str) -> Result<Vec<String>, String> {
    let (session, number) = target.split_once(':').unwrap_or(("", target));
    let mut words = Vec::new();
    if !session.is_empty() {
        words.extend(["--to-session".to_owned(), session.to_owned()]);
    }
    if !number.is_empty() {
        words.extend(["--index".to_owned(), number.to_owned()]);
    }
    Ok(words)
}

/// A size in cells or percent, as a percentage of the pane that is split.
pub(super) fn share(size: &str, tree: &Tree, given: &ParsedFlags<'_>) -> Result<String, String> {
    let wrong = || format!("Invalid size `{size}`: use cells (20) or a percentage (30%)");
    if let Some(percent) = size.strip_suffix('%') {
        return percent.parse::<u8>().map(|percent| percent.to_string()).map_err(|_| wrong());
    }
    let cells: u32 = size.parse().map_err(|_| wrong())?;
    let place = tree.pane().map(|pane| pane.place);
    let whole = place.map(|place| if given.has(&TmuxFlag::Is("--right")) { place.cols } else { place.rows });
    let whole = u32::from(whole.unwrap_or(1).max(1));
    // Rounded, so that the new pane has this many cells or nearly so.
    Ok(((cells * 100 + whole / 2) / whole).clamp(1, 99).to_string())
}
