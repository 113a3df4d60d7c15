//! tmux's commands for windows.

use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::{
    CreateWindow, KillWindow, MoveWindow, PaneChoice, Preset, RenameWindow, ResizeWindow, RotatePanes,
    SelectLayout, SelectWindow, SwapWindows, ZoomPane,
};
use fugue_protocol::{OptionScope, SessionId, SessionRef, Size, WindowId, WindowRef};

use crate::context::{LineContext, Outcome, window_choice};
use crate::flags::{Flags, parsed};

use super::panes::cells;
use super::program::program;
use super::window_place::WindowPlace;

/// `new-window`
pub(super) async fn new(cx: &mut LineContext, given: &Flags) -> Outcome {
    let mut place = WindowPlace::of_new(cx, given)?;
    let session = place.at;
    let wanted = match given.value('n') {
        Some(name) => Some(cx.expand(name, session).await?),
        None => None,
    };
    let views = cx.sessions.iter().find(|of| of.session_id == session.session);
    let windows = views.map(|session| session.windows.as_slice()).unwrap_or_default();
    if given.has('S')
        && let Some(window) = windows.iter().find(|window| Some(window.name.as_str()) == wanted.as_deref())
    {
        let at = TargetPlace { window: window.window_id, ..session };
        cx.call(&SelectWindow { choice: window_choice(at) }).await?;
        return Ok(String::new());
    }
    let taken = place.taken(cx);
    place.index = place.index.or_else(|| first_index(cx, session.session));
    if let (Some(_), Some(index), false) = (taken, place.index, given.has('k')) {
        return Err(format!("create window failed: index {index} in use"));
    }
    let create = CreateWindow {
        session: Some(SessionRef::from(session.session)),
        name: wanted.map(|name| parsed(&name, "window")).transpose()?,
        index: place.index.filter(|_| taken.is_none()),
        background: given.has('d'),
        program: program(cx, given, false).await?,
        popup: false,
    };
    let created = cx.call(&create).await?;
    let pane = created.pane_id;
    if let Some(window) = taken {
        let new = TargetPlace { window: created.window_id, ..session };
        place.replace(cx, new, window, given.has('d')).await?;
    }
    cx.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}").await
}

/// The index of a new window if a program has set where indexes begin (`base-index`); the daemon knows only the setting.
pub(super) fn first_index(cx: &LineContext, session: SessionId) -> Option<usize> {
    let base = base_index(cx, session)?;
    let views = cx.sessions.iter().find(|of| of.session_id == session);
    let taken: Vec<_> = views.into_iter().flat_map(|of| &of.windows).map(|window| window.index).collect();
    (base..).find(|index| !taken.contains(index))
}

/// Where the indexes of a session's windows begin, if a program has set that.
fn base_index(cx: &LineContext, session: SessionId) -> Option<usize> {
    let set = |scope| cx.option(scope, "base-index");
    set(OptionScope::Session(session)).or_else(|| set(OptionScope::Global))?.parse().ok()
}

/// `select-window`
pub(super) async fn select(cx: &mut LineContext, given: &Flags) -> Outcome {
    let relative = [('n', ":+"), ('p', ":-"), ('l', ":!")];
    let relative = relative.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, target)| target);
    let at = match relative {
        Some(sign) => relative_window(cx, given, sign)?,
        None => cx.window(given)?,
    };
    let at = match given.has('T') && cx.views(at).1.active {
        true => relative_window(cx, given, ":!").unwrap_or(at),
        false => at,
    };
    cx.call(&SelectWindow { choice: window_choice(at) }).await?;
    Ok(String::new())
}

/// A window relative to the current one of the session that `-t` names.
fn relative_window(cx: &LineContext, given: &Flags, sign: &str) -> Result<TargetPlace, String> {
    let missing = |()| match sign {
        ":!" => "no last window".to_owned(),
        ":-" => "no previous window".to_owned(),
        _ => "no next window".to_owned(),
    };
    let session = match given.target() {
        Some(_) => {
            let at = cx.find(given.target(), TargetKind::Session)?;
            format!("${}", cx.views(at).0.number)
        }
        None => String::new(),
    };
    let at = cx.find(Some(&format!("{session}{sign}")), TargetKind::Window).map_err(|_| missing(()))?;
    // The only window is neither the next nor the previous one.
    if cx.views(at).0.windows.len() == 1 { Err(missing(())) } else { Ok(at) }
}

async fn go(cx: &mut LineContext, given: &Flags, sign: &str) -> Outcome {
    let at = relative_window(cx, given, sign)?;
    cx.call(&SelectWindow { choice: window_choice(at) }).await?;
    Ok(String::new())
}

/// `next-window`
pub(super) async fn next(cx: &mut LineContext, given: &Flags) -> Outcome {
    go(cx, given, ":+").await
}

