//! tmux's commands for windows.

use fugue_protocol::targets::{TargetKind, TargetParts, TargetPlace};
use fugue_protocol::verbs::{
    CreateWindow, KillWindow, MoveWindow, Preset, RenameWindow, ResizeWindow, RotatePanes, SelectLayout,
    SelectWindow, SwapWindows,
};
use fugue_protocol::{SessionRef, Size, WindowId, WindowRef};

use super::flags::{ShimFlags, parsed};
use super::places::window_choice;
use super::program::program;
use super::shim::{Outcome, Shim};

/// `new-window`
pub(super) fn new(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let (session, index) = destination(shim, given.target(), given.has('a'), given.has('b'))?;
    let wanted = given.value('n').map(|name| shim.expand(name, session));
    let views = shim.sessions.iter().find(|of| of.session_id == session.session);
    let windows = views.map(|session| session.windows.as_slice()).unwrap_or_default();
    if given.has('S')
        && let Some(window) = windows.iter().find(|window| Some(window.name.as_str()) == wanted.as_deref())
    {
        let at = TargetPlace { window: window.window_id, ..session };
        shim.call(&SelectWindow { choice: window_choice(at) })?;
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
        program: program(shim, given, false)?,
        popup: false,
    };
    let created = shim.call(&create)?;
    let pane = created.pane_id;
    if let Some(window) = taken {
        replace(shim, TargetPlace { window: created.window_id, ..session }, window)?;
    }
    shim.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}")
}

/// The session and the index that a target for a new window names: `work:`, `work:3`, `:3`, `3`. With `-a` and `-b`, the
/// window after or before the one that is named.
pub(super) fn destination(
    shim: &mut Shim,
    target: Option<&str>,
    after: bool,
    before: bool,
) -> Result<(TargetPlace, Option<usize>), String> {
    if after || before {
        let at = shim.find(target, TargetKind::Window)?;
        let index = shim.views(at).1.index + usize::from(after && !before);
        return Ok((at, Some(index)));
    }
    let target = target.unwrap_or_default();
    let parts = TargetParts::of(target, TargetKind::Window);
    let number = |part: Option<&str>| part.and_then(|part| part.parse::<usize>().ok());
    match (parts.session, parts.window) {
        (session, None) => Ok((shim.find(session, TargetKind::Session)?, None)),
        (session, window) if number(window).is_some() => {
            let name = session.map(|name| format!("{name}:"));
            Ok((shim.find(name.as_deref(), TargetKind::Session)?, number(window)))
        }
        // A name alone is a session's, or a window's, after which there is no room.
        _ => match shim.find(Some(target), TargetKind::Session) {
            Ok(at) => Ok((at, None)),
            Err(why) => shim.find(Some(target), TargetKind::Window).map(|at| (at, None)).map_err(|_| why),
        },
    }
}

/// `select-window`
pub(super) fn select(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let relative = [('n', ":+"), ('p', ":-"), ('l', ":!")];
    let relative = relative.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, target)| target);
    let at = match relative {
        Some(sign) => relative_window(shim, given, sign)?,
        None => shim.window(given)?,
    };
    let at = match given.has('T') && shim.views(at).1.active {
        true => relative_window(shim, given, ":!").unwrap_or(at),
        false => at,
    };
    shim.call(&SelectWindow { choice: window_choice(at) })?;
    Ok(String::new())
}

/// A window relative to the current one of the session that `-t` names.
fn relative_window(shim: &mut Shim, given: &ShimFlags, sign: &str) -> Result<TargetPlace, String> {
    let missing = |_| match sign {
        ":!" => "no last window".to_owned(),
        ":-" => "no previous window".to_owned(),
        _ => "no next window".to_owned(),
    };
    let session = match given.target() {
        Some(_) => {
            let at = shim.find(given.target(), TargetKind::Session)?;
            format!("${}", shim.views(at).0.number)
        }
        None => String::new(),
    };
    shim.find(Some(&format!("{session}{sign}")), TargetKind::Window).map_err(missing)
}

fn go(shim: &mut Shim, given: &ShimFlags, sign: &str) -> Outcome {
    let at = relative_window(shim, given, sign)?;
    shim.call(&SelectWindow { choice: window_choice(at) })?;
    Ok(String::new())
}

/// `next-window`
pub(super) fn next(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    go(shim, given, ":+")
}

/// `previous-window`
pub(super) fn previous(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    go(shim, given, ":-")
}

/// `last-window`
pub(super) fn last(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    go(shim, given, ":!")
}

/// `rename-window`
pub(super) fn rename(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let choice = window_choice(shim.window(given)?);
    let name = given.operand(0);
    let name = if given.target().is_some() { name.to_owned() } else { shim.expand_here(name)? };
    shim.call(&RenameWindow { choice, name: parsed(&name, "window")? })?;
    Ok(String::new())
}

/// `kill-window`
pub(super) fn kill(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.window(given)?;
    let windows = shim.views(at).0.windows.iter().map(|window| window.window_id);
    let windows: Vec<_> = match given.has('a') {
        true => windows.filter(|window| *window != at.window).collect(),
        false => vec![at.window],
    };
    for window in windows {
        shim.call(&KillWindow { choice: window_choice(TargetPlace { window, ..at }) })?;
    }
    Ok(String::new())
}

