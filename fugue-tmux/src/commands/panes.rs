//! tmux's commands for panes.

use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::{
    BreakPane, ClosePane, CreatePane, FocusPane, JoinPane, MarkPane, MoveWindow, RenamePane, ResizePane,
    RespawnPane, SelectWindow, SwapPanes, ZoomPane,
};
use fugue_protocol::{PaneId, PaneRef, SessionRef, Side};

use crate::context::{LineContext, Outcome, pane_choice, window_choice};
use crate::flags::{Flags, parsed};

use super::program::program;
use super::{team, windows};

/// `split-window`
pub(super) async fn split(cx: &mut LineContext, given: &Flags) -> Outcome {
    let pane = if cx.setting.leads_team {
        team::open_teammate(cx, given).await?
    } else {
        split_pane(cx, given).await?
    };
    let printed = cx.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}").await?;
    if given.has('Z') {
        cx.call(&ZoomPane { choice: fugue_protocol::verbs::PaneChoice::of(pane), zoomed: Some(true) })
            .await?;
    }
    Ok(printed)
}

async fn split_pane(cx: &mut LineContext, given: &Flags) -> Result<PaneId, String> {
    let at = cx.pane(given)?;
    let (percent, cells) = size(given)?;
    let create = CreatePane {
        pane: Some(at.pane.into()),
        direction: Some(side(given)),
        percent,
        cells,
        full: given.has('f'),
        background: given.has('d'),
        program: program(cx, given, false).await?,
        ..CreatePane::default()
    };
    Ok(cx.call(&create).await?.pane_id)
}

/// The side that `-h`, `-v` and `-b` mean.
fn side(given: &Flags) -> Side {
    match (given.has('h'), given.has('b')) {
        (true, false) => Side::Right,
        (true, true) => Side::Left,
        (false, false) => Side::Below,
        (false, true) => Side::Above,
    }
}

/// The size that `-l` and `-p` give, in percent or in cells.
fn size(given: &Flags) -> Result<(Option<u8>, Option<u16>), String> {
    let percent = |size: &str| {
        let number = size.parse::<u32>().map_err(|_| format!("invalid size: {size}"))?;
        Ok::<_, String>(u8::try_from(number.clamp(1, 99)).ok())
    };
    match (given.value('l'), given.value('p')) {
        (Some(size), _) => match size.strip_suffix('%') {
            Some(number) => Ok((percent(number)?, None)),
            None => Ok((None, Some(size.parse().map_err(|_| format!("invalid size: {size}"))?))),
        },
        (None, Some(size)) => Ok((percent(size)?, None)),
        (None, None) => Ok((None, None)),
    }
}

/// `respawn-pane` and `respawn-window`
pub(super) async fn respawn(cx: &mut LineContext, given: &Flags) -> Outcome {
    let choice = pane_choice(cx.pane(given)?);
    let program = program(cx, given, false).await?.into();
    cx.call(&RespawnPane { choice, kill: given.has('k'), program }).await?;
    Ok(String::new())
}

/// `kill-pane`
pub(super) async fn kill(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    let panes = cx.views(at).1.panes.iter().map(|pane| pane.pane_id);
    let panes: Vec<_> = match given.has('a') {
        true => panes.filter(|pane| *pane != at.pane).collect(),
        false => vec![at.pane],
    };
    for pane in panes {
        cx.call(&ClosePane { choice: pane_choice(TargetPlace { pane, ..at }) }).await?;
    }
    Ok(String::new())
}

/// The side that `-L`, `-R`, `-U` or `-D` names.
fn direction(given: &Flags) -> Option<Side> {
    let sides = [('L', Side::Left), ('R', Side::Right), ('U', Side::Above), ('D', Side::Below)];
    sides.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, side)| side)
}