/// `previous-window`
pub(super) async fn previous(cx: &mut LineContext, given: &Flags) -> Outcome {
    go(cx, given, ":-").await
}

/// `last-window`
pub(super) async fn last(cx: &mut LineContext, given: &Flags) -> Outcome {
    go(cx, given, ":!").await
}

/// `rename-window`
pub(super) async fn rename(cx: &mut LineContext, given: &Flags) -> Outcome {
    let choice = window_choice(cx.window(given)?);
    let name = given.operand(0);
    let name = if given.target().is_some() { name.to_owned() } else { cx.expand_here(name).await? };
    cx.call(&RenameWindow { choice, name: parsed(&name, "window")? }).await?;
    Ok(String::new())
}

/// `kill-window`
pub(super) async fn kill(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.window(given)?;
    let windows = cx.views(at).0.windows.iter().map(|window| window.window_id);
    let windows: Vec<_> = match given.has('a') {
        true => windows.filter(|window| *window != at.window).collect(),
        false => vec![at.window],
    };
    for window in windows {
        cx.call(&KillWindow { choice: window_choice(TargetPlace { window, ..at }) }).await?;
    }
    Ok(String::new())
}

/// `move-window`
pub(super) async fn relocate(cx: &mut LineContext, given: &Flags) -> Outcome {
    if given.has('r') {
        return renumber(cx, given).await;
    }
    let at = cx.find(given.value('s'), TargetKind::Window)?;
    WindowPlace::of(cx, given)?.take(cx, at, given.has('k'), given.has('d')).await?;
    Ok(String::new())
}

/// `move-window -r`: closes the gaps between the indexes of a session's windows.
async fn renumber(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.find(given.target(), TargetKind::Session)?;
    let windows = &cx.views(at).0.windows;
    // Panes and windows have the same first index.
    let first = || windows.first().and_then(|window| window.panes.first()).map_or(0, |pane| pane.index);
    let first = base_index(cx, at.session).unwrap_or_else(first);
    let gaps = (first..).zip(windows).filter(|(index, window)| window.index != *index);
    let moves: Vec<_> = gaps.map(|(index, window)| (index, window.window_id)).collect();
    for (index, window) in moves {
        let choice = window_choice(TargetPlace { window, ..at });
        cx.call(&MoveWindow { choice, to_session: None, index: Some(index) }).await?;
    }
    Ok(String::new())
}

/// `swap-window`
pub(super) async fn swap(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.find(given.value('s'), TargetKind::Window)?;
    let with = cx.window(given)?;
    let session = cx.views(at).0;
    let current = session.windows.iter().find(|window| window.active).map(|window| window.window_id);
    let swapped = |window: WindowId| match window {
        window if window == at.window => with.window,
        window if window == with.window => at.window,
        window => window,
    };
    // The indexes stay current and last, and not the windows; with `-d`, the target's index becomes current.
    let last = session
        .windows
        .iter()
        .find(|window| window.last)
        .map(|window| swapped(window.window_id))
        .filter(|window| Some(*window) != current.map(swapped));
    let then = if given.has('d') { Some(at.window) } else { None };
    let selected: Vec<_> = last.into_iter().chain(current.map(swapped)).chain(then).collect();
    cx.call(&SwapWindows { choice: window_choice(at), with: WindowRef::from(with.window) }).await?;
    for window in selected.into_iter().filter(|_| at.window != with.window) {
        cx.call(&SelectWindow { choice: window_choice(TargetPlace { window, ..at }) }).await?;
    }
    Ok(String::new())
}

/// `resize-window`
pub(super) async fn resize(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.window(given)?;
    let Size { cols, rows } = cx.views(at).1.dimensions;
    let by = given.operands.first().and_then(|by| by.parse().ok()).unwrap_or(1_u16);
    let change = |size: u16, less: char, more: char| match (given.has(less), given.has(more)) {
        (true, _) => size.saturating_sub(by).max(1),
        (_, true) => size.saturating_add(by),
        _ => size,
    };
    let set = |letter, size: u16| given.value(letter).map_or(Ok(size), |cells| cells.parse());
    let invalid = |_| "invalid size".to_owned();
    let cols = set('x', change(cols, 'L', 'R')).map_err(invalid)?;
    let rows = set('y', change(rows, 'U', 'D')).map_err(invalid)?;
    cx.call(&ResizeWindow { choice: window_choice(at), size: Size { cols, rows }, shown_by: None }).await?;
    Ok(String::new())
}