/// `move-window`
pub(super) fn relocate(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    if given.has('r') {
        return renumber(shim, given);
    }
    let at = shim.find(given.value('s'), TargetKind::Window)?;
    let (to, index) = destination(shim, given.target(), given.has('a'), given.has('b'))?;
    let to_session = Some(SessionRef::from(to.session));
    let there = shim.sessions.iter().find(|session| session.session_id == to.session);
    let taken = there.zip(index).filter(|_| !given.has('a') && !given.has('b'));
    let taken = taken.and_then(|(session, index)| session.windows.iter().find(|at| at.index == index));
    match taken.map(|window| window.window_id).filter(|window| *window != at.window) {
        Some(_) if !given.has('k') => return Err(in_use(index)),
        Some(window) => {
            shim.call(&MoveWindow { choice: window_choice(at), to_session, index: None })?;
            replace(shim, TargetPlace { session: to.session, ..at }, window)?;
        }
        None => drop(shim.call(&MoveWindow { choice: window_choice(at), to_session, index })?),
    }
    if !given.has('d') && to.session != at.session {
        shim.call(&SelectWindow { choice: window_choice(at) })?;
    }
    Ok(String::new())
}

/// Gives a window the index of another one of its session, and kills that one. This may be the window of the caller, who
/// is gone then, so it comes last.
fn replace(shim: &mut Shim, at: TargetPlace, other: WindowId) -> Result<(), String> {
    shim.call(&SwapWindows { choice: window_choice(at), with: WindowRef::from(other) })?;
    shim.call(&KillWindow { choice: window_choice(TargetPlace { window: other, ..at }) })?;
    Ok(())
}

/// tmux's error for an index that a window has.
pub(super) fn in_use(index: Option<usize>) -> String {
    format!("index in use: {}", index.unwrap_or_default())
}

/// `move-window -r`: closes the gaps between the indexes of a session's windows.
fn renumber(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.find(given.target(), TargetKind::Session)?;
    let windows = &shim.views(at).0.windows;
    // Panes and windows have the same first index.
    let first = windows.first().and_then(|window| window.panes.first()).map_or(0, |pane| pane.index);
    let gaps = (first..).zip(windows).filter(|(index, window)| window.index != *index);
    let moves: Vec<_> = gaps.map(|(index, window)| (index, window.window_id)).collect();
    for (index, window) in moves {
        let choice = window_choice(TargetPlace { window, ..at });
        shim.call(&MoveWindow { choice, to_session: None, index: Some(index) })?;
    }
    Ok(String::new())
}

/// `swap-window`
pub(super) fn swap(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.find(given.value('s'), TargetKind::Window)?;
    let with = shim.window(given)?;
    shim.call(&SwapWindows { choice: window_choice(at), with: WindowRef::from(with.window) })?;
    Ok(String::new())
}

/// `resize-window`
pub(super) fn resize(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.window(given)?;
    let Size { cols, rows } = shim.views(at).1.dimensions;
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
    shim.call(&ResizeWindow { choice: window_choice(at), size: Size { cols, rows }, shown_by: None })?;
    Ok(String::new())
}

/// `rotate-window`
pub(super) fn rotate(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let choice = window_choice(shim.window(given)?);
    shim.call(&RotatePanes { choice, backward: !given.has('D') })?;
    Ok(String::new())
}

/// `select-layout`
pub(super) fn layout(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.window(given)?;
    if given.has('o') {
        return Err("fugue has no `select-layout -o`: it does not keep earlier layouts".into());
    }
    let window = shim.views(at).1;
    // One pane has no layout.
    if window.panes.len() == 1 {
        return Ok(String::new());
    }
    let last = window.preset;
    let beside = window.panes[0].place.row == window.panes[1].place.row;
    let even = if beside { Preset::EvenHorizontal } else { Preset::EvenVertical };
    let preset = match (given.operands.first(), given.has('n'), given.has('p'), given.has('E')) {
        (_, _, _, true) => even,
        (_, true, ..) => return next_layout(shim, given),
        (_, _, true, _) => return previous_layout(shim, given),
        (Some(name), ..) if name.contains(',') => return arrange(shim, at, name),
        (Some(name), ..) => preset(name)?,
        // Without a name, the last preset applies again.
        _ => match last {
            Some(last) => last,
            None => return Ok(String::new()),
        },
    };
    shim.call(&SelectLayout { choice: window_choice(at), preset, tree: None })?;
    Ok(String::new())
}

/// Arranges the panes of a window as a text says.
fn arrange(shim: &mut Shim, at: TargetPlace, text: &str) -> Outcome {
    let panes: Vec<_> = shim.views(at).1.panes.iter().map(|pane| pane.pane_id).collect();
    let tree = Some(fugue_client::tmux_layout::parse(text, &panes)?);
    shim.call(&SelectLayout { choice: window_choice(at), preset: Preset::Tiled, tree })?;
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
pub(super) fn next_layout(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    apply_preset(shim, given, Preset::after)
}

/// `previous-layout`
pub(super) fn previous_layout(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    apply_preset(shim, given, Preset::before)
}

/// Applies a preset that follows from the window's last one.
fn apply_preset(shim: &mut Shim, given: &ShimFlags, preset: fn(Option<Preset>) -> Preset) -> Outcome {
    let at = shim.window(given)?;
    let preset = preset(shim.views(at).1.preset);
    shim.call(&SelectLayout { choice: window_choice(at), preset, tree: None })?;
    Ok(String::new())
}

impl Shim {
    /// Expands a format for the caller's place.
    pub(super) fn expand_here(&mut self, format: &str) -> Result<String, String> {
        let at = self.find(None, TargetKind::Pane)?;
        Ok(self.expand(format, at))
    }
}