/// `select-pane`
pub(super) async fn select(cx: &mut LineContext, given: &Flags) -> Outcome {
    if given.has('l') {
        return last(cx, given).await;
    }
    refuse_input_locks(given, "select-pane")?;
    if given.has('g') {
        return Ok("default".into());
    }
    if given.has('M') {
        cx.call(&MarkPane { clear: true, ..MarkPane::default() }).await?;
        return Ok(String::new());
    }
    let at = cx.pane(given)?;
    if given.has('m') {
        cx.call(&MarkPane { choice: pane_choice(at), clear: false }).await?;
        return Ok(String::new());
    }
    if let Some(title) = given.value('T') {
        let name = Some(title).filter(|title| !title.is_empty());
        let name = name.map(|title| parsed(title, "title")).transpose()?;
        cx.call(&RenamePane { choice: pane_choice(at), name }).await?;
        team::name_session(cx, at, title).await?;
        return Ok(String::new());
    }
    // Colors are not a selection.
    if !given.has('P') {
        let direction = direction(given);
        cx.call(&FocusPane { choice: pane_choice(at), wrap: direction.is_some(), direction }).await?;
    }
    if given.has('Z') {
        let zoomed = cx.views(at).1.zoomed;
        cx.call(&ZoomPane { choice: pane_choice(at), zoomed: Some(zoomed) }).await?;
    }
    Ok(String::new())
}

/// `-d` would turn the input to a pane off, and `-e` on.
fn refuse_input_locks(given: &Flags, command: &str) -> Result<(), String> {
    let flag = ['d', 'e'].into_iter().find(|flag| given.has(*flag));
    let refusal = |flag| format!("fugue has no `{command} -{flag}`: input to a pane cannot be turned off");
    flag.map_or(Ok(()), |flag| Err(refusal(flag)))
}

/// `last-pane`
pub(super) async fn last(cx: &mut LineContext, given: &Flags) -> Outcome {
    refuse_input_locks(given, "last-pane")?;
    let window = cx.window(given)?;
    let number = cx.views(window).1.number;
    let at = cx.find(Some(&format!("@{number}.!")), TargetKind::Pane).map_err(|_| "no last pane")?;
    cx.call(&FocusPane { choice: pane_choice(at), ..FocusPane::default() }).await?;
    Ok(String::new())
}

/// `resize-pane`
pub(super) async fn resize(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    if given.has('Z') {
        cx.call(&ZoomPane { choice: pane_choice(at), zoomed: None }).await?;
        return Ok(String::new());
    }
    let (_, window, pane) = cx.views(at);
    let whole = window.dimensions;
    // A pane from edge to edge has no border to move, which is no error in tmux.
    let (wide, high) = (pane.place.cols >= whole.cols, pane.place.rows >= whole.rows);
    let sized = |letter: char, whole: u16| given.value(letter).map(|size| cells(size, whole)).transpose();
    let (cols, rows) = (sized('x', whole.cols)?, sized('y', whole.rows)?);
    let by = given.operands.first().map(|by| by.parse().map_err(|_| format!("invalid adjustment: {by}")));
    let (cols, rows) = (cols.filter(|_| !wide), rows.filter(|_| !high));
    let movable = |side: &Side| if matches!(side, Side::Left | Side::Right) { !wide } else { !high };
    let (by, direction) = (by.transpose()?, direction(given).filter(movable));
    if direction.is_none() && cols.is_none() && rows.is_none() {
        return Ok(String::new());
    }
    cx.call(&ResizePane { choice: pane_choice(at), direction, by, cols, rows }).await?;
    Ok(String::new())
}

/// A number of cells, or a percentage of the whole.
fn cells(size: &str, whole: u16) -> Result<u16, String> {
    let invalid = || format!("invalid size: {size}");
    let number: u32 = size.trim_end_matches('%').parse().map_err(|_| invalid())?;
    let number = if size.ends_with('%') { u32::from(whole) * number / 100 } else { number };
    u16::try_from(number).map_err(|_| invalid())
}

