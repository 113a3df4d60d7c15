//! tmux's commands for windows.

use fugue_protocol::targets::{TargetKind, TargetParts, TargetPlace};
use fugue_protocol::verbs::{
    CreateWindow, KillWindow, MoveWindow, Preset, RenameWindow, ResizeWindow, RotatePanes, SelectLayout,
    SelectWindow, SwapWindows,
};
use fugue_protocol::{SessionRef, Size, WindowId, WindowRef};

use crate::context::{LineContext, Outcome, window_choice};
use crate::flags::{Flags, parsed};

use super::program::program;

/// `new-window`
pub(super) async fn new(cx: &mut LineContext, given: &Flags) -> Outcome {
    let (session, index) = destination(cx, given.target(), given.has('a'), given.has('b'))?;
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
    let taken = index
        .and_then(|index| windows.iter().find(|window| window.index == index))
        .map(|window| window.window_id);
    let taken = taken.filter(|_| !given.has('a') && !given.has('b'));
    if let (Some(_), Some(index), false) = (taken, index, given.has('k')) {
        return Err(format!("create window failed: index {index} in use"));
    }
    let create = CreateWindow {
        session: Some(SessionRef::from(session.session)),
        name: wanted.map(|name| parsed(&name, "window")).transpose()?,
        index: index.filter(|_| taken.is_none()),
        background: given.has('d'),
        program: program(cx, given, false).await?,
        popup: false,
    };
    let created = cx.call(&create).await?;
    let pane = created.pane_id;
    if let Some(window) = taken {
        replace(cx, TargetPlace { window: created.window_id, ..session }, window).await?;
    }
    cx.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}").await
}

/// The session and the index that a target for a new window names: `work:`, `work:3`, `:3`, `3`. With `-a` and `-b`, the
/// window after or before the one that is named.
pub(super) fn destination(
    cx: &LineContext,
    target: Option<&str>,
    after: bool,
    before: bool,
) -> Result<(TargetPlace, Option<usize>), String> {
    if after || before {
        let at = cx.find(target, TargetKind::Window)?;
        let index = cx.views(at).1.index + usize::from(after && !before);
        return Ok((at, Some(index)));
    }
    let target = target.unwrap_or_default();
    let parts = TargetParts::of(target, TargetKind::Window);
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<usize>().ok());
    match (parts.session, parts.window) {
        (session, None) => Ok((cx.find(session, TargetKind::Session)?, None)),
        (session, window) if number(window).is_some() => {
            let name = session.map(|name| format!("{name}:"));
            Ok((cx.find(name.as_deref(), TargetKind::Session)?, number(window)))
        }
        // A name alone is a session's, or a window's, after which there is no room.
        _ => match cx.find(Some(target), TargetKind::Session) {
            Ok(at) => Ok((at, None)),
            Err(why) => cx.find(Some(target), TargetKind::Window).map(|at| (at, None)).map_err(|_| why),
        },
    }
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
    let missing = |_| match sign {
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
    cx.find(Some(&format!("{session}{sign}")), TargetKind::Window).map_err(missing)
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
    let (to, index) = destination(cx, given.target(), given.has('a'), given.has('b'))?;
    let to_session = Some(SessionRef::from(to.session));
    let there = cx.sessions.iter().find(|session| session.session_id == to.session);
    let taken = there.zip(index).filter(|_| !given.has('a') && !given.has('b'));
    let taken = taken.and_then(|(session, index)| session.windows.iter().find(|at| at.index == index));
    match taken.map(|window| window.window_id).filter(|window| *window != at.window) {
        Some(_) if !given.has('k') => return Err(in_use(index)),
        Some(window) => {
            cx.call(&MoveWindow { choice: window_choice(at), to_session, index: None }).await?;
            replace(cx, TargetPlace { session: to.session, ..at }, window).await?;
        }
        None => drop(cx.call(&MoveWindow { choice: window_choice(at), to_session, index }).await?),
    }
    if !given.has('d') && to.session != at.session {
        cx.call(&SelectWindow { choice: window_choice(at) }).await?;
    }
    Ok(String::new())
}

/// Gives a window the index of another one of its session, and kills that one. This may be the window of the caller, who
/// is gone then, so it comes last.
async fn replace(cx: &mut LineContext, at: TargetPlace, other: WindowId) -> Result<(), String> {
    cx.call(&SwapWindows { choice: window_choice(at), with: WindowRef::from(other) }).await?;
    cx.call(&KillWindow { choice: window_choice(TargetPlace { window: other, ..at }) }).await?;
    Ok(())
}

/// tmux's error for an index that a window has.
pub(super) fn in_use(index: Option<usize>) -> String {
    format!("index in use: {}", index.unwrap_or_default())
}

/// `move-window -r`: closes the gaps between the indexes of a session's windows.
async fn renumber(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.find(given.target(), TargetKind::Session)?;
    let windows = &cx.views(at).0.windows;
    // Panes and windows have the same first index.
    let first = windows.first().and_then(|window| window.panes.first()).map_or(0, |pane| pane.index);
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
    cx.call(&SwapWindows { choice: window_choice(at), with: WindowRef::from(with.window) }).await?;
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
    let choice = window_choice(cx.window(given)?);
    cx.call(&RotatePanes { choice, backward: !given.has('D') }).await?;
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
    let beside = window.panes[0].place.row == window.panes[1].place.row;
    let even = if beside { Preset::EvenHorizontal } else { Preset::EvenVertical };
    let preset = match (given.operands.first(), given.has('n'), given.has('p'), given.has('E')) {
        (_, _, _, true) => even,
        (_, true, ..) => return next_layout(cx, given).await,
        (_, _, true, _) => return previous_layout(cx, given).await,
        (Some(name), ..) if name.contains(',') => return arrange(cx, at, name).await,
        (Some(name), ..) => preset(name)?,
        // Without a name, the last preset applies again.
        _ => match last {
            Some(last) => last,
            None => return Ok(String::new()),
        },
    };
    cx.call(&SelectLayout { choice: window_choice(at), preset, tree: None }).await?;
    Ok(String::new())
}

/// Arranges the panes of a window as a text says.
async fn arrange(cx: &mut LineContext, at: TargetPlace, text: &str) -> Outcome {
    let panes: Vec<_> = cx.views(at).1.panes.iter().map(|pane| pane.pane_id).collect();
    let tree = Some(crate::layout::parse(text, &panes)?);
    cx.call(&SelectLayout { choice: window_choice(at), preset: Preset::Tiled, tree }).await?;
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
    cx.call(&SelectLayout { choice: window_choice(at), preset, tree: None }).await?;
    Ok(String::new())
}