/// `rotate-window`
pub(super) async fn rotate(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.window(given)?;
    let is_zoomed = cx.views(at).1.zoomed && given.has('Z');
    let window = cx.call(&RotatePanes { choice: window_choice(at), backward: !given.has('D') }).await?;
    let active = window.panes.iter().find(|pane| pane.active).filter(|_| is_zoomed);
    if let Some(pane) = active {
        cx.call(&ZoomPane { choice: PaneChoice::of(pane.pane_id), zoomed: Some(true) }).await?;
    }
    Ok(String::new())
}

/// `select-layout`
pub(super) async fn layout(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.window(given)?;
    if given.has('o') {
        return Err("fugue has no `select-layout -o`: it does not keep earlier layouts".into());
    }
    let window = cx.views(at).1;
    // One pane has no layout.
    if window.panes.len() == 1 {
        return Ok(String::new());
    }
    let last = window.preset;
    let preset = match (given.operands.first(), given.has('n'), given.has('p'), given.has('E')) {
        (_, _, _, true) => return spread(cx, at).await,
        (_, true, ..) => return next_layout(cx, given).await,
        (_, _, true, _) => return previous_layout(cx, given).await,
        (Some(name), ..) if name.contains(',') => return arrange(cx, at, name).await,
        (Some(name), ..) => preset(name)?,
        // Without a name, the last preset applies again.
        _ => match last {
            Some(last) => last,
            None => {
                super::panes::unzoom(cx, at).await?;
                return Ok(String::new());
            }
        },
    };
    select_preset(cx, at, preset).await
}

/// Evens out the sizes around a pane.
async fn spread(cx: &mut LineContext, at: TargetPlace) -> Outcome {
    let choice = window_choice(at);
    let spread = Some(at.pane);
    cx.call(&SelectLayout { choice, preset: Preset::Tiled, tree: None, main: None, spread }).await?;
    Ok(String::new())
}

/// Applies a preset, whose main pane has the size that the options say.
async fn select_preset(cx: &mut LineContext, at: TargetPlace, preset: Preset) -> Outcome {
    let choice = window_choice(at);
    let Size { cols, rows } = cx.views(at).1.dimensions;
    let main = match preset {
        Preset::MainVertical | Preset::MainVerticalMirrored => Some(main_size(cx, at, "width", cols).await?),
        Preset::MainHorizontal | Preset::MainHorizontalMirrored => {
            Some(main_size(cx, at, "height", rows).await?)
        }
        Preset::EvenHorizontal | Preset::EvenVertical | Preset::Tiled => None,
    };
    cx.call(&SelectLayout { choice, preset, tree: None, main, spread: None }).await?;
    Ok(String::new())
}

/// The columns or rows of the main pane: those of its option, or what the option for the other panes leaves, if that is more.
async fn main_size(cx: &mut LineContext, at: TargetPlace, side: &str, whole: u16) -> Result<u16, String> {
    let room = whole.saturating_sub(1);
    let main = cx.expand(&format!("#{{main-pane-{side}}}"), at).await?;
    let main = cells(&main, room).unwrap_or(if side == "width" { 80 } else { 24 });
    let other = cx.expand(&format!("#{{other-pane-{side}}}"), at).await?;
    let other = cells(&other, room).unwrap_or_default();
    let left = room.saturating_sub(other);
    Ok(if other > 0 && main < room && left > main { left } else { main }.min(room))
}

/// Arranges the panes of a window as a text says.
async fn arrange(cx: &mut LineContext, at: TargetPlace, text: &str) -> Outcome {
    let panes: Vec<_> = cx.views(at).1.panes.iter().map(|pane| pane.pane_id).collect();
    let tree = Some(crate::layout::parse(text, &panes)?);
    let choice = window_choice(at);
    cx.call(&SelectLayout { choice, preset: Preset::Tiled, tree, main: None, spread: None }).await?;
    Ok(String::new())
}

/// The preset of a name or its beginning.
fn preset(name: &str) -> Result<Preset, String> {
    let mut found = Preset::ALL.iter().filter(|(_, full)| full.starts_with(name));
    let exact = name.parse();
    match (found.next(), found.next()) {
        _ if exact.is_ok() => exact,
        (Some((preset, _)), None) => Ok(*preset),
        _ => Err(format!("invalid layout: {name}")),
    }
}

/// `next-layout`
pub(super) async fn next_layout(cx: &mut LineContext, given: &Flags) -> Outcome {
    apply_preset(cx, given, Preset::after).await
}

/// `previous-layout`
pub(super) async fn previous_layout(cx: &mut LineContext, given: &Flags) -> Outcome {
    apply_preset(cx, given, Preset::before).await
}

/// Applies a preset that follows from the window's last one.
async fn apply_preset(cx: &mut LineContext, given: &Flags, preset: fn(Option<Preset>) -> Preset) -> Outcome {
    let at = cx.window(given)?;
    let preset = preset(cx.views(at).1.preset);
    select_preset(cx, at, preset).await
}