/// `swap-pane`
pub(super) async fn swap(cx: &mut LineContext, given: &Flags) -> Outcome {
    let target = cx.pane(given)?;
    let source = match (given.has('U'), given.has('D'), given.value('s')) {
        (true, ..) => neighbor(cx, target, ".-"),
        (_, true, _) => neighbor(cx, target, ".+"),
        (.., Some(source)) => cx.find(Some(source), TargetKind::Pane)?,
        _ => cx.find(Some("~"), TargetKind::Pane).or_else(|_| cx.find(None, TargetKind::Pane))?,
    };
    cx.call(&SwapPanes { choice: pane_choice(source), with: PaneRef::from(target.pane) }).await?;
    if !given.has('d') {
        let focused = if given.has('U') || given.has('D') { target } else { source };
        cx.call(&FocusPane { choice: pane_choice(focused), ..FocusPane::default() }).await?;
    }
    Ok(String::new())
}

/// The pane before or after another one, in its window.
fn neighbor(cx: &LineContext, at: TargetPlace, sign: &str) -> TargetPlace {
    let panes = &cx.views(at).1.panes;
    let own = panes.iter().position(|pane| pane.pane_id == at.pane).unwrap_or_default();
    let by = if sign == ".-" { panes.len() - 1 } else { 1 };
    TargetPlace { pane: panes[(own + by) % panes.len()].pane_id, ..at }
}

/// `join-pane` and `move-pane`
pub(super) async fn join(cx: &mut LineContext, given: &Flags) -> Outcome {
    let source = match given.value('s') {
        Some(source) => cx.find(Some(source), TargetKind::Pane)?,
        None => cx.find(Some("~"), TargetKind::Pane).or_else(|_| cx.find(None, TargetKind::Pane))?,
    };
    let beside = cx.pane(given)?;
    if source.pane == beside.pane {
        return Err("source and target panes must be different".into());
    }
    let active = cx.views(beside).1.panes.iter().find(|pane| pane.active).map(|pane| pane.pane_id);
    if given.has('f') {
        let why = "a pane can only be placed next to another pane, not along the window's edge";
        return Err(format!("fugue has no `join-pane -f`: {why}"));
    }
    let side = side(given);
    let direction = Some(side);
    cx.call(&JoinPane { choice: pane_choice(source), beside: PaneRef::from(beside.pane), direction }).await?;
    if let Some(size) =
        given.value('l').map(str::to_owned).or(given.value('p').map(|size| format!("{size}%")))
    {
        cx.refresh().await?;
        let across = matches!(side, Side::Left | Side::Right);
        let whole = cx.views(beside).1.dimensions;
        let cells = cells(&size, if across { whole.cols } else { whole.rows })?;
        let (cols, rows) = if across { (Some(cells), None) } else { (None, Some(cells)) };
        cx.call(&ResizePane { choice: pane_choice(source), direction: None, by: None, cols, rows }).await?;
    }
    if !given.has('d') {
        cx.call(&SelectWindow { choice: window_choice(beside) }).await?;
    } else if let Some(pane) = active {
        let choice = pane_choice(TargetPlace { pane, ..beside });
        cx.call(&FocusPane { choice, ..FocusPane::default() }).await?;
    }
    Ok(String::new())
}

/// `break-pane`
pub(super) async fn break_out(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.find(given.value('s'), TargetKind::Pane)?;
    let (to, index) = match given.target() {
        Some(target) => windows::destination(cx, Some(target), given.has('a'), given.has('b'))?,
        None => (at, None),
    };
    let there = cx.sessions.iter().find(|session| session.session_id == to.session);
    let is_taken = there.is_some_and(|session| session.windows.iter().any(|at| Some(at.index) == index));
    if is_taken && !given.has('a') && !given.has('b') {
        return Err(windows::in_use(index));
    }
    let alone = cx.views(at).1.panes.len() == 1;
    let name = given.value('n').map(|name| parsed(name, "window")).transpose()?;
    let mut window = at;
    if !alone {
        let broken = BreakPane { choice: pane_choice(at), name, background: given.has('d') };
        window.window = cx.call(&broken).await?.window_id;
    }
    if to.session != at.session || index.is_some() {
        let to_session = Some(SessionRef::from(to.session));
        cx.call(&MoveWindow { choice: window_choice(window), to_session, index }).await?;
        if !given.has('d') {
            cx.call(&SelectWindow { choice: window_choice(window) }).await?;
        }
    }
    cx.report(given, at.pane, "#{session_name}:#{window_index}.#{pane_index}").await
}
